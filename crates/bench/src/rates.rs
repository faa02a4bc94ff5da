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
    /// Median warm TTFT by context.
    pub warm: BTreeMap<u64, Nanos>,
    /// Median TTFT of short prompts on the idle server.
    pub idle: Option<Nanos>,
    /// Median TTFT of a 16-token prompt.
    pub fixed: Option<Nanos>,
    /// Whether a repeated prompt comes from the server's cache.
    pub prefix_cache: Option<bool>,
}

/// The rate assumed of one stream before anything was measured, in tokens per second.
pub const ASSUMED_RATE: f64 = 100.0;

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

    /// TTFT to expect of one cold request: scaled from the nearest measured context, in proportion
    /// to the context (a lower bound where attention dominates).
    pub fn cold_ttft(&self, context: u64) -> Option<Nanos> {
        if let Some(known) = self.cold.get(&context) {
            return Some(*known);
        }
        let (near, ttft) = self.cold.iter().next_back()?;
        let scale = float::from_u64(context.max(1)) / float::from_u64((*near).max(1));
        Some(Nanos::from_secs_f64(ttft.as_secs_f64() * scale))
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
        let each = self.single_ttft(context).unwrap_or(Nanos::from_millis(200));
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
    }
}
