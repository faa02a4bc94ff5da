//! What a generation request asks for, read from its JSON body and checked as the servers check it.

use serde_json::{Map, Value};

use super::chunk::Route;
use super::error::ApiError;
use super::field::{boolean, integer, missing, number, wrong};
use crate::config::SimConfig;
use crate::dialect::Dialect;
use crate::rng::mix;
use crate::tokenizer::{Message, Role, TokenId, Tokenizer};

/// Where a stream tells its token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UsageWish {
    /// Nowhere.
    Nowhere,
    /// In a chunk of its own at the end.
    Last,
    /// In every chunk, and at the end.
    Every,
}

/// A generation request that can be run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ask {
    pub(super) route: Route,
    /// The model's id as it was asked for, to be repeated in the answer.
    pub(super) model: String,
    pub(super) prompt: Vec<TokenId>,
    pub(super) stream: bool,
    pub(super) max_tokens: u32,
    pub(super) min_tokens: u32,
    pub(super) ignore_eos: bool,
    /// The seed of an answer that is to be the same each time; `None` when each is its own.
    pub(super) seed: Option<u64>,
    pub(super) usage: UsageWish,
    pub(super) return_token_ids: bool,
    pub(super) cache_salt: u64,
}

/// Output of a completion that does not say how long it shall be, as OpenAI and vLLM have it.
const COMPLETION_TOKENS: u32 = 16;

impl Ask {
    /// Reads a request in the order in which vLLM checks it: fields, model, options, lengths.
    pub(super) fn read(
        fields: &Map<String, Value>,
        route: Route,
        config: &SimConfig,
        tokenizer: Tokenizer,
    ) -> Result<Self, ApiError> {
        let vllm = config.dialect == Dialect::Vllm;
        let prompt = match route {
            Route::Chat => chat_prompt(fields, tokenizer)?,
            Route::Completion => completion_prompt(fields, tokenizer)?,
        };
        let limit = match route {
            Route::Chat => match integer(fields, "max_completion_tokens")? {
                Some(limit) => Some(limit),
                None => integer(fields, "max_tokens")?,
            },
            Route::Completion => integer(fields, "max_tokens")?,
        };
        let stream = boolean(fields, "stream")?;
        let min_tokens = integer(fields, "min_tokens")?.filter(|_| vllm).unwrap_or(0);
        let seed = integer(fields, "seed")?;
        let greedy = number(fields, "temperature")?.is_some_and(|t| t <= 0.0);
        number(fields, "top_p")?;
        let ignore_eos = boolean(fields, "ignore_eos")? && vllm;
        let return_token_ids = boolean(fields, "return_token_ids")? && vllm;
        let model = model(fields, config)?;
        one_choice(fields)?;
        let usage = stream_options(fields, stream, vllm)?;
        let max_tokens = output_limit(limit, route, &prompt, config)?;
        if min_tokens > i64::from(max_tokens) {
            let message =
                format!("min_tokens must be less than or equal to max_tokens={max_tokens}.");
            return Err(ApiError::parameter("min_tokens", &message, min_tokens));
        }
        let salt = fields.get("cache_salt").and_then(Value::as_str);
        Ok(Self {
            route,
            model,
            prompt,
            stream,
            max_tokens,
            min_tokens: u32::try_from(min_tokens).unwrap_or(0),
            ignore_eos,
            seed: if greedy {
                Some(0)
            } else {
                seed.map(|seed| mix(seed.unsigned_abs()))
            },
            usage,
            return_token_ids,
            cache_salt: salt.map_or(0, salt_hash),
        })
    }
}

