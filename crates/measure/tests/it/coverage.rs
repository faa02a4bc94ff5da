//! Whether 95 % intervals hold the true rate about 95 times in a hundred.

use tokmark_measure::interval::{Rule, steadiness};
use tokmark_run_format::evidence::Window;
use tokmark_units::float;

use crate::build::S;

/// A small generator with a fixed seed: splitmix64, then Box and Muller's normal pairs.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        float::from_u64((z ^ (z >> 31)) >> 11) / float::from_u64(1 << 53)
    }

    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const CELLS: u32 = 1_000;
const TOKENS: u64 = 16;
const STEP_NS: f64 = 25e6;

/// One stream of 16 tokens per step, whose steps have AR(1) noise of 8 %.
pub(crate) fn arrivals(
    noise: &mut Noise,
    persistence: f64,
    seconds: u64,
    step_ns: f64,
) -> Vec<(u64, u64)> {
    let shock = (1.0 - persistence * persistence).sqrt();
    let mut wobble = noise.normal();
    let (mut at_ns, mut arrivals) = (noise.uniform() * step_ns, Vec::new());
    while at_ns < float::from_u64(seconds * S) {
        arrivals.push((float::round_to_u64(at_ns), TOKENS));
        wobble = persistence * wobble + shock * noise.normal();
        at_ns += step_ns * (1.0 + 0.08 * wobble);
    }
    arrivals
}

/// Share of the intervals that hold the true rate, in per cent. Every cell has one.
fn coverage(persistence: f64, seconds: u64, seed: u64) -> f64 {
    let mut noise = Noise(seed);
    let truth = float::from_u64(TOKENS) / (STEP_NS / 1e9);
    let window = Window {
        start_ns: 0,
        end_ns: seconds * S,
    };
    let mut held = 0;
    for _ in 0..CELLS {
        let arrivals = arrivals(&mut noise, persistence, seconds, STEP_NS);
        let events = float::len_u64(arrivals.len());
        let found = steadiness(&arrivals, window, events, Rule::Cosines);
        let interval = found.interval.unwrap();
        held += u32::from(interval.low <= truth && truth <= interval.high);
    }
    100.0 * f64::from(held) / f64::from(CELLS)
}

/// Noise of a step, of a few steps, of a quarter of a second, and of 1.2 seconds, which a window of
/// 5 s holds four times.
fn covers(seconds: u64) {
    for persistence in [0.0, 0.5, 0.9, 0.98] {
        let percent = coverage(persistence, seconds, 20_261_130);
        println!("{seconds} s, {persistence}: {percent:.1} % hold the true rate");
        assert!(
            (93.0..=97.0).contains(&percent),
            "{seconds} s, {persistence}: {percent}"
        );
    }
}

#[test]
fn intervals_of_5_s_cover_the_true_rate() {
    covers(5);
}

#[test]
fn intervals_of_10_s_cover_the_true_rate() {
    covers(10);
}

#[test]
fn intervals_of_30_s_cover_the_true_rate() {
    covers(30);
}
