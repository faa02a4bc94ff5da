//! The words and figures of a comparison.

use serde_json::Value;
use tokmark_measure::compare::{
    CellChange, Change, Metric, MetricChange, NOT_IN_RUN, Noise, Outcome, SettingChange, Unmatched,
};
use tokmark_units::format;

use super::{ComparisonView, Contest};
use crate::summary::context_label;

pub(super) const SETTINGS: &str = "Settings that differ";
pub(super) const SAME_SETTINGS: &str = "No setting differs.";
pub(super) const UNMATCHED: &str = "Not compared";
pub(super) const RULES: &str = "Rules";
pub(super) const BASELINE: &str = "baseline";
pub(super) const NOTHING: &str = "No cell has a value in every run.";
pub(super) const CHANGE: &str = "change";
pub(super) const INTERVAL: &str = "95 % interval";

/// What a metric is called.
pub(super) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Total => "total tok/s",
        Metric::PerRequest => "per request tok/s",
        Metric::Ttft => "TTFT",
        Metric::Itl => "time between tokens",
        Metric::Prefill => "prefill tok/s",
        Metric::Energy => "J per output token",
    }
}

/// A value of a metric.
pub(super) fn value(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Total | Metric::PerRequest => format::rate(value),
        Metric::Ttft => format::ttft_ms(value),
        Metric::Itl => format::gap_ms(value),
        Metric::Prefill => format::prefill_rate(value),
        Metric::Energy => format::joules(value),
    }
}

/// A change with its sign: `-3.1 %`, `+0.4 %`.
pub fn change_percent(share: f64) -> String {
    let text = format::percent(share);
    let is_none = text == format::percent(0.0);
    if share > 0.0 && !is_none {
        format!("+{text}")
    } else {
        text
    }
}

/// The edges of an interval: `-4.0 to -2.2 %`.
pub(super) fn interval(change: &Change) -> String {
    let low = change_percent(change.low - 1.0);
    format!(
        "{} to {}",
        low.trim_end_matches(" %"),
        change_percent(change.high - 1.0)
    )
}

/// What a change that is more than noise means.
pub(super) fn judged(metric: Metric, change: &Change) -> &'static str {
    match (change.is_significant(), is_worse(metric, change)) {
        (false, _) => "",
        (true, true) => "worse",
        (true, false) => "better",
    }
}

pub(super) fn is_worse(metric: Metric, change: &Change) -> bool {
    (change.ratio < 1.0) == metric.more_is_better()
}

pub(super) fn cells(count: usize) -> String {
    match count {
        1 => "1 cell".to_owned(),
        _ => format!("{count} cells"),
    }
}

/// `B's total tok/s is 3.1 % (2.2 to 4.0) lower than A's over 24 cells: worse.`
fn sentence(view: &ComparisonView, contest: &Contest, found: &MetricChange) -> String {
    let (new, base) = (view.label(contest.new), view.label(view.baseline));
    let name = metric(found.metric);
    let Some(change) = &found.overall else {
        return format!("{new}'s {name} cannot be compared with {base}'s: no cell has both.");
    };
    let over = cells(found.cells.len());
    if change.is_significant() {
        let size = |share: f64| format::decimal((share * 100.0).abs(), 1);
        // The smaller loss first, whichever way it goes.
        let (near, far) = if change.ratio < 1.0 {
            (change.high, change.low)
        } else {
            (change.low, change.high)
        };
        let direction = if change.ratio < 1.0 {
            "lower"
        } else {
            "higher"
        };
        return format!(
            "{new}'s {name} is {} % ({} to {}) {direction} than {base}'s over {over}: {}.",
            size(change.share()),
            size(near - 1.0),
            size(far - 1.0),
            judged(found.metric, change)
        );
    }
    let figures = format!("{} ({})", change_percent(change.share()), interval(change));
    match found.noise {
        Noise::Assumed(_) => format!(
            "Not enough data to tell {new}'s {name} from {base}'s: {figures} over {over} may be \
             noise of two single runs."
        ),
        Noise::Passes { .. } | Noise::Measured { .. } => format!(
            "{new}'s {name} is {base}'s within the noise of their runs: {figures} over {over}."
        ),
    }
}

