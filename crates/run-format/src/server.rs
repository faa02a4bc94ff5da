//! The engine and the model that were measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The serving engine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Engine {
    /// The dialect word (`vllm`, `llamacpp`, `openai`, …) or the name that an import gives.
    pub name: String,
    /// Version as the server tells it.
    pub version: Option<String>,
    /// Build or container image.
    pub build: Option<String>,
    /// Compute backend: `cuda`, `rocm`, `metal`, `cpu`.
    pub backend: Option<String>,
    /// Weight quantization as declared or detected.
    pub quantization: Option<String>,
    /// Type of the KV cache.
    pub kv_type: Option<String>,
    /// Launch flags that matter, in order, without secrets.
    pub flags: Vec<String>,
    /// Maximum model length in tokens (prompt and output of one request).
    pub max_length: Option<u64>,
    /// Most sequences that the server runs at once, when it says so.
    pub max_sequences: Option<u32>,
    /// The KV cache, when known.
    pub kv_budget: Option<TokenBudget>,
    /// Whether a repeated prompt comes from the server's cache; `null` is not known.
    pub prefix_cache: Option<bool>,
    /// What the server accepted.
    pub accepts: Accepts,
}

/// Tokens that the KV cache holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenBudget {
    /// Tokens in all, over every rank.
    pub tokens: u64,
    /// Tokens of one data-parallel rank: one request can use no more.
    pub tokens_per_rank: u64,
    /// Data-parallel ranks.
    pub ranks: u32,
    /// Tokens per block; needs are rounded up to it.
    pub block_tokens: u64,
    /// Where the figure comes from, for example `metrics kv_cache_size_tokens` or `--kv-budget`.
    pub source: String,
}

impl TokenBudget {
    /// Of one cache.
    pub fn of_one(tokens: u64, block_tokens: u64, source: impl Into<String>) -> Self {
        Self {
            tokens,
            tokens_per_rank: tokens,
            ranks: 1,
            block_tokens: block_tokens.max(1),
            source: source.into(),
        }
    }

    /// Of several ranks' caches; `None` without any. A request uses one rank's share only, so the
    /// smallest rank is the share.
    pub fn of_ranks(tokens: &[u64], block_tokens: u64, source: impl Into<String>) -> Option<Self> {
        Some(Self {
            tokens: tokens.iter().fold(0, |sum, one| sum.saturating_add(*one)),
            tokens_per_rank: tokens.iter().copied().min()?,
            ranks: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
            block_tokens: block_tokens.max(1),
            source: source.into(),
        })
    }
}

/// Which optional request fields and routes the server took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Accepts {
    /// `ignore_eos` or an equivalent has effect.
    pub ignore_eos: Option<bool>,
    /// Running token counts come with every event.
    pub continuous_usage: Option<bool>,
    /// Token ids come with every event.
    pub token_ids: Option<bool>,
    /// Prompts are counted by the server before they are sent.
    pub tokenize: Option<bool>,
    /// Cached prompt tokens are reported per request.
    pub cached_tokens: Option<bool>,
    /// Running and waiting gauges can be read.
    pub metrics: Option<bool>,
    /// Request fields that the server refused and that were dropped.
    pub dropped_fields: Vec<String>,
}

/// The model that was served.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Model {
    /// A name for titles: repository name without its owner, or the served name.
    pub name: String,
    /// The name that requests carry.
    pub served_name: String,
    /// Repository such as `owner/name`; never a local path.
    pub repository: Option<String>,
    /// Revision of the repository.
    pub revision: Option<String>,
    /// Hash of the weights, `sha256:…`, when known.
    pub weights_hash: Option<String>,
    /// File name of the weights for single-file formats.
    pub file: Option<String>,
    /// Parameters, when the server says so.
    pub parameters: Option<u64>,
}
