//! How steady a window was: the 95 % interval of its mean rate, its drift and its outliers,
//! methodology 4.3.13.
//!
//! The interval comes from the slowest waves of the window ([`cosines`]). Documents of the first
//! methodology have it from batches of it ([`batch_means`]).

mod batch_means;
mod cosines;

use tokmark_run_format::evidence::Window;
use tokmark_units::float;

use crate::stats;

/// Fewest slices behind a drift, and fewest batches behind an interval of the first methodology.
pub const LEAST_BATCHES: u32 = 6;
/// Shortest slice.
const LEAST_SLICE_NS: u64 = 1_000_000_000;
/// Fewest events of the median stream in a slice.
const LEAST_EVENTS: u64 = 20;
/// A slice is an outlier when it is this many standard deviations off its window's line, the
/// deviation taken from the median of all slices so that outliers do not hide themselves ...
const OUTLIER_DEVIATIONS: f64 = 5.0;
/// ... and this share of the mean rate: what is less changes no reading of the cell.
const OUTLIER_SHARE: f64 = 0.1;
/// Standard deviation of a normal distribution over its median absolute deviation.
const MAD_TO_SD: f64 = 1.482_602;

/// By which rule an interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Student's t over batches of the window: methodology 1.
    BatchMeans,
    /// The slowest cosines of the window: methodology 2.
    #[default]
    Cosines,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// So many batches.
    Batches(u32),
    /// So many cosines.
    Cosines(u32),
}

/// The interval of a window's mean rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanInterval {
    /// Lower edge in tokens per second.
    pub low: f64,
    /// Upper edge in tokens per second.
    pub high: f64,
    /// What it rests on.
    pub basis: Basis,
}

/// Slices whose rate stands apart from all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outliers {
    /// How many.
    pub count: u32,
    /// Of how many slices.
    pub slices: u32,
    /// The one furthest off: its start in seconds after the window's.
    pub worst_at_s: f64,
    /// How far it is off the window's line, as a share of the mean rate.
    pub worst: f64,
}

/// What a window's slices say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Steadiness {
    /// `None` when there is too little to tell.
    pub interval: Option<MeanInterval>,
    /// Linear trend from edge to edge as a share of the mean rate; `None` with fewer than
    /// [`LEAST_BATCHES`] slices.
    pub drift: Option<f64>,
    /// `None` when no slice stands apart, and with as few slices.
    pub outliers: Option<Outliers>,
}

/// Looks at the arrivals `(nanosecond, tokens)` inside a window. `median_events` is the number of
/// events of the median stream in it.
pub fn steadiness(
    arrivals: &[(u64, u64)],
    window: Window,
    median_events: u64,
    rule: Rule,
) -> Steadiness {
    let by_time = window.len_ns() / LEAST_SLICE_NS;
    let finest = u32::try_from(by_time.min(median_events / LEAST_EVENTS)).unwrap_or(u32::MAX);
    let gains = Gains::of(arrivals, window);
    let sliced = finest >= LEAST_BATCHES;
    let rates = if sliced {
        gains.slice_rates(finest)
    } else {
        Vec::new()
    };
    Steadiness {
        interval: match rule {
            Rule::BatchMeans if !sliced => None,
            Rule::BatchMeans => batch_means::interval(&gains, finest),
            Rule::Cosines => cosines::interval(arrivals, window, median_events),
        },
        drift: drift(&rates),
        outliers: outliers(&rates, window),
    }
}

fn drift(rates: &[f64]) -> Option<f64> {
    let line = stats::line(rates)?;
    (line.mean > 0.0).then(|| line.slope * float::from_usize(rates.len()) / line.mean)
}

fn outliers(rates: &[f64], window: Window) -> Option<Outliers> {
    let middle = stats::median(rates).filter(|middle| *middle > 0.0)?;
    // The line of all slices would lean towards the outliers: the trend between medians of the
    // halves does not.
    let (first, second) = rates.split_at(rates.len() / 2);
    let slope = (stats::median(second)? - stats::median(first)?) * 2.0;
    let count = float::from_usize(rates.len());
    let off: Vec<f64> = rates
        .iter()
        .enumerate()
        .map(|(at, rate)| rate - middle - slope * ((float::from_usize(at) + 0.5) / count - 0.5))
        .collect();
    let sizes: Vec<f64> = off.iter().map(|off| off.abs()).collect();
    let deviation = MAD_TO_SD * stats::median(&sizes)?;
    let apart = (OUTLIER_DEVIATIONS * deviation).max(OUTLIER_SHARE * middle);
    let far = off.iter().enumerate().filter(|(_, off)| off.abs() > apart);
    let worst = far
        .clone()
        .max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
    let slice_s = float::from_u64(window.len_ns()) / 1e9 / count;
    Some(Outliers {
        count: u32::try_from(far.count()).unwrap_or(u32::MAX),
        slices: u32::try_from(rates.len()).unwrap_or(u32::MAX),
        worst_at_s: slice_s * float::from_usize(worst.0),
        worst: worst.1 / middle,
    })
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
        let found = steadiness(&each_second(&tokens), window(8), 1_000, Rule::BatchMeans);
        let interval = found.interval.unwrap();
        let half = 2.4469 * (8.0_f64 / 6.0).sqrt() / 8.0_f64.sqrt();
        assert_eq!(interval.basis, Basis::Batches(8));
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
        let interval = steadiness(&each_second(&tokens), window(30), 1_000, Rule::BatchMeans)
            .interval
            .unwrap();
        assert!(
            matches!(interval.basis, Basis::Batches(6..=15)),
            "{interval:?}"
        );
    }

    #[test]
    fn too_little_for_an_interval() {
        let tokens = [100; 30];
        let check = |seconds, events, batches: Option<u32>| {
            let found = steadiness(
                &each_second(&tokens),
                window(seconds),
                events,
                Rule::BatchMeans,
            );
            assert_eq!(
                found.interval.map(|i| i.basis),
                batches.map(Basis::Batches),
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
        let found = steadiness(&each_second(&tokens), window(11), 1_000, Rule::BatchMeans);
        assert_eq!(found.interval, None);
        assert!(found.drift.is_some());
    }

    #[test]
    fn a_pause_stands_apart_and_a_trend_does_not() {
        let mut tokens: Vec<u64> = (0..30).map(|s| 200 - 2 * s + s % 3).collect();
        let look = |tokens: &[u64]| {
            steadiness(&each_second(tokens), window(30), 1_000, Rule::Cosines).outliers
        };
        assert_eq!(look(&tokens), None);
        tokens[11] = 60;
        let found = look(&tokens).unwrap();
        assert_eq!((found.count, found.slices), (1, 30));
        assert!((found.worst_at_s - 11.0).abs() < 1e-9, "{found:?}");
        // The trend stands at 178 in that second, the median of all at 171.
        assert!((found.worst + 118.0 / 171.0).abs() < 0.02, "{found:?}");
        // A single second that is 5 % off is no outlier, however steady the others are.
        tokens = vec![200; 30];
        tokens[4] = 190;
        assert_eq!(look(&tokens), None);
    }
}
