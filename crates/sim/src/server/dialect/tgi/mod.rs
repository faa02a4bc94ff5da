//! Text Generation Inference 3.3.7.

mod chunk;
mod metrics;
mod native;

use serde_json::{Value, json};

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::prompt;
use super::super::shape::Speech;
use super::{Accepts, Content, Interface, Naming, Route, UsageRule, View};
use crate::tokenizer::Tokenizer;
use chunk::Answers;
use native::Native;

/// The version that the simulated server claims to be.
const VERSION: &str = "3.3.7";

/// The router's own limit of requests in flight; it is no batch size.
const MAX_CONCURRENT: u32 = 128;

/// TGI's interface.
#[derive(Debug)]
pub(super) struct Tgi;

const ROUTES: &[Route] = &[
    Route::get("/info", info),
    Route::get("/health", health),
    Route::get("/ping", health),
    Route::get("/metrics", metrics::page),
    Route::get("/v1/models", models),
    Route::post("/tokenize", tokenize),
    Route::post("/chat_tokenize", chat_tokenize),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
    Route::generate("/generate", &Native { streams: false }),
    Route::generate("/generate_stream", &Native { streams: true }),
];

const ACCEPTS: Accepts = Accepts {
    text_tokens: None,
    checks_output: false,
    naming: Naming::Ignore,
    usage: UsageRule::Last,
    options_need_stream: false,
    id_prompts: false,
    ..Accepts::OPENAI
};

impl Interface for Tgi {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("x-compute-type", "sim")]
    }

    fn guards(&self, path: &str) -> bool {
        !matches!(path, "/info" | "/health" | "/ping" | "/metrics")
    }

    fn id(&self, _speech: Speech, word: u64) -> String {
        // The answers have none; the truth has to call them something.
        format!("tgi-{word:016x}")
    }

    fn fingerprint(&self, _build: u64) -> String {
        format!("{VERSION}-native")
    }

    fn error(&self, error: &ApiError) -> Refused {
        match error {
            ApiError::Key => Refused::text(401, ""),
            ApiError::Route { .. } => Refused::text(404, ""),
            ApiError::Method { .. } => Refused::text(405, ""),
            ApiError::Field {
                fault: FieldFault::Missing { .. } | FieldFault::Type { .. },
                ..
            } => Refused::text(
                422,
                &format!(
                    "Failed to deserialize the JSON body into the target type: {}",
                    error.words()
                ),
            ),
            ApiError::Json { .. } => Refused::text(400, "Failed to parse the request body as JSON"),
            other => {
                let body = json!({"error": words(other), "error_type": kind(other)});
                Refused::json(status(other), &body)
            }
        }
    }
}

/// The status of an error that is told in the router's own shape.
fn status(error: &ApiError) -> u16 {
    match error {
        ApiError::RateLimited { .. } => 429,
        ApiError::Gone { .. } => 503,
        _ => 422,
    }
}

fn kind(error: &ApiError) -> &'static str {
    match error {
        ApiError::RateLimited { .. } => "overloaded",
        ApiError::Gone { .. } => "healthcheck",
        _ => "validation",
    }
}

fn words(error: &ApiError) -> String {
    let validation = |message: &str| format!("Input validation error: {message}");
    match error {
        ApiError::RateLimited { .. } => "Model is overloaded".to_owned(),
        ApiError::Gone { .. } => error.words(),
        ApiError::OutputTooSmall { .. } => validation("`max_new_tokens` must be strictly positive"),
        ApiError::EmptyPrompt => validation("`inputs` cannot be empty"),
        ApiError::PromptTooLong { prompt, longest } => validation(&format!(
            "`inputs` must have less than {longest} tokens. Given: {prompt}"
        )),
        ApiError::TooLong {
            prompt,
            output,
            longest,
        } => validation(&format!(
            "`inputs` tokens + `max_new_tokens` must be <= {longest}. Given: {prompt} `inputs` \
             tokens and {output} `max_new_tokens`"
        )),
        other => validation(&other.words()),
    }
}

fn health(_view: &View<'_>) -> Content {
    Content::empty()
}

fn info(view: &View<'_>) -> Content {
    let config = view.config();
    let longest = config.engine.max_model_len;
    Content::json(&json!({
        "model_id": config.model.served_name,
        "model_sha": null,
        "model_pipeline_tag": "text-generation",
        "max_concurrent_requests": MAX_CONCURRENT,
        "max_best_of": 2,
        "max_stop_sequences": 4,
        "max_input_tokens": longest.saturating_sub(1),
        "max_total_tokens": longest,
        "validation_workers": 2,
        "max_client_batch_size": 4,
        "router": "text-generation-router",
        "version": VERSION,
        "sha": null,
        "docker_label": null,
    }))
}

/// One entry, owned by itself.
fn models(view: &View<'_>) -> Content {
    let name = &view.config().model.served_name;
    let card = json!({"id": name, "object": "model", "created": 0, "owned_by": name});
    Content::json(&json!({"object": "list", "data": [card]}))
}

/// The pieces of a text with their places in characters.
fn pieces(text: &str, tokenizer: Tokenizer) -> Value {
    let mut start = 0;
    let pieces = Tokenizer::pieces(text).map(|piece| {
        let from = start;
        start += piece.chars().count();
        json!({"id": tokenizer.id(piece), "text": piece, "start": from, "stop": start})
    });
    Value::Array(pieces.collect())
}

fn tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let fields = view.fields()?;
    let text = fields.get("inputs").and_then(Value::as_str);
    Ok(Content::json(&pieces(
        text.unwrap_or_default(),
        view.tokenizer(),
    )))
}

/// The chat's tokens. The template's special ones have no text here, so that the list has their ids
/// alone.
fn chat_tokenize(view: &View<'_>) -> Result<Content, ApiError> {
    let messages = prompt::messages(&view.fields()?)?;
    let ids = view.tokenizer().encode_chat(&messages, true);
    let tokens = ids
        .iter()
        .map(|id| json!({"id": id, "text": "", "start": 0, "stop": 0}));
    Ok(Content::json(&json!({
        "tokenize_response": tokens.collect::<Vec<_>>(),
        "templated_text": Tokenizer::template(&messages, true),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_a_type_of_their_own() {
        let check = |error: &ApiError, status: u16, body: &str| {
            let refused = Tgi.error(error);
            assert_eq!((refused.status, refused.body.as_str()), (status, body));
        };
        check(
            &ApiError::TooLong {
                prompt: 500,
                output: 20,
                longest: 512,
            },
            422,
            r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 512. Given: 500 `inputs` tokens and 20 `max_new_tokens`","error_type":"validation"}"#,
        );
        check(
            &ApiError::RateLimited { retry_after_s: 1 },
            429,
            r#"{"error":"Model is overloaded","error_type":"overloaded"}"#,
        );
        check(&ApiError::Key, 401, "");
    }

    #[test]
    fn pieces_have_their_places() {
        let tokenizer = Tokenizer::new(1_024);
        let found = pieces("größer x", tokenizer);
        assert_eq!(found[0]["start"], 0);
        assert_eq!(found[0]["stop"], 6);
        assert_eq!(found[1]["text"], " x");
        assert_eq!(found[1]["stop"], 8);
    }
}
