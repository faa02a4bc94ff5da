//! The interval of the second methodology, from the slowest waves of the window.
//!
//! How far a window's mean is off is noise of no frequency; cosines with `1, 2, 3, …` half waves over
//! the window see the noise of the lowest frequencies that there are beside it. With noise that is
//! forgotten within a step, all of them have the same variance, and the mean's follows from Student's t
//! with as many degrees of freedom (Lazarus, Lewis and Stock, The size-power tradeoff in HAR
//! inference, Econometrica 2021). Noise that lasts longer has more power the slower the wave:
//! `1 / (1 + (j / corner)^2)` at wave `j` when it fades exponentially. Where the corner lies is not
//! known and hardly to be seen in one window, so every corner counts by how well it explains the
//! cosines, and the interval is that of the mixture (as Müller and Watson do for low-frequency
//! inference). A linear trend is estimated with each corner and left out: decode slows down as the
//! context grows, which is not noise.

use std::f64::consts::{FRAC_1_PI, PI, SQRT_2};

use tokmark_run_format::evidence::Window;
use tokmark_units::float;

use super::{Basis, MeanInterval};
use crate::student;

/// Most cosines: more of them tell little about the mean.
const MOST: u32 = 32;
/// Fewest cosines behind an interval.
const LEAST: u32 = 12;
/// Events of the median stream for each cosine: a wave must be slower than a few events.
const EVENTS_EACH: u64 = 4;
/// Shortest window.
const LEAST_NS: u64 = 5_000_000_000;
/// Corners that are tried beside noise without memory.
const CORNERS: u32 = 16;
/// The fastest corner in half waves: noise that is forgotten four times within the fastest cosine.
const FASTEST: f64 = 128.0;
/// The slowest corner in half waves, except for short windows: noise that lasts 0.45 windows.
const SLOWEST: f64 = 0.7;
/// How long noise may last in a short window, in seconds: five of a window's five at most.
const LONGEST_S: f64 = 5.0;
/// Halvings of the half width.
const HALVINGS: u32 = 60;

/// `None` for a window under 5 s and for fewer than 12 cosines.
pub(super) fn interval(
    arrivals: &[(u64, u64)],
    window: Window,
    median_events: u64,
) -> Option<MeanInterval> {
    let cosines = u32::try_from((median_events / EVENTS_EACH).min(u64::from(MOST))).ok()?;
    if cosines < LEAST || window.len_ns() < LEAST_NS {
        return None;
    }
    let seconds = float::from_u64(window.len_ns()) / 1e9;
    let (sum, waves) = transform(arrivals, window, cosines);
    let half = half_width(&waves, seconds)?;
    Some(MeanInterval {
        low: ((sum - half) / seconds).max(0.0),
        high: (sum + half) / seconds,
        basis: Basis::Cosines(cosines),
    })
}

/// The window's tokens, and their sums weighted with each cosine (of mean square 1).
fn transform(arrivals: &[(u64, u64)], window: Window, cosines: u32) -> (f64, Vec<f64>) {
    let length = float::from_u64(window.len_ns());
    let mut sum = 0.0;
    let mut waves: Vec<f64> = (0..cosines).map(|_| 0.0).collect();
    for (at_ns, tokens) in arrivals.iter().filter(|(at_ns, _)| window.contains(*at_ns)) {
        let tokens = float::from_u64(*tokens);
        let since = float::from_u64(at_ns.saturating_sub(window.start_ns));
        let first = (PI * since / length).cos();
        sum += tokens;
        // cos((j + 1) x) = 2 cos(x) cos(j x) - cos((j - 1) x)
        let (mut before, mut now) = (1.0, first);
        for wave in &mut waves {
            *wave += SQRT_2 * tokens * now;
            (before, now) = (now, 2.0 * first * now - before);
        }
    }
    (sum, waves)
}

/// What one corner says of the mean: how far off it is, on a scale of Student's t, and how well the
/// corner explains the cosines.
struct Corner {
    scale: f64,
    log_weight: f64,
}

