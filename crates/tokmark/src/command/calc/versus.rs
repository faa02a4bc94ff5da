//! Two machines side by side.

use tokmark_calculator::report::{CellPart, Report};
use tokmark_pages::terminal::{self, Look, Painter, Side, Text};
use tokmark_units::format;

use super::table::{self, Answer, shown};
use super::words::{context, fact, heading, remark};

/// The first machine's facts, the other's where they differ, and a matrix of both with the ratio.
pub(super) fn lines(
    first: &Answer<'_>,
    other: &Answer<'_>,
    width: usize,
    painter: Painter,
) -> Vec<String> {
    let mut out = table::header(first, width, painter);
    out.push(String::new());
    out.extend(fact(
        "beside",
        &table::machine(other.report),
        width,
        painter,
    ));
    out.extend(table::machine_facts(other, width, painter));
    let title =
        "Decode: tok/s of all requests; the first machine, the other, and how many times as fast";
    out.extend(heading(title, width, painter));
    let pair = |cell: &CellPart| other_cell(other.report, cell);
    out.extend(table::grid(first.report, width, painter, |cell| {
        three(cell, pair(cell))
    }));
    let text = format!(
        "?  borderline: whether it fits depends on 0.5 GB of memory; {}  does not fit",
        format::DASH
    );
    out.extend(remark(&text, width));
    out.extend(heading(
        "Prefill: prompt tok/s of one prompt on an idle server",
        width,
        painter,
    ));
    out.extend(prefill(first.report, other.report, painter));
    out.extend(table::assumptions(first.report, width, painter));
    out
}

fn other_cell<'a>(report: &'a Report, cell: &CellPart) -> Option<&'a CellPart> {
    report
        .cells
        .iter()
        .find(|other| (other.context, other.requests) == (cell.context, cell.requests))
}

/// Both figures and their ratio, one below another.
fn three(first: &CellPart, other: Option<&CellPart>) -> Vec<Text> {
    let rate = |cell: &CellPart| cell.total_tokens_per_s.median;
    let text = |cell: &CellPart| shown(cell, format::rate(rate(cell)));
    let Some(other) = other else {
        return vec![text(first)];
    };
    let ratio = if first.may_fit() && other.may_fit() {
        times(rate(other) / rate(first))
    } else {
        String::new()
    };
    vec![text(first), text(other), Text::new(ratio, Look::Quiet)]
}

fn times(ratio: f64) -> String {
    format!("x {}", format::decimal(ratio, 2))
}

/// Both speeds of reading a prompt by context.
fn prefill(first: &Report, other: &Report, painter: Painter) -> Vec<String> {
    let header = ["Context", "first", "other", ""];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    let requests = first.cells.first().map(|cell| cell.requests);
    let one_each = first
        .cells
        .iter()
        .filter(|cell| Some(cell.requests) == requests && cell.context > 0);
    for cell in one_each {
        let rate = |cell: &CellPart| cell.prompt_tokens_per_s.map(|rate| rate.median);
        let (one, two) = (rate(cell), other_cell(other, cell).and_then(rate));
        let ratio = one.zip(two).map(|(one, two)| times(two / one));
        rows.push(vec![
            Text::new(context(cell.context), Look::Plain),
            Text::new(format::or_dash(one, format::prefill_rate), Look::Strong),
            Text::new(format::or_dash(two, format::prefill_rate), Look::Strong),
            Text::new(ratio.unwrap_or_default(), Look::Quiet),
        ]);
    }
    terminal::rows(&rows, &[Side::Right; 4], painter)
}
