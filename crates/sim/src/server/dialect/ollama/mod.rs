//! Ollama 0.33: OpenAI's routes, and its own with one JSON object a line.

mod chunk;
mod native;
mod views;

use serde_json::json;

use super::super::error::{ApiError, Refused};
use super::super::shape::Speech;
use super::{Accepts, Fit, Interface, Naming, Route, UsageRule, Zero};
use chunk::Answers;
use native::Native;

/// The version that the simulated server claims to be.
const VERSION: &str = "0.33.0";

/// Ollama's interface.
#[derive(Debug)]
pub(super) struct Ollama;

const ROUTES: &[Route] = &[
    Route::get("/", views::root),
    Route::get("/api/version", views::version),
    Route::get("/api/tags", views::tags),
    Route::get("/api/ps", views::processes),
    Route::post("/api/show", views::show),
    Route::generate("/api/chat", &Native(Speech::Chat)),
    Route::generate("/api/generate", &Native(Speech::Text)),
    Route::get("/v1/models", views::models),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

/// Fields that are not listed are dropped without a word, and so is the beginning of a prompt that
/// is too long.
const ACCEPTS: Accepts = Accepts {
    chat_limits: &["max_tokens"],
    text_tokens: None,
    zero: Zero::One,
    minus_one_is_none: true,
    checks_output: false,
    fit: Fit::Truncate,
    usage: UsageRule::Last,
    naming: Naming::Served,
    options_need_stream: false,
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for Ollama {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn id(&self, speech: Speech, word: u64) -> String {
        // The real ones are small numbers that repeat.
        match speech {
            Speech::Chat => format!("chatcmpl-{}", word % 1_000),
            Speech::Text => format!("cmpl-{}", word % 1_000),
        }
    }

    fn fingerprint(&self, _build: u64) -> String {
        "fp_ollama".to_owned()
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        match error {
            ApiError::Route { .. } => return Refused::text(404, "404 page not found"),
            ApiError::Method { .. } => return Refused::text(405, "405 method not allowed"),
            _ => {}
        }
        let kind = match error {
            ApiError::Model { .. } => "not_found_error",
            ApiError::Gone { .. } | ApiError::RateLimited { .. } => "api_error",
            _ => "invalid_request_error",
        };
        let inner = json!({"message": words(error), "type": kind, "param": null, "code": null});
        Refused::json(status, &json!({"error": inner}))
    }
}

fn words(error: &ApiError) -> String {
    match error {
        ApiError::Model { asked, .. } => format!("model '{asked}' not found"),
        ApiError::Gone { .. } => {
            "server busy, please try again.  maximum pending requests exceeded".to_owned()
        }
        other => other.words(),
    }
}
