//! `SGLang` 0.5.23.

mod chunk;
mod metrics;
mod native;
mod views;

use serde_json::{Value, json};

use super::super::error::{ApiError, FieldFault, Refused};
use super::super::shape::Speech;
use super::{Accepts, Interface, Naming, Route, Target, UsageRule, Zero};
use chunk::Answers;
use native::Native;

/// The version that the simulated server claims to be.
const VERSION: &str = "0.5.23";

/// `SGLang`'s interface.
#[derive(Debug)]
pub(super) struct SgLang;

const ROUTES: &[Route] = &[
    Route::get("/v1/models", views::models),
    Route::generate("/v1/chat/completions", &Answers(Speech::Chat)),
    Route::generate("/v1/completions", &Answers(Speech::Text)),
    Route::generate("/generate", &Native),
    Route::post("/tokenize", views::tokenize),
    Route::post("/v1/tokenize", views::tokenize),
    Route::get("/metrics", metrics::page),
    Route::get("/server_info", views::server_info),
    Route::get("/get_server_info", views::server_info),
    Route::get("/model_info", views::model_info),
    Route::get("/get_model_info", views::model_info),
    Route::get("/v1/loads", views::loads),
    Route::get("/health", views::health),
    Route::get("/health_generate", views::health),
    Route::get("/ping", views::health),
    Route::new("GET", "/flush_cache", Target::ClearCache(views::flushed)),
    Route::new("POST", "/flush_cache", Target::ClearCache(views::flushed)),
    Route::new("POST", "/abort_request", Target::Abort(views::abort)),
];

const ACCEPTS: Accepts = Accepts {
    // The real server answers zero with an empty answer; here it is the shortest one there is.
    zero: Zero::One,
    ignore_eos: true,
    min_tokens: Some("min_tokens"),
    naming: Naming::Echo {
        unsaid: Some("default"),
    },
    usage: UsageRule::RunningAlone,
    options_need_stream: false,
    token_ids: Some("return_token_ids"),
    rank_field: Some("data_parallel_rank"),
    ..Accepts::OPENAI
};

impl Interface for SgLang {
    fn routes(&self) -> &'static [Route] {
        ROUTES
    }

    fn accepts(&self) -> &'static Accepts {
        &ACCEPTS
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("server", "uvicorn")]
    }

    fn guards(&self, path: &str) -> bool {
        !path.starts_with("/health") && path != "/metrics"
    }

    fn id(&self, _speech: Speech, word: u64) -> String {
        format!("{word:016x}{:016x}", crate::rng::mix(word))
    }

    fn fingerprint(&self, build: u64) -> String {
        format!("sglang-{VERSION}-{build:08x}")
    }

    fn error(&self, error: &ApiError) -> Refused {
        let status = error.status();
        let body = match error {
            ApiError::Key => json!({"error": "Unauthorized"}),
            ApiError::Route { .. } => json!({"detail": "Not Found"}),
            ApiError::Method { .. } => json!({"detail": "Method Not Allowed"}),
            ApiError::Json { at, .. } => {
                let detail = format!(
                    "{{'type': 'json_invalid', 'loc': ('body', {at}), 'msg': 'JSON decode error', \
                     'input': {{}}, 'ctx': {{'error': 'unexpected end of data'}}}}"
                );
                flat(
                    &format!("1 validation error:\n  {detail}"),
                    "Bad Request",
                    400,
                )
            }
            ApiError::Field { field, fault } => {
                flat(&field_message(field, fault), "Bad Request", 400)
            }
            ApiError::Gone { .. } => flat(&error.words(), "ServiceUnavailable", status),
            other => flat(&message(other), "BadRequestError", status),
        };
        Refused::json(status, &body)
    }
}

/// The flat error object.
fn flat(message: &str, kind: &str, code: u16) -> Value {
    json!({"object": "error", "message": message, "type": kind, "param": null, "code": code})
}

fn field_message(field: &str, fault: &FieldFault) -> String {
    let (kind, message, input) = match fault {
        FieldFault::Missing { .. } => ("missing", "Field required", "{}".to_owned()),
        FieldFault::Refused => (
            "extra_forbidden",
            "Extra inputs are not permitted",
            "''".to_owned(),
        ),
        FieldFault::Type {
            kind,
            wanted,
            given,
        } => (*kind, *wanted, format!("'{given}'")),
    };
    format!(
        "1 validation error:\n  {{'type': '{kind}', 'loc': ('body', '{field}'), 'msg': '{message}', \
         'input': {input}}}"
    )
}

fn message(error: &ApiError) -> String {
    match error {
        ApiError::OutputTooSmall { asked } => {
            format!("max_new_tokens must be at least 0, got {asked}.")
        }
        // The two sentences stand together without a space in the real server, too.
        ApiError::OutputTooLong { asked, longest } => format!(
            "max_completion_tokens is too large: {asked}.This model supports at most {longest} \
             completion tokens."
        ),
        ApiError::PromptTooLong { prompt, longest } => format!(
            "The input ({prompt} tokens) is longer than the model's context length ({longest} \
             tokens)."
        ),
        ApiError::TooLong {
            prompt,
            output,
            longest,
        } => {
            let total = prompt.saturating_add(*output);
            format!(
                "Requested token count exceeds the model's maximum context length of {longest} \
                 tokens. You requested a total of {total} tokens: {prompt} tokens from the input \
                 messages and {output} tokens for the completion."
            )
        }
        other => other.words(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bodies that a real `SGLang` 0.5.23 sent, with other numbers.
    #[test]
    fn errors_are_flat_objects() {
        let check = |error: &ApiError, body: &str| assert_eq!(SgLang.error(error).body, body);
        check(
            &ApiError::PromptTooLong {
                prompt: 900,
                longest: 512,
            },
            r#"{"object":"error","message":"The input (900 tokens) is longer than the model's context length (512 tokens).","type":"BadRequestError","param":null,"code":400}"#,
        );
        check(
            &ApiError::OutputTooLong {
                asked: 900,
                longest: 512,
            },
            r#"{"object":"error","message":"max_completion_tokens is too large: 900.This model supports at most 512 completion tokens.","type":"BadRequestError","param":null,"code":400}"#,
        );
        let many = ApiError::Field {
            field: "max_tokens".to_owned(),
            fault: FieldFault::Type {
                kind: "int_parsing",
                wanted: "Input should be a valid integer, unable to parse string as an integer",
                given: "many".to_owned(),
            },
        };
        check(
            &many,
            r#"{"object":"error","message":"1 validation error:\n  {'type': 'int_parsing', 'loc': ('body', 'max_tokens'), 'msg': 'Input should be a valid integer, unable to parse string as an integer', 'input': 'many'}","type":"Bad Request","param":null,"code":400}"#,
        );
    }
}
