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
    Steadiness {
        interval: interval(arrivals, window, finest),
        drift: drift(&slice_rates(arrivals, window, finest)),
    }
}

fn interval(arrivals: &[(u64, u64)], window: Window, finest: u32) -> Option<MeanInterval> {
    let mut tried = None;
    for merged in 1..=finest / LEAST_BATCHES {
        let batches = finest / merged;
        if tried == Some(batches) {
            continue;
        }
        tried = Some(batches);
        let line = stats::line(&slice_rates(arrivals, window, batches))?;
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

/// Tokens per second in each of `count` equal slices; together they are the window, so that their
/// mean is its rate.
fn slice_rates(arrivals: &[(u64, u64)], window: Window, count: u32) -> Vec<f64> {
    let length = u128::from(window.len_ns().max(1));
    let mut tokens = vec![0_u64; usize::try_from(count).unwrap_or(0)];
    for (at_ns, gained) in arrivals.iter().filter(|(at_ns, _)| window.contains(*at_ns)) {
        let since = u128::from(at_ns.saturating_sub(window.start_ns));
        let index = usize::try_from(since * u128::from(count) / length).ok();
        if let Some(slice) = index.and_then(|index| tokens.get_mut(index)) {
            *slice = slice.saturating_add(*gained);
        }
    }
    let slice_s = float::from_u64(window.len_ns().max(1)) / 1e9 / f64::from(count);
    tokens
        .into_iter()
        .map(|tokens| float::from_u64(tokens) / slice_s)
        .collect()
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
