//! mistral.rs 0.9.2.

mod chunk;
mod metrics;

use serde_json::json;

use super::super::error::{ApiError, Refused};
use super::super::prompt;
use super::super::shape::Speech;
use super::{Accepts, Content, Fit, Interface, Naming, Route, UsageRule, View};
use chunk::Answers;

/// The version that the simulated server claims to be.
const VERSION: &str = "0.9.2";

/// mistral.rs' interface.
#[derive(Debug)]
pub(super) struct MistralRs;

const ROUTES: &[Route] = &[
    Route::get("/", health),
    Route::get("/health", health),
    Route::get("/v1/models", models),
    Route::get("/v1/system/info", system_info),
    Route::get("/metrics", metrics::page),
    Route::post("/v1/messages/count_tokens", count_tokens),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
];

const LIMITS: &[&str] = &["max_tokens", "max_completion_tokens"];

const ACCEPTS: Accepts = Accepts {
    chat_limits: LIMITS,
    text_limits: LIMITS,
    text_tokens: None,
    checks_output: false,
    fit: Fit::Cap,
    ignore_eos: true,
    naming: Naming::Echo { unsaid: None },
    usage: UsageRule::Ignored,
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for MistralRs {
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

    fn id(&self, _speech: Speech, word: u64) -> String {
        // The real ones count the answers of the process.
        (word % 1_000_000_000).to_string()
    }

    fn fingerprint(&self, _build: u64) -> String {
        "local".to_owned()
    }

    fn error(&self, error: &ApiError) -> Refused {
        match error {
            ApiError::Route { .. } => Refused::text(404, ""),
            ApiError::Method { .. } => Refused::text(405, ""),
            ApiError::RateLimited { .. } | ApiError::Gone { .. } => {
                Refused::json(error.status(), &json!({"message": error.words()}))
            }
            ApiError::Json { .. } => Refused::text(400, "Failed to parse the request body as JSON"),
            other => Refused::json(422, &json!({"message": words(other)})),
        }
    }
}

fn words(error: &ApiError) -> String {
    match error {
        ApiError::PromptTooLong { longest, .. } | ApiError::TooLong { longest, .. } => format!(
            "Prompt sequence length is greater than {longest}, perhaps consider using \
             `truncate_sequence`?"
        ),
        other => other.words(),
    }
}

fn health(_view: &View<'_>) -> Content {
    Content::text("OK")
}

/// The first name stands for the loaded model, whatever it is.
fn models(view: &View<'_>) -> Content {
    let created = view.config().epoch_unix_s;
    let names = std::iter::once("default").chain(view.names().map(String::as_str));
    let cards = names.map(|name| {
        json!({
            "id": name, "object": "model", "created": created, "owned_by": "local",
            "status": "loaded",
        })
    });
    Content::json(&json!({"object": "list", "data": cards.collect::<Vec<_>>()}))
}

fn system_info(_view: &View<'_>) -> Content {
    Content::json(&json!({
        "build": {"version": VERSION, "git_revision": "unknown"},
        "devices": [],
    }))
}

/// A count without tokens.
fn count_tokens(view: &View<'_>) -> Result<Content, ApiError> {
    let messages = prompt::messages(&view.fields()?)?;
    let tokens = view.tokenizer().encode_chat(&messages, true);
    Ok(Content::json(&json!({"input_tokens": tokens.len()})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_prompt_is_unprocessable() {
        let error = ApiError::PromptTooLong {
            prompt: 900,
            longest: 512,
        };
        let refused = MistralRs.error(&error);
        assert_eq!(refused.status, 422);
        assert_eq!(
            refused.body,
            r#"{"message":"Prompt sequence length is greater than 512, perhaps consider using `truncate_sequence`?"}"#
        );
    }
}
