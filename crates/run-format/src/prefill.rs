//! Prefill rows: methodology section 2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::energy::Energy;
use crate::roofline::RooflineBound;
use crate::status::PrefillStatus;

/// Whether a prompt came from the server's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheState {
    /// Cached tokens are at most 2 %, or the shared template plus one block.
    Cold,
    /// More than that, also after one repeat.
    PartlyCached,
    /// The server tells nothing about its cache.
    Unverified,
}

/// Which part of the work gave a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SampleRole {
    /// The first sample at its context, when more than 10 % slower than the next: outside the median.
    First,
    /// A document only for this sample.
    Extra,
    /// A document that decode needs anyway.
    Document,
}

/// One cold prefill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrefillSample {
    /// Which part of the work gave it.
    pub role: SampleRole,
    /// Prompt tokens as the server counts them.
    pub prompt_tokens: u64,
    /// First event less send, in milliseconds.
    pub ttft_ms: f64,
    /// `prompt_tokens / ttft`.
    pub prompt_tokens_per_s: f64,
    /// Prompt tokens that came from the cache; `null` when the server does not say.
    pub cached_tokens: Option<u64>,
    /// The verdict on the cache.
    pub cache: CacheState,
    /// `event`, or `finish` when no event came and the finish frame counted.
    pub ttft_source: String,
}

/// The prefill speed at one context, one request at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrefillRow {
    /// Nominal context in tokens.
    pub context: u64,
    /// Always 1.
    pub requests: u32,
    /// What became of the row.
    pub status: PrefillStatus,
    /// Why, when it is not `valid`.
    pub reason: Option<String>,
    /// Samples that ended well.
    pub completed_requests: u64,
    /// Median prompt tokens of the samples that count.
    pub prompt_tokens: Option<u64>,
    /// Median of `prompt_tokens / ttft`.
    pub prompt_tokens_per_s: Option<f64>,
    /// Median TTFT in milliseconds.
    pub ttft_ms: Option<f64>,
    /// Smallest TTFT in milliseconds.
    #[serde(default)]
    pub ttft_ms_min: Option<f64>,
    /// Largest TTFT in milliseconds.
    #[serde(default)]
    pub ttft_ms_max: Option<f64>,
    /// The fixed part: TTFT of a 16-token prompt, in milliseconds.
    #[serde(default)]
    pub fixed_ttft_ms: Option<f64>,
    /// Median of `prompt_tokens / (ttft - fixed)`.
    #[serde(default)]
    pub prompt_tokens_per_s_less_fixed: Option<f64>,
    /// Median TTFT of the same document again, cached, at one request, in milliseconds.
    #[serde(default)]
    pub warm_ttft_ms: Option<f64>,
    /// Median of the times to the first token that the server counted itself, in milliseconds.
    #[serde(default)]
    pub server_ttft_ms: Option<f64>,
    /// What of the median TTFT is spent outside the engine, in milliseconds, where it is more than a
    /// fifth: a gateway that holds answers back, for example.
    #[serde(default)]
    pub outside_engine_ms: Option<f64>,
    /// Power and energy of the server's machine over the samples that count, each from its send to
    /// its first token, together; `null` also where they are too short for the readings.
    #[serde(default)]
    pub energy: Option<Energy>,
    /// Most prompt tokens per second that the run's roofline allows for such a prompt.
    #[serde(default)]
    pub roofline_tokens_per_s: Option<f64>,
    /// `prompt_tokens_per_s` / `roofline_tokens_per_s`, not clipped.
    #[serde(default)]
    pub roofline_share: Option<f64>,
    /// Which side of the machine sets that limit.
    #[serde(default)]
    pub roofline_bound: Option<RooflineBound>,
    /// Every sample, in the order of sending.
    #[serde(default)]
    pub samples: Vec<PrefillSample>,
}

impl PrefillRow {
    /// A row without a number.
    pub fn without_samples(context: u64, status: PrefillStatus, reason: Option<String>) -> Self {
        Self {
            context,
            requests: 1,
            status,
            reason,
            completed_requests: 0,
            prompt_tokens: None,
            prompt_tokens_per_s: None,
            ttft_ms: None,
            ttft_ms_min: None,
            ttft_ms_max: None,
            fixed_ttft_ms: None,
            prompt_tokens_per_s_less_fixed: None,
            warm_ttft_ms: None,
            server_ttft_ms: None,
            outside_engine_ms: None,
            energy: None,
            roofline_tokens_per_s: None,
            roofline_share: None,
            roofline_bound: None,
            samples: Vec::new(),
        }
    }
}
