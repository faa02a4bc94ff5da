//! The evidence of a run: everything its numbers are a pure function of (methodology section 8).
//!
//! All times are nanoseconds on the run's monotonic clock, whose origin is the run's start. Text is
//! not kept. The file is JSON Lines, one [`Record`] per line, compressed with zstd: see
//! [`crate::wire`].

use serde::{Deserialize, Serialize};

use crate::cell::ClientHealth;
use crate::telemetry::Telemetry;

/// The value of the header's `format` field that this crate writes.
pub const FORMAT: &str = "tokmark-evidence/1";

/// One line of the evidence file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Header(Header),
    /// A prefill sample.
    Prefill(Box<PrefillEvidence>),
    /// A pass over a cell of the decode matrix; a later record of the same pass replaces an earlier
    /// one.
    Cell(Box<CellEvidence>),
    /// The probes before the matrix.
    Probes(ProbeEvidence),
}

/// What the file is and belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// `tokmark-evidence/1`.
    pub format: String,
    /// The run's identity.
    pub run: String,
    /// Version of the program that wrote it.
    pub tool_version: String,
}

/// What was measured before the matrix.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbeEvidence {
    /// TTFTs of short prompts on the idle server, in nanoseconds.
    pub idle_ttft_ns: Vec<u64>,
    /// Median TTFT of a 16-token prompt, in nanoseconds: the fixed part.
    pub fixed_ttft_ns: Option<u64>,
    /// Most requests that ran at once, when fewer than asked did.
    pub admission_limit: Option<u32>,
    /// `(requests asked, most that overlapped)` of the admission probe.
    pub admission: Vec<(u32, u32)>,
    /// Prompt tokens that any two prompts share: the chat template.
    pub template_tokens: u64,
    /// Tokens of one cache block, when known.
    pub block_tokens: u64,
    /// The machine at rest, before anything was sent.
    pub idle: Option<Telemetry>,
}

/// Where arrival stamps come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StampSource {
    /// The kernel's receive timestamp.
    Kernel,
    /// The time when the read returned.
    #[default]
    Read,
}

/// One event: a frame that carried generated text or raised the running token count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    /// Arrival of the bytes that completed it.
    pub at_ns: u64,
    /// Tokens that the server attributes to it (running usage, timings or ids); `None` when only
    /// the request's total is known.
    pub tokens: Option<u32>,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestFailure {
    /// The class (methodology section 5).
    pub class: String,
    /// HTTP status, when there was one.
    pub http_status: Option<u16>,
    /// The server's or system's words, at most 300 characters, without secrets.
    pub message: String,
    /// Seconds that the server asked to wait (`Retry-After`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

/// The verdict of the loop check on one request's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopVerdict {
    /// Length of the repeated text in characters.
    pub cycle_chars: u64,
    /// Exact repeats.
    pub cycles: u64,
    /// Share of the request's text in this cell that the repeats cover.
    pub covered: f64,
}

/// One request on the measured path.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestEvidence {
    /// The stream it belongs to, from 0.
    pub stream: u32,
    /// 0 for a stream's first request in the cell, then 1, 2, …
    pub attempt: u32,
    /// When the plan wanted it sent.
    pub due_ns: u64,
    /// Just before its first byte was written.
    pub sent_ns: u64,
    /// Connect and TLS handshake, outside every latency.
    pub connect_ns: Option<u64>,
    /// `max_tokens` of the request.
    pub max_tokens: u64,
    /// Prompt tokens by the server's usage.
    pub prompt_tokens: Option<u64>,
    /// Cached prompt tokens by the server's usage or timings.
    pub cached_tokens: Option<u64>,
    /// Output tokens by the server's usage or timings, for requests that ended or report running.
    pub output_tokens: Option<u64>,
    /// Every event.
    #[serde(with = "crate::wire::events")]
    pub events: Vec<Event>,
    /// Index of the first event that carries answer text rather than reasoning.
    pub first_answer: Option<u32>,
    /// Where the stamps come from.
    pub stamps: StampSource,
    /// How the answer was compressed, although `identity` was asked: then the events' times are
    /// those of the compressed pieces (case B034).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_encoding: Option<String>,
    /// Where the events' token counts come from: `usage`, `timings`, `token_ids`, or nothing.
    pub token_source: Option<String>,
    /// The finish reason, when the request ended by itself.
    pub finish: Option<String>,
    /// When it ended, by itself or by failure.
    pub ended_ns: Option<u64>,
    /// Drafted and accepted tokens, when the server speculates and says so.
    pub drafted: Option<(u64, u64)>,
    /// Whether tokmark closed it.
    pub cancelled: bool,
    /// Why it failed.
    pub failure: Option<RequestFailure>,
    /// The loop check's verdict, when it found a loop.
    pub looped: Option<LoopVerdict>,
}

impl RequestEvidence {
    /// First event less send; `None` without an event, or when the clock went backwards.
    pub fn ttft_ns(&self) -> Option<u64> {
        self.events.first()?.at_ns.checked_sub(self.sent_ns)
    }
}

