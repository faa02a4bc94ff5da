//! Power and energy over a span.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Power and energy of the server's machine over a span, and whether heat or power held it back.
///
/// Watts and joules are those of the accelerators, summed; the processor's stand apart. A figure
/// that a part of them does not give is `null`, never a sum of the rest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Energy {
    /// Energy over the length of the span, in watts.
    pub mean_power_w: Option<f64>,
    /// Highest sum of one moment's readings, in watts.
    pub peak_power_w: Option<f64>,
    /// Energy in joules.
    pub energy_j: Option<f64>,
    /// How the energy was found: `counter` (the devices' own energy counters) or `trapezoid` (the
    /// integral of power readings, straight lines between them).
    pub method: Option<String>,
    /// Energy per output token, in joules: all of it, with what the machine draws at rest.
    pub joules_per_output_token: Option<f64>,
    /// Energy per prompt token that was computed rather than taken from the server's cache, in
    /// joules; as gross.
    pub joules_per_prompt_token: Option<f64>,
    /// Mean power at rest before the run, in watts.
    pub idle_power_w: Option<f64>,
    /// Energy of the processor packages, in joules.
    pub processor_energy_j: Option<f64>,
    /// Mean power of the processor packages, in watts.
    pub processor_mean_power_w: Option<f64>,
    /// Share of samples with clocks lowered by heat or power brake.
    pub throttled_share: Option<f64>,
    /// Share of samples with clocks lowered by the power limit.
    pub power_capped_share: Option<f64>,
    /// Whether an accelerator was shared: the server had a slice of it, and the figures are of the
    /// whole.
    pub shared: bool,
    /// Samples behind these figures, of all accelerators.
    pub samples: u64,
}
