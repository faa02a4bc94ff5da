//! Whether runs differ by more than their noise: methodology 4.3.13.
//!
//! [`sides`] compares run documents cell by cell, [`differing`] says what else they differ in, and
//! a [`Rule`] makes a gate of it. [`rates`] and [`repeated_mean`] are for plain lists of values.

mod change;
mod metric;
mod parse;
mod rule;
mod runs;
mod settings;

pub use change::{Change, LEAST_NOISE, Noise};
pub use metric::{Metric, Place};
pub use parse::{RuleError, parse};
pub use rule::{Aggregate, Filter, Judgement, Outcome, Rule, judge};
pub use runs::{CellChange, MetricChange, NOT_IN_RUN, Side, Unmatched, sides};
pub use settings::{SettingChange, differing};

use tokmark_units::float;

use crate::{stats, student};

/// Standard deviation assumed of one run where nothing was repeated, as a share of its value.
const ASSUMED_SPREAD: f64 = 0.02;
/// Factor of a two-sided 95 % interval of the normal distribution.
const NORMAL_95: f64 = 1.959_963_985;

/// The mean of repeated runs with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RepeatedMean {
    /// Runs that count.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation.
    pub sd: f64,
    /// Half the width of the 95 % interval of the mean (Student t).
    pub half_width: f64,
}

/// The mean of repeated runs; `None` under two of them: an interval needs repeats (case B116), not
/// the tokens or requests of one run.
pub fn repeated_mean(values: &[f64]) -> Option<RepeatedMean> {
    let sd = stats::sample_sd(values)?;
    let n = values.len();
    Some(RepeatedMean {
        n,
        mean: stats::mean(values)?,
        sd,
        half_width: factor(n.checked_sub(1)?)? * sd / float::from_usize(n).sqrt(),
    })
}

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Lower than the interval.
    Lower,
    /// Inside the interval of repeated runs.
    WithinNoise,
    /// Higher than the interval.
    Higher,
    /// One run on each side, and less apart than runs are assumed to be.
    NotEnoughData,
    /// A value is missing, zero or not a number: never a pass (case B115).
    Invalid,
}

/// A comparison with its figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// What it says.
    pub verdict: Verdict,
    /// Mean of the baseline.
    pub baseline_mean: Option<f64>,
    /// Mean of the new runs.
    pub new_mean: Option<f64>,
    /// Where the mean of the new runs would lie, with 95 % probability, if nothing had changed.
    pub expected: Option<(f64, f64)>,
}

impl Comparison {
    const INVALID: Self = Self {
        verdict: Verdict::Invalid,
        baseline_mean: None,
        new_mean: None,
        expected: None,
    };
}

/// Compares rates of new runs with those of a baseline: a prediction interval from their spread
/// (pooled where both sides were repeated), or from the assumed one where neither was.
pub fn rates(baseline: &[Option<f64>], new: &[Option<f64>]) -> Comparison {
    let (Some(baseline), Some(new)) = (valid(baseline), valid(new)) else {
        return Comparison::INVALID;
    };
    let (Some(before), Some(after)) = (stats::mean(&baseline), stats::mean(&new)) else {
        return Comparison::INVALID;
    };
    let repeated = baseline.len() > 1 || new.len() > 1;
    let one_run = if repeated {
        pooled(&baseline, &new)
    } else {
        Some(NORMAL_95 * ASSUMED_SPREAD * before)
    };
    let Some(one_run) = one_run else {
        return Comparison::INVALID;
    };
    let runs = |values: &[f64]| 1.0 / float::from_usize(values.len());
    let half = one_run * (runs(&baseline) + runs(&new)).sqrt();
    let verdict = match after {
        _ if after < before - half => Verdict::Lower,
        _ if after > before + half => Verdict::Higher,
        _ if repeated => Verdict::WithinNoise,
        _ => Verdict::NotEnoughData,
    };
    Comparison {
        verdict,
        baseline_mean: Some(before),
        new_mean: Some(after),
        expected: Some((before - half, before + half)),
    }
}

/// Every value, or `None` when one of them is no rate.
fn valid(values: &[Option<f64>]) -> Option<Vec<f64>> {
    let rate = |value: &Option<f64>| value.filter(|rate| rate.is_finite() && *rate > 0.0);
    let all: Option<Vec<f64>> = values.iter().map(rate).collect();
    all.filter(|all| !all.is_empty())
}

/// Student t times the pooled standard deviation of one run.
fn pooled(baseline: &[f64], new: &[f64]) -> Option<f64> {
    let squares = |values: &[f64]| {
        let sd = stats::sample_sd(values).unwrap_or(0.0);
        sd * sd * float::from_usize(values.len().saturating_sub(1))
    };
    let freedom = (baseline.len() + new.len())
        .checked_sub(2)
        .filter(|n| *n > 0)?;
    let sd = ((squares(baseline) + squares(new)) / float::from_usize(freedom)).sqrt();
    Some(factor(freedom)? * sd)
}

fn factor(degrees_of_freedom: usize) -> Option<f64> {
    student::factor_95(u32::try_from(degrees_of_freedom).ok()?)
}
