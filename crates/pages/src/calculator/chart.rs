//! The charts of an answer: medians with both bands.

use tokmark_calculator::figures::time_ms;
use tokmark_calculator::report::{BandPart, CellPart, Report};
use tokmark_units::{float, format};

use super::answer::CalculatorAnswer;
use super::matrix::{fifty, ninety};
use crate::chart::{Chart, Plan, Point, Series, Spacing, draw};
use crate::summary::context_label;
use crate::words;
use crate::words::calculator as said;

/// Rates by requests and by context, and the first token by context.
pub(crate) fn of(answer: &CalculatorAnswer<'_>) -> Vec<Chart> {
    let (along, across) = (answer.by_requests, answer.by_context);
    let charts = [
        by_requests(along, said::CHART_TOTAL, |cell| cell.total_tokens_per_s),
        by_requests(along, said::CHART_EACH, |cell| {
            cell.per_request_tokens_per_s
        }),
        by_context(across),
        first_token(across),
    ];
    charts.into_iter().flatten().collect()
}

fn by_requests(
    report: &Report,
    words: [&'static str; 4],
    rate: impl Fn(&CellPart) -> BandPart,
) -> Option<Chart> {
    let at = |cell: &CellPart| float::from_u64(cell.requests.into());
    let cells = report.cells.iter().filter(|cell| cell.may_fit());
    let x_ticks = cells.map(|cell| (at(cell), cell.requests.to_string()));
    draw(Plan {
        words,
        x_spacing: Spacing::Logarithmic,
        x_ticks: x_ticks.collect(),
        y_spacing: Spacing::Logarithmic,
        series: line(report, at, |cell| Some(rate(cell)), rates),
    })
}

fn context(cell: &CellPart) -> f64 {
    float::from_u64(cell.context)
}

fn contexts(report: &Report) -> Vec<(f64, String)> {
    let cells = report.cells.iter().filter(|cell| cell.may_fit());
    cells
        .map(|cell| (context(cell), context_label(cell.context)))
        .collect()
}

fn by_context(report: &Report) -> Option<Chart> {
    draw(Plan {
        words: said::CHART_BY_CONTEXT,
        x_spacing: Spacing::Linear,
        x_ticks: contexts(report),
        y_spacing: Spacing::Linear,
        series: line(
            report,
            context,
            |cell| Some(cell.per_request_tokens_per_s),
            rates,
        ),
    })
}

fn first_token(report: &Report) -> Option<Chart> {
    let seconds = |cell: &CellPart| {
        let ttft = cell.cold_ttft_ms?;
        let second = |ms: f64| ms / 1e3;
        Some(BandPart {
            median: second(ttft.median),
            low50: second(ttft.low50),
            high50: second(ttft.high50),
            low90: second(ttft.low90),
            high90: second(ttft.high90),
        })
    };
    let told = |band: BandPart| {
        let time = |seconds: f64| time_ms(seconds * 1e3);
        let range = |low, high| said::range(&time(low), &time(high));
        said::time_bands(
            &time(band.median),
            &range(band.low50, band.high50),
            &range(band.low90, band.high90),
        )
    };
    draw(Plan {
        words: said::CHART_FIRST_TOKEN,
        x_spacing: Spacing::Linear,
        x_ticks: contexts(report),
        y_spacing: Spacing::Linear,
        series: line(report, context, seconds, told),
    })
}

fn rates(band: BandPart) -> String {
    said::bands(&format::rate(band.median), &fifty(band), &ninety(band))
}

/// One line over the cells that fit.
fn line(
    report: &Report,
    x: impl Fn(&CellPart) -> f64,
    y: impl Fn(&CellPart) -> Option<BandPart>,
    told: impl Fn(BandPart) -> String,
) -> Vec<Series> {
    let shown: Vec<(&CellPart, BandPart)> = report
        .cells
        .iter()
        .filter(|cell| cell.may_fit())
        .filter_map(|cell| Some((cell, y(cell)?)))
        .collect();
    let point = |(place, (cell, band)): (usize, &(&CellPart, BandPart))| Point {
        x: x(cell),
        y: band.median,
        interval: None,
        valid: cell.fit == "fits",
        title: words::point(&context_label(cell.context), cell.requests, &told(*band)),
        joined: place > 0,
    };
    let edges = |of: fn(&BandPart) -> (f64, f64)| {
        let edge = shown.iter().map(|(cell, band)| {
            let (low, high) = of(band);
            (x(cell), low, high)
        });
        edge.collect()
    };
    let bands = vec![
        edges(|band| (band.low90, band.high90)),
        edges(|band| (band.low50, band.high50)),
    ];
    if shown.is_empty() {
        return Vec::new();
    }
    vec![Series {
        label: said::PREDICTED.to_owned(),
        points: shown.iter().enumerate().map(point).collect(),
        colour: 0,
        dashed: false,
        bands,
    }]
}
