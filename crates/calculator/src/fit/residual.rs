//! Errors of predictions, and the bands that follow from them.

use tokmark_units::float;

/// How far a prediction was off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The run, by its place in the fit.
    pub run: usize,
    /// Nominal context in tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// Whether it is of prefill.
    pub prefill: bool,
    /// Measured tokens a second.
    pub measured: f64,
    /// Predicted tokens a second.
    pub predicted: f64,
}

/// Errors in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// How many.
    pub count: usize,
    /// Median of the absolute relative errors, as a fraction.
    pub median_abs: f64,
    /// Their 90th percentile, linear interpolation.
    pub p90_abs: f64,
    /// The largest.
    pub max_abs: f64,
}

/// A prediction's spread: factors on the median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Half of the results lie between these.
    pub half: (f64, f64),
    /// Nine of ten lie between these.
    pub ninety: (f64, f64),
    /// How many residuals it comes from; 0 for what is assumed without any.
    pub residuals: usize,
}

impl Residual {
    /// `predicted / measured − 1`.
    pub fn relative(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

impl Errors {
    /// Of some residuals; `None` of none.
    pub fn of<'a>(residuals: impl IntoIterator<Item = &'a Residual>) -> Option<Self> {
        let mut errors: Vec<f64> = residuals
            .into_iter()
            .map(|residual| residual.relative().abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        Some(Self {
            count: errors.len(),
            median_abs: quantile(&errors, 0.5)?,
            p90_abs: quantile(&errors, 0.9)?,
            max_abs: *errors.last()?,
        })
    }
}

/// The median of sorted values.
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// A quantile of sorted values by linear interpolation between the nearest two.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = float::from_usize(last) * share.clamp(0.0, 1.0);
    let below = float::floor_to_usize(place);
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + (high - low) * (place - place.floor()))
}

/// No band is narrower than this: figures of one cell repeat to about a percent.
const LEAST: (f64, f64) = (0.01, 0.03);

impl Band {
    /// What is assumed without any run of the path: 9 of 10 within 40 %.
    pub const UNCALIBRATED: Self = Self {
        half: (0.84, 1.16),
        ninety: (0.6, 1.4),
        residuals: 0,
    };

    /// From residuals of predictions whose figures the fit did not know.
    ///
    /// The `⌈(n + 1)·p⌉`-th smallest absolute log error holds the next one with probability `p` when
    /// all come from one distribution (split conformal prediction); with too few, the largest is
    /// doubled. `None` of fewer than four.
    pub fn of<'a>(residuals: impl IntoIterator<Item = &'a Residual>) -> Option<Self> {
        let mut errors: Vec<f64> = residuals
            .into_iter()
            .map(|residual| (residual.predicted / residual.measured).ln().abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        if errors.len() < 4 {
            return None;
        }
        let half = conformal(&errors, 0.5)?.max(LEAST.0);
        let ninety = conformal(&errors, 0.9)?.max(LEAST.1).max(half);
        Some(Self {
            half: ((-half).exp(), half.exp()),
            ninety: ((-ninety).exp(), ninety.exp()),
            residuals: errors.len(),
        })
    }
}

fn conformal(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = ((float::from_usize(sorted.len()) + 1.0) * share).ceil();
    let place = float::floor_to_usize(rank).saturating_sub(1);
    match sorted.get(place) {
        Some(error) => Some(*error),
        None => Some(2.0 * *sorted.last()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(ratio: f64) -> Residual {
        Residual {
            run: 0,
            context: 0,
            requests: 1,
            prefill: false,
            measured: 100.0,
            predicted: 100.0 * ratio,
        }
    }

    #[test]
    fn quantiles_interpolate() {
        let sorted = [0.0, 1.0, 2.0, 10.0];
        assert_eq!(median(&sorted), Some(1.5));
        assert!((quantile(&sorted, 0.9).unwrap() - 7.6).abs() < 1e-12);
        assert_eq!(quantile(&sorted, 1.0), Some(10.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn errors_count_both_directions() {
        let residuals = [residual(1.1), residual(0.8), residual(1.0)];
        let errors = Errors::of(&residuals).unwrap();
        assert_eq!(errors.count, 3);
        assert!((errors.median_abs - 0.1).abs() < 1e-12);
        assert!((errors.max_abs - 0.2).abs() < 1e-12);
    }

    /// Nine residuals of 1 to 9 %: the median of the next is the 5th, and nine of ten need the 9th.
    #[test]
    fn bands_are_the_ranks_that_hold_the_next_result() {
        let residuals: Vec<Residual> = (1..=9)
            .map(|percent| residual((f64::from(percent) / 100.0).exp()))
            .collect();
        let band = Band::of(&residuals).unwrap();
        assert!((band.half.1.ln() - 0.05).abs() < 1e-12);
        assert!((band.ninety.1.ln() - 0.09).abs() < 1e-12);
        let few = Band::of(residuals.get(..4).unwrap()).unwrap();
        assert!((few.ninety.1.ln() - 0.08).abs() < 1e-12, "doubled");
        assert_eq!(Band::of(residuals.get(..3).unwrap()), None);
    }
}
