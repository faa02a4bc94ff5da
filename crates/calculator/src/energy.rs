//! Power at load.

use tokmark_units::float;

use crate::setup::Setup;

/// Watts of the machine around the accelerators.
const HOST_W: f64 = 80.0;

/// Share of its design power that an accelerator draws while decoding, and while reading prompts.
const DECODE_SHARE: f64 = 0.85;
const PREFILL_SHARE: f64 = 0.95;

/// Watts of accelerators and host. An assumption where nothing was measured: shares of the design
/// power, and 80 W for the host of a discrete card (60 to 100 W were seen).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// While decoding.
    pub decode_w: f64,
    /// While reading prompts.
    pub prefill_w: f64,
}

impl Power {
    /// Of a setup; `None` where its accelerator's power is not known.
    pub fn of(setup: &Setup) -> Option<Self> {
        let card = setup.card.tdp_w?;
        let cards = float::from_u64(setup.layout.cards().into());
        let host = match setup.card.kind {
            tokmark_catalog::HardwareKind::DiscreteGpu => HOST_W,
            // One package, whose figure covers the processor.
            _ => 0.0,
        };
        Some(Self {
            decode_w: DECODE_SHARE * card * cards + host,
            prefill_w: PREFILL_SHARE * card * cards + host,
        })
    }
}
