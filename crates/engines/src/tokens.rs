//! Exact prompt lengths, counted by the server before anything is sent (methodology section 3).

use std::time::Duration;

use serde_json::{Value, json};
use tokmark_run_format::Model;
use tokmark_units::float::len_u64;

use crate::capability::{Endpoint, TokenizeKind};
use crate::control::{Control, ControlError, Limits};

/// A document of a million tokens takes a tokenizer seconds, and its ids are megabytes of text.
const LIMITS: Limits = Limits {
    time: Duration::from_mins(1),
    bytes: 64 * 1024 * 1024,
};

/// Why a prompt could not be counted.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The server has no route for it.
    #[error("the server does not count prompt tokens")]
    Unsupported,
    /// The request failed.
    #[error("the prompt's tokens cannot be counted")]
    Control(#[from] ControlError),
    /// The answer is not a count.
    #[error("`{path}` answers {status} `{shown}`")]
    Answer {
        /// Which route.
        path: &'static str,
        /// HTTP status.
        status: u16,
        /// First characters of the answer.
        shown: String,
    },
}

pub(crate) async fn count(
    control: &Control,
    kind: TokenizeKind,
    model: &Model,
    endpoint: Endpoint,
    text: &str,
) -> Result<u64, CountError> {
    let name = &model.served_name;
    let messages = json!([{ "role": "user", "content": text }]);
    match kind {
        TokenizeKind::None => Err(CountError::Unsupported),
        TokenizeKind::VllmMessages => {
            let body = match endpoint {
                Endpoint::Chat => json!({
                    "model": name, "messages": messages, "add_generation_prompt": true,
                }),
                Endpoint::Completions => json!({ "model": name, "prompt": text }),
            };
            ask(control, "/tokenize", &body, |answer| {
                answer.get("count")?.as_u64()
            })
            .await
        }
        TokenizeKind::LlamaCppTemplateThenTokenize => {
            let prompt = match endpoint {
                Endpoint::Completions => text.to_owned(),
                Endpoint::Chat => {
                    let body = json!({ "model": name, "messages": messages });
                    ask(control, "/apply-template", &body, |answer| {
                        Some(answer.get("prompt")?.as_str()?.to_owned())
                    })
                    .await?
                }
            };
            let body = json!({
                "model": name, "content": prompt, "add_special": true, "parse_special": true,
            });
            ask(control, "/tokenize", &body, |answer| {
                Some(len_u64(answer.get("tokens")?.as_array()?.len()))
            })
            .await
        }
    }
}

async fn ask<T>(
    control: &Control,
    path: &'static str,
    body: &Value,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<T, CountError> {
    let answer = control.post_json_within(path, body, LIMITS).await?;
    answer
        .success_json()
        .as_ref()
        .and_then(read)
        .ok_or_else(|| CountError::Answer {
            path,
            status: answer.status.as_u16(),
            shown: answer.shown(),
        })
}
