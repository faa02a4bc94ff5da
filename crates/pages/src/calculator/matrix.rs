//! The matrix of an answer, coloured as on a run page.

use tokmark_calculator::report::{BandPart, CellPart, Report};
use tokmark_units::format;

use super::answer::{CalculatorAnswer, chosen};
use super::verdict::term_label;
use crate::shade::{STEPS, Shade};
use crate::summary::context_label;
use crate::words::calculator as said;

/// The matrix.
pub(crate) struct Matrix {
    pub(crate) requests: Vec<u32>,
    pub(crate) rows: Vec<Row>,
    /// Classes and lower edges of the colours; empty when all rates are equal.
    pub(crate) scale: Vec<(String, String)>,
    /// The largest rate.
    pub(crate) highest: String,
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
    /// `fits`, `borderline` or `does_not_fit`.
    pub(crate) fit: &'static str,
    pub(crate) class: String,
    pub(crate) rate: Option<String>,
    pub(crate) each: Option<String>,
    /// What fits only perhaps, or not at all.
    pub(crate) word: Option<&'static str>,
    pub(crate) title: String,
}

impl Matrix {
    pub(crate) fn of(answer: &CalculatorAnswer<'_>) -> Option<Self> {
        let report = answer.report;
        let rates = report.cells.iter().filter(|cell| cell.may_fit());
        let shade = Shade::over(rates.map(|cell| cell.total_tokens_per_s.median));
        let chosen = chosen(answer).map(|cell| (cell.context, cell.requests));
        let scale = shade.filter(|shade| !shade.is_flat());
        let rows = rows(report, |cell| {
            let mut shown = cell_of(cell, shade);
            if chosen == Some((cell.context, cell.requests)) {
                shown.class.push_str(" chosen");
            }
            shown
        });
        (!rows.is_empty()).then(|| Self {
            requests: requests(report),
            rows,
            scale: scale.map(steps).unwrap_or_default(),
            highest: scale.map_or_else(String::new, |shade| format::rate(shade.high())),
        })
    }
}

/// The rows of a report, whatever a cell shows.
pub(super) fn rows(report: &Report, show: impl Fn(&CellPart) -> Cell) -> Vec<Row> {
    let columns = requests(report).len().max(1);
    let rows = report.cells.chunks(columns);
    rows.map(|cells| Row {
        label: cells
            .first()
            .map_or_else(String::new, |cell| context_label(cell.context)),
        cells: cells.iter().map(&show).collect(),
    })
    .collect()
}

/// The columns of a report.
pub(super) fn requests(report: &Report) -> Vec<u32> {
    let context = report.cells.first().map(|cell| cell.context);
    let row = report
        .cells
        .iter()
        .take_while(|cell| Some(cell.context) == context);
    row.map(|cell| cell.requests).collect()
}

/// Colours with their lower edges.
fn steps(shade: Shade) -> Vec<(String, String)> {
    (0..STEPS)
        .map(|step| (format!("q{step}"), format::rate(shade.edge(step))))
        .collect()
}

/// Class and word of how a cell fits.
pub(super) fn fit(cell: &CellPart) -> (&'static str, Option<&'static str>) {
    match cell.fit {
        "fits" => ("good", None),
        "borderline" => ("marked", Some(said::BORDERLINE)),
        _ => ("not-run", Some(said::DOES_NOT_FIT)),
    }
}

fn cell_of(cell: &CellPart, shade: Option<Shade>) -> Cell {
    let (tone, word) = fit(cell);
    let total = cell.total_tokens_per_s;
    let step = shade
        .filter(|_| cell.may_fit())
        .map(|shade| shade.step(total.median));
    let several = cell.may_fit() && cell.requests > 1;
    Cell {
        context: cell.context,
        requests: cell.requests,
        fit: cell.fit,
        class: step.map_or_else(|| tone.to_owned(), |step| format!("{tone} q{step}")),
        rate: cell.may_fit().then(|| format::rate(total.median)),
        each: several.then(|| said::each(&format::rate(cell.per_request_tokens_per_s.median))),
        word,
        title: title(cell),
    }
}

/// Everything about a cell, on hover.
fn title(cell: &CellPart) -> String {
    if !cell.may_fit() {
        return said::DOES_NOT_FIT_WHY.to_owned();
    }
    let total = cell.total_tokens_per_s;
    let mut lines = vec![
        said::bands(&format::rate(total.median), &fifty(total), &ninety(total)),
        said::limited(term_label(cell.limited_by), &share(cell.roofline_share)),
    ];
    lines.extend((cell.fit == "borderline").then(|| said::BORDERLINE_WHY.to_owned()));
    lines.join("\n")
}

pub(super) fn share(share: f64) -> String {
    tokmark_calculator::figures::whole_percent(share)
}

/// `240.1 to 260.3`.
pub(super) fn ninety(band: BandPart) -> String {
    said::range(&format::rate(band.low90), &format::rate(band.high90))
}

/// The same of the narrow band.
pub(super) fn fifty(band: BandPart) -> String {
    said::range(&format::rate(band.low50), &format::rate(band.high50))
}
