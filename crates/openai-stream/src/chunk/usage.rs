//! Token counts and server-side times that come with a chunk.

use serde::Deserialize;

use crate::lenient;

/// The server's own token counts of a request. Absent and null are `None`, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "WireUsage")]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub prompt_tokens: Option<u64>,
    /// Tokens generated so far or in all.
    pub completion_tokens: Option<u64>,
    /// `prompt_tokens_details.cached_tokens`.
    pub cached_tokens: Option<u64>,
    /// `completion_tokens_details.reasoning_tokens`, else `SGLang`'s `reasoning_tokens`.
    pub reasoning_tokens: Option<u64>,
}

impl Usage {
    /// Whether it counts nothing: Ollama's completions carry such a usage with every chunk before
    /// the real one.
    pub fn is_empty(&self) -> bool {
        self.prompt_tokens.unwrap_or(0) == 0 && self.completion_tokens.unwrap_or(0) == 0
    }

    /// This usage, with what it leaves open taken from an earlier one of the same request.
    #[must_use]
    pub fn or(self, earlier: Self) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens.or(earlier.prompt_tokens),
            completion_tokens: self.completion_tokens.or(earlier.completion_tokens),
            cached_tokens: self.cached_tokens.or(earlier.cached_tokens),
            reasoning_tokens: self.reasoning_tokens.or(earlier.reasoning_tokens),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    #[serde(deserialize_with = "lenient::count")]
    prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::count")]
    completion_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient::loose")]
    prompt_tokens_details: Option<PromptDetails>,
    #[serde(deserialize_with = "lenient::loose")]
    completion_tokens_details: Option<CompletionDetails>,
    #[serde(deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    #[serde(deserialize_with = "lenient::count")]
    cached_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CompletionDetails {
    #[serde(deserialize_with = "lenient::count")]
    reasoning_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        Self {
            prompt_tokens: wire.prompt_tokens,
            completion_tokens: wire.completion_tokens,
            cached_tokens: wire.prompt_tokens_details.and_then(|d| d.cached_tokens),
            reasoning_tokens: wire
                .completion_tokens_details
                .and_then(|d| d.reasoning_tokens)
                .or(wire.reasoning_tokens),
        }
    }
}

/// llama.cpp's `timings`: counts and milliseconds of one request.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Prompt tokens that were computed.
    #[serde(deserialize_with = "lenient::count")]
    pub prompt_n: Option<u64>,
    /// Prompt tokens that came from the cache.
    #[serde(deserialize_with = "lenient::count")]
    pub cache_n: Option<u64>,
    /// Tokens generated so far or in all.
    #[serde(deserialize_with = "lenient::count")]
    pub predicted_n: Option<u64>,
    /// Time of the prompt in milliseconds.
    #[serde(deserialize_with = "lenient::number")]
    pub prompt_ms: Option<f64>,
    /// Time of the generation in milliseconds.
    #[serde(deserialize_with = "lenient::number")]
    pub predicted_ms: Option<f64>,
    /// Tokens that speculation drafted.
    #[serde(deserialize_with = "lenient::count")]
    pub draft_n: Option<u64>,
    /// Drafted tokens that were accepted.
    #[serde(deserialize_with = "lenient::count")]
    pub draft_n_accepted: Option<u64>,
}

/// llama.cpp's `prompt_progress`: how far the prefill is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct PromptProgress {
    /// Tokens of the prompt.
    #[serde(deserialize_with = "lenient::count")]
    pub total: Option<u64>,
    /// Tokens that came from the cache.
    #[serde(deserialize_with = "lenient::count")]
    pub cache: Option<u64>,
    /// Tokens done.
    #[serde(deserialize_with = "lenient::count")]
    pub processed: Option<u64>,
    /// Milliseconds since the prefill began.
    #[serde(deserialize_with = "lenient::number")]
    pub time_ms: Option<f64>,
}
