//! How far a fit is off, figure by figure.

use tokmark_calculator::figures::signed_percent;
use tokmark_calculator::fit::{Calibration, Residual};
use tokmark_units::format;

use crate::chart::{Chart, Plan, Point, Series, Spacing, draw, log_ticks};
use crate::predicted::step;
use crate::summary::context_label;
use crate::words::{self, paths as said};

/// One figure.
pub(super) struct Row {
    pub(super) values: Vec<String>,
    /// Error of the fit, of one without the row, of one without the model.
    pub(super) errors: Vec<Error>,
}

/// An error with its colour.
pub(super) struct Error {
    pub(super) class: String,
    pub(super) text: String,
}

/// Every figure of the fit: decode first, then prefill.
pub(super) fn rows(calibration: &Calibration) -> Vec<Row> {
    let of_kind = |prefill: bool| {
        calibration
            .fitted
            .iter()
            .filter(move |one| one.prefill == prefill)
    };
    of_kind(false)
        .chain(of_kind(true))
        .map(|one| row(calibration, one))
        .collect()
}

fn row(calibration: &Calibration, one: &Residual) -> Row {
    let (phase, show): (_, fn(f64) -> String) = if one.prefill {
        (words::PHASE_PREFILL, format::prefill_rate)
    } else {
        (words::PHASE_DECODE, format::rate)
    };
    let values = vec![
        name(calibration, one.run).to_owned(),
        phase.to_owned(),
        context_label(one.context),
        one.requests.to_string(),
        show(one.measured),
        show(one.predicted),
    ];
    let held_out = |all: &[Residual]| {
        let same = |other: &&Residual| {
            (other.run, other.prefill) == (one.run, one.prefill)
                && (other.context, other.requests) == (one.context, one.requests)
        };
        all.iter().find(same).map(Residual::relative)
    };
    let errors = [
        Some(one.relative()),
        held_out(&calibration.rows_held_out),
        held_out(&calibration.models_held_out),
    ];
    Row {
        values,
        errors: errors.map(error).into(),
    }
}

fn error(error: Option<f64>) -> Error {
    Error {
        class: error.map_or_else(String::new, |error| format!("d{}", step(error))),
        text: format::or_dash(error, signed_percent),
    }
}

/// A run's name without its machine, which the page says above.
fn name(calibration: &Calibration, run: usize) -> &str {
    let title = calibration.runs.get(run).map_or("", String::as_str);
    title.split(words::ON).next().unwrap_or(title)
}

/// Errors over rates, of decode and of prefill.
pub(super) fn charts(calibration: &Calibration) -> Vec<Chart> {
    [(said::DECODE_CHART, false), (said::PREFILL_CHART, true)]
        .into_iter()
        .filter_map(|(words, prefill)| chart(calibration, words, prefill))
        .collect()
}

fn chart(calibration: &Calibration, words: [&'static str; 4], prefill: bool) -> Option<Chart> {
    let of_kind = || {
        calibration
            .fitted
            .iter()
            .filter(|one| one.prefill == prefill)
    };
    let low = of_kind().map(|one| one.measured).fold(f64::MAX, f64::min);
    let high = of_kind().map(|one| one.measured).fold(f64::MIN, f64::max);
    of_kind().next()?;
    let ticks = log_ticks(low, high).into_iter();
    let series = (0..calibration.runs.len()).map(|run| Series {
        label: name(calibration, run).to_owned(),
        points: of_kind().filter(|one| one.run == run).map(point).collect(),
        colour: run,
        dashed: false,
        bands: Vec::new(),
    });
    draw(Plan {
        words,
        x_spacing: Spacing::Logarithmic,
        x_ticks: ticks
            .map(|value| (value, format::decimal(value, 0)))
            .collect(),
        y_spacing: Spacing::Linear,
        series: series.filter(|line| !line.points.is_empty()).collect(),
    })
}

fn point(one: &Residual) -> Point {
    let place = words::point(
        &context_label(one.context),
        one.requests,
        &signed_percent(one.relative()),
    );
    Point {
        x: one.measured,
        y: one.relative() * 100.0,
        interval: None,
        valid: true,
        title: place,
        joined: false,
    }
}
