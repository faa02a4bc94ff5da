//! How far apart two sides are, with the noise between runs.
//!
//! All arithmetic is on logarithms: a change of a rate is a ratio. What one window cannot show is
//! how a server varies from run to run: its clocks, its memory's layout, what else the machine does.
//! Where a side was run several times that is measured; where both were run once it is assumed.

use tokmark_units::float;

use super::NORMAL_95;
use crate::{stats, student};

/// Degrees of freedom at which Student's t is the normal distribution for our purpose.
const NORMAL: u32 = 2_000;

/// Least standard deviation from run to run that is reckoned with when runs were repeated, as a
/// share of the value: repeats within minutes share the server's start, its clocks and its heat, and
/// agree better than runs do.
pub const LEAST_NOISE: f64 = 0.005;

/// Significance that a difference needs, after correction.
const LEVEL: f64 = 0.05;

/// A change from the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// New over baseline.
    pub ratio: f64,
    /// Lower edge of its 95 % interval.
    pub low: f64,
    /// Upper edge.
    pub high: f64,
    /// Probability of so large a change if nothing had changed.
    pub p: f64,
    /// The same after correction for how many were looked at.
    pub adjusted_p: f64,
}

impl Change {
    /// Whether it is more than noise.
    pub fn is_significant(&self) -> bool {
        self.adjusted_p < LEVEL
    }

    /// As a share of the baseline: `-0.03` is 3 % less.
    pub fn share(&self) -> f64 {
        self.ratio - 1.0
    }
}

/// Logarithms of one figure, a value per run, of both sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) baseline: Vec<f64>,
    pub(super) new: Vec<f64>,
    /// Variance of the difference of the two means that comes from inside the windows.
    pub(super) within: f64,
}

/// Where the noise between runs comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// One run on each side: this standard deviation is assumed of a run.
    Assumed(f64),
    /// One run on each side, whose cells were passed several times: the spread of the passes, and
    /// this standard deviation of a run, which passes of one run cannot show.
    Passes {
        /// Standard deviation of a run.
        least: f64,
    },
    /// Repeated runs: their own spread, and at least this.
    Measured {
        /// Least standard deviation of a run.
        least: f64,
    },
}

impl Pair {
    /// The change with its interval, not yet corrected for others.
    pub(super) fn change(&self, noise: Noise) -> Option<Change> {
        let log = stats::mean(&self.new)? - stats::mean(&self.baseline)?;
        let runs = |values: &[f64]| 1.0 / float::from_usize(values.len());
        let runs = runs(&self.baseline) + runs(&self.new);
        let least = match noise {
            Noise::Assumed(sd) => sd,
            Noise::Passes { least } | Noise::Measured { least } => least,
        };
        let error = (least * least * runs + self.within).sqrt();
        let mut half = NORMAL_95 * error;
        let mut p = two_sided(log, error, NORMAL);
        if let (Noise::Measured { .. }, Some((sd, freedom))) = (noise, self.spread()) {
            // The runs' spread holds the noise inside windows too: the larger of the two counts,
            // not their sum.
            let error = sd * runs.sqrt();
            half = half.max(student::factor_95(freedom)? * error);
            p = p.max(two_sided(log, error, freedom));
        }
        Some(Change {
            ratio: log.exp(),
            low: (log - half).exp(),
            high: (log + half).exp(),
            p,
            adjusted_p: p,
        })
    }

    /// Pooled standard deviation of a run with its degrees of freedom.
    fn spread(&self) -> Option<(f64, u32)> {
        let squares = |values: &[f64]| {
            let sd = stats::sample_sd(values).unwrap_or(0.0);
            sd * sd * float::from_usize(values.len().saturating_sub(1))
        };
        let freedom = (self.baseline.len() + self.new.len()).checked_sub(2)?;
        let freedom = u32::try_from(freedom).ok().filter(|freedom| *freedom > 0)?;
        let sum = squares(&self.baseline) + squares(&self.new);
        Some(((sum / f64::from(freedom)).sqrt(), freedom))
    }
}

fn two_sided(log: f64, error: f64, freedom: u32) -> f64 {
    if error > 0.0 {
        (1.0 - student::within(log / error, freedom)).max(0.0)
    } else if log == 0.0 {
        1.0
    } else {
        0.0
    }
}

/// Corrects for how many changes were looked at, by Holm's rule: with nothing changed, in 95 of 100
/// comparisons not one is found significant, however they hang together. (Rules that bound the share
/// of false finds instead would let a re-run of the same server fail more often.)
pub(super) fn correct<'a>(changes: impl IntoIterator<Item = &'a mut Change>) {
    let mut changes: Vec<&mut Change> = changes.into_iter().collect();
    changes.sort_by(|a, b| a.p.total_cmp(&b.p));
    let mut least = 0.0_f64;
    let count = changes.len();
    for (before, change) in changes.into_iter().enumerate() {
        least = least.max((change.p * float::from_usize(count - before)).min(1.0));
        change.adjusted_p = least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expect: f64) {
        assert!((found - expect).abs() < 5e-5, "{found} is not {expect}");
    }

    fn logs(values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| value.ln()).collect()
    }

    #[test]
    fn one_run_on_each_side() {
        let pair = Pair {
            baseline: logs(&[100.0]),
            new: logs(&[97.0]),
            within: 0.0001,
        };
        let change = pair.change(Noise::Assumed(0.02)).unwrap();
        // Error sqrt(2 x 0.0004 + 0.0001) = 0.03; log(0.97) = -0.03046.
        close(change.ratio, 0.97);
        close(change.low, (-0.030_459_f64 - 1.959_964 * 0.03).exp());
        close(change.high, (-0.030_459_f64 + 1.959_964 * 0.03).exp());
        // Normal: P(|Z| > 1.01531) = 0.30996.
        assert!((change.p - 0.30996).abs() < 5e-4, "{}", change.p);
        assert!(!change.is_significant());
    }

    #[test]
    fn the_spread_of_repeats_counts_when_it_is_above_the_least() {
        let pair = |values: &[f64]| Pair {
            baseline: logs(&[100.0, 102.0, 98.0]),
            new: logs(values),
            within: 0.0,
        };
        let measured = Noise::Measured { least: LEAST_NOISE };
        let change = pair(&[90.0, 92.0, 91.0]).change(measured).unwrap();
        // Logs of the baseline spread by 0.020003, of the new by 0.010990: pooled 0.016138, and
        // t(4) = 2.77645 times that times sqrt(2/3) is 0.036585.
        close(change.high.ln() - change.ratio.ln(), 0.036_585);
        assert!(change.is_significant());
        let steady = Pair {
            baseline: logs(&[100.0, 100.0]),
            new: logs(&[99.5, 99.5]),
            within: 0.0,
        };
        let change = steady.change(measured).unwrap();
        close(change.high.ln() - change.ratio.ln(), 1.959_964 * 0.005);
        assert!(!change.is_significant());
    }

    #[test]
    fn holms_rule_by_hand() {
        let of = |p: f64| Change {
            ratio: 1.0,
            low: 1.0,
            high: 1.0,
            p,
            adjusted_p: p,
        };
        let mut changes = [of(0.04), of(0.01), of(0.03), of(0.005)];
        correct(&mut changes);
        let adjusted: Vec<f64> = changes.iter().map(|change| change.adjusted_p).collect();
        // Sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1, never falling.
        for (found, expect) in adjusted.iter().zip([0.06, 0.03, 0.06, 0.02]) {
            close(*found, expect);
        }
        let mut one = [of(0.7)];
        correct(&mut one);
        close(one[0].adjusted_p, 0.7);
    }
}
