//! Axes: from values to places, and where the ticks are.

/// How values are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Equal differences are equal distances; the axis begins at 0.
    Linear,
    /// Equal factors are equal distances.
    Logarithmic,
}

/// An axis from `low` to `high` over a length in SVG units.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    spacing: Spacing,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis whose ends lie at `from` and `to`.
    pub(crate) fn new(spacing: Spacing, low: f64, high: f64, from: f64, to: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self {
            spacing,
            low,
            high,
            from,
            to,
        }
    }

    /// The place of a value; values outside lie at the ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.spacing {
            Spacing::Linear => (value - self.low) / (self.high - self.low),
            Spacing::Logarithmic if value <= 0.0 => 0.0,
            Spacing::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let share = if share.is_finite() { share } else { 0.0 };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// The upper end.
    pub(crate) fn high(&self) -> f64 {
        self.high
    }
}

/// Steps of 1, 2 or 5 times a power of ten from 0 to at least `most`: about `wanted` of them.
pub(crate) fn linear_ticks(most: f64, wanted: f64) -> Vec<f64> {
    let most = if most > 0.0 && most.is_finite() {
        most
    } else {
        1.0
    };
    let raw = most / wanted;
    let magnitude = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|step| *step >= raw * (1.0 - 1e-9))
        .unwrap_or(magnitude * 10.0);
    let mut ticks = vec![0.0];
    let mut at = 0.0;
    while at < most * (1.0 - 1e-9) {
        at += step;
        ticks.push(at);
    }
    ticks
}

/// The same to both sides of 0, for values of both signs.
pub(crate) fn symmetric_ticks(most: f64, wanted: f64) -> Vec<f64> {
    let up = linear_ticks(most, wanted / 2.0);
    let down = up.iter().skip(1).rev().map(|tick| -tick);
    down.chain(up.iter().copied()).collect()
}

/// Values of 1, 2 and 5 times powers of ten that enclose `low` to `high`.
pub(crate) fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let start = low.log10().floor();
    let mut ticks = Vec::new();
    let mut decade = start;
    while 10_f64.powf(decade) <= high * 10.0 {
        for factor in [1.0, 2.0, 5.0] {
            ticks.push(factor * 10_f64.powf(decade));
        }
        decade += 1.0;
    }
    let first = ticks.iter().rposition(|tick| *tick <= low * (1.0 + 1e-9));
    let last = ticks.iter().position(|tick| *tick >= high * (1.0 - 1e-9));
    let chosen = first
        .zip(last)
        .and_then(|(first, last)| ticks.get(first..=last));
    chosen.map(<[f64]>::to_vec).unwrap_or(ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len(), "{a:?} {b:?}");
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
        }
    }

    #[test]
    fn round_ticks() {
        close(
            &linear_ticks(985.1, 5.0),
            &[0.0, 200.0, 400.0, 600.0, 800.0, 1_000.0],
        );
        close(&linear_ticks(1.0, 5.0), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        close(&linear_ticks(f64::NAN, 2.0), &[0.0, 0.5, 1.0]);
        close(&symmetric_ticks(9.0, 4.0), &[-10.0, -5.0, 0.0, 5.0, 10.0]);
        close(
            &log_ticks(17.9, 985.1),
            &[10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0],
        );
        close(&log_ticks(0.05, 0.2), &[0.05, 0.1, 0.2]);
        close(&log_ticks(3.0, 3.0), &[2.0, 5.0]);
    }

    #[test]
    fn places() {
        let axis = Axis::new(Spacing::Linear, 0.0, 10.0, 100.0, 0.0);
        assert!((axis.place(2.5) - 75.0).abs() < 1e-9);
        let axis = Axis::new(Spacing::Logarithmic, 1.0, 100.0, 0.0, 100.0);
        assert!((axis.place(10.0) - 50.0).abs() < 1e-9);
        assert!(axis.place(0.0).abs() < 1e-9);
        assert!((axis.place(1e9) - 100.0).abs() < 1e-9);
    }
}
