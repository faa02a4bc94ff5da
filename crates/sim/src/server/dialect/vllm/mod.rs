//! vLLM 0.32.

mod chunk;
mod metrics;

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::super::ask;
use super::super::error::{ApiError, FieldFault, Refused};
use super::super::prompt;
use super::super::shape::Speech;
use super::openai::prefixed_id;
use super::{Accepts, Content, Interface, Naming, Route, Target, UsageRule, View};
use chunk::Answers;

/// The version that the simulated server claims to be.
const VERSION: &str = "0.32.0";

/// vLLM's interface.
#[derive(Debug)]
pub(super) struct Vllm;

const ROUTES: &[Route] = &[
    Route::get("/v1/models", models),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
    Route::post("/tokenize", tokenize),
    Route::get("/metrics", metrics::page),
    Route::get("/version", version),
    Route::get("/health", health),
    Route::get("/ping", health),
    Route::new("POST", "/ping", Target::Page(health)),
    Route::get("/load", load),
];

const ACCEPTS: Accepts = Accepts {
    ignore_eos: true,
    min_tokens: Some("min_tokens"),
    usage: UsageRule::Running,
    token_ids: Some("return_token_ids"),
    rank_header: Some("x-data-parallel-rank"),
    ..Accepts::OPENAI
};

impl Interface for Vllm {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        prefixed_id(speech, word)
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("vllm-{VERSION}-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        let body = match error {
            ApiError::Key => json!({"error": "Unauthorized"}),
            ApiError::Route { .. } => json!({"detail": "Not Found"}),
            ApiError::Method { .. } => json!({"detail": "Method Not Allowed"}),
            ApiError::Json { at, reason } => {
                let detail = format!(
                    "{{'type': 'json_invalid', 'loc': 'body.{at}', 'msg': 'JSON decode error', \
                     'input': '<dict of 0 items>', 'ctx': {{'error': '{reason}'}}}}"
                );
                validation(&detail, &format!("body.{at}"))
            }
            ApiError::Field { field, fault } => field_error(field, fault),
            ApiError::Model { asked, served } => {
                let served = served.join(", ");
                let message =
                    format!("The model `{asked}` does not exist. Valid aliases: {served}.");
                object(&message, "NotFoundError", Some("model"), status)
            }
            ApiError::RateLimited { .. } => object(&error.words(), "RateLimitError", None, status),
            ApiError::Gone { .. } => {
                object(&error.words(), "ServiceUnavailableError", None, status)
            }
            other => {
                let (message, param) = value_error(other);
                object(&message, "BadRequestError", param, status)
            }
        };
        Refused::json(status, &body)
    }
}

/// The message of a wrong value and the parameter that it names.
fn value_error(error: &ApiError) -> (String, Option<&'static str>) {
    let named = |param: &'static str, message: String, value: i64| {
        let message = format!("{message} (parameter={param}, value={value})");
        (message, Some(param))
    };
    match error {
        ApiError::Value { param, message } => (message.clone(), *param),
        ApiError::EmptyPrompt => (error.words(), Some("prompt")),
        ApiError::OutputTooSmall { asked } => named("max_tokens", error.words(), *asked),
        ApiError::OutputTooLong { asked, longest } => named(
            "max_tokens",
            format!(
                "max_tokens={asked} cannot be greater than max_model_len={longest}. \
                 Please request fewer output tokens."
            ),
            *asked,
        ),
        ApiError::PromptTooLong { longest, .. } => {
            // The tokenizer stops one token past the limit, so only a lower bound is known.
            let least = longest + 1;
            let message = format!(
                "This model's maximum context length is {longest} tokens. However, your prompt \
                 contains at least {least} input tokens, which exceeds this limit even without any \
                 output tokens. Please reduce the length of the input prompt."
            );
            named("input_tokens", message, least)
        }
        ApiError::TooLong {
            output, longest, ..
        } => {
            let (least, total) = (longest - output + 1, longest + 1);
            let message = format!(
                "This model's maximum context length is {longest} tokens. However, you requested \
                 {output} output tokens and your prompt contains at least {least} input tokens, for \
                 a total of at least {total} tokens. Please reduce the length of the input prompt \
                 or the number of requested output tokens."
            );
            named("input_tokens", message, least)
        }
        other => (other.words(), None),
    }
}

fn field_error(field: &str, fault: &FieldFault) -> Value {
    let (kind, message, input) = match fault {
        FieldFault::Missing { fields } => (
            "missing",
            "Field required",
            format!("<dict of {fields} items>"),
        ),
        FieldFault::Refused => (
            "extra_forbidden",
            "Extra inputs are not permitted",
            "<value>".to_owned(),
        ),
        FieldFault::Type {
            kind,
            wanted,
            given,
        } => (*kind, *wanted, given.clone()),
    };
    let detail = format!(
        "{{'type': '{kind}', 'loc': 'body.{field}', 'msg': '{message}', 'input': '{input}'}}"
    );
    validation(&detail, &format!("body.{field}"))
}

fn validation(detail: &str, param: &str) -> Value {
    let message = format!("1 validation error:\n  {detail}");
    object(&message, "Bad Request", Some(param), 400)
}

fn object(message: &str, kind: &str, param: Option<&str>, code: u16) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

fn models(view: &View<'_>) -> Content {
    let config = view.config();
    view.models(|name| {
        json!({
            "id": name,
            "object": "model",
            "created": config.epoch_unix_s,
            "owned_by": "vllm",
            "root": config.model.root,
            "parent": null,
            "max_model_len": config.engine.max_model_len,
            "permission": [],
        })
    })
}

fn tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let fields = view.fields()?;
    ask::model(&fields, Naming::Served, view.config())?;
    let tokens = prompt::tokenize(&fields, "prompt", view.tokenizer())?;
    Ok(Content::json(&json!({
        "count": tokens.len(),
        "max_model_len": view.config().engine.max_model_len,
        "tokens": tokens,
        "token_strs": null,
    })))
}

fn version(_view: &View<'_>) -> Content {
    Content::json(&json!({"version": VERSION}))
}

fn health(_view: &View<'_>) -> Content {
    Content::empty()
}

fn load(view: &View<'_>) -> Content {
    let active = view.shared.active.load(Ordering::Relaxed);
    Content::json(&json!({"server_load": active}))
}
