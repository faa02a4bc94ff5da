//! Colour by rate, and the tone of a status. Colours themselves are in the styles.

use tokmark_run_format::{CellStatus, RunDocument};
use tokmark_units::float;

/// Steps of the sequential scale: classes `q0` to `q6`.
pub(crate) const STEPS: usize = 7;

/// Rates onto steps, by their logarithm: a factor is a distance, so the slow rows keep their
/// differences beside the fast ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shade {
    low: f64,
    high: f64,
}

impl Shade {
    /// A scale over the positive rates; `None` when there are none.
    pub(crate) fn over(rates: impl Iterator<Item = f64>) -> Option<Self> {
        rates.filter(|rate| *rate > 0.0 && rate.is_finite()).fold(
            None,
            |range: Option<Self>, rate| {
                Some(match range {
                    None => Self {
                        low: rate,
                        high: rate,
                    },
                    Some(range) => Self {
                        low: range.low.min(rate),
                        high: range.high.max(rate),
                    },
                })
            },
        )
    }

    /// A scale over a run's cells.
    pub(crate) fn of(run: &RunDocument) -> Option<Self> {
        Self::over(run.decode.iter().filter_map(|cell| cell.total_tokens_per_s))
    }

    /// The step of a rate, 0 to 6.
    pub(crate) fn step(self, rate: f64) -> usize {
        let span = (self.high / self.low).ln();
        if span <= 0.0 || rate <= 0.0 {
            return STEPS / 2;
        }
        let place = (rate / self.low).ln() / span * float::from_usize(STEPS);
        float::floor_to_usize(place).min(STEPS - 1)
    }

    /// The lower edge of a step.
    pub(crate) fn edge(self, step: usize) -> f64 {
        let share = float::from_usize(step) / float::from_usize(STEPS);
        self.low * (self.high / self.low).powf(share)
    }

    /// The largest rate.
    pub(crate) fn high(self) -> f64 {
        self.high
    }

    /// Whether all rates are equal, so that colour says nothing.
    pub(crate) fn is_flat(self) -> bool {
        self.high <= self.low
    }
}

/// How a status looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Valid.
    Good,
    /// A number that must be read with care.
    Marked,
    /// Something went wrong.
    Bad,
    /// Left out by a rule.
    NotRun,
}

impl Tone {
    pub(crate) fn of(status: CellStatus) -> Self {
        match status {
            CellStatus::Valid => Self::Good,
            _ if status.is_not_run() => Self::NotRun,
            _ if status.is_incomplete() => Self::Bad,
            CellStatus::Looped => Self::Bad,
            _ => Self::Marked,
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Marked => "marked",
            Self::Bad => "bad",
            Self::NotRun => "not-run",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_distances() {
        let shade = Shade::over([1.0, 128.0].into_iter()).unwrap();
        let steps = [1.0, 2.1, 4.1, 8.1, 16.1, 32.1, 64.1, 128.0].map(|rate| shade.step(rate));
        assert_eq!(steps, [0, 1, 2, 3, 4, 5, 6, 6]);
        assert!((shade.edge(1) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_rate_or_none() {
        assert_eq!(Shade::over([0.0, f64::NAN].into_iter()), None);
        let flat = Shade::over([5.0].into_iter()).unwrap();
        assert_eq!(flat.step(5.0), 3);
        assert!(flat.is_flat());
    }
}
