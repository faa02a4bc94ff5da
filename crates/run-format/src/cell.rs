//! Cells of the sustained-decode matrix: methodology sections 4 and 5.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::energy::Energy;
use crate::roofline::RooflineBound;
use crate::status::CellStatus;

/// Gaps between events of one stream inside the window, in milliseconds; restarts excluded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gaps {
    /// How many gaps.
    pub n: u64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile, linear interpolation.
    pub p95_ms: f64,
    /// 99th percentile; with fewer than 100 gaps it is shown with `n`.
    pub p99_ms: f64,
    /// Largest.
    pub max_ms: f64,
    /// Mean tokens per event.
    pub tokens_per_event: f64,
}

/// Launch TTFT over the C first requests.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LaunchTtft {
    /// Smallest, in milliseconds.
    pub min_ms: Option<f64>,
    /// 95th percentile, in milliseconds; `null` when it falls on a stream without an event.
    pub p95_ms: Option<f64>,
    /// Largest, in milliseconds; `null` when a stream had no event.
    pub max_ms: Option<f64>,
    /// Median time to the first answer token (content, not reasoning), in milliseconds.
    pub answer_ms: Option<f64>,
    /// Median TTFT of requests that a stream started after its first, in milliseconds.
    pub restart_ms: Option<f64>,
    /// Median time from the plan's send to the first byte on the wire, in milliseconds.
    pub client_queue_ms: Option<f64>,
    /// Mean of the times to the first token that the server counted itself, in milliseconds.
    pub server_mean_ms: Option<f64>,
    /// What of our mean is spent outside the engine, in milliseconds, where it is more than a fifth.
    pub outside_engine_ms: Option<f64>,
    /// Median connect time (TCP and TLS), outside every latency, in milliseconds.
    pub connect_ms: Option<f64>,
}

/// How well the client kept up during a window (methodology section 5, `client_limited`). It hands
/// over everything that it reads: nothing is ever dropped.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClientHealth {
    /// Threads that send, read and stamp.
    pub threads: u32,
    /// Reads of measured connections.
    pub reads: u64,
    /// Reads that found the receive buffer more than half full.
    pub full_reads: u64,
    /// Median time that bytes waited in the kernel before they were read, in milliseconds; `null`
    /// without kernel stamps.
    pub read_lag_p50_ms: Option<f64>,
    /// 99th percentile of the same, in milliseconds.
    pub read_lag_p99_ms: Option<f64>,
    /// 99th percentile of how late the threads' own timers fired, in milliseconds.
    pub timer_lag_p99_ms: Option<f64>,
    /// Time in milliseconds that a thread was not scheduled: the worst thread's.
    pub stalled_ms: f64,
    /// Processor time of the busiest thread as a share of the window, 0 to 1.
    pub busiest_cpu: Option<f64>,
}

/// Where the figures of a cell come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sources {
    /// Arrival stamps: `kernel`, `read` or `mixed`.
    pub arrival: Option<String>,
    /// Share of events whose stamp another event shares (one read gives one stamp).
    pub shared_stamps: Option<f64>,
    /// Token counts: `usage`, `timings`, `token_ids`, `estimated` or `one_per_event`.
    pub tokens: Option<String>,
    /// Relative spread (standard deviation over mean) of tokens per event when estimated.
    pub tokens_spread: Option<f64>,
    /// Warm fraction: `usage`, `counters` or `inferred`.
    pub warm_fraction: Option<String>,
    /// Tokens generated in the window by the server's own counter.
    pub server_output_tokens: Option<u64>,
}

/// A class of failure with its count and one sample text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureCount {
    /// The class (methodology section 5), for example `http` or `cut_stream`.
    pub class: String,
    /// How many requests.
    pub count: u64,
    /// HTTP status of the sample, when there is one.
    pub http_status: Option<u16>,
    /// One text, at most 300 characters, without secrets.
    pub sample: String,
}

/// One of several measurements of the same cell in a run (methodology 4.3.13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pass {
    /// The status of this pass.
    pub status: CellStatus,
    /// Tokens in the window over its length.
    pub total_tokens_per_s: Option<f64>,
    /// Median over streams of each one's own rate.
    pub per_request_tokens_per_s: Option<f64>,
    /// Median launch TTFT in milliseconds.
    pub ttft_ms: Option<f64>,
}

