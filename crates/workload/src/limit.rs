//! How much a stream may write: methodology section 3, `max_tokens`.

use tokmark_units::float;

use crate::seed::Seed;

/// Least output limit that is ever sent.
const LEAST: u64 = 256;
/// Head room over what is expected.
const MARGIN: f64 = 1.5;
/// Streams differ by up to this share, so that they do not all end at once.
const SPREAD: f64 = 0.1;

/// `rate x (launch + settling + window) x 1.5`, plus or minus 10 % by seed, at least 256, at most
/// `cap` and the `room` that the model's context leaves. Rates in tokens per second, times in
/// seconds.
pub fn output_limit(
    rate: f64,
    launch_s: f64,
    settling_s: f64,
    window_s: f64,
    seed: u64,
    cap: u64,
    room: u64,
) -> u64 {
    let expected = rate * (launch_s + settling_s + window_s) * MARGIN;
    let draw = float::from_u64(Seed::new(seed).number() >> 11) / float::from_u64(1 << 53);
    let spread = 1.0 + SPREAD * (2.0 * draw - 1.0);
    float::round_to_u64(expected * spread)
        .max(LEAST)
        .min(cap)
        .min(room)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let limit = |rate, seed, cap, room| output_limit(rate, 1.0, 2.0, 30.0, seed, cap, room);
        let all: Vec<u64> = (0..100)
            .map(|seed| limit(100.0, seed, 8_192, 100_000))
            .collect();
        // 100 tok/s x 33 s x 1.5 = 4,950.
        assert!(all.iter().all(|n| (4_455..=5_445).contains(n)), "{all:?}");
        assert!(all.iter().max().unwrap() - all.iter().min().unwrap() > 700);
        assert_eq!(limit(1.0, 1, 8_192, 100_000), 256);
        assert_eq!(limit(1_000.0, 1, 8_192, 100_000), 8_192);
        assert_eq!(limit(1_000.0, 1, 8_192, 300), 300);
        assert_eq!(limit(f64::NAN, 1, 8_192, 100_000), 256);
    }
}
