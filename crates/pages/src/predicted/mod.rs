//! A run beside its prediction: a section of its page, and lines for a terminal.

mod chart;
mod table;

use tokmark_calculator::Comparison;
use tokmark_calculator::compare::{ComparedErrors, ComparedFigure};
use tokmark_calculator::figures::signed_percent;
use tokmark_run_format::{CellStatus, DecodeCell, RunDocument};
use tokmark_units::format;

use crate::chart::Chart;
use crate::summary::{Grid, context_label};
use crate::words::{self, predicted as said};

/// What a page says of a run's prediction.
#[derive(Debug, Clone)]
pub enum Prediction {
    /// The run and its prediction.
    Compared {
        /// Both.
        comparison: Box<Comparison>,
        /// Address of the page of its path.
        path: Option<String>,
    },
    /// There is none, with the reason.
    Unknown(String),
}

impl Prediction {
    /// The same without addresses.
    #[must_use]
    pub fn unlinked(self) -> Self {
        match self {
            Self::Compared { comparison, .. } => Self::Compared {
                comparison,
                path: None,
            },
            Self::Unknown(reason) => Self::Unknown(reason),
        }
    }
}

/// The section.
pub(crate) enum Section<'a> {
    Compared(Box<Compared<'a>>),
    Unknown(&'a str),
}

/// What the section shows.
pub(crate) struct Compared<'a> {
    pub(crate) sentences: Vec<String>,
    pub(crate) path: Option<&'a str>,
    pub(crate) requests: Vec<u32>,
    pub(crate) rows: Vec<Row>,
    pub(crate) steps: Vec<Step>,
    pub(crate) prefill: Vec<PrefillCell>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) header: Vec<&'static str>,
    pub(crate) table: Vec<Vec<String>>,
}

/// A step of the colour scale.
pub(crate) struct Step {
    pub(crate) class: String,
    pub(crate) label: &'static str,
}

/// One context.
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) cells: Vec<Cell>,
}

/// One cell.
pub(crate) struct Cell {
    pub(crate) context: u64,
    pub(crate) requests: u32,
    pub(crate) class: String,
    pub(crate) measured: Option<String>,
    pub(crate) predicted: Option<String>,
    pub(crate) error: Option<String>,
    /// The status' words when it is not valid.
    pub(crate) word: Option<&'static str>,
    /// What was said of its room, where that was wrong.
    pub(crate) fits: Option<String>,
    /// Everything, on hover.
    pub(crate) title: String,
}

/// One prefill row.
pub(crate) struct PrefillCell {
    pub(crate) label: String,
    pub(crate) class: String,
    pub(crate) measured: Option<String>,
    pub(crate) predicted: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) title: String,
}

fn prefill(figure: &ComparedFigure) -> PrefillCell {
    let step = figure.error.map(step);
    PrefillCell {
        label: words::context(&context_label(figure.context)),
        class: step.map_or_else(String::new, |step| format!("d{step}")),
        measured: figure.measured_tokens_per_s.map(format::prefill_rate),
        predicted: figure
            .predicted_tokens_per_s
            .map(|band| format::prefill_rate(band.median)),
        error: figure.error.map(signed_percent),
        title: title(figure, format::prefill_rate),
    }
}

impl<'a> Section<'a> {
    pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>, prediction: &'a Prediction) -> Self {
        match prediction {
            Prediction::Unknown(reason) => Self::Unknown(reason),
            Prediction::Compared { comparison, path } => Self::Compared(Box::new(Compared {
                sentences: sentences(comparison),
                path: path.as_deref(),
                requests: grid.requests.iter().copied().collect(),
                rows: rows(grid, comparison),
                steps: steps(),
                prefill: comparison.prefill.iter().map(prefill).collect(),
                charts: chart::of(grid, comparison),
                header: table::header(comparison),
                table: table::rows(run, comparison),
            })),
        }
    }
}

/// Path, errors, capacity, and what to be careful about.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let path = &comparison.path;
    let mut out = vec![said::source(&said::Source {
        engine: path.engine,
        hardware: &words::paths::hardware(&path.hardware, path.tensor_parallel, path.unlocked),
        kernels: path.kernels,
        cache: &path.cache,
        calibrated: path.calibrated,
        runs: path.runs.len(),
        has_this_run: path.has_this_run,
        has_this_model: path.has_this_model,
    })];
    let kinds = [
        (words::PHASE_DECODE, &comparison.decode_errors),
        (words::PHASE_PREFILL, &comparison.prefill_errors),
    ];
    let told = kinds
        .into_iter()
        .filter_map(|(kind, all)| Some(said::errors(kind, &errors(all)?)));
    out.extend(told);
    let capacity = comparison.capacity;
    if capacity.right + capacity.borderline + capacity.wrong > 0 {
        out.push(said::capacity(
            capacity.right,
            capacity.borderline,
            capacity.wrong,
        ));
    }
    if path.simulated {
        out.push(said::SIMULATED.to_owned());
    }
    if !path.validated {
        out.push(said::NOT_VALIDATED.to_owned());
    }
    out.extend(comparison.assumptions.iter().map(|text| format!("{text}.")));
    out
}