/// Half the width of the interval of the window's tokens.
fn half_width(waves: &[f64], seconds: f64) -> Option<f64> {
    // One degree of freedom goes to the trend.
    let freedom = u32::try_from(waves.len()).ok()?.checked_sub(1)?;
    let slowest = SLOWEST.min(seconds * FRAC_1_PI / LONGEST_S);
    let ratio = (FASTEST / slowest).ln() / f64::from(CORNERS - 1);
    let corners: Vec<Corner> = (0..CORNERS)
        .map(|at| Some(slowest * (ratio * f64::from(at)).exp()))
        .chain([None])
        .map(|corner| explain(waves, corner, freedom))
        .collect();
    let best = corners
        .iter()
        .map(|corner| corner.log_weight)
        .fold(f64::NEG_INFINITY, f64::max);
    let weighted: Vec<(f64, f64)> = corners
        .iter()
        .map(|corner| ((corner.log_weight - best).exp(), corner.scale))
        .collect();
    let all: f64 = weighted.iter().map(|(weight, _)| weight).sum();
    let widest = weighted.iter().map(|(_, scale)| *scale).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, widest * student::factor_95(freedom)?);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let within: f64 = weighted
            .iter()
            .map(|(weight, scale)| weight * student::within(middle / scale, freedom))
            .sum();
        if within < 0.95 * all {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

/// A corner's part, or that of noise without memory, which weighs as much as all corners together.
fn explain(waves: &[f64], corner: Option<f64>, freedom: u32) -> Corner {
    // Weighted least squares of the trend's own cosines, which are 1 / j^2 at odd j.
    let (mut squares, mut along, mut trend, mut log_power) = (0.0, 0.0, 0.0, 0.0);
    for (j, wave) in (1_u32..).zip(waves) {
        let j_squared = f64::from(j).powi(2);
        let power = corner.map_or(1.0, |corner| 1.0 / (1.0 + j_squared / (corner * corner)));
        let slope = if j % 2 == 1 { 1.0 / j_squared } else { 0.0 };
        squares += wave * wave / power;
        along += wave * slope / power;
        trend += slope * slope / power;
        log_power += power.ln();
    }
    let left = (squares - along * along / trend).max(f64::MIN_POSITIVE);
    let degrees = f64::from(freedom);
    let prior = if corner.is_none() {
        f64::from(CORNERS).ln()
    } else {
        0.0
    };
    Corner {
        scale: (left / degrees).sqrt(),
        log_weight: prior - 0.5 * (log_power + trend.ln() + degrees * left.ln()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosines_of_one_arrival() {
        let window = Window {
            start_ns: 1_000,
            end_ns: 2_000,
        };
        let (sum, waves) = transform(&[(1_250, 3), (2_000, 9), (999, 9)], window, 4);
        assert!((sum - 3.0).abs() < 1e-12, "{sum}");
        for (j, wave) in (1_u32..).zip(waves) {
            let expect = 3.0 * SQRT_2 * (f64::from(j) * PI / 4.0).cos();
            assert!((wave - expect).abs() < 1e-12, "{j}: {wave} is not {expect}");
        }
    }

    #[test]
    fn noise_without_memory_gives_nearly_students_interval() {
        // Alternating signs of one size: as flat as a spectrum gets. t(23) = 2.069.
        let waves: Vec<f64> = (0..24)
            .map(|j| if j % 4 < 2 { 10.0 } else { -10.0 })
            .collect();
        let half = half_width(&waves, 30.0).unwrap();
        assert!((20.6..24.0).contains(&half), "{half}");
        // Ten times the noise, ten times the width.
        let louder: Vec<f64> = waves.iter().map(|wave| wave * 10.0).collect();
        let wide = half_width(&louder, 30.0).unwrap();
        assert!((wide / half - 10.0).abs() < 1e-9, "{wide} {half}");
    }

    #[test]
    fn a_trend_is_no_noise() {
        let flat: Vec<f64> = (0..32)
            .map(|j| if j % 4 < 2 { 10.0 } else { -10.0 })
            .collect();
        let leaning: Vec<f64> = (1_u32..)
            .zip(&flat)
            .map(|(j, wave)| {
                wave + if j % 2 == 1 {
                    5_000.0 / f64::from(j).powi(2)
                } else {
                    0.0
                }
            })
            .collect();
        let (flat, leaning) = (
            half_width(&flat, 30.0).unwrap(),
            half_width(&leaning, 30.0).unwrap(),
        );
        assert!(
            (leaning / flat - 1.0).abs() < 1e-6,
            "{leaning} is not {flat}"
        );
    }

    #[test]
    fn slow_waves_widen_the_interval() {
        let of = |corner: f64| -> f64 {
            let size = |j: f64| 10.0 / (1.0 + (j / corner).powi(2)).sqrt();
            let waves: Vec<f64> = (1_u32..=32)
                .map(|j| if j % 4 < 2 { 1.0 } else { -1.0 } * size(f64::from(j)))
                .collect();
            half_width(&waves, 30.0).unwrap()
        };
        // The noise of the mean is the same 10 each time; how far it reaches is ever less sure.
        let (fast, middle, slow) = (of(200.0), of(8.0), of(2.0));
        assert!((20.0..21.5).contains(&fast), "{fast}");
        assert!(1.5 * fast < middle.min(slow), "{fast} {middle} {slow}");
    }

    #[test]
    fn too_little_for_an_interval() {
        let arrivals: Vec<(u64, u64)> = (0..1_000).map(|n| (n * 30_000_000, 1)).collect();
        let check = |seconds: u64, events: u64, expect: Option<u32>| {
            let window = Window {
                start_ns: 0,
                end_ns: seconds * 1_000_000_000,
            };
            let found = interval(&arrivals, window, events).map(|found| found.basis);
            assert_eq!(found, expect.map(Basis::Cosines), "{seconds} s, {events}");
        };
        check(4, 1_000, None);
        check(5, 1_000, Some(32));
        check(30, 47, None);
        check(30, 48, Some(12));
        check(30, 0, None);
    }
}
