//! A run beside its prediction: what was measured, what the calculator says, how far apart they are.

use serde::Serialize;
use tokmark_catalog::Catalog;
use tokmark_run_format::RunDocument;

use crate::capacity::{Capacity, CellCapacity};
use crate::fit::{Calibration, Residual};
use crate::fit_report::{ErrorPart, ScorePart};
use crate::observe::{self, ObserveError, ObservedRun, observe};
use crate::path::Family;
use crate::predict::{Banded, Knowledge};
use crate::report::BandPart;

/// Figures of one run are taken for those of another only when they agree to this share.
const SAME: f64 = 1e-9;

/// A run and its prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What the prediction comes from.
    pub path: ComparedPath,
    /// Every decode cell of the run, in its order.
    pub decode: Vec<ComparedFigure>,
    /// Every prefill row, in its order.
    pub prefill: Vec<ComparedFigure>,
    /// Errors of valid decode cells.
    pub decode_errors: ComparedErrors,
    /// Errors of valid prefill rows.
    pub prefill_errors: ComparedErrors,
    /// Cells whose fate the memory model foretold.
    pub capacity: ScorePart,
    /// What the run left open, and how it was taken.
    pub assumptions: Vec<String>,
}

/// Where a prediction comes from.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a document's answers to questions that do not exclude each other"
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedPath {
    /// Name of the engine.
    pub engine: &'static str,
    /// Name of the accelerator.
    pub hardware: String,
    /// Accelerators that share each layer.
    pub tensor_parallel: u32,
    /// Whether limits of its maker were taken off.
    pub unlocked: bool,
    /// Engine and accelerator for addresses.
    pub slug: String,
    /// Kernels of the linear layers.
    pub kernels: &'static str,
    /// Type of the KV cache.
    pub cache: String,
    /// Whether runs of this engine, accelerator, kernels and cache were fitted.
    pub calibrated: bool,
    /// Titles of the runs behind the constants.
    pub runs: Vec<String>,
    /// Whether the compared run is one of them, so that its errors are those of a description and
    /// not of a forecast.
    pub has_this_run: bool,
    /// Whether a run of the same model is among them.
    pub has_this_model: bool,
    /// Whether the server was simulated.
    pub simulated: bool,
    /// Whether the formulas for the layout were held against measurements.
    pub validated: bool,
}

/// A measured figure beside a predicted one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFigure {
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// The run's word for what became of it.
    pub status: &'static str,
    /// Measured tokens a second; `None` where the figure is not valid.
    pub measured_tokens_per_s: Option<f64>,
    /// Predicted tokens a second; `None` where the machine's arithmetic is not known.
    pub predicted_tokens_per_s: Option<BandPart>,
    /// `predicted / measured − 1`.
    pub error: Option<f64>,
    /// Whether the measured figure lies where nine of ten were expected.
    pub in_band: Option<bool>,
    /// The error of a fit that knew the run but not this row of contexts, for a run that was fitted.
    pub held_out_error: Option<f64>,
    /// Whether the requests were let in, and whether the memory model says so.
    pub capacity: Option<ComparedCapacity>,
}

/// Whether the requests of a cell fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparedCapacity {
    /// `ran`, `waited` or `refused`.
    pub came: &'static str,
    /// `fits`, `borderline` or `does_not_fit`, from the sizes alone.
    pub predicted: &'static str,
    /// Whether that is right; `None` where it was left open.
    pub right: Option<bool>,
}

/// Errors of one kind of figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComparedErrors {
    /// Of the prediction.
    pub all: ErrorPart,
    /// Of fits that did not know the row, for a run that was fitted.
    pub held_out: ErrorPart,
    /// Figures that lie where nine of ten were expected.
    pub in_band: usize,
}

/// Sets a run beside its prediction.
///
/// # Errors
///
/// Model or machine is unknown, or a word of the run means nothing.
pub fn compare(
    catalog: &Catalog,
    calibrations: &[Calibration],
    document: &RunDocument,
) -> Result<Comparison, ObserveError> {
    let run = observe(catalog, document, 0)?;
    let family = Family::of(&run.setup);
    let calibration = calibrations.iter().find(|one| one.family == family);
    let place = calibration.and_then(|one| one.place_of(&run));
    let look = Look {
        knowledge: Knowledge::of(&run.setup, calibrations),
        held_out: calibration.zip(place),
        capacity: Capacity::of(document, &run),
        document,
        run: &run,
    };
    let decode: Vec<ComparedFigure> = look.decode().collect();
    let prefill: Vec<ComparedFigure> = look.prefill().collect();
    Ok(Comparison {
        path: ComparedPath::of(&run, calibration, place.is_some()),
        decode_errors: ComparedErrors::of(&decode, false),
        prefill_errors: ComparedErrors::of(&prefill, true),
        capacity: look.capacity.from_memory.into(),
        assumptions: run.assumptions.clone(),
        decode,
        prefill,
    })
}

struct Look<'a> {
    document: &'a RunDocument,
    run: &'a ObservedRun,
    knowledge: Knowledge,
    /// The fit that knew the run, and the run's place in it.
    held_out: Option<(&'a Calibration, usize)>,
    capacity: Capacity,
}

