//! What a simulated server is: an engine, a model's name, a dialect, and what goes wrong.

use std::num::NonZeroU32;

use crate::dialect::Dialect;
use crate::faults::Faults;
use crate::model::EngineConfig;
use crate::text::TextStyle;

/// The names under which a model is served, and what is known of it from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCard {
    /// The id in `/v1/models`.
    pub served_name: String,
    /// Further ids that requests may use.
    pub aliases: Vec<String>,
    /// Path or repository of the weights.
    pub root: String,
    /// Size of the vocabulary.
    pub vocabulary: u32,
    /// Type of the KV cache in the server's own word, `auto` for the model's type.
    pub kv_cache_dtype: String,
}

/// A simulated server.
#[derive(Debug, Clone, PartialEq)]
pub struct SimConfig {
    /// Whose interface it speaks.
    pub dialect: Dialect,
    /// The engine behind it. Its seed is the seed of everything, texts and ids included.
    pub engine: EngineConfig,
    /// The model it serves.
    pub model: ModelCard,
    /// What its answers look like.
    pub text: TextStyle,
    /// Mean length in tokens of an answer that may end by itself; `None` when none does.
    pub natural_output: Option<u32>,
    /// Whether usage tells how much of the prompt was cached.
    pub prompt_tokens_details: bool,
    /// The key that `/v1` asks for, if any.
    pub api_key: Option<String>,
    /// Whether every emission is remembered. Without it memory is bounded by what is in flight.
    pub keep_truth: bool,
    /// The wall-clock second of the server's start, for `created`. It is a parameter, since the
    /// simulator does not read real time.
    pub epoch_unix_s: u64,
    /// Instead of simulating, streams are filled with this many tokens an event, as fast as the
    /// client reads them.
    pub flood: Option<NonZeroU32>,
    /// What goes wrong.
    pub faults: Faults,
}

/// The preset `small` in the vLLM dialect.
impl Default for SimConfig {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            engine: EngineConfig::default(),
            model: ModelCard {
                served_name: "small".to_owned(),
                aliases: Vec::new(),
                root: "tokmark/sim-small".to_owned(),
                vocabulary: 32_000,
                kv_cache_dtype: "auto".to_owned(),
            },
            text: TextStyle::default(),
            natural_output: Some(400),
            prompt_tokens_details: true,
            api_key: None,
            keep_truth: true,
            epoch_unix_s: 1_767_225_600,
            flood: None,
            faults: Faults::default(),
        }
    }
}
