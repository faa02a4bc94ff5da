//! A fit as a document: constants, honest errors, errors on runs that it never saw, capacity.

use serde::Serialize;
use tokmark_catalog::Catalog;

use crate::capacity::{Capacity, Score};
use crate::constant::Prior;
use crate::fit::{Band, Calibration, Entry, Errors, Observation, Residual};
use crate::observe::ObservedRun;
use crate::path::Family;
use crate::setup::Kernel;

/// What a fit found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitReport {
    /// One for each engine and accelerator.
    pub fit: Vec<FamilyPart>,
    /// Errors on the runs that were held out as a test; empty figures without any.
    pub test: TestPart,
    /// Capacity of each run, those of the fit first.
    pub capacity: Vec<CapacityPart>,
    /// Runs that could not be used.
    pub skipped: Vec<SkippedPart>,
}

/// The fit of one engine and accelerator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyPart {
    /// Engine and accelerator in words.
    pub family: String,
    /// The same for addresses.
    pub slug: String,
    /// The engine's id.
    pub engine: &'static str,
    /// The accelerator's id.
    pub accelerator: String,
    /// Whether limits of its maker were taken off.
    pub unlocked: bool,
    /// Accelerators that share each layer.
    pub tensor_parallel: u32,
    /// Kernels that its runs had.
    pub kernels: Vec<&'static str>,
    /// Cache types that its runs had.
    pub caches: Vec<String>,
    /// Its runs.
    pub runs: Vec<FittedRun>,
    /// The constants that figures moved.
    pub constants: Vec<ConstantPart>,
    /// Errors of decode and prefill.
    pub errors: KindErrors,
}

/// A run behind a fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedRun {
    /// Its title.
    pub title: String,
    /// Its model's shape in words.
    pub model: String,
}

/// A fitted constant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConstantPart {
    /// Its word.
    pub constant: &'static str,
    /// Its symbol in formulas.
    pub symbol: &'static str,
    /// Kernels or cache type that it holds for; empty for the whole family.
    pub scope: String,
    /// Its value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What was believed before.
    pub believed: Option<f64>,
    /// Why that was believed.
    pub believed_because: Option<&'static str>,
    /// How many figures depend on it.
    pub figures: usize,
    /// Two of three fits to other figures of the same runs would put it above this.
    pub low: Option<f64>,
    /// And below this.
    pub high: Option<f64>,
}

/// Errors of both kinds of figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindErrors {
    /// Of decode.
    pub decode: ErrorTable,
    /// Of prefill.
    pub prefill: ErrorTable,
}

/// Errors by what the fit knew.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorTable {
    /// It knew these figures.
    pub fitted: ErrorPart,
    /// It knew all but the row of the context.
    pub rows_held_out: ErrorPart,
    /// It knew nothing of the model.
    pub models_held_out: ErrorPart,
}

/// Absolute relative errors as fractions; `None` where there is nothing to score.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ErrorPart {
    /// How many figures.
    pub figures: usize,
    /// The median.
    pub median_abs_error: Option<f64>,
    /// Nine of ten are at most this, linear interpolation.
    pub p90_abs_error: Option<f64>,
    /// The largest.
    pub max_abs_error: Option<f64>,
}

/// Predictions of runs that the fit never saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestPart {
    /// Their titles.
    pub runs: Vec<TestedRun>,
    /// Errors of decode.
    pub decode: ErrorPart,
    /// Errors of prefill.
    pub prefill: ErrorPart,
    /// Every figure.
    pub cells: Vec<TestedCell>,
}

/// A run that was predicted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestedRun {
    /// Its title.
    pub title: String,
    /// Engine and accelerator.
    pub family: String,
    /// Whether the fit has runs of this engine, accelerator, kernels and cache.
    pub calibrated: bool,
}

/// A figure that was predicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TestedCell {
    /// The run, by its place in `runs`.
    pub run: usize,
    /// `decode` or `prefill`.
    pub kind: &'static str,
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// Measured tokens a second.
    pub measured_tokens_per_s: f64,
    /// Predicted tokens a second.
    pub predicted_tokens_per_s: f64,
    /// `predicted / measured − 1`.
    pub error: f64,
    /// Nine of ten results were expected between these.
    pub low90_tokens_per_s: f64,
    /// See `low90_tokens_per_s`.
    pub high90_tokens_per_s: f64,
}

/// Which cells of a run fitted, and which were said to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapacityPart {
    /// The run's title.
    pub run: String,
    /// Tokens of cache that the server stated.
    pub stated_tokens: Option<u64>,
    /// The cells that ran imply at least so many.
    pub implied_tokens_from: Option<u64>,
    /// The cells that were refused imply fewer than so many.
    pub implied_tokens_below: Option<u64>,
    /// Tokens that the memory model predicts.
    pub predicted_tokens: f64,
    /// The same with 0.5 GB less.
    pub predicted_tokens_low: f64,
    /// The same with 0.5 GB more.
    pub predicted_tokens_high: f64,
    /// Sequences that states leave room for.
    pub predicted_sequences: Option<f64>,
    /// Cells that the budget explains, stated or implied.
    pub given_budget: ScorePart,
    /// Cells that the memory model predicts.
    pub from_memory: ScorePart,
}

/// Cells by whether it was said rightly that they run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScorePart {
    /// Rightly.
    pub right: usize,
    /// Left open.
    pub borderline: usize,
    /// Wrongly.
    pub wrong: usize,
}

/// A run that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkippedPart {
    /// The file, and the run's title where it has one.
    pub run: String,
    /// Why.
    pub reason: String,
    /// Names that may have been meant.
    pub candidates: Vec<String>,
}