/// One sentence for each metric of a side.
pub fn verdicts(view: &ComparisonView, contest: &Contest) -> Vec<String> {
    let metrics = contest.metrics.iter();
    metrics
        .map(|found| sentence(view, contest, found))
        .collect()
}

/// The sentence on a side's first metric that has cells.
pub fn verdict(view: &ComparisonView, contest: &Contest) -> String {
    let mut metrics = contest.metrics.iter();
    let found = metrics
        .clone()
        .find(|found| found.overall.is_some())
        .or_else(|| metrics.next());
    found.map_or_else(
        || NOTHING.to_owned(),
        |found| sentence(view, contest, found),
    )
}

/// Where the noise behind a metric comes from.
pub(super) fn noise(found: &MetricChange) -> String {
    match found.noise {
        Noise::Assumed(sd) => format!(
            "One run on each side: a run is assumed to vary by {} (standard deviation) from run to \
             run. Repeated runs in one folder make it a measured one.",
            format::percent(sd)
        ),
        Noise::Passes { least } => format!(
            "The noise is the spread of the passes inside each run, and {} a run (standard deviation), \
             which they cannot show.",
            format::percent(least)
        ),
        Noise::Measured { least } => format!(
            "The noise is the spread of the repeated runs, and at least {} a run (standard \
             deviation).",
            format::percent(least)
        ),
    }
}

/// How many of the cells changed, each for itself.
pub(super) fn tally(found: &MetricChange) -> String {
    let count = |word: &str| {
        let judged = found.cells.iter();
        judged.filter(|cell| judged_of(found, cell) == word).count()
    };
    format!(
        "{} worse, {} better, each for itself, corrected by Holm's rule for how many were looked at.",
        cells(count("worse")),
        count("better")
    )
}

pub(super) fn judged_of(found: &MetricChange, cell: &CellChange) -> &'static str {
    judged(found.metric, &cell.change)
}

/// Why a place is not compared: `16K x 4: A valid, B Over capacity`.
pub(super) fn unmatched(view: &ComparisonView, new: usize, place: &Unmatched) -> String {
    let side = |label: &str, status: Option<&'static str>| match status {
        None => format!("{label} has a value"),
        Some(NOT_IN_RUN) => format!("{label} did not plan it"),
        Some(status) => format!("{label} {status}"),
    };
    format!(
        "{} x {}: {}, {}",
        context_label(place.place.context),
        place.place.requests,
        side(view.label(view.baseline), place.baseline),
        side(view.label(new), place.new)
    )
}

/// A setting's value as a person writes it.
pub(super) fn setting_value(value: &Value) -> String {
    match value {
        Value::Null => format::DASH.to_owned(),
        Value::String(text) if text.is_empty() => format::DASH.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(setting_value).collect();
            parts.join(" ")
        }
        Value::Object(map) => {
            let known = map.iter().filter(|(_, value)| !value.is_null());
            let parts: Vec<String> = known
                .map(|(name, value)| format!("{name} {}", setting_value(value)))
                .collect();
            parts.join(", ")
        }
        other => other.to_string(),
    }
}

/// `engine.version: A 0.1, B 0.2`.
pub(super) fn setting(view: &ComparisonView, setting: &SettingChange) -> String {
    let values: Vec<String> = setting
        .values
        .iter()
        .enumerate()
        .map(|(side, value)| format!("{} {}", view.label(side), setting_value(value)))
        .collect();
    format!("{}: {}", setting.setting, values.join(" | "))
}

/// Runs of one side that are no repeats of one another.
pub(super) fn mixed(view: &ComparisonView) -> Option<String> {
    let (side, _) = view.mixed.first()?;
    let of_side = view.mixed.iter().filter(|(other, _)| other == side);
    let names: Vec<&str> = of_side.map(|(_, one)| one.setting.as_str()).collect();
    Some(format!(
        "The runs of {} are no repeats of one another: they differ in {}.",
        view.label(*side),
        names.join(", ")
    ))
}

/// What became of a rule.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Holds => "holds",
        Outcome::NotEnoughData => "not enough data",
        Outcome::Broken => "broken",
    }
}
