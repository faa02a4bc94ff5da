//! Measured points over predicted lines.

use tokmark_calculator::Comparison;
use tokmark_calculator::compare::ComparedFigure;
use tokmark_calculator::report::BandPart;
use tokmark_units::{float, format};

use super::{figure, title};
use crate::chart::{Chart, Plan, Point, Series, Spacing, draw};
use crate::summary::{Grid, context_label};
use crate::words::{self, predicted as said};

/// Decode by requests, and prefill by context.
pub(super) fn of(grid: &Grid<'_>, comparison: &Comparison) -> Vec<Chart> {
    let charts = [over(grid, comparison), prefill(comparison)];
    charts.into_iter().flatten().collect()
}

/// The prediction as a line in its band, the rows as points.
fn prefill(comparison: &Comparison) -> Option<Chart> {
    let x = |one: &ComparedFigure| float::from_u64(one.context);
    let rows = &comparison.prefill;
    rows.iter().find(|one| one.error.is_some())?;
    let shown: Vec<(f64, BandPart)> = rows
        .iter()
        .filter_map(|one| Some((x(one), one.predicted_tokens_per_s?)))
        .collect();
    let points = rows.iter().filter_map(|one| {
        Some(Point {
            x: x(one),
            y: one.measured_tokens_per_s?,
            interval: None,
            valid: one.in_band != Some(false),
            title: words::point(
                &context_label(one.context),
                one.requests,
                &title(one, format::prefill_rate),
            ),
            joined: false,
        })
    });
    let measured = Series {
        label: said::MEASURED.to_owned(),
        points: points.collect(),
        colour: 0,
        dashed: false,
        bands: Vec::new(),
    };
    let start = std::iter::once((0.0, context_label(0)));
    let ticks = rows.iter().map(|one| (x(one), context_label(one.context)));
    let chart = draw(Plan {
        words: said::PREFILL_CURVE,
        x_spacing: Spacing::Linear,
        x_ticks: start.chain(ticks).collect(),
        y_spacing: Spacing::Linear,
        series: vec![line(&shown, 0), measured],
    });
    chart.map(without_markers)
}

/// Only what was measured is a point: a line without a name has none.
fn without_markers(mut chart: Chart) -> Chart {
    for line in chart.lines.iter_mut().filter(|line| line.label.is_empty()) {
        line.markers.clear();
    }
    chart
}

/// A prediction: its median as a line, and its band.
fn line(shown: &[(f64, BandPart)], colour: usize) -> Series {
    let points = shown.iter().enumerate().map(|(place, (x, band))| Point {
        x: *x,
        y: band.median,
        interval: None,
        valid: true,
        title: String::new(),
        joined: place > 0,
    });
    Series {
        label: String::new(),
        points: points.collect(),
        colour,
        dashed: false,
        bands: vec![
            shown
                .iter()
                .map(|(x, band)| (*x, band.low90, band.high90))
                .collect(),
        ],
    }
}

/// A colour for each context: its prediction as a line in its band, its cells as points.
fn over(grid: &Grid<'_>, comparison: &Comparison) -> Option<Chart> {
    let measured = comparison.decode.iter().any(|one| one.error.is_some());
    if !measured {
        return None;
    }
    let predicted = grid.contexts.iter().enumerate();
    let predicted = predicted.map(|(colour, context)| curve(grid, comparison, *context, colour));
    let points = grid.contexts.iter().enumerate();
    let points = points.map(|(colour, context)| dots(grid, comparison, *context, colour));
    let chart = draw(Plan {
        words: said::CURVES,
        x_spacing: Spacing::Logarithmic,
        x_ticks: grid
            .requests
            .iter()
            .map(|requests| (f64::from(*requests), requests.to_string()))
            .collect(),
        y_spacing: Spacing::Logarithmic,
        series: predicted.chain(points).collect(),
    });
    chart.map(without_markers)
}

/// The cells of a context that are predicted to fit or that ran.
fn figures<'a>(
    grid: &Grid<'_>,
    comparison: &'a Comparison,
    context: u64,
) -> Vec<&'a ComparedFigure> {
    grid.requests
        .iter()
        .filter_map(|requests| figure(comparison, context, *requests))
        .filter(|one| {
            let room = one
                .capacity
                .is_none_or(|one| one.predicted != "does_not_fit");
            room || one.error.is_some()
        })
        .collect()
}

fn curve(grid: &Grid<'_>, comparison: &Comparison, context: u64, colour: usize) -> Series {
    let shown: Vec<_> = figures(grid, comparison, context)
        .into_iter()
        .filter_map(|one| Some((f64::from(one.requests), one.predicted_tokens_per_s?)))
        .collect();
    line(&shown, colour)
}

fn dots(grid: &Grid<'_>, comparison: &Comparison, context: u64, colour: usize) -> Series {
    let label = context_label(context);
    let points = figures(grid, comparison, context)
        .into_iter()
        .filter_map(|one| {
            Some(Point {
                x: f64::from(one.requests),
                y: one.measured_tokens_per_s?,
                interval: None,
                valid: one.in_band != Some(false),
                title: words::point(&label, one.requests, &title(one, format::rate)),
                joined: false,
            })
        });
    Series {
        points: points.collect(),
        label,
        colour,
        dashed: false,
        bands: Vec::new(),
    }
}
