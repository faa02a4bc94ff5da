//! How steady a window was: the 95 % interval of its mean rate, methodology 4.3.13.
//!
//! The window is cut into equal slices. Their linear trend is removed (decode slows down as the
//! context grows, which is not noise), then Student's t with two parameters fitted gives the
//! interval. Slices of a slow wobble are not independent, so they are made longer until their
//! lag-1 autocorrelation is small (the method of batch means).

use tokmark_run_format::evidence::Window;
use tokmark_units::float;

use crate::{stats, student};

/// Fewest batches behind an interval.
pub const LEAST_BATCHES: u32 = 6;
/// Shortest slice.
const LEAST_SLICE_NS: u64 = 1_000_000_000;
/// Fewest events of the median stream in a slice.
const LEAST_EVENTS: u64 = 20;
/// Largest lag-1 autocorrelation of batches that count as independent.
const LARGEST_CORRELATION: f64 = 0.2;

/// The interval of a window's mean rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanInterval {
    /// Lower edge in tokens per second.
    pub low: f64,
    /// Upper edge in tokens per second.
    pub high: f64,
    /// Batches behind it.
    pub batches: u32,
}

/// What a window's slices say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Steadiness {
    /// `None` with fewer than [`LEAST_BATCHES`] independent batches.
    pub interval: Option<MeanInterval>,
    /// Linear trend from edge to edge as a share of the mean rate; `None` with as few slices.
    pub drift: Option<f64>,
}

/// Looks at the arrivals `(nanosecond, tokens)` inside a window. `median_events` is the number of
/// events of the median stream in it.
pub fn steadiness(arrivals: &[(u64, u64)], window: Window, median_events: u64) -> Steadiness {
    let by_time = window.len_ns() / LEAST_SLICE_NS;
    let finest = u32::try_from(by_time.min(median_events / LEAST_EVENTS)).unwrap_or(u32::MAX);
    if finest < LEAST_BATCHES {
        return Steadiness::default();
    }
    let gains = Gains::of(arrivals, window);
    Steadiness {
        interval: interval(&gains, finest),
        drift: drift(&gains.slice_rates(finest)),
    }
}

fn interval(gains: &Gains, finest: u32) -> Option<MeanInterval> {
    let mut tried = None;
    for merged in 1..=finest / LEAST_BATCHES {
        let batches = finest / merged;
        if tried == Some(batches) {
            continue;
        }
        tried = Some(batches);
        let line = stats::line(&gains.slice_rates(batches))?;
        let correlation = stats::autocorrelation(&line.residuals).unwrap_or(0.0);
        if correlation <= LARGEST_CORRELATION {
            return around(&line, batches);
        }
    }
    None
}

fn around(line: &stats::Line, batches: u32) -> Option<MeanInterval> {
    let freedom = batches.checked_sub(2)?;
    let squares: f64 = line.residuals.iter().map(|residual| residual.powi(2)).sum();
    let deviation = (squares / f64::from(freedom)).sqrt();
    let half = student::factor_95(freedom)? * deviation / f64::from(batches).sqrt();
    Some(MeanInterval {
        low: (line.mean - half).max(0.0),
        high: line.mean + half,
        batches,
    })
}

fn drift(rates: &[f64]) -> Option<f64> {
    let line = stats::line(rates)?;
    (line.mean > 0.0).then(|| line.slope * float::from_usize(rates.len()) / line.mean)
}

/// What had arrived by every moment of a window: a slice's tokens are a difference of two entries,
/// so that trying many lengths of slices does not go through all arrivals each time.
struct Gains {
    length_ns: u64,
    /// Nanoseconds since the window's start, in order.
    since: Vec<u64>,
    /// Tokens up to and with each of them.
    total: Vec<u128>,
}

impl Gains {
    fn of(arrivals: &[(u64, u64)], window: Window) -> Self {
        let mut inside: Vec<(u64, u64)> = arrivals
            .iter()
            .filter(|(at_ns, _)| window.contains(*at_ns))
            .map(|(at_ns, tokens)| (at_ns.saturating_sub(window.start_ns), *tokens))
            .collect();
        inside.sort_unstable();
        let mut sum = 0_u128;
        let total = inside.iter().map(|(_, tokens)| {
            sum = sum.saturating_add(u128::from(*tokens));
            sum
        });
        Self {
            length_ns: window.len_ns().max(1),
            total: total.collect(),
            since: inside.into_iter().map(|(since, _)| since).collect(),
        }
    }

    /// Tokens that arrived in the window before `since_ns`.
    fn before(&self, since_ns: u64) -> u128 {
        let count = self.since.partition_point(|since| *since < since_ns);
        let last = count.checked_sub(1).and_then(|last| self.total.get(last));
        last.copied().unwrap_or(0)
    }

