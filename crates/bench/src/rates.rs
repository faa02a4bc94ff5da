//! What is known so far about speeds, to expect what comes: output limits, capacity, time left.

use std::collections::BTreeMap;

use tokmark_units::{Nanos, float};

/// Contexts are compared on a logarithmic scale whose zero is moved by this many tokens, since a
/// short prompt is not infinitely far from a long one.
const CONTEXT_SCALE: f64 = 4_096.0;

/// Speeds and first-token times measured so far.
#[derive(Debug, Clone, Default)]
pub struct Known {
    decode: Vec<(u64, u32, f64)>,
    /// Median cold TTFT by context.
    pub cold: BTreeMap<u64, Nanos>,
    /// Context and TTFT of the warm-up, which may have paid for compilation.
    pub warm_up: Option<(u64, Nanos)>,
    /// Median warm TTFT by context.
    pub warm: BTreeMap<u64, Nanos>,
    /// Median TTFT of short prompts on the idle server.
    pub idle: Option<Nanos>,
    /// Median TTFT of a 16-token prompt.
    pub fixed: Option<Nanos>,
    /// Whether a repeated prompt comes from the server's cache.
    pub prefix_cache: Option<bool>,
    /// Windows measured, and the sum of their lengths as shares of the longest.
    windows: (u32, f64),
}

/// The rate assumed of one stream before anything was measured, in tokens per second.
pub const ASSUMED_RATE: f64 = 100.0;

/// The rate assumed of a prefill before anything was measured, in prompt tokens per second.
pub const ASSUMED_PREFILL_RATE: f64 = 2_000.0;

/// What a launch from the cache is assumed to take, where none was measured.
const ASSUMED_WARM: Nanos = Nanos::from_millis(200);

/// What each request of a launch is assumed to add to it, where none was measured.
const ASSUMED_BATCHED: Nanos = Nanos::from_millis(50);

impl Known {
    /// Keeps the per-stream rate of a measured cell.
    pub fn learn(&mut self, context: u64, requests: u32, per_stream: f64) {
        if per_stream.is_finite() && per_stream > 0.0 {
            self.decode.push((context, requests, per_stream));
        }
    }

    /// The rate to expect of one stream: that of the nearest measured cell.
    pub fn rate(&self, context: u64, requests: u32) -> f64 {
        self.decode
            .iter()
            .min_by(|a, b| {
                distance(context, requests, a).total_cmp(&distance(context, requests, b))
            })
            .map_or(ASSUMED_RATE, |(_, _, rate)| *rate)
    }

    /// Keeps the length of a measured window as a share of the longest.
    pub fn learn_window(&mut self, share: f64) {
        self.windows = (self.windows.0 + 1, self.windows.1 + share);
    }

    /// Mean length of the windows so far as a share of the longest.
    pub fn window_share(&self) -> Option<f64> {
        let (count, sum) = self.windows;
        (count > 0).then(|| sum / f64::from(count))
    }

    /// TTFT to expect of one cold request. From one measured context in proportion; from several by
    /// a fixed part, one in proportion to the context and one to its square (linear layers and
    /// attention), through the two longest.
    pub fn cold_ttft(&self, context: u64) -> Option<Nanos> {
        if let Some(known) = self.cold.get(&context) {
            return Some(*known);
        }
        let mut longest = self.cold.iter().rev().filter(|(known, _)| **known > 0);
        let far = longest.next()?;
        let x = float::from_u64(context);
        let place = |known: (&u64, &Nanos)| {
            let fixed = self
                .fixed
                .unwrap_or(Nanos::ZERO)
                .min(*known.1)
                .as_secs_f64();
            (
                float::from_u64(*known.0),
                known.1.as_secs_f64() - fixed,
                fixed,
            )
        };
        let (x2, t2, fixed) = place(far);
        let slope = t2 / x2;
        let (mut linear, mut square) = (slope, 0.0);
        if let Some(near) = longest.next() {
            let (x1, t1, _) = place(near);
            let bend = (slope - t1 / x1) / (x2 - x1);
            // A bend the other way is noise.
            if bend > 0.0 && slope > bend * x2 {
                (linear, square) = (slope - bend * x2, bend);
            }
        }
        Some(Nanos::from_secs_f64(fixed + linear * x + square * x * x))
    }

    /// Time to expect of one cold prefill, in proportion to the warm-up's before one was measured.
    pub fn expected_prefill(&self, context: u64) -> Nanos {
        let seconds = || {
            let tokens = float::from_u64(context);
            match self.warm_up {
                Some((known, ttft)) if known > 0 => {
                    ttft.as_secs_f64() * tokens / float::from_u64(known)
                }
                _ => tokens / ASSUMED_PREFILL_RATE,
            }
        };
        self.cold_ttft(context)
            .unwrap_or_else(|| Nanos::from_secs_f64(seconds()))
    }

    /// TTFT to expect of one request whose prompt is in the server's cache, at a context where it
    /// was not measured yet: in proportion to the longest measured one beyond the fixed part.
    fn warm_ttft(&self, context: u64) -> Nanos {
        if let Some(known) = self.warm.get(&context) {
            return *known;
        }
        let fixed = self.fixed.or(self.idle).unwrap_or(ASSUMED_BATCHED);
        let Some((known, warm)) = self.warm.iter().next_back() else {
            return fixed;
        };
        let share = float::from_u64(context) / float::from_u64((*known).max(1));
        let beyond = warm.saturating_sub(fixed).as_secs_f64() * share;
        fixed + Nanos::from_secs_f64(beyond)
    }

