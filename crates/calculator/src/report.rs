//! An answer as a document: the same for the command line, the API and the page.

use serde::Serialize;

use crate::decode::StepTerm;
use crate::explain::Explained;
use crate::fit::{Band, Calibration};
use crate::memory::Fit;
use crate::path::Family;
use crate::predict::{Banded, Knowledge, Prediction};
use crate::query::Question;

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The model.
    pub model: ModelPart,
    /// The accelerator.
    pub hardware: HardwarePart,
    /// The server's id.
    pub engine: String,
    /// Type of the KV cache.
    pub kv_type: String,
    /// How sure it is.
    pub path: PathPart,
    /// What the memory holds.
    pub memory: MemoryPart,
    /// Cells, by context, then requests.
    pub cells: Vec<CellPart>,
    /// What was assumed.
    pub assumptions: Vec<String>,
    /// Every term of the first cell, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<ExplainedPart>,
}

/// The model of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelPart {
    /// Id or file name.
    pub name: String,
    /// Kernels of its format.
    pub kernels: &'static str,
    /// Bits of a weight on average, embeddings and head included.
    pub bits_per_weight: f64,
    /// Parameters.
    pub parameters: f64,
    /// Parameters that a token passes.
    pub active_parameters: f64,
    /// Bytes of the weights.
    pub weight_bytes: f64,
    /// Bytes of one token in the cache.
    pub kv_bytes_per_token: f64,
    /// Bytes of the states of one sequence.
    pub state_bytes_per_sequence: f64,
}

/// The machine of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HardwarePart {
    /// Id in the catalog.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Accelerators in all.
    pub count: u32,
    /// Bytes of memory of one.
    pub memory_bytes: f64,
    /// Bandwidth of one in GB/s.
    pub bandwidth_gb_per_s: f64,
    /// Whether limits of its maker were taken off.
    pub unlocked: bool,
}

/// How sure an answer is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathPart {
    /// Engine and accelerator.
    pub family: String,
    /// Whether runs of this path moved its constants.
    pub calibrated: bool,
    /// Runs behind the family's constants.
    pub runs: usize,
    /// Residuals behind the band of decode; 0 for the band that is assumed.
    pub decode_residuals: usize,
    /// Whether formulas were used that were not held against measurements: several accelerators,
    /// weights in the host's memory.
    pub unvalidated: bool,
}

/// What the memory holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryPart {
    /// Bytes beside weights and cache.
    pub overhead_bytes: f64,
    /// Bytes for caches and states; negative where not even the weights fit.
    pub pool_bytes: f64,
    /// Tokens of cache.
    pub kv_tokens: f64,
    /// The same with 0.5 GB less.
    pub kv_tokens_low: f64,
    /// The same with 0.5 GB more.
    pub kv_tokens_high: f64,
    /// Sequences that states leave room for.
    pub state_sequences: Option<f64>,
}

/// A figure with its band.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandPart {
    /// The median.
    pub median: f64,
    /// Half of the results lie above this and below `high50`.
    pub low50: f64,
    /// See `low50`.
    pub high50: f64,
    /// Nine of ten lie above this and below `high90`.
    pub low90: f64,
    /// See `low90`.
    pub high90: f64,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellPart {
    /// Prompt tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// `fits`, `borderline` or `does_not_fit`.
    pub fit: &'static str,
    /// Tokens a second of all.
    pub total_tokens_per_s: BandPart,
    /// Tokens a second of each.
    pub per_request_tokens_per_s: BandPart,
    /// Prompt tokens a second of one prompt that is not cached.
    pub prompt_tokens_per_s: Option<BandPart>,
    /// Milliseconds to the first token of one request whose prompt is not cached.
    pub cold_ttft_ms: Option<BandPart>,
    /// The same with the prompt cached.
    pub warm_ttft_ms: f64,
    /// Milliseconds of a step by term, the largest first.
    pub step_ms: Vec<TermPart>,
    /// The largest term.
    pub limited_by: &'static str,
    /// Tokens a second that the memory's bandwidth allows at most.
    pub roofline_tokens_per_s: f64,
    /// Share of it that the median reaches.
    pub roofline_share: f64,
    /// Joules of an output token.
    pub joules_per_token: Option<f64>,
}

/// A term of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TermPart {
    /// Which.
    pub term: &'static str,
    /// Milliseconds.
    pub ms: f64,
}

/// A term in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPart {
    /// Which.
    pub term: String,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// What goes in.
    pub inputs: Vec<InputPart>,
}

/// An input of a formula.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InputPart {
    /// The symbol.
    pub symbol: &'static str,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Where it comes from.
    pub source: String,
}

impl Question {
    /// Answers it with what is known.
    pub fn answer(&self, calibrations: &[Calibration]) -> Report {
        let setup = &self.setup;
        let knowledge = Knowledge::of(setup, calibrations);
        let output = tokmark_units::float::from_u64(self.output_tokens);
        let matrix = setup.matrix(
            &knowledge,
            &self.limits,
            &self.contexts,
            &self.requests,
            &self.load,
            output,
        );
        let places = self.contexts.iter().flat_map(|context| {
            self.requests
                .iter()
                .map(move |requests| (*context, *requests))
        });
        let cells = places
            .zip(&matrix.cells)
            .map(|((context, requests), cell)| CellPart::of(context, requests, cell));
        Report {
            model: self.model_part(),
            hardware: self.hardware_part(),
            engine: setup.engine.id().to_owned(),
            kv_type: setup.cache.to_string(),
            path: self.path_part(&knowledge, calibrations),
            memory: self.memory_part(),
            cells: cells.collect(),
            assumptions: self.assumptions(&knowledge.decode),
            explained: Vec::new(),
        }
    }

