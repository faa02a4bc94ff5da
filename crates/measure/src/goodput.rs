//! Requests that kept every limit: methodology section 7, `rate`.

use tokmark_run_format::evidence::RequestEvidence;
use tokmark_units::float;

use crate::request::{self, RequestNumbers};

/// Limits in milliseconds; one that is not set holds for every request.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Sent-based time to the first token.
    pub ttft_ms: Option<f64>,
    /// Time per output token.
    pub tpot_ms: Option<f64>,
    /// Sent-based time to the last token.
    pub e2e_ms: Option<f64>,
}

/// How many requests met all limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goodput {
    /// Requests that met all limits.
    pub met: u64,
    /// All requests: a failed one is a miss.
    pub sent: u64,
    /// Output tokens of those that met them.
    pub output_tokens: u64,
    /// `met` per second.
    pub requests_per_s: f64,
    /// Their output tokens per second.
    pub output_tokens_per_s: f64,
}

impl Goodput {
    /// Of requests over a span; `None` without a span.
    pub fn of(requests: &[RequestEvidence], limits: &Limits, span_s: f64) -> Option<Self> {
        if span_s.is_nan() || span_s <= 0.0 {
            return None;
        }
        let good: Vec<RequestNumbers> = requests
            .iter()
            .filter(|request| request.failure.is_none() && !request.events.is_empty())
            .map(request::numbers)
            .filter(|numbers| limits.are_met(numbers))
            .collect();
        let met = float::len_u64(good.len());
        let tokens = good.iter().map(|numbers| numbers.output_tokens);
        let output_tokens = tokens.fold(0, u64::saturating_add);
        Some(Self {
            met,
            sent: float::len_u64(requests.len()),
            output_tokens,
            requests_per_s: float::from_u64(met) / span_s,
            output_tokens_per_s: float::from_u64(output_tokens) / span_s,
        })
    }

    /// `met` over all requests; `None` when none was sent.
    pub fn share(&self) -> Option<f64> {
        (self.sent > 0).then(|| float::from_u64(self.met) / float::from_u64(self.sent))
    }
}

impl Limits {
    /// A value at its limit passes. An answer of one token has no TPOT and is judged by the limits
    /// that it can be held against.
    fn are_met(&self, numbers: &RequestNumbers) -> bool {
        let within = |value: Option<f64>, limit: Option<f64>| match (value, limit) {
            (Some(value), Some(limit)) => value <= limit,
            _ => true,
        };
        within(numbers.ttft_ms, self.ttft_ms)
            && within(numbers.tpot_ms, self.tpot_ms)
            && within(numbers.e2e_ms, self.e2e_ms)
    }
}