impl Look<'_> {
    fn decode(&self) -> impl Iterator<Item = ComparedFigure> {
        self.document.decode.iter().map(|cell| {
            let load = observe::cell_load(self.document, cell);
            let speed = self.run.setup.decode(&self.knowledge.constants, &load);
            let most = speed.ceiling_tokens_per_s;
            let predicted = Banded::new(speed.tokens_per_s, &self.knowledge.decode, most);
            let capacity = self
                .capacity
                .cells
                .iter()
                .find(|one| (one.context, one.requests) == (cell.context, cell.requests));
            ComparedFigure {
                capacity: capacity.map(ComparedCapacity::of),
                ..self.figure(
                    (cell.context, cell.requests, false),
                    cell.status.as_str(),
                    observe::cell_rate(cell),
                    Some(predicted),
                )
            }
        })
    }

    fn prefill(&self) -> impl Iterator<Item = ComparedFigure> {
        self.document.prefill.iter().map(|row| {
            let tokens = observe::row_tokens(row).max(1.0);
            let constants = &self.knowledge.constants;
            let time = self.run.setup.prefill(constants, tokens, 0.0);
            let predicted = time
                .map(|time| Banded::new(time.tokens_per_s(), &self.knowledge.prefill, f64::MAX));
            self.figure(
                (row.context, 1, true),
                row.status.as_str(),
                observe::row_rate(row),
                predicted,
            )
        })
    }

    fn figure(
        &self,
        (context, requests, prefill): (u64, u32, bool),
        status: &'static str,
        measured: Option<f64>,
        predicted: Option<Banded>,
    ) -> ComparedFigure {
        let predicted: Option<BandPart> = predicted.map(BandPart::from);
        let both = measured.zip(predicted);
        let held_out = self.held_out.and_then(|(calibration, run)| {
            let mut residuals = calibration.rows_held_out.iter();
            residuals.find(|one| {
                (one.run, one.prefill) == (run, prefill)
                    && (one.context, one.requests) == (context, requests)
            })
        });
        ComparedFigure {
            context,
            requests,
            status,
            measured_tokens_per_s: measured,
            predicted_tokens_per_s: predicted,
            error: both.map(|(measured, predicted)| predicted.median / measured - 1.0),
            in_band: both.map(|(measured, predicted)| {
                (predicted.low90..=predicted.high90).contains(&measured)
            }),
            held_out_error: held_out.filter(|_| both.is_some()).map(Residual::relative),
            capacity: None,
        }
    }
}

impl ComparedPath {
    fn of(run: &ObservedRun, calibration: Option<&Calibration>, has_this_run: bool) -> Self {
        let setup = &run.setup;
        let family = Family::of(setup);
        Self {
            engine: setup.engine.name(),
            hardware: setup.card.name.clone(),
            tensor_parallel: family.tensor,
            unlocked: family.unlocked,
            slug: family.slug(),
            kernels: setup.kernel().as_str(),
            cache: setup.cache.to_string(),
            calibrated: calibration.is_some_and(|one| one.covers(setup, false)),
            runs: calibration.map(|one| one.runs.clone()).unwrap_or_default(),
            has_this_run,
            has_this_model: calibration.is_some_and(|one| one.knows_model(setup)),
            simulated: run.simulated,
            validated: setup.layout.is_validated(),
        }
    }
}

impl ComparedCapacity {
    fn of(cell: &CellCapacity) -> Self {
        Self {
            came: cell.came.word(),
            predicted: cell.from_memory.word(),
            right: cell.is_right(),
        }
    }
}

impl ComparedErrors {
    fn of(figures: &[ComparedFigure], prefill: bool) -> Self {
        let errors = |error: fn(&ComparedFigure) -> Option<f64>| {
            let residuals: Vec<Residual> = figures
                .iter()
                .filter_map(|one| {
                    Some(Residual {
                        run: 0,
                        context: one.context,
                        requests: one.requests,
                        prefill,
                        measured: 1.0,
                        predicted: 1.0 + error(one)?,
                    })
                })
                .collect();
            ErrorPart::of(&residuals)
        };
        Self {
            all: errors(|one| one.error),
            held_out: errors(|one| one.held_out_error),
            in_band: figures
                .iter()
                .filter(|one| one.in_band == Some(true))
                .count(),
        }
    }
}

impl Calibration {
    /// The place of a run among those of the fit: the one whose every figure is the run's.
    ///
    /// Titles are no identity: two runs of one model on one machine share theirs.
    pub fn place_of(&self, run: &ObservedRun) -> Option<usize> {
        let is_of_run = |residual: &Residual| {
            run.observations.iter().any(|one| {
                (one.context, one.requests, one.is_prefill())
                    == (residual.context, residual.requests, residual.prefill)
                    && (one.tokens_per_s / residual.measured - 1.0).abs() < SAME
            })
        };
        (0..self.runs.len()).find(|place| {
            let own = || self.fitted.iter().filter(|one| one.run == *place);
            own().next().is_some() && own().all(is_of_run)
        })
    }
}
