//! Why a generation ended.

use std::fmt;

/// The server's `finish_reason` (case B037).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FinishReason {
    /// The model stopped, or a stop text was met.
    Stop,
    /// The output limit was reached.
    Length,
    /// The model called tools.
    ToolCalls,
    /// The same under the older name.
    FunctionCall,
    /// A filter cut the answer.
    ContentFilter,
    /// The end-of-sequence token came.
    EosToken,
    /// A stop text was met.
    StopSequence,
    /// Another word, as it came.
    Other(String),
}

/// Words that mean that the generation was broken off, whatever it had brought.
const BROKEN: &[&str] = &[
    "abort",
    "aborted",
    "cancel",
    "canceled",
    "cancelled",
    "error",
    "failed",
    "preempt",
    "preempted",
    "timeout",
];

impl FinishReason {
    /// The reason of a server's word.
    pub fn parse(word: &str) -> Self {
        match word {
            "stop" => Self::Stop,
            "length" => Self::Length,
            "tool_calls" => Self::ToolCalls,
            "function_call" => Self::FunctionCall,
            "content_filter" => Self::ContentFilter,
            "eos_token" => Self::EosToken,
            "stop_sequence" => Self::StopSequence,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The server's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::FunctionCall => "function_call",
            Self::ContentFilter => "content_filter",
            Self::EosToken => "eos_token",
            Self::StopSequence => "stop_sequence",
            Self::Other(word) => word,
        }
    }

    /// Whether it makes a request that brought `events` events a failed one. A word that nobody
    /// knows is believed after generated text only: a quick refusal must not pass for a quick
    /// reply (case B037).
    pub fn is_failure(&self, events: u64) -> bool {
        match self {
            Self::Other(word) => events == 0 || BROKEN.contains(&word.as_str()),
            _ => false,
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
