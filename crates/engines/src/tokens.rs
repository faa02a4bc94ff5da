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
    let is_chat = endpoint == Endpoint::Chat;
    let (path, body, read): (_, _, fn(&Value) -> Option<u64>) = match kind {
        TokenizeKind::None => return Err(CountError::Unsupported),
        TokenizeKind::AnthropicCount if !is_chat => return Err(CountError::Unsupported),
        TokenizeKind::LlamaCppTemplateThenTokenize => {
            return llamacpp(control, name, endpoint, text).await;
        }
        TokenizeKind::VllmMessages if is_chat => (
            "/tokenize",
            json!({ "model": name, "messages": messages, "add_generation_prompt": true }),
            |answer| answer.get("count")?.as_u64(),
        ),
        TokenizeKind::VllmMessages => (
            "/tokenize",
            json!({ "model": name, "prompt": text }),
            |answer| answer.get("count")?.as_u64(),
        ),
        TokenizeKind::Tgi if is_chat => (
            "/chat_tokenize",
            json!({ "model": name, "messages": messages }),
            |answer| length(answer.get("tokenize_response")?),
        ),
        TokenizeKind::Tgi => ("/tokenize", json!({ "inputs": text }), length),
        TokenizeKind::LmDeployEncode => (
            "/v1/encode",
            json!({ "input": text, "do_preprocess": is_chat, "add_bos": true }),
            |answer| answer.get("length")?.as_u64(),
        ),
        TokenizeKind::TabbyEncode => (
            "/v1/token/encode",
            json!({ "text": if is_chat { messages } else { text.into() } }),
            |answer| answer.get("length")?.as_u64(),
        ),
        TokenizeKind::AnthropicCount => (
            "/v1/messages/count_tokens",
            json!({ "model": name, "messages": messages }),
            |answer| answer.get("input_tokens")?.as_u64(),
        ),
    };
    ask(control, path, &body, read).await
}

fn length(list: &Value) -> Option<u64> {
    Some(len_u64(list.as_array()?.len()))
}

/// The template first, then the tokens of what it gives.
async fn llamacpp(
    control: &Control,
    name: &str,
    endpoint: Endpoint,
    text: &str,
) -> Result<u64, CountError> {
    let prompt = match endpoint {
        Endpoint::Completions => text.to_owned(),
        Endpoint::Chat => {
            let messages = json!([{ "role": "user", "content": text }]);
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
        length(answer.get("tokens")?)
    })
    .await
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
