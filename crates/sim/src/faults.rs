//! Faults of real servers, to be had on demand.

/// What goes wrong. The default is that nothing does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// The server dies once it has sent this many tokens in all: every connection breaks, the
    /// listener closes, new connections fail.
    pub die_after_tokens: Option<u64>,
    /// Fields of a request body that are refused with HTTP 400. A dot reaches into an object:
    /// `stream_options.continuous_usage_stats`.
    pub refuse_fields: Vec<String>,
    /// Every route answers with an HTML page and HTTP 200, as a captive portal or a wrong port does.
    pub html_everywhere: bool,
    /// Streams break off.
    pub stream: Option<StreamFault>,
    /// Events are held back and sent together in one write, so many at a time: a proxy that buffers.
    pub buffer_events: Option<u32>,
    /// Generation requests are taken and never answered.
    pub never_answer: bool,
    /// Sequences of other people that always run beside.
    pub background_sequences: u32,
    /// The first generation requests are refused.
    pub rate_limit: Option<RateLimit>,
    /// An SSE comment follows every so many events.
    pub comment_every: Option<u32>,
}

/// How streams break off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamFault {
    /// What happens.
    pub kind: StreamFaultKind,
    /// Tokens that are sent before; it happens instead of the next event.
    pub after_tokens: u32,
    /// Only so many generation requests from the server's start are hit; all when `None`.
    pub first_requests: Option<u64>,
}

/// What happens to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFaultKind {
    /// An error object as an event, then `[DONE]`.
    Error,
    /// The connection closes without an end.
    Cut,
    /// Nothing more is sent, and the connection stays open.
    Stall,
}

/// HTTP 429 for the first requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many generation requests are refused.
    pub first_requests: u64,
    /// What `Retry-After` says, in seconds.
    pub retry_after_s: u32,
}

impl StreamFault {
    /// Whether the generation request with this number, counted from 0, is hit.
    pub fn hits(&self, number: u64) -> bool {
        self.first_requests.is_none_or(|first| number < first)
    }
}