impl FamilyPart {
    /// Of a calibration; the catalog says what was believed before.
    pub fn of(calibration: &Calibration, catalog: &Catalog) -> Self {
        let family = &calibration.family;
        let constants = calibration.entries.iter();
        let told = calibration.runs.iter().zip(&calibration.models);
        let kernels = calibration.kernels().into_iter();
        let caches = calibration.caches().into_iter();
        Self {
            family: family.to_string(),
            slug: family.slug(),
            engine: family.engine.id(),
            accelerator: family.card.clone(),
            unlocked: family.unlocked,
            tensor_parallel: family.tensor,
            kernels: kernels.map(Kernel::as_str).collect(),
            caches: caches.map(|cache| cache.to_string()).collect(),
            runs: told
                .map(|(title, model)| FittedRun {
                    title: title.clone(),
                    model: model.clone(),
                })
                .collect(),
            constants: constants
                .map(|entry| ConstantPart::of(entry, calibration.prior(catalog, entry)))
                .collect(),
            errors: KindErrors {
                decode: ErrorTable::of(calibration, false),
                prefill: ErrorTable::of(calibration, true),
            },
        }
    }
}

impl ConstantPart {
    fn of(entry: &Entry, believed: Option<Prior>) -> Self {
        let between = entry.between();
        Self {
            constant: entry.id.word(),
            symbol: entry.id.symbol(),
            scope: entry.scope.word(),
            value: entry.value,
            unit: entry.id.unit(),
            believed: believed.map(|prior| prior.value),
            believed_because: believed.map(|prior| prior.source),
            figures: entry.observations,
            low: between.map(|(low, _)| low),
            high: between.map(|(_, high)| high),
        }
    }
}

impl ErrorTable {
    fn of(calibration: &Calibration, prefill: bool) -> Self {
        let errors = |residuals: &[Residual]| {
            ErrorPart::of(residuals.iter().filter(|one| one.prefill == prefill))
        };
        Self {
            fitted: errors(&calibration.fitted),
            rows_held_out: errors(&calibration.rows_held_out),
            models_held_out: errors(&calibration.models_held_out),
        }
    }
}

impl ErrorPart {
    /// Of some residuals.
    pub fn of<'a>(residuals: impl IntoIterator<Item = &'a Residual>) -> Self {
        let Some(errors) = Errors::of(residuals) else {
            return Self::default();
        };
        Self {
            figures: errors.count,
            median_abs_error: Some(errors.median_abs),
            p90_abs_error: Some(errors.p90_abs),
            max_abs_error: Some(errors.max_abs),
        }
    }
}

impl TestPart {
    /// Predictions of runs that the calibrations were not fitted to. A run of a family without a
    /// calibration is predicted with what is believed before any run.
    pub fn of(calibrations: &[Calibration], runs: &[ObservedRun]) -> Self {
        let mut told = Vec::new();
        let mut residuals: Vec<Residual> = Vec::new();
        let mut cells = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            let family = Family::of(&run.setup);
            let found = calibrations.iter().find(|one| one.family == family);
            told.push(TestedRun {
                title: run.title.clone(),
                family: family.to_string(),
                calibrated: found.is_some_and(|one| one.covers(&run.setup, false)),
            });
            let empty = Calibration::empty(family);
            let calibration = found.unwrap_or(&empty);
            for one in &run.observations {
                let Some(residual) = calibration.residual(one) else {
                    continue;
                };
                let residual = Residual {
                    run: place,
                    ..residual
                };
                let band = calibration.band(&run.setup, one.is_prefill());
                cells.push(TestedCell::of(one, &residual, &band));
                residuals.push(residual);
            }
        }
        let errors = |prefill| ErrorPart::of(residuals.iter().filter(|one| one.prefill == prefill));
        Self {
            runs: told,
            decode: errors(false),
            prefill: errors(true),
            cells,
        }
    }
}

impl TestedCell {
    fn of(one: &Observation, residual: &Residual, band: &Band) -> Self {
        Self {
            run: residual.run,
            kind: if one.is_prefill() {
                "prefill"
            } else {
                "decode"
            },
            context: one.context,
            requests: one.requests,
            measured_tokens_per_s: residual.measured,
            predicted_tokens_per_s: residual.predicted,
            error: residual.relative(),
            low90_tokens_per_s: residual.predicted * band.ninety.0,
            high90_tokens_per_s: residual.predicted * band.ninety.1,
        }
    }

    /// Whether the measured figure lies where nine of ten were expected.
    pub fn in_band(&self) -> bool {
        (self.low90_tokens_per_s..=self.high90_tokens_per_s).contains(&self.measured_tokens_per_s)
    }
}

impl CapacityPart {
    /// Of a run.
    pub fn of(title: &str, capacity: &Capacity) -> Self {
        Self {
            run: title.to_owned(),
            stated_tokens: capacity.stated_tokens,
            implied_tokens_from: capacity.implied_from,
            implied_tokens_below: capacity.implied_below,
            predicted_tokens: capacity.predicted_tokens,
            predicted_tokens_low: capacity.predicted_between.0,
            predicted_tokens_high: capacity.predicted_between.1,
            predicted_sequences: capacity.predicted_sequences,
            given_budget: capacity.given_budget.into(),
            from_memory: capacity.from_memory.into(),
        }
    }
}

impl From<Score> for ScorePart {
    fn from(score: Score) -> Self {
        Self {
            right: score.right,
            borderline: score.borderline,
            wrong: score.wrong,
        }
    }
}
