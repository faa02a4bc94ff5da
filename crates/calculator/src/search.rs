//! What is needed for so many people at such a context and speed.

use tokmark_catalog::{Catalog, HardwareKind};

use crate::decode::DecodeLoad;
use crate::energy::Power;
use crate::fit::Calibration;
use crate::memory::{Fit, Limits};
use crate::predict::{Knowledge, Prediction};
use crate::setup::{Card, Layout, Setup};

/// Accelerators of one machine that are tried, as tensor parallelism.
const COUNTS: [u32; 4] = [1, 2, 4, 8];

/// Bandwidth of the link between accelerators where the catalog has no figure, in GB/s one way.
const LINK_GB_PER_S: f64 = 25.0;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Need {
    /// Requests at once.
    pub people: u32,
    /// Tokens of each prompt.
    pub context_tokens: u64,
    /// Tokens that each output may have.
    pub output_tokens: u64,
    /// Tokens a second that each person is to get at least, by the median prediction.
    pub tokens_per_s_each: f64,
    /// Seconds to the first token of a prompt that is not cached, at most.
    pub cold_ttft_s: Option<f64>,
}

/// A machine that does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The accelerator.
    pub card: Card,
    /// How many of them.
    pub count: u32,
    /// What it gives.
    pub prediction: Prediction,
    /// Price at launch of all accelerators, in US dollars.
    pub launch_price_usd: Option<f64>,
    /// Watts while decoding, with the host.
    pub decode_w: Option<f64>,
    /// Whether the path of this machine has runs behind it.
    pub calibrated: bool,
}

/// Machines of the catalog that do what is needed, the cheapest at launch first, those without a
/// price last; for each accelerator the fewest that do it.
///
/// `like` gives model, format, engine and cache; its card and layout do not matter. More than one
/// accelerator is an estimate by formulas that were not held against measurements.
pub fn search(
    catalog: &Catalog,
    calibrations: &[Calibration],
    like: &Setup,
    need: &Need,
) -> Vec<Answer> {
    let mut answers: Vec<Answer> = catalog
        .hardware()
        .iter()
        .filter_map(|row| {
            let counts: &[u32] = match row.kind {
                HardwareKind::DiscreteGpu => &COUNTS,
                _ => &[1],
            };
            counts.iter().find_map(|count| {
                let card = Card::of(row, None);
                let mut answer = attempt(calibrations, like, need, card, *count)?;
                answer.launch_price_usd = row.msrp_usd.map(|price| price * f64::from(*count));
                Some(answer)
            })
        })
        .collect();
    answers.sort_by(|a, b| price(a).total_cmp(&price(b)));
    answers
}

fn price(answer: &Answer) -> f64 {
    answer.launch_price_usd.unwrap_or(f64::INFINITY)
}

fn attempt(
    calibrations: &[Calibration],
    like: &Setup,
    need: &Need,
    card: Card,
    count: u32,
) -> Option<Answer> {
    if card.memory_bytes <= 0.0 {
        return None;
    }
    let setup = Setup {
        layout: Layout {
            tensor: count,
            link_gb_per_s: LINK_GB_PER_S,
            ..Layout::single()
        },
        card,
        ..like.clone()
    };
    let prompt = tokmark_units::float::from_u64(need.context_tokens);
    let output = tokmark_units::float::from_u64(need.output_tokens);
    let load = DecodeLoad::new(f64::from(need.people), prompt);
    let knowledge = Knowledge::of(&setup, calibrations);
    let prediction = setup.predict(&knowledge, &Limits::default(), &load, output);
    let quick = match (need.cold_ttft_s, prediction.cold_ttft_s) {
        (None, _) => true,
        (Some(most), Some(ttft)) => ttft.median <= most,
        (Some(_), None) => false,
    };
    let enough = prediction.per_request_tokens_per_s.median >= need.tokens_per_s_each;
    (prediction.fit == Fit::Fits && enough && quick).then(|| Answer {
        decode_w: Power::of(&setup).map(|power| power.decode_w),
        calibrated: knowledge.decode.residuals > 0,
        card: setup.card,
        count,
        prediction,
        launch_price_usd: None,
    })
}
