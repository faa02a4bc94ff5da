//! Prompts in request bodies: messages, texts, token ids.

use serde_json::Value;

use super::dialect::Accepts;
use super::error::ApiError;
use super::field::{boolean, missing, wrong};
use super::shape::Fields;
use crate::tokenizer::{Message, Role, TokenId, Tokenizer};

/// The tokens of a text or of a chat, as tokenization routes take them.
pub(super) fn tokenize(
    fields: &Fields,
    text: &str,
    tokenizer: Tokenizer,
) -> Result<Vec<TokenId>, ApiError> {
    if !fields.contains_key("messages") {
        let prompt = fields.get(text).ok_or_else(|| missing(text, fields))?;
        return match prompt {
            Value::String(prompt) => Ok(tokenizer.encode_special(prompt)),
            other => Err(wrong(
                text,
                "string_type",
                "Input should be a valid string",
                other,
            )),
        };
    }
    let generation_prompt = match fields.get("add_generation_prompt") {
        None => true,
        Some(_) => boolean(fields, "add_generation_prompt")?,
    };
    Ok(tokenizer.encode_chat(&messages(fields)?, generation_prompt))
}

/// The messages of a chat.
pub(super) fn messages(fields: &Fields) -> Result<Vec<Message>, ApiError> {
    let list = match fields.get("messages") {
        None => return Err(missing("messages", fields)),
        Some(Value::Array(list)) => list,
        Some(other) => {
            return Err(wrong(
                "messages",
                "list_type",
                "Input should be a valid list",
                other,
            ));
        }
    };
    let read = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str);
        let role = role.ok_or_else(|| missing("messages.role", fields))?;
        Ok(Message {
            role: Role::from_word(role),
            content: content(message.get("content")),
        })
    };
    list.iter().map(read).collect()
}

/// A message's content is a text, or a list of parts of which the texts count.
fn content(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect(),
        _ => String::new(),
    }
}

/// A completion's prompt: a text, a list of token ids, or a list with one of these.
pub(super) fn text_prompt(
    fields: &Fields,
    tokenizer: Tokenizer,
    accepts: &Accepts,
) -> Result<Vec<TokenId>, ApiError> {
    let prompt = fields
        .get("prompt")
        .ok_or_else(|| missing("prompt", fields))?;
    let single = match prompt {
        Value::Array(list) if list.len() == 1 && !list.iter().all(Value::is_number) => {
            list.first().unwrap_or(prompt)
        }
        other => other,
    };
    match single {
        Value::String(text) => Ok(tokenizer.encode_special(text)),
        Value::Array(list) if accepts.id_prompts && list.iter().all(Value::is_number) => {
            token_ids(list, tokenizer)
        }
        Value::Array(_) if accepts.id_prompts => Err(ApiError::Value {
            param: Some("prompt"),
            message: "The simulator takes one prompt a request.".to_owned(),
        }),
        other => Err(wrong(
            "prompt",
            "string_type",
            "Input should be a valid string",
            other,
        )),
    }
}

fn token_ids(list: &[Value], tokenizer: Tokenizer) -> Result<Vec<TokenId>, ApiError> {
    let ids = list.iter().map(|id| {
        let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
        id.filter(|id| *id < tokenizer.vocabulary())
    });
    let ids: Option<Vec<_>> = ids.collect();
    ids.ok_or_else(|| ApiError::Value {
        param: Some("prompt"),
        message: "A token id of the prompt is out of the vocabulary.".to_owned(),
    })
}
