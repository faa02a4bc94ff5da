//! Tables behind an answer: prompts, terms of a step, and every cell.

use tokmark_calculator::cost_report::{CellCost, CostPart, TokenPrice};
use tokmark_calculator::figures::{price, time_ms, whole_percent};
use tokmark_calculator::report::{CellPart, Report};
use tokmark_units::format;

use super::answer::CalculatorAnswer;
use super::matrix::{fifty, fit, ninety};
use super::verdict::term_label;
use crate::summary::context_label;
use crate::words::calculator as said;

/// Width of the longest bar in SVG units.
const BAR: f64 = 100.0;

/// Header and rows.
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// A bar for each row; empty without.
    pub(crate) bars: Vec<String>,
}

impl Table {
    /// Rows with their bars.
    pub(crate) fn barred(&self) -> impl Iterator<Item = (&Vec<String>, &String)> {
        self.rows.iter().zip(&self.bars)
    }
}

/// Speed of reading a prompt, and time to the first token, by context.
pub(super) fn prefill(report: &Report) -> Option<Table> {
    let row = |cell: &CellPart| {
        // Without a prompt there is nothing to read.
        let rate = cell.prompt_tokens_per_s.filter(|_| cell.context > 0);
        let range = cell
            .cold_ttft_ms
            .map(|ttft| said::range(&time_ms(ttft.low90), &time_ms(ttft.high90)));
        let cold = cell.cold_ttft_ms.map(|ttft| ttft.median);
        vec![
            context_label(cell.context),
            format::or_dash(rate.map(|rate| rate.median), format::prefill_rate),
            format::or_dash(cold, time_ms),
            format::or_dash(range, |range| range),
            time_ms(cell.warm_ttft_ms),
        ]
    };
    let rows: Vec<Vec<String>> = report.cells.iter().map(row).collect();
    (!rows.is_empty()).then(|| Table {
        header: said::PREFILL_HEADER.map(str::to_owned).to_vec(),
        rows,
        bars: Vec::new(),
    })
}

/// Where the time of a step goes.
pub(super) fn steps(cell: &CellPart) -> Table {
    let all: f64 = cell.step_ms.iter().map(|term| term.ms).sum();
    let mut rows: Vec<Vec<String>> = cell
        .step_ms
        .iter()
        .map(|term| {
            vec![
                term_label(term.term).to_owned(),
                said::milliseconds(&format::decimal(term.ms, 3)),
                whole_percent(term.ms / all),
            ]
        })
        .collect();
    rows.push(vec![
        said::WHOLE_STEP.to_owned(),
        said::milliseconds(&format::decimal(all, 3)),
        whole_percent(1.0),
    ]);
    let bar = |ms: f64| format!("{:.1}", ms / all * BAR);
    let bars = cell.step_ms.iter().map(|term| bar(term.ms));
    Table {
        header: said::STEP_HEADER.map(str::to_owned).to_vec(),
        rows,
        bars: bars.chain([bar(0.0)]).collect(),
    }
}

/// A row for each cell, with both bands.
pub(super) fn cells(answer: &CalculatorAnswer<'_>) -> Table {
    let cost = answer.cost.map(|cost| cost.matrix);
    let mut header: Vec<String> = said::CELL_HEADER.map(str::to_owned).to_vec();
    header.extend(cost.map(cost_header).unwrap_or_default());
    let cells = answer.report.cells.iter().enumerate();
    let rows = cells.map(|(place, cell)| {
        let mut row = cell_row(cell);
        if let Some(cost) = cost {
            row.extend(cost_row(cost, cost.cells.get(place)));
        }
        row
    });
    Table {
        rows: rows.collect(),
        header,
        bars: Vec::new(),
    }
}

fn cell_row(cell: &CellPart) -> Vec<String> {
    let (_, word) = fit(cell);
    let place = [
        context_label(cell.context),
        format::count(cell.requests.into()),
        word.unwrap_or(said::FITS_WORD).to_owned(),
    ];
    let figure = |text: String| {
        if cell.may_fit() {
            text
        } else {
            format::DASH.to_owned()
        }
    };
    let total = cell.total_tokens_per_s;
    let figures = [
        format::rate(total.median),
        fifty(total),
        ninety(total),
        format::rate(cell.per_request_tokens_per_s.median),
        term_label(cell.limited_by).to_owned(),
        whole_percent(cell.roofline_share),
        format::or_dash(cell.joules_per_token, format::joules),
    ];
    place
        .into_iter()
        .chain(figures.into_iter().map(figure))
        .collect()
}

fn cost_header(cost: &CostPart) -> Vec<String> {
    let rented = cost.rent_per_hour.map(|_| said::RENTED);
    let owned = cost.price.map(|_| said::BOUGHT);
    let ways = rented.into_iter().chain(owned);
    ways.map(|way| said::per_million(&cost.currency, way))
        .collect()
}

fn cost_row(cost: &CostPart, cell: Option<&CellCost>) -> Vec<String> {
    let output = |of: fn(&CellCost) -> Option<TokenPrice>| {
        let output = cell.and_then(of).map(|one| one.output_per_million);
        format::or_dash(output, price)
    };
    let rented = cost.rent_per_hour.map(|_| output(|cell| cell.rented));
    let owned = cost.price.map(|_| output(|cell| cell.owned));
    rented.into_iter().chain(owned).collect()
}
