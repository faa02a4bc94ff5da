//! What one frame of an answer says, in the shapes of all servers (`engines.md`, streaming parts).

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokmark_units::float::len_u64;

/// Tokens of a request as the server counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Prompt tokens.
    pub prompt_tokens: Option<u64>,
    /// Output tokens.
    pub completion_tokens: Option<u64>,
    /// Prompt tokens that came from the cache; `None` when the server does not say.
    pub cached_tokens: Option<u64>,
    /// Output tokens spent on reasoning.
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Ollama puts zeros on every chunk but the last: they say nothing.
    fn says_something(&self) -> bool {
        self.prompt_tokens.unwrap_or(0) > 0 || self.completion_tokens.unwrap_or(0) > 0
    }
}

/// llama.cpp's own timings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Prompt tokens that were computed.
    pub prompt_n: Option<u64>,
    /// Prompt tokens that came from the cache.
    pub cache_n: Option<u64>,
    /// Output tokens so far.
    pub predicted_n: Option<u64>,
    /// Milliseconds of prompt work.
    pub prompt_ms: Option<f64>,
    /// Milliseconds of generation.
    pub predicted_ms: Option<f64>,
    /// Tokens drafted by speculation.
    pub draft_n: Option<u64>,
    /// Drafted tokens that were accepted.
    pub draft_n_accepted: Option<u64>,
}

/// One frame, with text borrowed from it where it has no escapes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chunk<'a> {
    /// Answer text of the first choice.
    pub content: Cow<'a, str>,
    /// Reasoning text of the first choice.
    pub reasoning: Cow<'a, str>,
    /// Names and arguments of tool calls of the first choice.
    pub tool_call: String,
    /// Why the first choice ended.
    pub finish: Option<Cow<'a, str>>,
    /// Token ids that came with the first choice.
    pub token_ids: Option<u64>,
    /// Whether there is a choice at all.
    pub has_choice: bool,
    /// Whether it is a whole message rather than a piece of a stream.
    pub whole: bool,
    /// Usage, unless all zero.
    pub usage: Option<Usage>,
    /// llama.cpp's timings.
    pub timings: Option<Timings>,
    /// The server's error.
    pub error: Option<ErrorText>,
}

/// An error in any of the shapes that servers use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorText {
    /// The words.
    pub message: String,
    /// A type or code word.
    pub kind: String,
    /// The numeric code, when there is one.
    pub code: Option<u16>,
}

/// Decodes one frame's JSON. The fast way borrows; a frame in which some field has an unexpected
/// type is read again the slow way, where such a field is as good as absent.
pub fn decode(data: &[u8]) -> Result<Chunk<'_>, serde_json::Error> {
    match serde_json::from_slice::<Wire<'_>>(data) {
        Ok(wire) if wire.error.is_none() => Ok(wire.into_chunk()),
        _ => serde_json::from_slice(data).map(|value| lenient::read(&value)),
    }
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Wire<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<WireUsage>,
    timings: Option<Timings>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    message: Option<Delta<'a>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
    token_ids: Option<Vec<u64>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning: Option<Cow<'a, str>>,
    tool_calls: Option<Vec<ToolCall>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall {
    function: Option<Function>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    #[serde(alias = "input_tokens")]
    prompt_tokens: Option<u64>,
    #[serde(alias = "output_tokens")]
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
    completion_tokens_details: Option<Details>,
    reasoning_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        let inside = wire.completion_tokens_details.unwrap_or_default();
        Self {
            prompt_tokens: wire.prompt_tokens,
            completion_tokens: wire.completion_tokens,
            cached_tokens: wire.prompt_tokens_details.and_then(|d| d.cached_tokens),
            reasoning_tokens: inside.reasoning_tokens.or(wire.reasoning_tokens),
        }
    }
}

impl<'a> Wire<'a> {
    fn into_chunk(self) -> Chunk<'a> {
        let mut chunk = Chunk {
            usage: self.usage.map(Usage::from).filter(Usage::says_something),
            timings: self.timings,
            ..Chunk::default()
        };
        // Further choices (`n` above 1) are never asked for.
        if let Some(choice) = self.choices.into_iter().flatten().next() {
            chunk.take(choice);
        }
        chunk
    }
}

