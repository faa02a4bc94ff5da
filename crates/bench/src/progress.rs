//! What a run tells while it works: one ordered stream of events.

use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow, Telemetry};
use tokmark_units::Nanos;

use crate::matrix::Matrix;

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum Progress {
    /// The matrix is known.
    Planned(Matrix),
    /// A new kind of work begins, in words.
    Phase(String),
    /// One prefill was measured.
    Prefilled {
        /// Nominal context.
        context: u64,
        /// Time to first token in milliseconds.
        ttft_ms: f64,
        /// Prompt tokens per second.
        tokens_per_s: f64,
    },
    /// A row of the prefill table is complete.
    PrefillRow(Box<PrefillRow>),
    /// A cell begins.
    CellStarted {
        /// Nominal context.
        context: u64,
        /// Requests.
        requests: u32,
        /// How long it is expected to take.
        expected: Nanos,
    },
    /// A running cell, about once a second.
    CellLive(Live),
    /// What a stream that somebody looks at has written, some four times a second.
    Sample(Box<Sample>),
    /// The machine, about once a second, where somebody asked for it.
    Machine(Box<MachineNow>),
    /// The run waits between two cells (`true`), or goes on.
    Paused(bool),
    /// A cell is done, measured or left out.
    CellDone(Box<DecodeCell>),
    /// A remark for the log.
    Note(String),
    /// Work done and to do, in expected time.
    Left {
        /// Expected time to the end.
        left: Nanos,
        /// Cells done.
        done: usize,
        /// Cells in all.
        all: usize,
        /// Undecided cells that a rule would leave out, by context and requests, with what is known
        /// now.
        left_out: Vec<(u64, u32, CellStatus)>,
    },
}

/// What a running cell is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Requests are sent; not every stream decodes yet.
    Launching,
    /// Every stream decodes; their number must not change for a while.
    Settling,
    /// The window is open.
    Window,
    /// The window is over; requests may end, so that their totals are known.
    Ending,
}

/// The live picture of a running cell: for people only, no number of a document comes from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Live {
    /// Nominal context.
    pub context: u64,
    /// Requests.
    pub requests: u32,
    /// What it is at.
    pub stage: Stage,
    /// Streams that have had their first event.
    pub decoding: usize,
    /// Time since the launch.
    pub elapsed: Nanos,
    /// Time since the window opened, and its length.
    pub window: Option<(Nanos, Nanos)>,
    /// Tokens per second since the window opened.
    pub tokens_per_s: f64,
    /// Median over the streams of each one's own rate since the window opened.
    pub per_request_tokens_per_s: Option<f64>,
    /// The 95 % interval of the rate so far, once there are seconds enough for one.
    pub interval: Option<(f64, f64)>,
    /// Tokens per second in the last second.
    pub recent_tokens_per_s: f64,
    /// Median time to the first token of the streams that have had theirs.
    pub ttft: Option<Nanos>,
    /// What the server says.
    pub server: ServerNow,
}

/// The server's gauges; `None` is not told.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServerNow {
    /// Requests running.
    pub running: Option<f64>,
    /// Requests waiting.
    pub waiting: Option<f64>,
    /// Share of the KV cache in use.
    pub kv_use: Option<f64>,
    /// Share of this cell's prompt tokens that came from the prefix cache.
    pub prefix_hits: Option<f64>,
    /// Share of this cell's drafted tokens that were accepted.
    pub accepted: Option<f64>,
    /// Preemptions in this cell.
    pub preemptions: Option<f64>,
}

/// The end of what one stream has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Nominal context.
    pub context: u64,
    /// Requests, which are the streams that can be looked at.
    pub requests: u32,
    /// The stream, from 0.
    pub stream: u32,
    /// The stream's request, from 0.
    pub attempt: u32,
    /// Whether its answer is still under way.
    pub is_open: bool,
    /// As the model wrote it, whatever that is: not fit for a terminal.
    pub text: String,
}

/// The server's machine and this client.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineNow {
    /// The newest reading of each device; `None` when nobody watches the machine.
    pub telemetry: Option<Telemetry>,
    /// Processor time of the busiest load thread as a share of the time, 0 to 1.
    pub client_cpu: Option<f64>,
}

/// Where progress goes. A run never waits for whoever listens.
pub type Listener = tokio::sync::mpsc::UnboundedSender<Progress>;
