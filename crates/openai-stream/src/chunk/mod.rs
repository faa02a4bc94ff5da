//! The JSON of one event, or of a whole answer that was not streamed.
//!
//! One set of shapes reads the chat and the completions endpoint of every known server. Text
//! borrows from the event's bytes unless it holds JSON escapes. Fields that are not listed are
//! skipped; a listed field of the wrong type counts as absent.

mod error;
mod usage;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::SeqAccess;

use crate::lenient::{self, Any, Loose};

pub use error::{Detail, ErrorBody, parse_error};
pub use usage::{PromptProgress, Timings, Usage};

/// One event's JSON object.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Chunk<'a> {
    /// What the first choice brings. tokmark asks for one choice.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub choices: Choices<'a>,
    /// Token counts.
    #[serde(deserialize_with = "lenient::loose")]
    pub usage: Option<Usage>,
    /// llama.cpp's counts and times.
    #[serde(deserialize_with = "lenient::loose")]
    pub timings: Option<Timings>,
    /// llama.cpp's prefill progress, sent before the first token when asked for.
    #[serde(deserialize_with = "lenient::loose")]
    pub prompt_progress: Option<PromptProgress>,
    /// The `error` member. See [`Chunk::failure`] for errors without it.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub error: Option<ErrorBody<'a>>,
    /// `chat.completion.chunk`, `text_completion`, `error`, …
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub object: Option<Cow<'a, str>>,
    /// The served model's name.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub model: Option<Cow<'a, str>>,
    /// The served model's name, as `TabbyAPI` calls it.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub model_name: Option<Cow<'a, str>>,
    /// Build and configuration of the server.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub system_fingerprint: Option<Cow<'a, str>>,
    /// The kind of a Responses event or of a flat error.
    #[serde(rename = "type", borrow, deserialize_with = "lenient::text")]
    pub kind: Option<Cow<'a, str>>,
    /// The text of a flat error.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub message: Option<Cow<'a, str>>,
    /// The code of a flat error.
    #[serde(borrow, deserialize_with = "lenient::label")]
    pub code: Option<Cow<'a, str>>,
    /// The parameter that a flat error names.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub param: Option<Cow<'a, str>>,
    /// The kind of an error whose `error` member is plain text (TGI).
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub error_type: Option<Cow<'a, str>>,
    /// `FastAPI`'s error text, or what its list of validation errors says.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub detail: Detail<'a>,
}

impl<'a> Chunk<'a> {
    /// Reads one event's data. `Ok(None)` is JSON that is not an object.
    ///
    /// # Errors
    /// Bytes that are not JSON.
    pub fn parse(data: &'a [u8]) -> Result<Option<Self>, serde_json::Error> {
        serde_json::from_slice::<Any<Option<Self>>>(data).map(|Any(chunk)| chunk)
    }

    /// The served model's name, whichever member holds it.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref().or(self.model_name.as_deref())
    }
}

/// The `choices` array: its first element and whether it had one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choices<'a> {
    /// Whether the array was there at all; a usage-only chunk has an empty one (case B011).
    pub present: bool,
    /// The first element.
    pub first: Option<Choice<'a>>,
}

impl<'de> Loose<'de> for Choices<'de> {
    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let first = seq.next_element::<Any<Option<Choice<'de>>>>()?;
        lenient::skip_rest(&mut seq)?;
        Ok(Self {
            present: true,
            first: first.and_then(|Any(choice)| choice),
        })
    }
}

/// One choice of a chunk.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Choice<'a> {
    /// New text of a streamed chat.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub delta: Option<Delta<'a>>,
    /// Whole text of a chat that was not streamed.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub message: Option<Delta<'a>>,
    /// Text of the completions endpoint.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub text: Option<Cow<'a, str>>,
    /// Why the generation ended; an empty one is absent (TGI sends it with every chunk).
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub finish_reason: Option<Cow<'a, str>>,
    /// The stop text or token that was met (vLLM).
    #[serde(borrow, deserialize_with = "lenient::label")]
    pub stop_reason: Option<Cow<'a, str>>,
    /// Ids of the tokens of this chunk (vLLM, `SGLang`): only their number.
    #[serde(deserialize_with = "lenient::loose")]
    pub token_ids: IdCount,
    /// The same under `LMDeploy`'s name.
    #[serde(deserialize_with = "lenient::loose")]
    pub output_ids: IdCount,
}

impl Choice<'_> {
    /// How many token ids came with this chunk; `None` when the server sends none.
    pub fn ids(&self) -> Option<u64> {
        self.token_ids.0.or(self.output_ids.0)
    }
}

/// The length of an array of token ids; `None` when it was absent or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IdCount(pub Option<u64>);

impl<'de> Loose<'de> for IdCount {
    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        lenient::skip_rest(&mut seq).map(|count| Self(Some(count)))
    }
}

/// A chat chunk's delta, or the message of an answer that was not streamed.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Delta<'a> {
    /// The answer.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub content: Option<Cow<'a, str>>,
    /// The thinking text under the older name.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub reasoning_content: Option<Cow<'a, str>>,
    /// The thinking text under the newer name.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub reasoning: Option<Cow<'a, str>>,
    /// Names and arguments of tool calls, joined.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub tool_calls: ToolText<'a>,
    /// The same for the older single call.
    #[serde(borrow, deserialize_with = "lenient::loose")]
    pub function_call: Option<Function<'a>>,
}

impl Delta<'_> {
    /// The thinking text, counted once: servers of the transition send it under both names
    /// (case B002). Should the two differ, the longer one holds more of what was generated.
    pub fn thinking(&self) -> Option<&str> {
        match (self.reasoning_content.as_deref(), self.reasoning.as_deref()) {
            (Some(older), Some(newer)) if newer.len() > older.len() => Some(newer),
            (older, newer) => older.or(newer),
        }
    }

    /// Text of tool calls of either form.
    pub fn tool_text(&self) -> Option<Cow<'_, str>> {
        match (&self.tool_calls.0, &self.function_call) {
            (Some(text), _) => Some(Cow::Borrowed(text)),
            (None, Some(function)) => function.text(),
            (None, None) => None,
        }
    }
}

/// What a tool call generates.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Function<'a> {
    /// The function's name.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub name: Option<Cow<'a, str>>,
    /// A piece of its arguments.
    #[serde(borrow, deserialize_with = "lenient::text")]
    pub arguments: Option<Cow<'a, str>>,
}

impl<'a> Function<'a> {
    fn text(&self) -> Option<Cow<'a, str>> {
        join(self.name.clone(), self.arguments.clone())
    }
}

/// Names and arguments of all tool calls of a chunk, in their order; `None` when there are none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolText<'a>(pub Option<Cow<'a, str>>);

impl<'de> Loose<'de> for ToolText<'de> {
    fn array<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut text = None;
        while let Some(Any(call)) = seq.next_element::<Any<Option<ToolCall<'de>>>>()? {
            let function = call.and_then(|call| call.function);
            text = join(text, function.and_then(|function| function.text()));
        }
        Ok(Self(text))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow, deserialize_with = "lenient::loose")]
    function: Option<Function<'a>>,
}

/// Joins two pieces of text without a copy when one of them is absent.
fn join<'a>(first: Option<Cow<'a, str>>, second: Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first + second),
        (first, second) => first.or(second),
    }
}
