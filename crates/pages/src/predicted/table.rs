//! Every figure with its band.

use tokmark_calculator::Comparison;
use tokmark_calculator::compare::ComparedFigure;
use tokmark_calculator::figures::signed_percent;
use tokmark_run_format::{CellStatus, RunDocument};
use tokmark_units::format;

use crate::summary::context_label;
use crate::words::{self, predicted as said};

fn has_held_out(comparison: &Comparison) -> bool {
    comparison.path.has_this_run
}

/// Labels of the columns.
pub(super) fn header(comparison: &Comparison) -> Vec<&'static str> {
    let mut labels = vec![
        said::PHASE,
        words::CONTEXT,
        words::REQUESTS,
        words::STATUS,
        said::MEASURED,
        said::PREDICTION,
        said::BAND,
        said::ERROR,
    ];
    labels.extend(has_held_out(comparison).then_some(said::HELD_OUT));
    labels.push(said::FITS);
    labels
}

/// A row for each prefill row and each cell.
pub(super) fn rows(run: &RunDocument, comparison: &Comparison) -> Vec<Vec<String>> {
    let with_held_out = has_held_out(comparison);
    let prefill = run.prefill.iter().zip(&comparison.prefill);
    let prefill = prefill.map(|(row, figure)| {
        let words = [words::PHASE_PREFILL, row.status.label()];
        line(words, figure, format::prefill_rate, with_held_out)
    });
    let decode = run.decode.iter().zip(&comparison.decode);
    let decode = decode.map(|(cell, figure)| {
        let label = match cell.status {
            CellStatus::Valid => CellStatus::Valid.label(),
            other => other.label(),
        };
        let words = [words::PHASE_DECODE, label];
        line(words, figure, format::rate, with_held_out)
    });
    prefill.chain(decode).collect()
}

fn line(
    [phase, status]: [&str; 2],
    figure: &ComparedFigure,
    show: fn(f64) -> String,
    with_held_out: bool,
) -> Vec<String> {
    let band = figure.predicted_tokens_per_s;
    let range = band.map(|band| said::range(&show(band.low90), &show(band.high90)));
    let mut values = vec![
        phase.to_owned(),
        context_label(figure.context),
        figure.requests.to_string(),
        status.to_owned(),
        format::or_dash(figure.measured_tokens_per_s, show),
        format::or_dash(band.map(|band| band.median), show),
        format::or_dash(range, |range| range),
        format::or_dash(figure.error, signed_percent),
    ];
    values.extend(with_held_out.then(|| format::or_dash(figure.held_out_error, signed_percent)));
    let fits = figure
        .capacity
        .map(|one| said::fits(one.came, one.predicted));
    values.push(format::or_dash(fits, |fits| fits));
    values
}
