//! NVIDIA Dynamo's frontend 1.7, as it stands before its workers.

mod chunk;
mod metrics;

use serde_json::{Value, json};

use super::super::ask;
use super::super::error::{ApiError, Refused};
use super::super::field;
use super::super::prompt;
use super::super::shape::Speech;
use super::openai::prefixed_id;
use super::{Accepts, Content, Interface, Naming, Route, Target, UsageRule, View};
use chunk::Answers;

/// Dynamo's interface.
#[derive(Debug)]
pub(super) struct Dynamo;

const ROUTES: &[Route] = &[
    Route::get("/live", live),
    Route::get("/health", health),
    Route::get("/busy_threshold", busy_threshold),
    Route::get("/v1/models", models),
    Route::get("/metrics", metrics::page),
    Route::post("/tokenize", tokenize),
    Route::new("POST", "/clear_kv_blocks", Target::ClearCache(cleared)),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

const ACCEPTS: Accepts = Accepts {
    checks_output: false,
    ignore_eos: true,
    min_tokens: Some("min_tokens"),
    naming: Naming::Served,
    usage: UsageRule::Running,
    options_need_stream: false,
    ..Accepts::OPENAI
};

impl Interface for Dynamo {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    /// There is no key.
    fn guards(&self, _path: &str) -> bool {
        false
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        prefixed_id(speech, word)
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("dynamo-{build:08x}")
    }

    /// Flat, with the reason phrase as type. Overload has a status of its own.
    fn error(&self, error: &ApiError) -> Refused {
        let (status, kind) = match error {
            ApiError::Model { .. } | ApiError::Route { .. } => (404, "Not Found"),
            ApiError::Method { .. } => (405, "Method Not Allowed"),
            ApiError::RateLimited { .. } => (529, "Overloaded"),
            ApiError::Gone { .. } => (503, "Service Unavailable"),
            _ => (400, "Bad Request"),
        };
        let message = match error {
            ApiError::Model { .. } => "Model not found".to_owned(),
            ApiError::Field { .. } => format!("Validation: {}", error.words()),
            other if other.is_length() => format!("Validation: {}", other.words()),
            other => other.words(),
        };
        Refused::json(
            status,
            &json!({"message": message, "type": kind, "code": status}),
        )
    }
}

fn live(_view: &View<'_>) -> Content {
    Content::json(&json!({"status": "live", "message": "Service is live"}))
}

fn health(view: &View<'_>) -> Content {
    let instances = view.ranks.iter().zip(0u32..).map(
        |(_, rank)| json!({"component": "backend", "endpoint": "generate", "instance_id": rank}),
    );
    Content::json(&json!({
        "status": "healthy",
        "endpoints": ["dyn://dynamo.backend.generate"],
        "instances": instances.collect::<Vec<_>>(),
    }))
}

/// Thresholds are off unless set.
fn busy_threshold(_view: &View<'_>) -> Content {
    Content::json(&json!({"thresholds": []}))
}

fn models(view: &View<'_>) -> Content {
    let config = view.config();
    view.models(|name| {
        json!({
            "id": name,
            "object": "model",
            "created": config.epoch_unix_s,
            "owned_by": "nvidia",
            "context_window": config.engine.max_model_len,
        })
    })
}

/// vLLM's shape; the prompt is one string.
fn tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let fields = view.fields()?;
    ask::model(&fields, Naming::Served, view.config())?;
    if let Some(prompt) = fields.get("prompt").filter(|prompt| !prompt.is_string()) {
        let wanted = "expected a string";
        return Err(field::wrong("prompt", "string_type", wanted, prompt));
    }
    let tokens = prompt::tokenize(&fields, "prompt", view.tokenizer())?;
    Ok(Content::json(&json!({
        "count": tokens.len(),
        "max_model_len": view.config().engine.max_model_len,
        "tokens": tokens,
        "token_strs": null,
    })))
}

fn cleared(done: bool) -> Content {
    let worker = json!([{"name": "backend", "endpoint": "dynamo/backend/clear_kv_blocks"}]);
    let (cleared, failed) = if done {
        (worker, Value::Array(Vec::new()))
    } else {
        (Value::Array(Vec::new()), worker)
    };
    Content::json(&json!({"cleared_workers": cleared, "failed_workers": failed}))
}
