//! What was going to be measured, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How thorough the run is (methodology 4.3.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// A window may end early when its interval is narrow.
    Quick,
    /// Fixed windows, one pass.
    #[default]
    Standard,
    /// Three passes inside each row.
    Rigorous,
}

impl Profile {
    /// The word on the command line and in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Rigorous => "rigorous",
        }
    }
}

/// Which cells are left out for lack of KV cache (methodology section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapacityRule {
    /// Prompt tokens plus the output expected in launch and window, over 97 % of the budget.
    #[default]
    Expected,
    /// `C x (context + max output) > budget`.
    Reserve,
    /// Nothing is left out.
    Try,
}

impl CapacityRule {
    /// The word on the command line and in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Reserve => "reserve",
            Self::Try => "try",
        }
    }
}

/// Where prefill samples come from (methodology section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrefillMode {
    /// The documents that decode needs anyway, plus extra samples.
    #[default]
    WarmUp,
    /// Only prefill is measured.
    Standalone,
    /// No prefill rows.
    Off,
}

impl PrefillMode {
    /// The words that a page shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::WarmUp => "Measured during decode warm-up",
            Self::Standalone => "Standalone",
            Self::Off => "Off",
        }
    }
}

/// Sampling parameters of every request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sampling {
    /// Temperature.
    pub temperature: f64,
    /// Nucleus share.
    pub top_p: f64,
    /// Whether each stream has its own seed.
    pub seed_per_stream: bool,
    /// Whether the model was asked to write on after its end token.
    pub ignore_eos: bool,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.7,
            top_p: 0.95,
            seed_per_stream: true,
            ignore_eos: true,
        }
    }
}

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Plan {
    /// Contexts of the decode matrix, in tokens.
    pub contexts: Vec<u64>,
    /// Contexts of the prefill rows, in tokens.
    pub prefill_contexts: Vec<u64>,
    /// Concurrency levels.
    pub requests: Vec<u32>,
    /// Length of a window in seconds.
    pub window_s: f64,
    /// Most output tokens of one request.
    pub max_output_tokens: u64,
    /// Profile.
    pub profile: Profile,
    /// Capacity rule.
    pub capacity: CapacityRule,
    /// Prefill mode.
    pub prefill: PrefillMode,
    /// Endpoint of the requests: `chat` or `completions`.
    pub endpoint: String,
    /// What the prompts are, for example `generated prose, one document per stream`.
    pub prompts: String,
    /// Whether all streams share one document.
    pub shared_context: bool,
    /// Seed of prompts and sampling.
    pub seed: u64,
    /// Sampling.
    pub sampling: Sampling,
    /// How decode ends: `fixed_duration` for this tool.
    pub decode_test: String,
    /// Seconds without an event after which a request counts as stalled.
    pub stall_timeout_s: f64,
}