fn errors(all: &ComparedErrors) -> Option<said::Errors> {
    let held_out = &all.held_out;
    Some(said::Errors {
        figures: all.all.figures,
        in_band: all.in_band,
        median: all.all.median_abs_error?,
        p90: all.all.p90_abs_error?,
        held_out: held_out.median_abs_error.zip(held_out.p90_abs_error),
    })
}

/// The figure of a cell.
pub(crate) fn figure(
    comparison: &Comparison,
    context: u64,
    requests: u32,
) -> Option<&ComparedFigure> {
    let mut figures = comparison.decode.iter();
    figures.find(|one| (one.context, one.requests) == (context, requests))
}

fn rows(grid: &Grid<'_>, comparison: &Comparison) -> Vec<Row> {
    let row = |context: &u64| Row {
        label: context_label(*context),
        cells: grid
            .requests
            .iter()
            .map(|requests| {
                let both = grid
                    .get(*context, *requests)
                    .zip(figure(comparison, *context, *requests));
                both.map_or_else(
                    || absent(*context, *requests),
                    |(cell, figure)| of_cell(cell, figure),
                )
            })
            .collect(),
    };
    grid.contexts.iter().map(row).collect()
}

fn absent(context: u64, requests: u32) -> Cell {
    Cell {
        context,
        requests,
        class: "not-run".to_owned(),
        measured: None,
        predicted: None,
        error: None,
        word: None,
        fits: None,
        title: words::NOT_IN_RUN.to_owned(),
    }
}

fn of_cell(cell: &DecodeCell, figure: &ComparedFigure) -> Cell {
    let wrong = figure.capacity.filter(|one| one.right == Some(false));
    let step = figure.error.map(step);
    // Where the requests were not let in, a speed says nothing.
    let refused = figure.capacity.is_some_and(|one| one.came == "refused");
    Cell {
        context: cell.context,
        requests: cell.requests,
        class: step.map_or_else(|| "not-run".to_owned(), |step| format!("d{step}")),
        measured: figure.measured_tokens_per_s.map(format::rate),
        predicted: figure
            .predicted_tokens_per_s
            .filter(|_| !refused)
            .map(|band| format::rate(band.median)),
        error: figure.error.map(signed_percent),
        word: (cell.status != CellStatus::Valid).then(|| cell.status.label()),
        fits: wrong.map(|one| said::fits(one.came, one.predicted)),
        title: title(figure, format::rate),
    }
}

/// Everything that is known of a figure.
pub(crate) fn title(figure: &ComparedFigure, show: fn(f64) -> String) -> String {
    let mut lines = Vec::new();
    if let Some(band) = figure.predicted_tokens_per_s {
        let [predicted, low, high] = [band.median, band.low90, band.high90].map(show);
        lines.push(match (figure.measured_tokens_per_s, figure.error) {
            (Some(measured), Some(error)) => said::point(
                &show(measured),
                &predicted,
                &signed_percent(error),
                &low,
                &high,
            ),
            _ => said::only_predicted(&predicted, &low, &high),
        });
    }
    if figure.in_band == Some(false) {
        lines.push(said::OUTSIDE.to_owned());
    }
    if let Some(capacity) = figure.capacity {
        lines.push(said::fits(capacity.came, capacity.predicted));
    }
    lines.join("\n")
}

/// Edges of the steps: shares by which a prediction is off.
const EDGES: [f64; 6] = [-0.2, -0.1, -0.04, 0.04, 0.1, 0.2];

/// The step of an error, 0 (far too low) over 3 (right) to 6 (far too high): class `d0` to `d6`.
pub(crate) fn step(error: f64) -> usize {
    // An edge belongs to the step that is nearer to the middle.
    EDGES
        .iter()
        .filter(|edge| {
            if **edge < 0.0 {
                error >= **edge
            } else {
                error > **edge
            }
        })
        .count()
}

pub(crate) fn steps() -> Vec<Step> {
    let labels = said::STEPS.into_iter().enumerate();
    labels
        .map(|(step, label)| Step {
            class: format!("d{step}"),
            label,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_step_of_its_sign_and_size() {
        let check = |error: f64, expect: usize| assert_eq!(step(error), expect, "{error}");
        check(-0.5, 0);
        check(-0.2, 1);
        check(-0.11, 1);
        check(-0.1, 2);
        check(-0.04, 3);
        check(0.0, 3);
        check(0.04, 3);
        check(0.041, 4);
        check(0.1, 4);
        check(0.2, 5);
        check(0.21, 6);
    }
}
