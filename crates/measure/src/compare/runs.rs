//! Run documents side by side, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use tokmark_run_format::RunDocument;
use tokmark_units::float;

use super::change::{self, Change, LEAST_NOISE, Noise, Pair};
use super::metric::{Metric, Place, Reading};
use crate::stats;

/// One side: a run, or several runs of the same server.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// Its runs; at least one.
    pub runs: Vec<&'a RunDocument>,
}

/// One place of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct CellChange {
    /// Where.
    pub place: Place,
    /// The baseline's value: the geometric mean of its runs.
    pub baseline: f64,
    /// The new side's value.
    pub new: f64,
    /// The change between them, corrected over all cells of all metrics.
    pub change: Change,
    pair: Pair,
}

/// A place that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// Where.
    pub place: Place,
    /// What the baseline has: `None` is a value.
    pub baseline: Option<&'static str>,
    /// What the new side has: `None` is a value.
    pub new: Option<&'static str>,
}

/// What an [`Unmatched`] says of a place that a run's plan does not have.
pub const NOT_IN_RUN: &str = "not in the run";

impl Unmatched {
    /// Whether the new side was to have a value here, as the baseline has, and has none.
    pub fn is_lost(&self) -> bool {
        self.baseline.is_none() && self.new.is_some_and(|new| new != NOT_IN_RUN)
    }
}

/// One metric of two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricChange {
    /// Which.
    pub metric: Metric,
    /// Where its noise comes from.
    pub noise: Noise,
    /// Places that both sides have, by context, then requests.
    pub cells: Vec<CellChange>,
    /// Places that cannot be compared.
    pub unmatched: Vec<Unmatched>,
    /// All cells together: the geometric mean of their ratios; `None` without a cell. Corrected over
    /// the metrics.
    pub overall: Option<Change>,
}

impl MetricChange {
    /// The cells for which `keep` holds, taken together: the geometric mean of their ratios.
    pub fn over(&self, keep: impl Fn(Place) -> bool) -> Option<Change> {
        let kept = self.cells.iter().filter(|cell| keep(cell.place));
        let pairs: Vec<&Pair> = kept.map(|cell| &cell.pair).collect();
        together(&pairs)?.change(self.noise)
    }

    /// The median of those cells' ratios.
    pub fn median_ratio(&self, keep: impl Fn(Place) -> bool) -> Option<f64> {
        let kept = self.cells.iter().filter(|cell| keep(cell.place));
        let ratios: Vec<f64> = kept.map(|cell| cell.change.ratio).collect();
        stats::median(&ratios)
    }
}

/// Compares a side with the baseline. `noise` replaces the standard deviation from run to run that
/// is assumed where both were run once.
pub fn sides(
    baseline: &Side<'_>,
    new: &Side<'_>,
    metrics: &[Metric],
    noise: Option<f64>,
) -> Vec<MetricChange> {
    let mut found: Vec<MetricChange> = metrics
        .iter()
        .map(|metric| of_metric(baseline, new, *metric, noise))
        .collect();
    change::correct(
        found
            .iter_mut()
            .flat_map(|metric| metric.cells.iter_mut().map(|cell| &mut cell.change)),
    );
    change::correct(
        found
            .iter_mut()
            .filter_map(|metric| metric.overall.as_mut()),
    );
    found
}

fn of_metric(
    baseline: &Side<'_>,
    new: &Side<'_>,
    metric: Metric,
    noise: Option<f64>,
) -> MetricChange {
    let repeated = baseline.runs.len() > 1 || new.runs.len() > 1;
    let mut runs = baseline.runs.iter().chain(&new.runs);
    let least = noise.map_or(LEAST_NOISE, |noise| noise.min(LEAST_NOISE));
    let noise = if repeated {
        Noise::Measured { least }
    } else if runs.all(|run| metric.pass_spread(run).is_some()) {
        Noise::Passes { least }
    } else {
        Noise::Assumed(noise.unwrap_or(metric.assumed_noise()))
    };
    let (before, after) = (Readings::of(baseline, metric), Readings::of(new, metric));
    let places: BTreeSet<Place> = before.places().chain(after.places()).collect();
    let mut found = MetricChange {
        metric,
        noise,
        cells: Vec::new(),
        unmatched: Vec::new(),
        overall: None,
    };
    for place in places {
        match (before.at(place), after.at(place)) {
            (Ok(before), Ok(after)) => found.cells.extend(cell(place, &before, &after, noise)),
            // Neither has a value: nothing is missing.
            (Err(_), Err(_)) => {}
            (before, after) => found.unmatched.push(Unmatched {
                place,
                baseline: before.err(),
                new: after.err(),
            }),
        }
    }
    found.overall = found.over(|_| true);
    found
}

fn cell(place: Place, before: &Values, after: &Values, noise: Noise) -> Option<CellChange> {
    let pair = Pair {
        baseline: before.logs.clone(),
        new: after.logs.clone(),
        within: before.variance + after.variance,
    };
    Some(CellChange {
        place,
        baseline: stats::mean(&before.logs)?.exp(),
        new: stats::mean(&after.logs)?.exp(),
        change: pair.change(noise)?,
        pair,
    })
}

/// Cells taken together: each run's mean over them. What a run's cells share stays in it.
fn together(pairs: &[&Pair]) -> Option<Pair> {
    let first = pairs.first()?;
    let count = float::from_usize(pairs.len());
    let mean_of = |side: fn(&Pair) -> &Vec<f64>| -> Vec<f64> {
        (0..side(first).len())
            .map(|run| {
                let logs = pairs.iter().filter_map(|pair| side(pair).get(run));
                logs.sum::<f64>() / count
            })
            .collect()
    };
    Some(Pair {
        baseline: mean_of(|pair| &pair.baseline),
        new: mean_of(|pair| &pair.new),
        within: pairs.iter().map(|pair| pair.within).sum::<f64>() / (count * count),
    })
}

/// A side's values at a place.
struct Values {
    logs: Vec<f64>,
    /// Variance of their mean from inside the windows.
    variance: f64,
}

struct Readings(Vec<BTreeMap<Place, Reading>>);

impl Readings {
    fn of(side: &Side<'_>, metric: Metric) -> Self {
        Self(side.runs.iter().map(|run| metric.readings(run)).collect())
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        self.0.iter().flat_map(|run| run.keys().copied())
    }

    /// Every run's value, or why one has none: a mean over other runs for other cells would not be
    /// of the same server at the same time.
    fn at(&self, place: Place) -> Result<Values, &'static str> {
        let mut logs = Vec::with_capacity(self.0.len());
        let mut variance = 0.0;
        for run in &self.0 {
            match run.get(&place) {
                Some(Reading::Value { log, log_error }) => {
                    logs.push(*log);
                    variance += log_error * log_error;
                }
                Some(Reading::Without(why)) => return Err(why),
                None => return Err(NOT_IN_RUN),
            }
        }
        let count = float::from_usize(logs.len()).max(1.0);
        Ok(Values {
            logs,
            variance: variance / (count * count),
        })
    }
}