    /// Time that the launch of a whole cell is expected to take when its documents are in the
    /// cache, where the server has one.
    pub fn expected_launch(&self, context: u64, requests: u32) -> Nanos {
        let each = if context > 0 && self.prefix_cache != Some(false) {
            self.warm_ttft(context)
        } else {
            self.single_ttft(context).unwrap_or(ASSUMED_BATCHED)
        };
        Nanos(each.0.saturating_mul(u64::from(requests)))
    }

    /// TTFT to expect of one request as a cell launches it.
    pub fn single_ttft(&self, context: u64) -> Option<Nanos> {
        if context == 0 {
            return self.fixed.or(self.idle);
        }
        if self.prefix_cache == Some(false) {
            return self.cold_ttft(context);
        }
        self.warm
            .get(&context)
            .copied()
            .or_else(|| self.cold_ttft(context))
    }

    /// Time that the launch of a whole cell is expected to take: the prompts one after the other.
    pub fn launch(&self, context: u64, requests: u32) -> Nanos {
        let each = self.single_ttft(context).unwrap_or(ASSUMED_WARM);
        Nanos(each.0.saturating_mul(u64::from(requests)))
    }

    /// Tokens that one stream is expected to write in launch, settling and window.
    pub fn output(&self, context: u64, requests: u32, settle: Nanos, window: Nanos) -> u64 {
        let span = self.launch(context, requests) + settle + window;
        float::round_to_u64((self.rate(context, requests) * span.as_secs_f64()).ceil())
    }
}

fn distance(context: u64, requests: u32, known: &(u64, u32, f64)) -> f64 {
    let scaled = |context: u64| (float::from_u64(context) + CONTEXT_SCALE).ln();
    let by_context = scaled(context) - scaled(known.0);
    let by_requests = f64::from(requests).ln() - f64::from(known.1).ln();
    by_context.hypot(by_requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_measured_cell_tells_what_to_expect() {
        let mut known = Known::default();
        assert!((known.rate(0, 1) - ASSUMED_RATE).abs() < 1e-9);
        known.learn(0, 1, 130.0);
        known.learn(0, 16, 60.0);
        known.learn(131_072, 1, 20.0);
        known.learn(0, 4, f64::NAN);
        let check = |context, requests, rate: f64| {
            assert!(
                (known.rate(context, requests) - rate).abs() < 1e-9,
                "{context} x {requests}"
            );
        };
        check(0, 1, 130.0);
        check(0, 32, 60.0);
        check(65_536, 1, 20.0);
        check(1_024, 2, 130.0);
    }

    #[test]
    fn a_cold_ttft_scales_with_the_context() {
        let mut known = Known::default();
        assert_eq!(known.cold_ttft(8_192), None);
        known.cold.insert(8_192, Nanos::from_secs(2));
        assert_eq!(known.cold_ttft(16_384), Some(Nanos::from_secs(4)));
        assert_eq!(known.cold_ttft(8_192), Some(Nanos::from_secs(2)));
        // 0.1 s per 1,024 tokens and 1 s per 32,768 squared, behind a fixed tenth.
        let mut known = Known {
            fixed: Some(Nanos::from_millis(100)),
            ..Known::default()
        };
        let ttft = |context: f64| 0.1 + context / 10_240.0 + (context / 32_768.0).powi(2);
        for context in [2_048, 8_192, 16_384] {
            let seconds = ttft(float::from_u64(context));
            known.cold.insert(context, Nanos::from_secs_f64(seconds));
        }
        let far = known.cold_ttft(131_072).unwrap().as_secs_f64();
        assert!((far - ttft(131_072.0)).abs() < 1e-6, "{far}");
        // A slope that falls is taken as straight.
        known.cold.insert(32_768, Nanos::from_millis(2_100));
        assert_eq!(known.cold_ttft(65_536), Some(Nanos::from_millis(4_100)));
    }

    #[test]
    fn a_launch_from_the_cache_grows_with_what_is_beyond_the_fixed_part() {
        let mut known = Known {
            fixed: Some(Nanos::from_millis(20)),
            ..Known::default()
        };
        known.cold.insert(8_192, Nanos::from_secs(2));
        assert_eq!(known.expected_launch(8_192, 4), Nanos::from_millis(80));
        known.warm.insert(8_192, Nanos::from_millis(30));
        assert_eq!(known.expected_launch(8_192, 4), Nanos::from_millis(120));
        assert_eq!(known.expected_launch(32_768, 1), Nanos::from_millis(60));
        known.prefix_cache = Some(false);
        assert_eq!(known.expected_launch(8_192, 4), Nanos::from_secs(8));
    }

    #[test]
    fn before_a_sample_the_warm_up_tells_what_a_prefill_takes() {
        let mut known = Known::default();
        assert_eq!(known.expected_prefill(8_000), Nanos::from_secs(4));
        known.warm_up = Some((8_192, Nanos::from_secs(1)));
        assert_eq!(known.expected_prefill(16_384), Nanos::from_secs(2));
        known.cold.insert(4_096, Nanos::from_secs(1));
        assert_eq!(known.expected_prefill(16_384), Nanos::from_secs(4));
    }

    #[test]
    fn windows_that_end_early_are_expected_again() {
        let mut known = Known::default();
        assert_eq!(known.window_share(), None);
        known.learn_window(1.0);
        known.learn_window(0.5);
        assert_eq!(known.window_share(), Some(0.75));
    }
}
