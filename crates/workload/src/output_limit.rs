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
    /// What the answer's length is for.
    pub ending: Ending,
}

/// When an answer should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Not in the window, and nothing waits for it: half as much again as is expected.
    Late,
    /// Not in the window but soon after it: only the end tells how many tokens there were
    /// (methodology section 4.3), and it is waited for no longer than ten seconds and a quarter of
    /// the window.
    Soon,
}

impl Ending {
    /// How much more than expected a stream may write, and what it may write at least, unless the
    /// cap or the room says less.
    fn margin(self) -> (f64, u64) {
        match self {
            Self::Late => (1.5, 256),
            Self::Soon => (1.2, 32),
        }
    }
}

/// The rule of methodology section 3: rate x (launch + settling + window) with the margin of the
/// [`Ending`], +-10 % by seed so that streams do not all end together, at most `cap`
/// (`--max-output`) and the `room` in the model's context. A rate that is not a number counts as 0.
pub fn output_limit(need: &OutputNeed, seed: Seed, cap: u64, room: u64) -> u64 {
    let span = need.launch + need.settling + need.window;
    let jitter = 0.9 + 0.2 * from_u64(seed.generator().between(0, 1_000)) / 1_000.0;
    let (margin, least) = need.ending.margin();
    let tokens = need.tokens_per_s * span.as_secs_f64() * margin * jitter;
    round_to_u64(tokens).max(least).min(cap).min(room)
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
            ending: Ending::Late,
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
    fn an_answer_whose_end_tells_its_tokens_ends_while_it_is_waited_for() {
        // As seen on a server of 8 tok/s that counts at the end only.
        let window = Nanos::from_secs(4);
        let slow = OutputNeed {
            tokens_per_s: 8.0,
            launch: Nanos::from_secs(2),
            settling: Nanos::from_secs(2),
            window,
            ending: Ending::Soon,
        };
        let check = |need: OutputNeed, waits_s: f64| {
            let expected_s = (need.launch + need.settling + need.window).as_secs_f64();
            for stream in 0..400 {
                let seed = Seed::of_run("limits").part(stream);
                let limit = output_limit(&need, seed, 8_192, 100_000);
                let ends_s = from_u64(limit) / need.tokens_per_s;
                assert!(
                    (expected_s..expected_s + waits_s).contains(&ends_s),
                    "{ends_s}"
                );
            }
        };
        check(slow, 11.0);
        let launch = Nanos::from_secs(20);
        let window = Nanos::from_secs(30);
        check(
            OutputNeed {
                launch,
                window,
                ..slow
            },
            17.5,
        );
        check(
            OutputNeed {
                tokens_per_s: 100.0,
                launch,
                window,
                ..slow
            },
            17.5,
        );
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
