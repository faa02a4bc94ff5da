//! What a run was asked to do: typed, defaulted, not yet held against a server.

use std::time::Duration;

pub use tokmark_openai_stream::request::Endpoint;
use tokmark_run_format::plan::{CapacityRule, PrefillMode, Profile};
use tokmark_units::context::ContextEntry;
use tokmark_units::{Context, Nanos};

/// Everything that decides what a run measures. The defaults are those of the methodology.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Decode contexts; `None` means the default list, thinned to what the model takes.
    pub contexts: Option<Vec<ContextEntry>>,
    /// Prefill contexts; `None` means 8K and the non-zero decode contexts.
    pub prefill_contexts: Option<Vec<Context>>,
    /// Concurrency levels, rising.
    pub requests: Vec<u32>,
    /// Length of a window.
    pub window: Duration,
    /// Most output tokens of one request.
    pub max_output: u64,
    /// How thorough.
    pub profile: Profile,
    /// Which cells are left out for lack of cache.
    pub capacity: CapacityRule,
    /// KV budget in tokens that overrides the server's.
    pub kv_budget: Option<u64>,
    /// One document for all streams.
    pub shared_context: bool,
    /// Prefill mode.
    pub prefill: PrefillMode,
    /// Cold samples wanted per context; `None` means by the time that one takes.
    pub prefill_samples: Option<u32>,
    /// Route.
    pub endpoint: Endpoint,
    /// Longest silence inside an answer.
    pub stall_timeout: Duration,
    /// How long a server that answers nobody is waited for: it may be starting again.
    pub wait_server: Duration,
    /// Seed of prompts and sampling.
    pub seed: u64,
    /// Whether loops decide anything.
    pub loop_check: bool,
    /// End the run after this long; what is left is `not_planned`.
    pub max_time: Option<Duration>,
    /// How long the number of decoding streams must not change before the window opens.
    pub settle: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            contexts: None,
            prefill_contexts: None,
            requests: vec![1, 2, 4, 8, 16, 32, 64, 128],
            window: Duration::from_secs(30),
            max_output: 8_192,
            profile: Profile::Standard,
            capacity: CapacityRule::Expected,
            kv_budget: None,
            shared_context: false,
            prefill: PrefillMode::WarmUp,
            prefill_samples: None,
            endpoint: Endpoint::Chat,
            stall_timeout: Duration::from_mins(1),
            wait_server: Duration::from_mins(1),
            seed: 1,
            loop_check: true,
            max_time: None,
            settle: Duration::from_secs(2),
        }
    }
}

impl Settings {
    /// The window as a span on the run's clock.
    pub fn window_ns(&self) -> Nanos {
        self.window.into()
    }
}
