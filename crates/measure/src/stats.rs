//! Order statistics and moments of small samples.
//!
//! Values are expected to be finite: callers drop what is absent before, so that nothing here turns
//! a gap in the data into a number.

use tokmark_units::float;

/// The `p`-quantile (`p` from 0 to 1) by linear interpolation between order statistics, which is
/// numpy's default; `None` of nothing.
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    percentile_sorted(&sorted(values), p)
}

/// As [`percentile`], of values that are sorted already.
pub fn percentile_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    let place = Place::of(sorted.len(), p)?;
    place.interpolate(sorted)
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 0.5)
}

/// The arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / float::from_usize(values.len()))
}

/// The sample standard deviation (divisor `n - 1`); `None` under two values.
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    let freedom = values.len().checked_sub(1).filter(|n| *n > 0)?;
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / float::from_usize(freedom)).sqrt())
}

/// Lag-1 autocorrelation about the mean; `None` when the values do not vary.
pub fn autocorrelation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values
        .iter()
        .zip(values.iter().skip(1))
        .map(|(before, after)| (before - mean) * (after - mean))
        .sum();
    (squares > 0.0).then(|| products / squares)
}

/// A least-squares line through equally spaced values.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The values' mean: the line's height in the middle.
    pub mean: f64,
    /// Change from one value to the next.
    pub slope: f64,
    /// The values less the line.
    pub residuals: Vec<f64>,
}

/// Fits a line; `None` under two values.
pub fn line(values: &[f64]) -> Option<Line> {
    let middle = float::from_usize(values.len().checked_sub(1).filter(|n| *n > 0)?) / 2.0;
    let mean = mean(values)?;
    let centred = |index: usize| float::from_usize(index) - middle;
    let squares: f64 = (0..values.len()).map(|index| centred(index).powi(2)).sum();
    let products: f64 = values
        .iter()
        .enumerate()
        .map(|(index, value)| centred(index) * (value - mean))
        .sum();
    let slope = products / squares;
    let residuals = values
        .iter()
        .enumerate()
        .map(|(index, value)| value - mean - slope * centred(index))
        .collect();
    Some(Line {
        mean,
        slope,
        residuals,
    })
}

/// A quantile of a sample of which some values are only known to be large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantile {
    /// It falls on values that were seen.
    Exactly(f64),
    /// It falls on a value that was not seen, and is at least this.
    AtLeast(f64),
}

impl Quantile {
    /// The value, when it is known.
    pub fn exact(self) -> Option<f64> {
        match self {
            Self::Exactly(value) => Some(value),
            Self::AtLeast(_) => None,
        }
    }

    /// The lower bound, when only that is known.
    pub fn lower_bound(self) -> Option<f64> {
        match self {
            Self::Exactly(_) => None,
            Self::AtLeast(bound) => Some(bound),
        }
    }
}

/// The `p`-quantile when `censored` values rank above every observed one and are known only by
/// lower bounds (methodology 4.3.10). Interpolating between bounds gives a bound again.
pub fn censored_percentile(observed: &[f64], censored: &[f64], p: f64) -> Option<Quantile> {
    let mut ranked = sorted(observed);
    ranked.extend(sorted(censored));
    let place = Place::of(ranked.len(), p)?;
    let value = place.interpolate(&ranked)?;
    Some(if place.highest() < observed.len() {
        Quantile::Exactly(value)
    } else {
        Quantile::AtLeast(value)
    })
}

/// A place between two order statistics.
struct Place {
    below: usize,
    share: f64,
}

impl Place {
    fn of(count: usize, p: f64) -> Option<Self> {
        let last = count.checked_sub(1)?;
        let at = p.clamp(0.0, 1.0) * float::from_usize(last);
        let below = float::floor_to_usize(at).min(last);
        Some(Self {
            below,
            share: at - float::from_usize(below),
        })
    }

    /// Index of the highest value that takes part.
    fn highest(&self) -> usize {
        self.below + usize::from(self.share > 0.0)
    }

    fn interpolate(&self, sorted: &[f64]) -> Option<f64> {
        let low = *sorted.get(self.below)?;
        let high = *sorted.get(self.highest())?;
        Some(low + (high - low) * self.share)
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expect: f64) {
        let found = found.unwrap();
        assert!((found - expect).abs() < 1e-9, "{found} is not {expect}");
    }

    #[test]
    fn percentiles_interpolate_between_order_statistics() {
        let values = [40.0, 10.0, 20.0, 30.0];
        for (p, expect) in [
            (0.0, 10.0),
            (0.25, 17.5),
            (0.5, 25.0),
            (0.95, 38.5),
            (1.0, 40.0),
        ] {
            close(percentile(&values, p), expect);
        }
        close(percentile(&[7.0], 0.99), 7.0);
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn moments() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        close(mean(&values), 5.0);
        close(sample_sd(&values), (32.0_f64 / 7.0).sqrt());
        assert_eq!(sample_sd(&[1.0]), None);
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn autocorrelation_of_known_series() {
        close(autocorrelation(&[1.0, -1.0, 1.0, -1.0]), -0.75);
        // About the mean 2.5: -1.5, -0.5, 0.5, 1.5.
        close(autocorrelation(&[1.0, 2.0, 3.0, 4.0]), 1.25 / 5.0);
        assert_eq!(autocorrelation(&[3.0, 3.0, 3.0]), None);
    }

    #[test]
    fn a_line_leaves_no_trend_behind() {
        let line = line(&[1.0, 3.5, 5.0, 7.0]).unwrap();
        close(Some(line.mean), 4.125);
        close(Some(line.slope), 1.95);
        close(Some(line.residuals.iter().sum()), 0.0);
    }

    #[test]
    fn a_quantile_on_a_censored_value_is_only_a_bound() {
        let check = |observed: &[f64], censored: &[f64], p: f64, expect: Quantile| {
            assert_eq!(censored_percentile(observed, censored, p), Some(expect));
        };
        check(&[3.0, 1.0, 2.0], &[], 0.5, Quantile::Exactly(2.0));
        check(&[1.0, 2.0], &[30.0], 0.5, Quantile::Exactly(2.0));
        check(&[1.0], &[30.0, 30.0], 0.5, Quantile::AtLeast(30.0));
        check(&[1.0, 2.0], &[30.0, 30.0], 0.5, Quantile::AtLeast(16.0));
        assert_eq!(censored_percentile(&[], &[], 0.5), None);
    }
}