/// `POST /tokenize` takes a text or a chat.
pub(super) fn tokenize(
    fields: &Map<String, Value>,
    config: &SimConfig,
    tokenizer: Tokenizer,
) -> Result<Vec<TokenId>, ApiError> {
    model(fields, config)?;
    if !fields.contains_key("messages") {
        let prompt = fields
            .get("prompt")
            .ok_or_else(|| missing("prompt", fields))?;
        return match prompt {
            Value::String(text) => Ok(tokenizer.encode(text)),
            other => Err(wrong(
                "prompt",
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

fn chat_prompt(
    fields: &Map<String, Value>,
    tokenizer: Tokenizer,
) -> Result<Vec<TokenId>, ApiError> {
    Ok(tokenizer.encode_chat(&messages(fields)?, true))
}

fn messages(fields: &Map<String, Value>) -> Result<Vec<Message>, ApiError> {
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
fn completion_prompt(
    fields: &Map<String, Value>,
    tokenizer: Tokenizer,
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
        Value::String(text) => Ok(tokenizer.encode(text)),
        Value::Array(list) if list.iter().all(Value::is_number) => {
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
        Value::Array(_) => Err(ApiError::Value {
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

fn model(fields: &Map<String, Value>, config: &SimConfig) -> Result<String, ApiError> {
    let served = &config.model.served_name;
    match fields.get("model") {
        None | Some(Value::Null) => Ok(served.clone()),
        Some(Value::String(asked)) if asked == served || config.model.aliases.contains(asked) => {
            Ok(asked.clone())
        }
        Some(Value::String(asked)) => {
            let names = std::iter::once(served).chain(&config.model.aliases);
            Err(ApiError::Model {
                asked: asked.clone(),
                served: names.cloned().collect(),
            })
        }
        Some(other) => Err(wrong(
            "model",
            "string_type",
            "Input should be a valid string",
            other,
        )),
    }
}

fn one_choice(fields: &Map<String, Value>) -> Result<(), ApiError> {
    match integer(fields, "n")? {
        None | Some(1) => Ok(()),
        Some(n) => Err(ApiError::parameter(
            "n",
            "The simulator gives one answer a request.",
            n,
        )),
    }
}

/// What a stream says of its token counts.
fn stream_options(
    fields: &Map<String, Value>,
    stream: bool,
    vllm: bool,
) -> Result<UsageWish, ApiError> {
    match fields.get("stream_options") {
        None | Some(Value::Null) => Ok(UsageWish::Nowhere),
        Some(_) if !stream => Err(ApiError::Value {
            param: Some("stream_options"),
            message: "Stream options can only be defined when `stream=True`. \
                      (parameter=stream_options)"
                .to_owned(),
        }),
        Some(Value::Object(options)) => {
            let last = boolean(options, "include_usage")?;
            let every = boolean(options, "continuous_usage_stats")?;
            Ok(match (last, every && vllm) {
                (false, _) => UsageWish::Nowhere,
                (true, false) => UsageWish::Last,
                (true, true) => UsageWish::Every,
            })
        }
        Some(other) => Err(wrong(
            "stream_options",
            "dict_type",
            "Input should be a valid dictionary",
            other,
        )),
    }
}

/// Most tokens to generate, or vLLM's words for why the request does not fit.
fn output_limit(
    asked: Option<i64>,
    route: Route,
    prompt: &[TokenId],
    config: &SimConfig,
) -> Result<u32, ApiError> {
    let longest = i64::from(config.engine.max_model_len);
    let prompt = i64::try_from(prompt.len()).unwrap_or(i64::MAX);
    if prompt == 0 {
        return Err(ApiError::Value {
            param: Some("prompt"),
            message: "The prompt is empty.".to_owned(),
        });
    }
    if let Some(asked) = asked {
        if asked < 1 {
            let message = format!("max_tokens must be at least 1, got {asked}.");
            return Err(ApiError::parameter("max_tokens", &message, asked));
        }
        if asked > longest {
            let message = format!(
                "max_tokens={asked} cannot be greater than max_model_len={longest}. \
                 Please request fewer output tokens."
            );
            return Err(ApiError::parameter("max_tokens", &message, asked));
        }
    }
    let opening = format!("This model's maximum context length is {longest} tokens.");
    if prompt > longest {
        // The tokenizer stops one token past the limit, so only a lower bound is known.
        let least = longest + 1;
        let message = format!(
            "{opening} However, your prompt contains at least {least} input tokens, which exceeds \
             this limit even without any output tokens. Please reduce the length of the input prompt."
        );
        return Err(ApiError::parameter("input_tokens", &message, least));
    }
    let wanted = asked.unwrap_or(match route {
        Route::Chat => (longest - prompt).max(1),
        Route::Completion => i64::from(COMPLETION_TOKENS),
    });
    if prompt + wanted > longest {
        let (least, total) = (longest - wanted + 1, longest + 1);
        let message = format!(
            "{opening} However, you requested {wanted} output tokens and your prompt contains at \
             least {least} input tokens, for a total of at least {total} tokens. Please reduce the \
             length of the input prompt or the number of requested output tokens."
        );
        return Err(ApiError::parameter("input_tokens", &message, least));
    }
    Ok(u32::try_from(wanted).unwrap_or(u32::MAX))
}

fn salt_hash(salt: &str) -> u64 {
    salt.bytes()
        .fold(1, |hash, byte| mix(hash ^ u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::super::field;
    use super::*;

    fn read(route: Route, body: &str) -> Result<Ask, ApiError> {
        let config = SimConfig::default();
        let fields = field::object(body.as_bytes())?;
        Ask::read(
            &fields,
            route,
            &config,
            Tokenizer::new(config.model.vocabulary),
        )
    }

    #[test]
    fn prompts_may_be_texts_or_tokens() {
        let check = |prompt: &str, expect: usize| {
            let ask = read(Route::Completion, &format!(r#"{{"prompt":{prompt}}}"#)).unwrap();
            assert_eq!(ask.prompt.len(), expect, "{prompt}");
            assert_eq!(ask.max_tokens, 16);
        };
        check(r#""one two""#, 2);
        check(r#"["one two three"]"#, 3);
        check("[5,6,7,8]", 4);
        check("[[5,6]]", 2);
        check("[5]", 1);
        for bad in [r#"["a","b"]"#, "[32000]", "[-1]", "7", "\"\"", "[]"] {
            let body = format!(r#"{{"prompt":{bad}}}"#);
            assert!(read(Route::Completion, &body).is_err(), "{bad}");
        }
    }

    #[test]
    fn chat_content_may_be_parts_and_fills_the_length() {
        let body = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"one two"}]}]}"#;
        let ask = read(Route::Chat, body).unwrap();
        assert_eq!(ask.prompt.len(), 2 + 5 + 3);
        assert_eq!(ask.max_tokens, 32_768 - 10);
    }
}
