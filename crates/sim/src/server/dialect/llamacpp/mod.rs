//! llama.cpp's `llama-server`, build b11434.

mod chunk;
mod views;

use serde_json::{Value, json};

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::shape::Speech;
use super::{Accepts, Fit, Interface, Naming, Route, Target, UsageRule, Zero};
use crate::rng::Rng;
use chunk::{Answers, Native};

/// llama.cpp's interface.
#[derive(Debug)]
pub(super) struct LlamaCpp;

const ROUTES: &[Route] = &[
    Route::get("/health", views::health),
    Route::get("/v1/health", views::health),
    Route::get("/v1/models", views::models),
    Route::get("/models", views::models),
    Route::get("/props", views::props),
    Route::get("/slots", views::slots),
    Route::new("POST", "/slots/*", Target::Page(views::slot_action)),
    Route::get("/metrics", views::metrics),
    Route::post("/tokenize", views::tokenize),
    Route::post("/apply-template", views::apply_template),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
    Route::generate("/completion", &Native),
    Route::generate("/completions", &Native),
];

/// Paths that are open although there is a key.
const OPEN: &[&str] = &["/health", "/v1/health", "/models", "/v1/models"];

const LIMITS: &[&str] = &["n_predict", "max_tokens", "max_completion_tokens"];

const ACCEPTS: Accepts = Accepts {
    chat_limits: LIMITS,
    text_limits: LIMITS,
    text_tokens: None,
    zero: Zero::One,
    minus_one_is_none: true,
    checks_output: false,
    fit: Fit::Cap,
    ignore_eos: true,
    naming: Naming::Ignore,
    usage: UsageRule::Last,
    options_need_stream: false,
    token_ids: Some("return_token_ids"),
    timings: true,
    ..Accepts::OPENAI
};

impl Interface for LlamaCpp {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "llama.cpp"), ("access-control-allow-origin", "")]
    }

    fn guards(&self, path: &str) -> bool {
        !OPEN.contains(&path)
    }

    fn id(&self, _speech: Speech, word: u64) -> String {
        const LETTERS: &[u8; 62] =
            b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut rng = Rng::new(word);
        let letters = (0..32).filter_map(|_| rng.pick(LETTERS).copied().map(char::from));
        format!("chatcmpl-{}", letters.collect::<String>())
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("b11434-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let late = |code: u16, message: &str, kind: &str| {
            let inner = json!({"message": message, "type": kind, "code": code});
            Refused::json(code, &json!({"error": inner}))
        };
        match error {
            ApiError::Key => late(401, "Invalid API Key", "authentication_error"),
            ApiError::Route { .. } | ApiError::Method { .. } => {
                late(404, "File Not Found", "not_found_error")
            }
            ApiError::Gone { .. } => late(503, "Loading model", "unavailable_error"),
            ApiError::RateLimited { .. } => late(429, &error.words(), "rate_limit_error"),
            ApiError::PromptTooLong { prompt, longest } => Refused::json(
                400,
                &json!({"error": {
                    "code": 400,
                    "message": format!(
                        "request ({prompt} tokens) exceeds the available context size \
                         ({longest} tokens), try increasing it"
                    ),
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": prompt,
                    "n_ctx": longest,
                }}),
            ),
            other => Refused::json(400, &invalid(&message(other))),
        }
    }
}

fn invalid(message: &str) -> Value {
    json!({"error": {"code": 400, "message": message, "type": "invalid_request_error"}})
}

fn message(error: &ApiError) -> String {
    match error {
        ApiError::Json { at, reason } => {
            let at = at + 1;
            format!(
                "[json.exception.parse_error.101] parse error at line 1, column {at}: syntax error \
                 while parsing value - {reason}"
            )
        }
        ApiError::Field { field, fault } => match fault {
            FieldFault::Missing { .. } => format!("'{field}' is required"),
            FieldFault::Refused => error.words(),
            FieldFault::Type { kind, .. } => {
                let wanted = match *kind {
                    "int_parsing" | "float_type" => "number",
                    "bool_type" => "boolean",
                    "list_type" => "array",
                    _ => "string",
                };
                format!(
                    "Field '{field}': [json.exception.type_error.302] type must be {wanted}, but \
                     is another"
                )
            }
        },
        ApiError::OutputTooSmall { asked } => format!(
            "Field 'max_tokens': Value must be between -1 <= value <= 2147483647, but got {asked}"
        ),
        other => other.words(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bodies that a real build b11434 sent, with other numbers.
    #[test]
    fn errors_have_the_fields_of_the_real_ones() {
        let check = |error: &ApiError, status: u16, body: &str| {
            assert_eq!(
                LlamaCpp.error(error),
                Refused::json(status, &serde_json::from_str(body).unwrap())
            );
            assert_eq!(LlamaCpp.error(error).body, body);
        };
        check(
            &ApiError::PromptTooLong {
                prompt: 900,
                longest: 512,
            },
            400,
            r#"{"error":{"code":400,"message":"request (900 tokens) exceeds the available context size (512 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":900,"n_ctx":512}}"#,
        );
        check(
            &ApiError::Method { allow: "POST" },
            404,
            r#"{"error":{"message":"File Not Found","type":"not_found_error","code":404}}"#,
        );
        check(
            &ApiError::OutputTooSmall { asked: -5 },
            400,
            r#"{"error":{"code":400,"message":"Field 'max_tokens': Value must be between -1 <= value <= 2147483647, but got -5","type":"invalid_request_error"}}"#,
        );
        let missing = ApiError::Field {
            field: "messages".to_owned(),
            fault: FieldFault::Missing { fields: 3 },
        };
        check(
            &missing,
            400,
            r#"{"error":{"code":400,"message":"'messages' is required","type":"invalid_request_error"}}"#,
        );
    }
}
