//! `max_tokens` of a stream.

use tokmark_units::Nanos;
use tokmark_units::float::{from_u64, round_to_u64};

use crate::seed::Seed;

/// How long a stream has to go on, and how fast it is expected to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputNeed {
    /// Tokens per second of one stream, from the hidden probe or the nearest measured cell.
    pub tokens_per_s: f64,
    /// From the first send until all C streams decode.
    pub launch: Nanos,
    /// From there until the window opens.
    pub settling: Nanos,
    /// The window.
    pub window: Nanos,
}

/// No stream is given less, unless the cap or the room says so.
const LEAST: u64 = 256;

/// The rule of methodology section 3: rate x (launch + settling + window) x 1.5, +-10 % by seed so
/// that streams do not all end together, at least 256, at most `cap` (`--max-output`) and the `room`
/// in the model's context. A rate that is not a number counts as 0.
pub fn output_limit(need: &OutputNeed, seed: Seed, cap: u64, room: u64) -> u64 {
    let span = need.launch + need.settling + need.window;
    let jitter = 0.9 + 0.2 * from_u64(seed.generator().between(0, 1_000)) / 1_000.0;
    let tokens = need.tokens_per_s * span.as_secs_f64() * 1.5 * jitter;
    round_to_u64(tokens).max(LEAST).min(cap).min(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(tokens_per_s: f64) -> OutputNeed {
        OutputNeed {
            tokens_per_s,
            launch: Nanos::from_secs(6),
            settling: Nanos::from_secs(2),
            window: Nanos::from_secs(30),
        }
    }

    #[test]
    fn the_rule_with_its_bounds() {
        let seed = Seed::of_run("limits");
        let check = |rate: f64, cap: u64, room: u64, expect: u64| {
            assert_eq!(
                output_limit(&need(rate), seed, cap, room),
                expect,
                "{rate} {cap} {room}"
            );
        };
        check(1.0, 8_192, 100_000, 256);
        check(0.0, 8_192, 100_000, 256);
        check(f64::NAN, 8_192, 100_000, 256);
        check(f64::INFINITY, 8_192, 100_000, 8_192);
        check(1_000.0, 8_192, 100_000, 8_192);
        check(1_000.0, 8_192, 700, 700);
        check(1.0, 8_192, 100, 100);
        check(1.0, 64, 100_000, 64);
    }

    #[test]
    fn streams_differ_by_a_tenth_either_way() {
        // 100 tok/s over 38 s, half as much again: 5,700.
        let limits: Vec<_> = (0..400)
            .map(|stream| {
                let seed = Seed::of_run("limits").part(stream);
                output_limit(&need(100.0), seed, 8_192, 100_000)
            })
            .collect();
        let (least, most) = (*limits.iter().min().unwrap(), *limits.iter().max().unwrap());
        assert!((5_130..5_200).contains(&least), "{least}");
        assert!((6_200..=6_270).contains(&most), "{most}");
    }
}
