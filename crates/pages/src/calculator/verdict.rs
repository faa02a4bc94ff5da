//! The answer in a few sentences, and its key figures.

use tokmark_calculator::figures::{both, signed_percent, time_ms};
use tokmark_calculator::fit::Band;
use tokmark_calculator::report::{CellPart, Report};
use tokmark_calculator::{Knowledge, StepTerm};
use tokmark_units::format;

use super::answer::{CalculatorAnswer, chosen};
use super::matrix::share;
use crate::summary::context_label;
use crate::words::calculator as said;

/// The answer in words.
pub(crate) struct Verdict {
    /// `good`, `marked` or `bad`.
    pub(crate) class: &'static str,
    /// Fits, borderline, does not fit.
    pub(crate) word: &'static str,
    /// Of what.
    pub(crate) about: String,
    /// How many and how fast.
    pub(crate) text: String,
    /// How sure that is.
    pub(crate) sure: String,
}

/// A key figure.
pub(crate) struct Figure {
    pub(crate) value: String,
    pub(crate) unit: &'static str,
    pub(crate) what: String,
}

impl Verdict {
    pub(crate) fn of(answer: &CalculatorAnswer<'_>) -> Self {
        let cell = chosen(answer);
        let (class, word) = match cell.map(|cell| cell.fit) {
            Some("fits") => ("good", said::FITS),
            Some("borderline") => ("marked", said::BORDERLINE_TITLE),
            _ => ("bad", said::DOES_NOT_FIT_TITLE),
        };
        Self {
            class,
            word,
            about: about(answer.report),
            text: cell.map_or_else(String::new, |cell| text(answer, cell)),
            sure: sure(answer.report, answer.knowledge),
        }
    }
}

/// Model, machine and engine.
fn about(report: &Report) -> String {
    let hardware = &report.hardware;
    let machine = match hardware.count {
        1 => hardware.name.clone(),
        count => format!("{count} × {}", hardware.name),
    };
    said::about(&report.model.name, &machine, hardware.unlocked)
}

fn text(answer: &CalculatorAnswer<'_>, cell: &CellPart) -> String {
    let report = answer.report;
    if report.memory.pool_bytes < 0.0 {
        return said::weights_too_large(
            &both(report.model.weight_bytes),
            &both(report.memory.overhead_bytes),
        );
    }
    let context = context_label(cell.context);
    let most = most(answer, &context);
    if !cell.may_fit() {
        let asked = said::asked(&format::count(cell.requests.into()), &context);
        return format!("{asked} {most}");
    }
    let step: f64 = cell.step_ms.iter().map(|term| term.ms).sum();
    let largest = cell.step_ms.first();
    let limit = largest.map_or_else(String::new, |term| {
        said::limit(
            term_label(term.term),
            &share(term.ms / step),
            &share(cell.roofline_share),
        )
    });
    let speed = said::speed(
        cell.requests,
        &context,
        &format::rate(cell.per_request_tokens_per_s.median),
        &format::rate(cell.total_tokens_per_s.median),
    );
    let first = cell
        .cold_ttft_ms
        .map_or_else(String::new, |ttft| said::first_token(&time_ms(ttft.median)));
    let parts = [speed, first, most, limit];
    let told: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    told.join(" ")
}

/// How many fit at the chosen context.
fn most(answer: &CalculatorAnswer<'_>, context: &str) -> String {
    let (surely, perhaps) = answer.most;
    said::most(
        &format::count(surely.into()),
        &format::count(perhaps.into()),
        context,
        perhaps,
    )
}

/// Where the constants come from, and how far results may lie from the median.
fn sure(report: &Report, knowledge: &Knowledge) -> String {
    let path = &report.path;
    let edges = |band: &Band| {
        let (low, high) = band.ninety;
        said::edges(&signed_percent(low - 1.0), &signed_percent(high - 1.0))
    };
    let (decode, prefill) = (edges(&knowledge.decode), edges(&knowledge.prefill));
    let band = said::within(&decode, &prefill);
    if path.calibrated {
        return said::calibrated(path.runs, &path.family, &band);
    }
    said::estimate(&path.family, &band)
}

/// What a term is, in words.
pub(super) fn term_label(word: &'static str) -> &'static str {
    let term = StepTerm::ALL.into_iter().find(|term| term.word() == word);
    term.map_or(word, StepTerm::label)
}

/// The key figures of the chosen cell.
pub(crate) fn figures(answer: &CalculatorAnswer<'_>) -> Vec<Figure> {
    let Some(cell) = chosen(answer).filter(|cell| cell.may_fit()) else {
        return Vec::new();
    };
    let figure = |value: String, unit, what: &str| Figure {
        value,
        unit,
        what: what.to_owned(),
    };
    let each = cell.per_request_tokens_per_s;
    let total = cell.total_tokens_per_s;
    let range =
        |low, high| said::nine_of_ten(&said::range(&format::rate(low), &format::rate(high)));
    let mut all = vec![figure(
        format::rate(each.median),
        "tok/s",
        &format!("{} {}", said::EACH, range(each.low90, each.high90)),
    )];
    if cell.requests > 1 {
        all.push(figure(
            format::rate(total.median),
            "tok/s",
            &format!("{} {}", said::IN_TOTAL, range(total.low90, total.high90)),
        ));
    }
    all.extend(cell.cold_ttft_ms.map(|ttft| {
        let edges = said::range(&time_ms(ttft.low90), &time_ms(ttft.high90));
        let what = format!("{} {}", said::FIRST_TOKEN, said::nine_of_ten(&edges));
        figure(time_ms(ttft.median), "", &what)
    }));
    all.push(figure(
        format::count(answer.most.0.into()),
        "",
        &said::most_at(&context_label(cell.context)),
    ));
    all.extend(
        cell.joules_per_token
            .map(|joules| figure(format::joules(joules), "", said::PER_TOKEN)),
    );
    all
}