/// One (context, requests) pair of the decode matrix. With several passes the figures are those of
/// the pass with the median total.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecodeCell {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests kept in flight.
    pub requests: u32,
    /// The one status.
    pub status: CellStatus,
    /// Why, in words, when the status is not `valid`.
    pub reason: Option<String>,
    /// Tokens in the window over its length.
    pub total_tokens_per_s: Option<f64>,
    /// Median over streams of each one's own rate.
    pub per_request_tokens_per_s: Option<f64>,
    /// Median launch TTFT in milliseconds.
    pub ttft_ms: Option<f64>,
    /// When the median falls on a stream without an event: it is at least this.
    #[serde(default)]
    pub ttft_ms_lower_bound: Option<f64>,
    /// Streams without a first event by the window's end.
    #[serde(default)]
    pub ttft_censored: u32,
    /// 1000 / `per_request_tokens_per_s`.
    pub time_between_tokens_ms: Option<f64>,
    /// Time average of streams in decode.
    pub average_active_requests: Option<f64>,
    /// Requests that ended in the window.
    pub completed_requests: Option<u64>,
    /// Tokens in the window.
    pub output_tokens: Option<u64>,
    /// Length of the window in seconds.
    pub measured_s: Option<f64>,
    /// Lower edge of the 95 % within-window interval of the mean rate.
    pub ci95_low: Option<f64>,
    /// Upper edge.
    pub ci95_high: Option<f64>,
    /// Batches behind the interval of a document of methodology 1.
    #[serde(default)]
    pub ci_batches: Option<u32>,
    /// Cosines behind the interval, since methodology 2.
    #[serde(default)]
    pub ci_cosines: Option<u32>,
    /// Linear trend over the window, as a share of the mean rate.
    #[serde(default)]
    pub drift: Option<f64>,
    /// Every pass, in the order of measuring, where there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
    /// Largest less smallest total of the passes, as a share of their median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes_spread: Option<f64>,
    /// Total of the last pass less that of the first, as a share of their median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes_drift: Option<f64>,
    /// Gaps between events.
    #[serde(default)]
    pub gaps: Option<Gaps>,
    /// Launch TTFT in detail.
    #[serde(default)]
    pub launch_ttft: LaunchTtft,
    /// Cached share of the prompt tokens at launch.
    #[serde(default)]
    pub warm_fraction: Option<f64>,
    /// Median prompt tokens as the server counts them.
    #[serde(default)]
    pub prompt_tokens: Option<u64>,
    /// Mean tokens in the KV cache per stream over the window.
    #[serde(default)]
    pub mean_depth: Option<f64>,
    /// Stream time from a request's end to the next one's first event, over C x window.
    #[serde(default)]
    pub restart_fraction: Option<f64>,
    /// Time average of the server's running gauge over the window.
    #[serde(default)]
    pub server_running: Option<f64>,
    /// Time average of the server's waiting gauge over the window.
    #[serde(default)]
    pub server_waiting: Option<f64>,
    /// Preemptions in launch and window.
    #[serde(default)]
    pub preemptions: Option<u64>,
    /// Accepted over drafted tokens, when the server speculates.
    #[serde(default)]
    pub speculative_acceptance: Option<f64>,
    /// Seconds from launch to the window's start.
    #[serde(default)]
    pub launch_s: Option<f64>,
    /// Tokens of each stream in the window; their sum is `output_tokens`.
    #[serde(default)]
    pub stream_tokens: Vec<u64>,
    /// Tokens that the cell needs of the KV cache by the capacity rule.
    #[serde(default)]
    pub need_tokens: Option<u64>,
    /// The budget that the need was held against.
    #[serde(default)]
    pub budget_tokens: Option<u64>,
    /// The measured admission limit, when it decided.
    #[serde(default)]
    pub admission_limit: Option<u32>,
    /// Power and energy of the server's machine over the window.
    #[serde(default)]
    pub energy: Option<Energy>,
    /// Most tokens per second that the run's roofline allows at this cell's depth and requests.
    #[serde(default)]
    pub roofline_tokens_per_s: Option<f64>,
    /// `total_tokens_per_s` / `roofline_tokens_per_s`. Not clipped: above 1 something is not as the
    /// roofline's inputs say.
    #[serde(default)]
    pub roofline_share: Option<f64>,
    /// Which side of the machine sets that limit.
    #[serde(default)]
    pub roofline_bound: Option<RooflineBound>,
    /// Where the figures come from.
    #[serde(default)]
    pub sources: Sources,
    /// How well the client kept up.
    pub client: Option<ClientHealth>,
    /// Failures by class.
    #[serde(default)]
    pub failures: Vec<FailureCount>,
    /// Statuses that hold besides the one shown, and other remarks.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The record of the evidence file that these numbers come from.
    #[serde(default)]
    pub evidence: Option<String>,
}

impl DecodeCell {
    /// A cell without numbers.
    pub fn without_numbers(
        context: u64,
        requests: u32,
        status: CellStatus,
        reason: Option<String>,
    ) -> Self {
        Self {
            context,
            requests,
            status,
            reason,
            total_tokens_per_s: None,
            per_request_tokens_per_s: None,
            ttft_ms: None,
            ttft_ms_lower_bound: None,
            ttft_censored: 0,
            time_between_tokens_ms: None,
            average_active_requests: None,
            completed_requests: None,
            output_tokens: None,
            measured_s: None,
            ci95_low: None,
            ci95_high: None,
            ci_batches: None,
            ci_cosines: None,
            drift: None,
            passes: Vec::new(),
            passes_spread: None,
            passes_drift: None,
            gaps: None,
            launch_ttft: LaunchTtft::default(),
            warm_fraction: None,
            prompt_tokens: None,
            mean_depth: None,
            restart_fraction: None,
            server_running: None,
            server_waiting: None,
            preemptions: None,
            speculative_acceptance: None,
            launch_s: None,
            stream_tokens: Vec::new(),
            need_tokens: None,
            budget_tokens: None,
            admission_limit: None,
            energy: None,
            roofline_tokens_per_s: None,
            roofline_share: None,
            roofline_bound: None,
            sources: Sources::default(),
            client: None,
            failures: Vec::new(),
            notes: Vec::new(),
            evidence: None,
        }
    }

    /// The name of this cell's record in the evidence file.
    pub fn evidence_name(context: u64, requests: u32) -> String {
        format!("decode/{context}/{requests}")
    }
}