    /// Tokens per second in each of `count` equal slices; together they are the window, so that
    /// their mean is its rate.
    fn slice_rates(&self, count: u32) -> Vec<f64> {
        let slice_s = float::from_u64(self.length_ns) / 1e9 / f64::from(count);
        let mut before = 0;
        (1..=count)
            .map(|slice| {
                let edge = u128::from(self.length_ns) * u128::from(slice);
                let edge = u64::try_from(edge.div_ceil(u128::from(count))).unwrap_or(u64::MAX);
                let until = self.before(edge);
                let tokens = u64::try_from(until - before).unwrap_or(u64::MAX);
                before = until;
                float::from_u64(tokens) / slice_s
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn window(seconds: u64) -> Window {
        Window {
            start_ns: 5 * S,
            end_ns: (5 + seconds) * S,
        }
    }

    /// One arrival of the given tokens in the middle of every second.
    fn each_second(tokens: &[u64]) -> Vec<(u64, u64)> {
        (0_u64..)
            .zip(tokens)
            .map(|(s, n)| (5 * S + s * S + S / 2, *n))
            .collect()
    }

    #[test]
    fn student_t_on_detrended_seconds() {
        // Residuals about the line 100 + 2x are +1, -1, -1, +1, +1, -1, -1, +1 (no trend of their
        // own): RSS 8, 6 degrees of freedom, t = 2.447.
        let wobble = [1, -1, -1, 1, 1, -1, -1, 1];
        let tokens: Vec<u64> = (0_i64..)
            .zip(wobble)
            .map(|(x, e)| u64::try_from(100 + 2 * x + e).unwrap())
            .collect();
        let found = steadiness(&each_second(&tokens), window(8), 1_000);
        let interval = found.interval.unwrap();
        let half = 2.4469 * (8.0_f64 / 6.0).sqrt() / 8.0_f64.sqrt();
        assert_eq!(interval.batches, 8);
        assert!((interval.low - (107.0 - half)).abs() < 1e-3, "{interval:?}");
        assert!(
            (interval.high - (107.0 + half)).abs() < 1e-3,
            "{interval:?}"
        );
        assert!((found.drift.unwrap() - 16.0 / 107.0).abs() < 1e-9);
    }

    #[test]
    fn slow_wobble_is_merged_until_it_looks_like_noise() {
        // Blocks of three equal seconds: lag-1 autocorrelation about 2/3 at one second.
        let levels = [90, 111, 95, 104, 110, 89, 93, 108, 101, 99];
        let tokens: Vec<u64> = levels.iter().flat_map(|level| [*level; 3]).collect();
        let interval = steadiness(&each_second(&tokens), window(30), 1_000)
            .interval
            .unwrap();
        assert!(interval.batches <= 15, "{interval:?}");
    }

    #[test]
    fn too_little_for_an_interval() {
        let tokens = [100; 30];
        let check = |seconds, events, batches: Option<u32>| {
            let found = steadiness(&each_second(&tokens), window(seconds), events);
            assert_eq!(
                found.interval.map(|i| i.batches),
                batches,
                "{seconds} s, {events}"
            );
        };
        check(5, 10_000, None);
        check(6, 10_000, Some(6));
        check(30, 119, None);
        check(30, 120, Some(6));
        check(30, 0, None);
    }

    /// Each arrival is in the slice that its place in the window falls into.
    fn naive(arrivals: &[(u64, u64)], window: Window, count: u32) -> Vec<f64> {
        let length = u128::from(window.len_ns());
        let mut tokens = vec![0_u64; usize::try_from(count).unwrap()];
        for (at_ns, gained) in arrivals.iter().filter(|(at_ns, _)| window.contains(*at_ns)) {
            let since = u128::from(at_ns - window.start_ns);
            tokens[usize::try_from(since * u128::from(count) / length).unwrap()] += gained;
        }
        let slice_s = float::from_u64(window.len_ns()) / 1e9 / f64::from(count);
        let rate = |tokens| float::from_u64(tokens) / slice_s;
        tokens.into_iter().map(rate).collect()
    }

    proptest::proptest! {
        #[test]
        fn slices_hold_what_arrived_in_them(
            arrivals in proptest::collection::vec((0_u64..3_000, 0_u64..9), 0..200),
            length in 1_u64..2_500,
            count in 1_u32..40,
        ) {
            let window = Window { start_ns: 300, end_ns: 300 + length };
            let found = Gains::of(&arrivals, window).slice_rates(count);
            proptest::prop_assert_eq!(found, naive(&arrivals, window, count));
        }
    }

    #[test]
    fn a_long_correlation_has_no_interval() {
        // One slow wave in a window too short for longer slices.
        let tokens: Vec<u64> = (0..11_u32)
            .map(|s| {
                float::round_to_u64(
                    100.0 + 20.0 * (f64::from(s) / 11.0 * std::f64::consts::TAU).sin(),
                )
            })
            .collect();
        let found = steadiness(&each_second(&tokens), window(11), 1_000);
        assert_eq!(found.interval, None);
        assert!(found.drift.is_some());
    }
}
