//! What a cell is asked to do.

use tokmark_units::Nanos;

/// What a cell needs to know besides its requests.
#[derive(Debug, Clone)]
pub struct CellTask {
    /// Nominal context.
    pub context: u64,
    /// Requests kept in flight.
    pub requests: u32,
    /// Length of the window.
    pub window: Nanos,
    /// How long the number of decoding streams must not change.
    pub settle: Nanos,
    /// Longest silence inside an answer.
    pub stall: Nanos,
    /// TTFT of one cold request at this context, when known.
    pub cold_ttft: Option<Nanos>,
    /// TTFT of one request as it will be launched: warm when the prompt is cached, else cold.
    pub single_ttft: Option<Nanos>,
    /// The fixed part of a TTFT.
    pub fixed_ttft: Option<Nanos>,
    /// Whether events carry token counts; without them requests are left to end after the window.
    pub counted: bool,
    /// Whether loops decide anything.
    pub loop_check: bool,
    /// The measured admission limit.
    pub admission_limit: Option<u32>,
    /// Whether the window may end early when its rate is known well enough.
    pub may_end_early: bool,
    /// Mean power of the accelerators at rest, in watts.
    pub idle_power_w: Option<f64>,
    /// Which try this is.
    pub retry: u32,
}
