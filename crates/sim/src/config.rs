//! What a simulated server is: an engine, a model's name, a dialect, and what goes wrong.

use std::num::NonZeroU32;
use std::time::Duration;

use tokmark_units::Nanos;

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

/// Where the tokens of a stream come from. Without the engine every event has one token and every
/// answer its full length, and nothing is queued: the client is measured, not the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenSource {
    /// The engine.
    #[default]
    Engine,
    /// All at once, as fast as the client reads them, with this many events in a write.
    Flood(NonZeroU32),
    /// At fixed times, with one event in a write.
    Pace(Pace),
}

/// When the tokens of a paced stream are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// From the request's arrival to the first token.
    pub first: Duration,
    /// Between two tokens.
    pub every: Duration,
}

impl Pace {
    /// When the first token of a request is due that arrived at `arrival`.
    pub(crate) fn first_at(self, arrival: Nanos) -> Nanos {
        Nanos(arrival.0.saturating_add(Nanos::from(self.first).0))
    }
}

impl TokenSource {
    pub(crate) fn pace(self) -> Option<Pace> {
        match self {
            Self::Pace(pace) => Some(pace),
            Self::Engine | Self::Flood(_) => None,
        }
    }

    pub(crate) fn events_per_write(self) -> Option<u32> {
        match self {
            Self::Flood(events) => Some(events.get()),
            Self::Engine | Self::Pace(_) => None,
        }
    }
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
    /// Whether requests are remembered. Without it memory is bounded by what is in flight.
    pub keep_truth: bool,
    /// Whether every emission of a remembered request is, too.
    pub keep_events: bool,
    /// The wall-clock second of the server's start, for `created`. It is a parameter, since the
    /// simulator does not read real time.
    pub epoch_unix_s: u64,
    /// Where the tokens of streams come from. Answers in one piece always come from the engine.
    pub tokens: TokenSource,
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
            keep_events: true,
            epoch_unix_s: 1_767_225_600,
            tokens: TokenSource::Engine,
            faults: Faults::default(),
        }
    }
}
