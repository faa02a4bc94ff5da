//! The charts of one run.

use tokmark_run_format::{CellStatus, DecodeCell, PrefillStatus, RunDocument};
use tokmark_units::{float, format};

use super::axis::Spacing;
use super::draw::{Chart, Plan, draw};
use super::{Point, Series};
use crate::summary::{Grid, context_label, interval};
use crate::words;

/// The charts of a run; one that would have no point is left out.
pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>) -> Vec<Chart> {
    [
        total_by_requests(grid),
        rate_by_context(grid),
        prefill_by_context(run),
        gaps_by_requests(grid),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A figure of a cell that a chart shows, with its printed form.
struct Shown {
    value: f64,
    text: String,
    interval: Option<(f64, f64)>,
}

fn total_by_requests(grid: &Grid<'_>) -> Option<Chart> {
    let show = |cell: &DecodeCell| {
        let value = cell.total_tokens_per_s?;
        let text = words::rate_with_interval(&format::rate(value), interval(cell).as_deref());
        Some(Shown {
            value,
            text,
            interval: cell.ci95_low.zip(cell.ci95_high),
        })
    };
    draw(Plan {
        words: words::chart::TOTAL,
        x_spacing: Spacing::Logarithmic,
        x_ticks: levels(grid),
        y_spacing: Spacing::Logarithmic,
        series: by_requests(grid, show),
    })
}

fn rate_by_context(grid: &Grid<'_>) -> Option<Chart> {
    let ticks = grid
        .contexts
        .iter()
        .map(|context| (float::from_u64(*context), context_label(*context)))
        .collect();
    let series = grid.requests.iter().enumerate().map(|(colour, requests)| {
        let cells = grid
            .contexts
            .iter()
            .map(|context| grid.get(*context, *requests));
        let show = |cell: &DecodeCell| {
            let value = cell.per_request_tokens_per_s?;
            let text = words::rate_with_interval(&format::rate(value), None);
            Some(plain(value, text))
        };
        Series {
            label: words::series_requests(*requests),
            points: points(cells, |cell| float::from_u64(cell.context), show),
            colour,
            dashed: false,
            bands: Vec::new(),
        }
    });
    draw(Plan {
        words: words::chart::PER_REQUEST,
        x_spacing: Spacing::Linear,
        x_ticks: ticks,
        y_spacing: Spacing::Linear,
        series: with_points(series),
    })
}

fn prefill_by_context(run: &RunDocument) -> Option<Chart> {
    let ticks = std::iter::once((0.0, context_label(0)))
        .chain(run.prefill.iter().map(|row| {
            let label = context_label(row.context);
            (float::from_u64(row.context), label)
        }))
        .collect();
    let series =
        |label: &str, colour, value: fn(&tokmark_run_format::PrefillRow) -> Option<f64>| {
            let mut joined = false;
            let points = run.prefill.iter().filter_map(|row| {
                let before = std::mem::replace(&mut joined, value(row).is_some());
                let y = value(row)?;
                let rate = words::rate_with_interval(&format::rate(y), None);
                Some(Point {
                    x: float::from_u64(row.context),
                    y,
                    interval: None,
                    valid: row.status == PrefillStatus::Valid,
                    title: words::point(&context_label(row.context), row.requests, &rate),
                    joined: before,
                })
            });
            Series {
                label: label.to_owned(),
                points: points.collect(),
                colour,
                dashed: colour > 0,
                bands: Vec::new(),
            }
        };
    draw(Plan {
        words: words::chart::PREFILL,
        x_spacing: Spacing::Linear,
        x_ticks: ticks,
        y_spacing: Spacing::Linear,
        series: with_points([
            series(words::chart::MEASURED, 0, |row| row.prompt_tokens_per_s),
            series(words::chart::LESS_FIXED, 1, |row| {
                row.prompt_tokens_per_s_less_fixed
            }),
        ]),
    })
}

/// Gaps where the run has them; else the time between tokens, which every run has.
fn gaps_by_requests(grid: &Grid<'_>) -> Option<Chart> {
    let gap = |value: Option<f64>| value.map(|ms| plain(ms, format::gap_ms(ms)));
    let has_gaps = grid.cells().any(|cell| cell.gaps.is_some());
    let (words, series) = if has_gaps {
        let mut series = Vec::new();
        for (percentile, dashed) in [("p50", false), ("p99", true)] {
            let value = move |cell: &DecodeCell| {
                let gaps = cell.gaps.as_ref()?;
                gap(Some(if dashed { gaps.p99_ms } else { gaps.p50_ms }))
            };
            series.extend(by_requests(grid, value).into_iter().map(|line| Series {
                label: words::chart::percentile(&line.label, percentile),
                dashed,
                ..line
            }));
        }
        (words::chart::GAPS, series)
    } else {
        let value = |cell: &DecodeCell| gap(cell.time_between_tokens_ms);
        (words::chart::BETWEEN, by_requests(grid, value))
    };
    draw(Plan {
        words,
        x_spacing: Spacing::Logarithmic,
        x_ticks: levels(grid),
        y_spacing: Spacing::Logarithmic,
        series,
    })
}

fn plain(value: f64, text: String) -> Shown {
    Shown {
        value,
        text,
        interval: None,
    }
}

fn levels(grid: &Grid<'_>) -> Vec<(f64, String)> {
    let level = |requests: &u32| (f64::from(*requests), requests.to_string());
    grid.requests.iter().map(level).collect()
}

/// One line per context over the concurrency levels.
fn by_requests(grid: &Grid<'_>, show: impl Fn(&DecodeCell) -> Option<Shown>) -> Vec<Series> {
    let series = grid.contexts.iter().enumerate().map(|(colour, context)| {
        let cells = grid
            .requests
            .iter()
            .map(|requests| grid.get(*context, *requests));
        Series {
            label: context_label(*context),
            points: points(cells, |cell| f64::from(cell.requests), &show),
            colour,
            dashed: false,
            bands: Vec::new(),
        }
    });
    with_points(series)
}

fn with_points(series: impl IntoIterator<Item = Series>) -> Vec<Series> {
    series
        .into_iter()
        .filter(|line| !line.points.is_empty())
        .collect()
}

/// The points of the cells that have a number; a place without one breaks the line.
fn points<'a>(
    cells: impl Iterator<Item = Option<&'a DecodeCell>>,
    x: impl Fn(&DecodeCell) -> f64,
    show: impl Fn(&DecodeCell) -> Option<Shown>,
) -> Vec<Point> {
    let mut points = Vec::new();
    let mut joined = false;
    for place in cells {
        let shown = place.and_then(|cell| Some((cell, show(cell)?)));
        let before = std::mem::replace(&mut joined, shown.is_some());
        if let Some((cell, shown)) = shown {
            let context = context_label(cell.context);
            points.push(Point {
                x: x(cell),
                y: shown.value,
                interval: shown.interval,
                valid: cell.status == CellStatus::Valid,
                title: words::point(&context, cell.requests, &shown.text),
                joined: before,
            });
        }
    }
    points
}
