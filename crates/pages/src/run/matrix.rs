//! The matrix of sustained decode.

use tokmark_run_format::{CellStatus, DecodeCell, RunDocument};
use tokmark_units::format;

use crate::roofline;
use crate::shade::{STEPS, Shade, Tone};
use crate::summary::{self, Grid, context_label};
use crate::words;

/// The matrix.
pub(crate) struct Matrix {
    pub(crate) requests: Vec<u32>,
    pub(crate) rows: Vec<MatrixRow>,
    /// The colour scale; empty when all rates are equal.
    pub(crate) scale: Vec<ScaleStep>,
    /// The largest rate, at the scale's end.
    pub(crate) highest: String,
}

/// One context.
pub(crate) struct MatrixRow {
    pub(crate) label: String,
    pub(crate) cells: Vec<MatrixCell>,
}

/// One cell.
pub(crate) struct MatrixCell {
    pub(crate) context: u64,
    pub(crate) requests: u32,
    /// The document's word, `absent` where the run has no such cell.
    pub(crate) status: &'static str,
    pub(crate) class: String,
    pub(crate) rate: Option<String>,
    pub(crate) plus_minus: Option<String>,
    pub(crate) ttft: Option<String>,
    /// The status' words when it is not valid.
    pub(crate) word: Option<&'static str>,
    /// Everything, on hover.
    pub(crate) title: String,
}

/// A step of the colour scale with its lower edge.
pub(crate) struct ScaleStep {
    pub(crate) class: String,
    pub(crate) edge: String,
}

impl Matrix {
    pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>, shade: Option<Shade>) -> Option<Self> {
        grid.cells().next()?;
        let row = |context: &u64| MatrixRow {
            label: context_label(*context),
            cells: grid
                .requests
                .iter()
                .map(|requests| match grid.get(*context, *requests) {
                    Some(cell) => matrix_cell(cell, run, shade),
                    None => absent(*context, *requests),
                })
                .collect(),
        };
        let scale = shade.filter(|shade| !shade.is_flat());
        Some(Self {
            requests: grid.requests.iter().copied().collect(),
            rows: grid.contexts.iter().map(row).collect(),
            scale: scale.map(steps).unwrap_or_default(),
            highest: scale.map_or_else(String::new, |shade| format::rate(shade.high())),
        })
    }
}

fn steps(shade: Shade) -> Vec<ScaleStep> {
    (0..STEPS)
        .map(|step| ScaleStep {
            class: format!("q{step}"),
            edge: format::rate(shade.edge(step)),
        })
        .collect()
}

fn absent(context: u64, requests: u32) -> MatrixCell {
    MatrixCell {
        context,
        requests,
        status: "absent",
        class: "not-run".to_owned(),
        rate: None,
        plus_minus: None,
        ttft: None,
        word: None,
        title: words::NOT_IN_RUN.to_owned(),
    }
}

fn matrix_cell(cell: &DecodeCell, run: &RunDocument, shade: Option<Shade>) -> MatrixCell {
    let tone = Tone::of(cell.status).class();
    let step = cell
        .total_tokens_per_s
        .zip(shade)
        .map(|(rate, shade)| shade.step(rate));
    MatrixCell {
        context: cell.context,
        requests: cell.requests,
        status: cell.status.as_str(),
        class: step.map_or_else(|| tone.to_owned(), |step| format!("{tone} q{step}")),
        rate: cell.total_tokens_per_s.map(format::rate),
        plus_minus: summary::plus_minus(cell),
        ttft: summary::ttft(cell),
        word: (cell.status != CellStatus::Valid).then(|| cell.status.label()),
        title: title(cell, run),
    }
}

/// Number with interval, its share of the roofline, then the reason of a status that is not valid.
fn title(cell: &DecodeCell, run: &RunDocument) -> String {
    let interval = summary::interval(cell);
    let number = cell
        .total_tokens_per_s
        .map(|rate| words::rate_with_interval(&format::rate(rate), interval.as_deref()));
    let reason = match (cell.status, &cell.reason) {
        (CellStatus::Valid, None) => None,
        (status, Some(reason)) => Some(format!("{}: {reason}", status.label())),
        (status, None) => Some(format!(
            "{}: {}",
            status.label(),
            words::status::decode(status, run)
        )),
    };
    let share = roofline::of_cell(run, cell);
    let remarks = roofline::remarks(run, cell);
    let parts: Vec<String> = number
        .into_iter()
        .chain(share)
        .chain(remarks.into_iter().map(str::to_owned))
        .chain(reason)
        .collect();
    parts.join("\n")
}
