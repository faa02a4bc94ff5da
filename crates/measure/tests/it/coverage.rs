//! Whether 95 % intervals hold the true rate about 95 times in a hundred.

use tokmark_measure::interval::steadiness;
use tokmark_run_format::evidence::Window;
use tokmark_units::float;

use crate::build::S;

/// A small generator with a fixed seed: splitmix64, then Box and Muller's normal pairs.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        float::from_u64((z ^ (z >> 31)) >> 11) / float::from_u64(1 << 53)
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const CELLS: u32 = 1_000;
const WINDOW: Window = Window {
    start_ns: 0,
    end_ns: 30 * S,
};
const STEP_NS: f64 = 25e6;

/// One stream of 16 tokens per step whose steps take 25 ms on average, with AR(1) noise of 8 %.
fn arrivals(noise: &mut Noise, persistence: f64) -> Vec<(u64, u64)> {
    let shock = (1.0 - persistence * persistence).sqrt();
    let mut wobble = noise.normal();
    let (mut at_ns, mut arrivals) = (noise.uniform() * STEP_NS, Vec::with_capacity(1_300));
    while at_ns < 30e9 {
        arrivals.push((float::round_to_u64(at_ns), 16));
        wobble = persistence * wobble + shock * noise.normal();
        at_ns += STEP_NS * (1.0 + 0.08 * wobble);
    }
    arrivals
}

/// Share of the intervals that hold the true rate, in per cent, and how many there are.
fn coverage(persistence: f64) -> (f64, u32) {
    let mut noise = Noise(20_261_130);
    let truth = 16.0 / (STEP_NS / 1e9);
    let (mut held, mut made) = (0, 0);
    for _ in 0..CELLS {
        let arrivals = arrivals(&mut noise, persistence);
        let Some(interval) = steadiness(&arrivals, WINDOW, 1_200).interval else {
            continue;
        };
        made += 1;
        held += u32::from(interval.low <= truth && truth <= interval.high);
    }
    (100.0 * f64::from(held) / f64::from(made), made)
}

/// Noise of a few steps, and noise of a quarter of a second. What lasts much longer than a slice is
/// underestimated: the lag-1 test sees too little of it in one window (about 90 % at a second).
#[test]
fn intervals_cover_the_true_rate() {
    for persistence in [0.5, 0.9] {
        let (percent, made) = coverage(persistence);
        println!("{persistence}: {percent:.1} % of {made} intervals hold the true rate");
        assert!(made > 990, "{made}");
        assert!((92.0..=98.0).contains(&percent), "{persistence}: {percent}");
    }
}
