//! The top of a run page: title, lines, trust, key figures.

use tokmark_run_format::{CellStatus, DecodeCell, RunDocument, Trust};
use tokmark_units::{Timestamp, format};

use crate::summary::{self, Grid, context_label};
use crate::words;

/// The top of a run page.
pub(crate) struct Head {
    pub(crate) model: String,
    pub(crate) hardware: String,
    pub(crate) engine_line: String,
    pub(crate) extent_line: String,
    pub(crate) by: Option<String>,
    pub(crate) tool: String,
    pub(crate) date: Option<String>,
    pub(crate) trust: &'static str,
    /// Class of the badge.
    pub(crate) trust_class: &'static str,
    pub(crate) trust_meaning: &'static str,
    pub(crate) complete: bool,
    pub(crate) figures: Vec<Figure>,
}

/// A key figure: value, unit, what it is.
pub(crate) struct Figure {
    pub(crate) value: String,
    pub(crate) unit: &'static str,
    pub(crate) what: String,
}

impl Head {
    pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>) -> Self {
        Self {
            model: summary::model_name(run).to_owned(),
            hardware: summary::hardware_name(run).to_owned(),
            engine_line: summary::engine_line(run),
            extent_line: summary::extent_line(run),
            by: run.submitted_by.as_deref().map(words::by),
            tool: summary::tool(run),
            date: run.started_at.as_deref().map(minute),
            trust: run.trust.label(),
            trust_class: trust_class(run.trust),
            trust_meaning: words::trust(run.trust),
            complete: run.complete,
            figures: figures(run, grid),
        }
    }
}

/// `2026-11-30 08:15 UTC`; a text that is no time stays as it is.
pub(crate) fn minute(text: &str) -> String {
    text.parse::<Timestamp>()
        .map_or_else(|_| text.to_owned(), Timestamp::minute)
}

pub(crate) fn trust_class(trust: Trust) -> &'static str {
    match trust {
        Trust::SelfReported => "self-reported",
        Trust::Imported => "imported",
        Trust::Measured => "measured",
    }
}

/// Each figure names what it is, and none is ranked with another: only valid cells count, except
/// that the number of valid cells is told too.
pub(crate) fn figures(run: &RunDocument, grid: &Grid<'_>) -> Vec<Figure> {
    let valid: Vec<(&DecodeCell, f64)> = grid
        .cells()
        .filter(|cell| cell.status == CellStatus::Valid)
        .filter_map(|cell| Some((cell, cell.total_tokens_per_s?)))
        .collect();
    let rate = |rate: f64, what: String| Figure {
        value: format::rate(rate),
        unit: words::TOK_S,
        what,
    };
    let mut figures = Vec::new();
    if let Some((cell, total)) = valid.iter().find(|(cell, _)| cell.requests == 1) {
        figures.push(rate(
            *total,
            words::single_stream(&context_label(cell.context)),
        ));
    }
    let highest = valid.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((cell, total)) = highest.filter(|(cell, _)| cell.requests > 1) {
        let place = words::at_cell(cell.requests, &context_label(cell.context));
        figures.push(rate(
            *total,
            format!("{} {place}", words::HIGHEST_TOTAL.to_lowercase()),
        ));
    }
    let longest = valid.iter().rev().max_by_key(|(cell, _)| cell.context);
    if let Some((cell, total)) = longest.filter(|(cell, _)| cell.context > 0) {
        let what = words::longest_figure(&context_label(cell.context), cell.requests);
        figures.push(rate(*total, what));
    }
    let prefill = run
        .prefill
        .iter()
        .find_map(|row| Some((row, row.prompt_tokens_per_s?)));
    if let Some((row, speed)) = prefill {
        figures.push(Figure {
            value: format::prefill_rate(speed),
            unit: words::TOK_S,
            what: words::prefill_figure(&context_label(row.context)),
        });
    }
    let all = grid.cells().count();
    if all > 0 {
        figures.push(Figure {
            value: format::count(u64::try_from(valid.len()).unwrap_or(u64::MAX)),
            unit: "",
            what: words::valid_cells(all),
        });
    }
    figures
}
