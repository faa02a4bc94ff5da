//! What a person can change about a server when one of its limits shows in the result.

/// Each a part of a sentence, or empty where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// To run more requests at once.
    pub more_requests: &'static str,
    /// To take longer prompts.
    pub longer_context: &'static str,
    /// To hold more tokens in the KV cache.
    pub more_cache: &'static str,
    /// To show gauges.
    pub show_gauges: &'static str,
}

impl Advice {
    /// Of a server about which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        more_requests: "",
        longer_context: "",
        more_cache: "",
        show_gauges: "",
    };
}