    /// Every term of the first cell.
    pub fn explain(&self, calibrations: &[Calibration]) -> Vec<ExplainedPart> {
        let knowledge = Knowledge::of(&self.setup, calibrations);
        let mut load = self.load;
        load.requests = self.requests.first().copied().map_or(1.0, f64::from);
        let context = self.contexts.first().copied().unwrap_or_default();
        load.prompt_tokens = tokmark_units::float::from_u64(context);
        let terms = self.setup.explain(&knowledge, &self.limits, &load);
        terms.into_iter().map(ExplainedPart::of).collect()
    }

    fn model_part(&self) -> ModelPart {
        let model = &self.setup.model;
        ModelPart {
            name: self.model.clone(),
            kernels: self.setup.kernel().as_str(),
            bits_per_weight: model.weights.bytes() * 8.0 / model.parameters(),
            parameters: model.parameters(),
            active_parameters: model.active_parameters(),
            weight_bytes: model.weights.bytes(),
            kv_bytes_per_token: model.kv_bytes_per_token(self.setup.cache),
            state_bytes_per_sequence: model.state_bytes(),
        }
    }

    fn hardware_part(&self) -> HardwarePart {
        let card = &self.setup.card;
        HardwarePart {
            id: card.id.clone(),
            name: card.name.clone(),
            count: self.setup.layout.cards(),
            memory_bytes: card.memory_bytes,
            bandwidth_gb_per_s: card.bandwidth_gb_per_s,
            unlocked: card.unlocked,
        }
    }

    fn path_part(&self, knowledge: &Knowledge, calibrations: &[Calibration]) -> PathPart {
        let family = Family::of(&self.setup);
        let calibration = calibrations.iter().find(|one| one.family == family);
        PathPart {
            calibrated: calibration.is_some_and(|one| one.covers(&self.setup, false)),
            runs: calibration.map_or(0, |one| one.runs.len()),
            decode_residuals: knowledge.decode.residuals,
            unvalidated: !self.setup.layout.is_validated(),
            family: family.to_string(),
        }
    }

    fn memory_part(&self) -> MemoryPart {
        let memory = self.setup.memory(&self.limits);
        MemoryPart {
            overhead_bytes: memory.overhead_bytes,
            pool_bytes: memory.pool_bytes,
            kv_tokens: memory.tokens,
            kv_tokens_low: memory.tokens_between.0,
            kv_tokens_high: memory.tokens_between.1,
            state_sequences: memory.sequences,
        }
    }

    fn assumptions(&self, band: &Band) -> Vec<String> {
        let mut lines = vec![format!(
            "{} output tokens a request, half of them in the cache on average; all of them reserved \
             when asking what fits",
            self.output_tokens
        )];
        lines.push(match self.load.prompts {
            tokmark_catalog::roofline::Prompts::Shared => {
                "all requests share one prompt, which is cached once and routes alike".to_owned()
            }
            tokmark_catalog::roofline::Prompts::Distinct => {
                "every request has a prompt of its own".to_owned()
            }
        });
        lines.extend(self.assumptions.iter().cloned());
        if band.residuals == 0 {
            let line = "no run of this engine, accelerator, kernels and cache type is known: 9 of 10 \
                        results are taken to lie within 40 %";
            lines.push(line.to_owned());
        }
        if !self.setup.layout.is_validated() {
            let line = "several accelerators and weights in the host's memory follow formulas that \
                        were not held against measurements";
            lines.push(line.to_owned());
        }
        lines
    }
}

impl CellPart {
    /// Whether it fits, or may.
    pub fn may_fit(&self) -> bool {
        self.fit != Fit::DoesNotFit.word()
    }

    fn of(context: u64, requests: u32, cell: &Prediction) -> Self {
        let mut terms: Vec<(StepTerm, f64)> = cell
            .decode
            .step
            .terms()
            .filter(|(_, seconds)| *seconds > 0.0)
            .collect();
        terms.sort_by(|a, b| b.1.total_cmp(&a.1));
        let milliseconds = |value: Banded| value.map(|seconds| seconds * 1e3).into();
        Self {
            context,
            requests,
            fit: cell.fit.word(),
            total_tokens_per_s: cell.total_tokens_per_s.into(),
            per_request_tokens_per_s: cell.per_request_tokens_per_s.into(),
            prompt_tokens_per_s: cell.prompt_tokens_per_s.map(BandPart::from),
            cold_ttft_ms: cell.cold_ttft_s.map(milliseconds),
            warm_ttft_ms: cell.warm_ttft_s * 1e3,
            step_ms: terms
                .into_iter()
                .map(|(term, seconds)| TermPart {
                    term: term.word(),
                    ms: seconds * 1e3,
                })
                .collect(),
            limited_by: cell.limited_by.word(),
            roofline_tokens_per_s: cell.decode.ceiling_tokens_per_s,
            roofline_share: cell.roofline_share,
            joules_per_token: cell.joules_per_token,
        }
    }
}

impl From<Banded> for BandPart {
    fn from(value: Banded) -> Self {
        Self {
            median: value.median,
            low50: value.half.0,
            high50: value.half.1,
            low90: value.ninety.0,
            high90: value.ninety.1,
        }
    }
}

impl ExplainedPart {
    fn of(explained: Explained) -> Self {
        let inputs = explained.inputs.into_iter().map(|input| InputPart {
            symbol: input.symbol,
            value: input.value,
            unit: input.unit,
            source: input.source,
        });
        Self {
            term: explained.term,
            value: explained.value,
            unit: explained.unit,
            formula: explained.formula,
            inputs: inputs.collect(),
        }
    }
}