/// One reading of the server's own gauges and counters, summed over ranks and models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Scrape {
    /// When it was asked for.
    pub start_ns: u64,
    /// When the answer was complete.
    pub end_ns: u64,
    /// Requests running.
    pub running: Option<f64>,
    /// Requests waiting.
    pub waiting: Option<f64>,
    /// Preemptions since the server started.
    pub preemptions: Option<f64>,
    /// Output tokens since the server started.
    pub output_tokens: Option<f64>,
    /// Prefix-cache queries in tokens since the server started.
    pub prefix_queries: Option<f64>,
    /// Prefix-cache hits in tokens since the server started.
    pub prefix_hits: Option<f64>,
    /// Share of the KV cache in use, 0 to 1, mean over ranks.
    pub kv_use: Option<f64>,
    /// Drafted tokens since the server started.
    pub drafted: Option<f64>,
    /// Accepted draft tokens since the server started.
    pub accepted: Option<f64>,
    /// Sum of the times to the first token that the server counted since it started, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_seconds: Option<f64>,
    /// How many those are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_count: Option<f64>,
}

/// Why a cell was left out before any request was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotRun {
    /// The status.
    pub status: crate::status::CellStatus,
    /// The sentence for people.
    pub reason: String,
    /// Tokens needed by the capacity rule.
    pub need_tokens: Option<u64>,
    /// The budget.
    pub budget_tokens: Option<u64>,
    /// The admission limit.
    pub admission_limit: Option<u32>,
}

/// How the work on a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellEnd {
    /// The window closed.
    #[default]
    Measured,
    /// The server never became idle.
    BusyServer,
    /// No stream got its first event in time.
    NotReady,
    /// Stopped by the user or by `--max-time`.
    Interrupted,
    /// A request failed and the cell was given up.
    Failed,
    /// Skipped by the user while it ran.
    Skipped,
}

/// The window of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First moment inside.
    pub start_ns: u64,
    /// First moment after.
    pub end_ns: u64,
}

impl Window {
    /// Whether a moment lies inside.
    pub fn contains(&self, at_ns: u64) -> bool {
        (self.start_ns..self.end_ns).contains(&at_ns)
    }

    /// Length in nanoseconds.
    pub fn len_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// Everything about one cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CellEvidence {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests kept in flight.
    pub requests: u32,
    /// Why it was not run.
    pub not_run: Option<NotRun>,
    /// How the work ended.
    pub end: CellEnd,
    /// What the person should know about that end.
    pub end_reason: Option<String>,
    /// When all requests were sent.
    pub launch_ns: u64,
    /// The window.
    pub window: Option<Window>,
    /// Streams that were decoding when the window opened.
    pub admitted: u32,
    /// Cold single-request TTFT of this context, in nanoseconds, when measured.
    pub cold_ttft_ns: Option<u64>,
    /// The fixed part of a TTFT, in nanoseconds.
    pub fixed_ttft_ns: Option<u64>,
    /// Whether the server speculates (several tokens per event are natural then).
    pub speculative: bool,
    /// The longest draft when it speculates and says so.
    pub draft_tokens: Option<u32>,
    /// The measured admission limit of the server, when it is below the largest planned C.
    pub admission_limit: Option<u32>,
    /// Whether the loop check decided anything.
    pub loop_check: bool,
    /// Which try at this cell this is, from 0.
    pub retry: u32,
    /// Which pass over the row this is, from 0: a thorough run measures each cell several times.
    #[serde(skip_serializing_if = "is_first")]
    pub pass: u32,
    /// Every request.
    #[serde(deserialize_with = "crate::wire::bounded::deserialize")]
    pub streams: Vec<RequestEvidence>,
    /// Every reading of the server's gauges used.
    #[serde(deserialize_with = "crate::wire::bounded::deserialize")]
    pub scrapes: Vec<Scrape>,
    /// The server's machine from launch to the window's end.
    pub telemetry: Option<Telemetry>,
    /// Mean power of the accelerators at rest before the run, in watts.
    pub idle_power_w: Option<f64>,
    /// How well the client kept up during the window.
    pub client: Option<ClientHealth>,
    /// Remarks made while measuring.
    pub notes: Vec<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_first(pass: &u32) -> bool {
    *pass == 0
}

/// What a prefill request was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrefillPurpose {
    /// A sample with a document of its own.
    #[default]
    Extra,
    /// The first request on a document that decode needs.
    Document,
    /// A repeat of a sample that was not cold: it replaces that sample.
    Repeat,
    /// A document again, to see the cached TTFT.
    Warm,
}

/// One request of the prefill measurement, one at a time on an idle server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PrefillEvidence {
    /// Nominal context in tokens.
    pub context: u64,
    /// What it was for.
    pub purpose: PrefillPurpose,
    /// The request.
    pub request: RequestEvidence,
    /// Prefix-cache hits in tokens that the server's counters gained meanwhile.
    pub counter_hits: Option<u64>,
    /// Prefix-cache queries in tokens that the counters gained meanwhile.
    pub counter_queries: Option<u64>,
    /// The time to the first token that the server counted for this request, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_ttft_ns: Option<u64>,
    /// The server's machine meanwhile; not kept of a document again.
    pub telemetry: Option<Telemetry>,
}