impl<'a> Chunk<'a> {
    fn take(&mut self, choice: Choice<'a>) {
        self.has_choice = true;
        self.whole = choice.message.is_some();
        self.finish = choice.finish_reason.filter(|reason| !reason.is_empty());
        self.token_ids = choice.token_ids.map(|ids| len_u64(ids.len()));
        let delta = choice.delta.or(choice.message).unwrap_or_default();
        self.content = delta.content.or(choice.text).unwrap_or_default();
        // Both names in one frame carry the same text while servers move from one to the other.
        self.reasoning = delta
            .reasoning_content
            .filter(|text| !text.is_empty())
            .or(delta.reasoning)
            .unwrap_or_default();
        for function in delta
            .tool_calls
            .into_iter()
            .flatten()
            .filter_map(|c| c.function)
        {
            self.tool_call.extend(function.name);
            self.tool_call.extend(function.arguments);
        }
    }

    /// Whether the frame carries generated text of any channel.
    pub fn has_text(&self) -> bool {
        !(self.content.is_empty() && self.reasoning.is_empty() && self.tool_call.is_empty())
    }
}

/// The slow way: from a value, field by field.
mod lenient {
    use std::borrow::Cow;

    use serde_json::Value;
    use tokmark_units::float::len_u64;

    use super::{Chunk, ErrorText, Usage};

    pub(super) fn read(value: &Value) -> Chunk<'static> {
        let mut chunk = Chunk {
            error: error(value),
            usage: value.get("usage").and_then(usage),
            timings: value
                .get("timings")
                .and_then(|timings| serde_json::from_value(timings.clone()).ok()),
            ..Chunk::default()
        };
        let Some(choice) = value.get("choices").and_then(|choices| choices.get(0)) else {
            return chunk;
        };
        chunk.has_choice = true;
        chunk.whole = choice.get("message").is_some();
        let text = |from: Option<&Value>, key: &str| -> Option<Cow<'static, str>> {
            let text = from?.get(key)?.as_str()?;
            (!text.is_empty()).then(|| Cow::Owned(text.to_owned()))
        };
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        chunk.content = text(delta, "content")
            .or_else(|| text(Some(choice), "text"))
            .unwrap_or_default();
        chunk.reasoning = text(delta, "reasoning_content")
            .or_else(|| text(delta, "reasoning"))
            .unwrap_or_default();
        chunk.finish = text(Some(choice), "finish_reason");
        chunk.token_ids = choice
            .get("token_ids")
            .and_then(Value::as_array)
            .map(|ids| len_u64(ids.len()));
        let calls = delta
            .and_then(|delta| delta.get("tool_calls"))
            .and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            for key in ["name", "arguments"] {
                let part = call
                    .get("function")
                    .and_then(|f| f.get(key))
                    .and_then(Value::as_str);
                chunk.tool_call.push_str(part.unwrap_or_default());
            }
        }
        chunk
    }

    fn usage(value: &Value) -> Option<Usage> {
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let detail = |of: &str, key: &str| value.get(of)?.get(key)?.as_u64();
        let usage = Usage {
            prompt_tokens: number("prompt_tokens").or_else(|| number("input_tokens")),
            completion_tokens: number("completion_tokens").or_else(|| number("output_tokens")),
            cached_tokens: detail("prompt_tokens_details", "cached_tokens"),
            reasoning_tokens: detail("completion_tokens_details", "reasoning_tokens"),
        };
        usage.says_something().then_some(usage)
    }

    /// `{"error": {…}}`, `{"error": "text"}`, or the flat `{"object": "error", "message": …}`.
    pub(crate) fn error(value: &Value) -> Option<ErrorText> {
        let flat = value.get("object").and_then(Value::as_str) == Some("error");
        let inside = match value.get("error") {
            Some(Value::Null) | None if flat => value,
            Some(Value::Null) | None => return detail(value),
            Some(Value::String(message)) => {
                return Some(ErrorText {
                    message: message.clone(),
                    ..ErrorText::default()
                });
            }
            Some(inside) => inside,
        };
        let text = |key: &str| inside.get(key).and_then(Value::as_str).map(str::to_owned);
        let code = inside.get("code");
        Some(ErrorText {
            message: text("message").unwrap_or_else(|| inside.to_string()),
            kind: text("type").or_else(|| text("code")).unwrap_or_default(),
            code: code
                .and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
                .and_then(|code| u16::try_from(code).ok()),
        })
    }

    /// FastAPI's `{"detail": …}`.
    fn detail(value: &Value) -> Option<ErrorText> {
        let detail = value.get("detail")?;
        let message = detail
            .as_str()
            .map_or_else(|| detail.to_string(), str::to_owned);
        Some(ErrorText {
            message,
            kind: "detail".to_owned(),
            code: None,
        })
    }
}

pub(crate) use lenient::error as read_error;
