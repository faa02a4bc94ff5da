//! Machines that are enough for so many people, as a document.

use serde::Serialize;
use tokmark_catalog::Catalog;
use tokmark_units::float;

use crate::fit::Calibration;
use crate::query::Question;
use crate::search::{Answer, Need, search};

/// What was asked, and the machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeedReport {
    /// Id of the model.
    pub model: String,
    /// The server's id.
    pub engine: &'static str,
    /// Type of the KV cache.
    pub kv_type: String,
    /// Requests at once.
    pub people: u32,
    /// Prompt tokens of each.
    pub context: u64,
    /// Tokens of each output.
    pub output_tokens: u64,
    /// Tokens a second that each gets at least.
    pub tokens_per_s_each: f64,
    /// Longest wait for the first token of a prompt that is not cached.
    pub max_ttft_ms: Option<f64>,
    /// The cheapest at launch first, those without a price last.
    pub machines: Vec<Machine>,
}

/// A machine that is enough.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Id in the catalog.
    pub hardware: String,
    /// Name for people.
    pub name: String,
    /// How many of them.
    pub count: u32,
    /// Price of all at launch.
    pub launch_price_usd: Option<f64>,
    /// Typical rent of all accelerators an hour, where one is known.
    pub rent_usd_per_hour: Option<f64>,
    /// Who asks the rent, and when.
    pub rent_source: Option<String>,
    /// While decoding, host included.
    pub watts: Option<f64>,
    /// Tokens a second of all.
    pub total_tokens_per_s: f64,
    /// Tokens a second of each.
    pub per_request_tokens_per_s: f64,
    /// Nineteen of twenty results lie above this.
    pub per_request_low90_tokens_per_s: f64,
    /// Milliseconds to the first token of a prompt that is not cached.
    pub cold_ttft_ms: Option<f64>,
    /// The largest term of a step.
    pub limited_by: &'static str,
    /// Whether its path has runs behind it.
    pub calibrated: bool,
}

impl NeedReport {
    /// Searches the catalog. The question gives model, engine and cache; its machine does not matter.
    pub fn search(
        catalog: &Catalog,
        calibrations: &[Calibration],
        question: &Question,
        need: &Need,
    ) -> Self {
        let answers = search(catalog, calibrations, &question.setup, need);
        Self {
            model: question.model.clone(),
            engine: question.setup.engine.id(),
            kv_type: question.setup.cache.to_string(),
            people: need.people,
            context: need.context_tokens,
            output_tokens: need.output_tokens,
            tokens_per_s_each: need.tokens_per_s_each,
            max_ttft_ms: need.cold_ttft_s.map(|seconds| seconds * 1e3),
            machines: answers
                .iter()
                .map(|one| Machine::of(catalog, one))
                .collect(),
        }
    }
}

impl Machine {
    fn of(catalog: &Catalog, answer: &Answer) -> Self {
        let prediction = &answer.prediction;
        let rental = catalog.rental(&answer.card.id);
        Self {
            hardware: answer.card.id.clone(),
            name: answer.card.name.clone(),
            count: answer.count,
            launch_price_usd: answer.launch_price_usd,
            rent_usd_per_hour: rental
                .map(|rental| rental.typical_usd * float::from_u64(answer.count.into())),
            rent_source: rental.map(|rental| format!("{}, {}", rental.source, rental.date)),
            watts: answer.decode_w,
            total_tokens_per_s: prediction.total_tokens_per_s.median,
            per_request_tokens_per_s: prediction.per_request_tokens_per_s.median,
            per_request_low90_tokens_per_s: prediction.per_request_tokens_per_s.ninety.0,
            cold_ttft_ms: prediction.cold_ttft_s.map(|ttft| ttft.median * 1e3),
            limited_by: prediction.limited_by.word(),
            calibrated: answer.calibrated,
        }
    }
}
