//! Rules that make a gate of a comparison: docs/compare.md.

use std::fmt;

use tokmark_units::Context;
use tokmark_units::format::percent;

use super::change::{Change, Noise};
use super::metric::{Metric, Place};
use super::runs::{MetricChange, Unmatched};

/// Which of the chosen cells a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// All together: the geometric mean of their ratios.
    Mean,
    /// The median of their ratios.
    Median,
    /// Each of them.
    Any,
}

/// Which cells a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Those with this many requests at once.
    Requests(u32),
    /// Those of this context.
    Context(u64),
}

impl Filter {
    fn keeps(self, place: Place) -> bool {
        match self {
            Self::Requests(requests) => place.requests == requests,
            Self::Context(context) => place.context == context,
        }
    }
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Broken by a change for the worse that goes beyond `limit` and is more than noise.
    Change {
        /// Which of the cells.
        aggregate: Aggregate,
        /// Which cells; all of these hold.
        filters: Vec<Filter>,
        /// Which figure.
        metric: Metric,
        /// The share of the baseline beyond which it is broken: `-0.03` of a rate, `0.1` of a time.
        limit: f64,
    },
    /// Broken by a cell that the baseline could measure and the new side could not.
    Status,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Change {
            aggregate,
            filters,
            metric,
            limit,
        } = self
        else {
            return f.write_str("status");
        };
        match aggregate {
            Aggregate::Mean => {}
            Aggregate::Median => f.write_str("median ")?,
            Aggregate::Any => f.write_str("any ")?,
        }
        for filter in filters {
            match filter {
                Filter::Requests(requests) => write!(f, "c={requests} ")?,
                Filter::Context(context) => write!(f, "context={} ", Context(*context))?,
            }
        }
        let side = if metric.more_is_better() { '<' } else { '>' };
        write!(
            f,
            "{} {side} {:+}%",
            metric.as_str(),
            rounded(limit * 100.0)
        )
    }
}

/// Without the last digits, in which the binary form of a typed figure shows.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// What became of a rule, worse ones last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing got worse by more than it allows, or only within the noise of repeated runs.
    Holds,
    /// It cannot be told.
    NotEnoughData,
    /// Something got worse by more than it allows, and that is more than noise.
    Broken,
}

/// A rule with what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The rule.
    pub rule: Rule,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub why: String,
}

/// Judges a rule by a comparison, which must have the rule's metric.
pub fn judge(rule: &Rule, metrics: &[MetricChange]) -> Judgement {
    let (outcome, why) = match rule {
        Rule::Status => status(metrics),
        Rule::Change {
            aggregate,
            filters,
            metric,
            limit,
        } => {
            let keeps = |place: Place| filters.iter().all(|filter| filter.keeps(place));
            match metrics.iter().find(|found| found.metric == *metric) {
                None => (Outcome::NotEnoughData, "it was not compared".to_owned()),
                Some(found) => {
                    let judged = match aggregate {
                        Aggregate::Any => each(found, keeps, *limit),
                        Aggregate::Mean | Aggregate::Median => {
                            over(found, keeps, *limit, *aggregate)
                        }
                    };
                    with_lost(judged, found, keeps)
                }
            }
        }
    };
    Judgement {
        rule: rule.clone(),
        outcome,
        why,
    }
}

/// All cells together. The median has no test of its own: what is tested is their mean.
fn over(
    found: &MetricChange,
    keeps: impl Fn(Place) -> bool + Copy,
    limit: f64,
    aggregate: Aggregate,
) -> (Outcome, String) {
    let Some(change) = found.over(keeps) else {
        return nothing();
    };
    let share = match aggregate {
        Aggregate::Median => found
            .median_ratio(keeps)
            .map_or(change.share(), |ratio| ratio - 1.0),
        Aggregate::Mean | Aggregate::Any => change.share(),
    };
    let cells = found.cells.iter().filter(|cell| keeps(cell.place)).count();
    let plural = if cells == 1 { "" } else { "s" };
    let what = format!("{} over {cells} cell{plural}", interval(share, &change));
    outcome(found, share, change.is_significant(), limit, what)
}

fn each(
    found: &MetricChange,
    keeps: impl Fn(Place) -> bool + Copy,
    limit: f64,
) -> (Outcome, String) {
    let kept = found.cells.iter().filter(|cell| keeps(cell.place));
    let judged = kept.map(|cell| {
        let share = cell.change.share();
        let what = format!(
            "{} at context {}, {} requests",
            interval(share, &cell.change),
            Context(cell.place.context),
            cell.place.requests
        );
        let judged = outcome(found, share, cell.change.is_significant(), limit, what);
        (
            judged,
            if found.metric.more_is_better() {
                -share
            } else {
                share
            },
        )
    });
    // The worst of the worst outcome speaks for all.
    let worst =
        judged.max_by(|((a, _), loss_a), ((b, _), loss_b)| a.cmp(b).then(loss_a.total_cmp(loss_b)));
    worst.map_or_else(nothing, |(judged, _)| judged)
}

fn outcome(
    found: &MetricChange,
    share: f64,
    significant: bool,
    limit: f64,
    what: String,
) -> (Outcome, String) {
    let beyond = if found.metric.more_is_better() {
        share < limit
    } else {
        share > limit
    };
    match (beyond, significant, found.noise) {
        (false, ..) => (Outcome::Holds, what),
        (true, true, _) => (Outcome::Broken, what),
        (true, false, Noise::Passes { .. } | Noise::Measured { .. }) => (
            Outcome::Holds,
            format!("{what}: within the noise of the runs"),
        ),
        (true, false, Noise::Assumed(_)) => {
            let why = format!("{what}: may be noise, which one run on each side cannot tell");
            (Outcome::NotEnoughData, why)
        }
    }
}

fn nothing() -> (Outcome, String) {
    let why = "no cell has a value in every run".to_owned();
    (Outcome::NotEnoughData, why)
}

/// A value that is gone never passes (case B115).
fn with_lost(
    (outcome, why): (Outcome, String),
    found: &MetricChange,
    keeps: impl Fn(Place) -> bool,
) -> (Outcome, String) {
    let lost = |place: &&Unmatched| place.is_lost() && keeps(place.place);
    match found.unmatched.iter().filter(lost).count() {
        0 => (outcome, why),
        count => (
            outcome.max(Outcome::NotEnoughData),
            format!("{why}; values that the baseline has and the other side lost: {count}"),
        ),
    }
}

fn status(metrics: &[MetricChange]) -> (Outcome, String) {
    let lost: Vec<&Unmatched> = metrics
        .iter()
        .flat_map(|found| &found.unmatched)
        .filter(|place| place.is_lost())
        .collect();
    let Some(first) = lost.first() else {
        let has_any = metrics.iter().any(|found| !found.cells.is_empty());
        return if has_any {
            (Outcome::Holds, "every cell still has its value".to_owned())
        } else {
            nothing()
        };
    };
    let why = format!(
        "values that the baseline has and the other side lost: {}; context {}, {} requests: {}",
        lost.len(),
        Context(first.place.context),
        first.place.requests,
        first.new.unwrap_or_default()
    );
    (Outcome::Broken, why)
}

/// `-3.1 % (-4.0 to -2.2)`.
fn interval(share: f64, change: &Change) -> String {
    let signed = |share: f64| {
        let sign = if share >= 0.000_5 { "+" } else { "" };
        format!("{sign}{}", percent(share))
    };
    let bare = |share: f64| signed(share).trim_end_matches(" %").to_owned();
    format!(
        "{} ({} to {})",
        signed(share),
        bare(change.low - 1.0),
        bare(change.high - 1.0)
    )
}
