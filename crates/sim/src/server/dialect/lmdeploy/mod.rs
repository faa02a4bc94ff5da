//! LMDeploy 0.16.

mod chunk;
mod metrics;

use http::StatusCode;
use serde_json::{Value, json};

use super::super::error::{ApiError, Refused};
use super::super::field;
use super::super::prompt;
use super::super::shape::Speech;
use super::{Accepts, Content, Fit, Interface, Naming, Route, Target, UsageRule, View};
use chunk::Answers;

/// LMDeploy's interface.
#[derive(Debug)]
pub(super) struct LmDeploy;

const ROUTES: &[Route] = &[
    Route::get("/health", health),
    Route::get("/is_sleeping", is_sleeping),
    Route::get("/v1/models", models),
    Route::get("/metrics", metrics::page),
    Route::post("/v1/encode", encode),
    Route::new("POST", "/abort_request", Target::Page(no_abort)),
    // Sleeping drops the prefix cache; there is no other way to.
    Route::new("POST", "/sleep", Target::ClearCache(slept)),
    Route::new("POST", "/wakeup", Target::Page(woken)),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

const LIMITS: &[&str] = &["max_completion_tokens", "max_tokens"];

const ACCEPTS: Accepts = Accepts {
    text_limits: LIMITS,
    text_tokens: None,
    checks_output: false,
    fit: Fit::Cap,
    ignore_eos: true,
    min_tokens: Some("min_new_tokens"),
    naming: Naming::Served,
    usage: UsageRule::Last,
    options_need_stream: false,
    token_ids: Some("return_token_ids"),
    // A list is a batch of prompts there.
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for LmDeploy {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    /// The ids are those of sessions.
    fn id(&self, _speech: Speech, word: u64) -> String {
        (word % 1_000_000_000).to_string()
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("lmdeploy-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        let body = match error {
            ApiError::Route { .. } => json!({"detail": "Not Found"}),
            ApiError::Method { .. } => json!({"detail": "Method Not Allowed"}),
            ApiError::Key => json!({"detail": "Please request with valid api key!"}),
            other => json!({
                "message": message(other),
                "type": "invalid_request_error",
                "code": status,
                "param": null,
                "object": "error",
            }),
        };
        Refused::json(status, &body)
    }
}

fn message(error: &ApiError) -> String {
    match error {
        ApiError::PromptTooLong { prompt, longest } => format!(
            "Input length ({prompt}) must be smaller than the model context length ({longest})."
        ),
        other => other.words(),
    }
}

fn health(_view: &View<'_>) -> Content {
    Content::json(&json!({"status": "healthy"}))
}

fn is_sleeping(_view: &View<'_>) -> Content {
    Content::json(&json!({"is_sleeping": false}))
}

fn slept(_done: bool) -> Content {
    Content::empty()
}

fn woken(_view: &View<'_>) -> Content {
    Content::empty()
}

/// Without `--enable-abort-handling` there is none.
fn no_abort(_view: &View<'_>) -> Content {
    let why = "This server does not support abort requests. Enable with --enable-abort-handling";
    Content::text(why).with(StatusCode::NOT_IMPLEMENTED)
}

fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    view.models(|name| {
        json!({
            "id": name,
            "object": "model",
            "created": created,
            "owned_by": "lmdeploy",
            "root": name,
            "parent": null,
            "permission": [],
        })
    })
}

/// One text, or a list of them; behind the chat template when that is asked for.
fn encode(view: &View<'_>) -> Result<Content, ApiError> {
    let fields = view.fields()?;
    let templated = field::boolean(&fields, "do_preprocess")?;
    let encoded = |text: &str| {
        let said = json!({"messages": [{"role": "user", "content": text}]});
        let said = said.as_object().filter(|_| templated);
        match said.map(prompt::messages) {
            Some(Ok(messages)) => view.tokenizer().encode_chat(&messages, true),
            _ => view.tokenizer().encode_special(text),
        }
    };
    match fields.get("input") {
        Some(Value::String(text)) => {
            let ids = encoded(text);
            Ok(Content::json(
                &json!({"input_ids": ids, "length": ids.len()}),
            ))
        }
        Some(Value::Array(texts)) => {
            let ids: Vec<_> = texts
                .iter()
                .filter_map(Value::as_str)
                .map(encoded)
                .collect();
            let lengths: Vec<_> = ids.iter().map(Vec::len).collect();
            Ok(Content::json(&json!({"input_ids": ids, "length": lengths})))
        }
        _ => Err(field::missing("input", &fields)),
    }
}
