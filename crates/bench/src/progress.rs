//! What a run tells while it works: one ordered stream of events.

use tokmark_run_format::{DecodeCell, PrefillRow};
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
    },
    /// A running cell, about once a second.
    CellLive(Live),
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
    },
}

/// The live picture of a running cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Live {
    /// Nominal context.
    pub context: u64,
    /// Requests.
    pub requests: u32,
    /// Streams that have had their first event.
    pub decoding: usize,
    /// Whether the window is open.
    pub in_window: bool,
    /// Tokens per second since the window opened.
    pub tokens_per_s: f64,
    /// Requests running by the server's gauge.
    pub running: Option<f64>,
    /// Requests waiting by the server's gauge.
    pub waiting: Option<f64>,
}

/// Where progress goes. A run never waits for whoever listens.
pub type Listener = tokio::sync::mpsc::UnboundedSender<Progress>;
