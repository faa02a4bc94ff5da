//! What is compared, and where a run document has it.

use std::collections::BTreeMap;

use tokmark_run_format::cell::Pass;
use tokmark_run_format::prefill::{CacheState, SampleRole};
use tokmark_run_format::{CellStatus, DecodeCell, PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::float;

use super::NORMAL_95;
use crate::{stats, student};

/// Standard error of a median over that of a mean, for large samples of a normal distribution.
const MEDIAN_ERROR: f64 = 1.253_314;

/// A figure of every cell or prefill row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Total tok/s of decode.
    Total,
    /// Decode tok/s of the median stream.
    PerRequest,
    /// Launch TTFT.
    Ttft,
    /// Time between tokens.
    Itl,
    /// Prompt tok/s of prefill.
    Prefill,
    /// Joules per output token.
    Energy,
}

impl Metric {
    /// Every metric, in the order of pages.
    pub const ALL: [Self; 6] = [
        Self::Total,
        Self::PerRequest,
        Self::Ttft,
        Self::Itl,
        Self::Prefill,
        Self::Energy,
    ];

    /// The word on the command line, in rules and in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::PerRequest => "per-request",
            Self::Ttft => "ttft",
            Self::Itl => "itl",
            Self::Prefill => "prefill",
            Self::Energy => "energy",
        }
    }

    /// The metric of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.as_str() == word)
    }

    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Self::Total | Self::PerRequest | Self::Prefill)
    }

    /// Standard deviation from run to run that is assumed where nothing was repeated, as a share of
    /// the value: 2 %, and 10 % for a launch, in which requests queue for prefill in whatever order
    /// they arrive.
    pub fn assumed_noise(self) -> f64 {
        match self {
            Self::Ttft => 0.1,
            Self::Total | Self::PerRequest | Self::Itl | Self::Prefill | Self::Energy => 0.02,
        }
    }

    /// Values of a cell's valid passes, as logarithms; `None` under two.
    fn passes(self, cell: &DecodeCell) -> Option<Vec<f64>> {
        let of_pass = |pass: &Pass| match self {
            Self::Total => pass.total_tokens_per_s,
            Self::PerRequest => pass.per_request_tokens_per_s,
            Self::Itl => pass.per_request_tokens_per_s.map(|rate| 1_000.0 / rate),
            Self::Ttft => pass.ttft_ms,
            Self::Prefill | Self::Energy => None,
        };
        let valid = cell.passes.iter();
        let logs: Vec<f64> = valid
            .filter(|pass| pass.status == CellStatus::Valid)
            .filter_map(of_pass)
            .filter(|value| value.is_finite() && *value > 0.0)
            .map(f64::ln)
            .collect();
        (logs.len() > 1).then_some(logs)
    }

    /// The spread of one pass (relative standard deviation), pooled over the run's cells: three
    /// passes of one cell say little of it. Widened by Student's t to what a normal distribution
    /// asks for. `None` when some valid cell was passed once.
    pub(super) fn pass_spread(self, run: &RunDocument) -> Option<f64> {
        let valid = run.decode.iter();
        let valid = valid.filter(|cell| cell.status == CellStatus::Valid);
        let (mut squares, mut freedom) = (0.0, 0_u32);
        for cell in valid {
            let logs = self.passes(cell)?;
            let sd = stats::sample_sd(&logs)?;
            let more = u32::try_from(logs.len()).ok()?.checked_sub(1)?;
            squares += sd * sd * f64::from(more);
            freedom = freedom.saturating_add(more);
        }
        let factor = student::factor_95(freedom)? / NORMAL_95;
        Some(factor * (squares / f64::from(freedom)).sqrt())
    }

    fn of_cell(self, cell: &DecodeCell) -> Option<f64> {
        match self {
            Self::Total => cell.total_tokens_per_s,
            Self::PerRequest => cell.per_request_tokens_per_s,
            Self::Ttft => cell.ttft_ms,
            Self::Itl => cell.time_between_tokens_ms,
            Self::Energy => cell.energy.as_ref()?.joules_per_output_token,
            Self::Prefill => None,
        }
    }

    /// What a run has, by place.
    pub(super) fn readings(self, run: &RunDocument) -> BTreeMap<Place, Reading> {
        if self == Self::Prefill {
            let rows = run.prefill.iter();
            return rows.map(|row| (Place::of_row(row), of_row(row))).collect();
        }
        let spread = self.pass_spread(run);
        let cells = run.decode.iter();
        cells
            .map(|cell| (Place::of_cell(cell), self.reading(cell, spread)))
            .collect()
    }

    fn reading(self, cell: &DecodeCell, spread: Option<f64>) -> Reading {
        if cell.status != CellStatus::Valid {
            return Reading::Without(cell.status.label());
        }
        if let (Some(spread), Some(logs)) = (spread, self.passes(cell)) {
            return Reading::of(
                stats::mean(&logs).map(f64::exp),
                Some(spread / float::from_usize(logs.len()).sqrt()),
            );
        }
        let log_error = match self {
            // A launch happens once: nothing in it says how well it repeats.
            Self::Ttft | Self::Prefill => None,
            Self::Total | Self::PerRequest | Self::Itl | Self::Energy => interval_error(cell),
        };
        Reading::of(self.of_cell(cell), log_error)
    }
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Context in tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
}

impl Place {
    fn of_cell(cell: &DecodeCell) -> Self {
        Self {
            context: cell.context,
            requests: cell.requests,
        }
    }

    fn of_row(row: &PrefillRow) -> Self {
        Self {
            context: row.context,
            requests: row.requests,
        }
    }
}

/// What one run has at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reading {
    /// A value, as a logarithm, with its standard error inside the run.
    Value { log: f64, log_error: f64 },
    /// No value that can be compared, and the status that says why.
    Without(&'static str),
}

impl Reading {
    /// A value that is absent, zero or not a number is none: it can never pass (case B115).
    fn of(value: Option<f64>, log_error: Option<f64>) -> Self {
        match value.filter(|value| value.is_finite() && *value > 0.0) {
            Some(value) => Self::Value {
                log: value.ln(),
                log_error: log_error.unwrap_or(0.0),
            },
            None => Self::Without("no value"),
        }
    }
}

/// The standard error of a cell's rate inside its window, relative.
fn interval_error(cell: &DecodeCell) -> Option<f64> {
    let (low, high) = (cell.ci95_low?, cell.ci95_high?);
    let rate = cell.total_tokens_per_s.filter(|rate| *rate > 0.0)?;
    Some((high - low).max(0.0) / (2.0 * NORMAL_95 * rate))
}

fn of_row(row: &PrefillRow) -> Reading {
    if row.status != PrefillStatus::Valid {
        return Reading::Without(row.status.label());
    }
    let counted = row
        .samples
        .iter()
        .filter(|sample| sample.role != SampleRole::First)
        .filter(|sample| sample.cache != CacheState::PartlyCached);
    let logs: Vec<f64> = counted
        .map(|sample| sample.prompt_tokens_per_s)
        .filter(|rate| *rate > 0.0)
        .map(f64::ln)
        .collect();
    let error =
        stats::sample_sd(&logs).map(|sd| MEDIAN_ERROR * sd / float::from_usize(logs.len()).sqrt());
    Reading::of(row.prompt_tokens_per_s, error)
}
