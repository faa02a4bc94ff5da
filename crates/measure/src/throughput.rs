//! Tokens over time of many requests: burst throughput (methodology section 7), means and peaks.

use tokmark_run_format::evidence::{RequestEvidence, Window};
use tokmark_units::float;

use crate::request;

/// Rates outside this range are a mistake of unit or window, not a measurement (case B056).
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e-3..=1e7;

/// What a set of requests came to, from the first send to the last event. Output, input and their
/// sum are never mixed under one name (case B107).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// Requests that ended well.
    pub completed: u64,
    /// First send to last event.
    pub duration_s: f64,
    /// Output tokens of the requests that ended well.
    pub output_tokens: u64,
    /// Their prompt tokens, where the server counts them.
    pub input_tokens: u64,
}

impl Throughput {
    /// Of requests that were not cancelled; `None` when none of them brought an event, or all of
    /// it took no time (case B017): there is no rate then, and no zero.
    pub fn of(requests: &[RequestEvidence]) -> Option<Self> {
        let well = || {
            requests
                .iter()
                .filter(|r| r.failure.is_none() && !r.cancelled)
        };
        let first_send = requests.iter().map(|request| request.sent_ns).min()?;
        let last_event = well().filter_map(|r| Some(r.events.last()?.at_ns)).max()?;
        let ns = last_event.checked_sub(first_send).filter(|ns| *ns > 0)?;
        let sum = |tokens: &dyn Fn(&RequestEvidence) -> u64| {
            well().map(tokens).fold(0, u64::saturating_add)
        };
        Some(Self {
            completed: float::len_u64(well().count()),
            duration_s: float::from_u64(ns) / 1e9,
            output_tokens: sum(&|request| request::numbers(request).output_tokens),
            input_tokens: sum(&|request| request.prompt_tokens.unwrap_or(0)),
        })
    }

    /// Output tokens per second.
    pub fn output_tokens_per_s(&self) -> f64 {
        float::from_u64(self.output_tokens) / self.duration_s
    }

    /// Prompt tokens per second over the whole duration: not a prefill speed.
    pub fn input_tokens_per_s(&self) -> f64 {
        float::from_u64(self.input_tokens) / self.duration_s
    }

    /// Both together.
    pub fn total_tokens_per_s(&self) -> f64 {
        self.output_tokens_per_s() + self.input_tokens_per_s()
    }
}

/// Whether a rate can be one.
pub fn is_plausible(tokens_per_s: f64) -> bool {
    PLAUSIBLE.contains(&tokens_per_s)
}

/// Mean and peak of a window, each under its own name (case B044).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanAndPeak {
    /// Tokens in the window over its length.
    pub mean_tokens_per_s: f64,
    /// Most tokens in any span of the given length inside the window, over that length.
    pub peak_tokens_per_s: f64,
}

impl MeanAndPeak {
    /// Of arrivals `(nanosecond, tokens)` in order of time, with spans of `span_ns`; `None` when
    /// the window is shorter than a span, or a span has no length.
    ///
    /// For a window of whole spans the peak is never below the mean: one of the spans that it
    /// consists of has at least the mean.
    pub fn of(arrivals: &[(u64, u64)], window: Window, span_ns: u64) -> Option<Self> {
        if span_ns == 0 || window.len_ns() < span_ns {
            return None;
        }
        let inside = || arrivals.iter().filter(|(at_ns, _)| window.contains(*at_ns));
        let (mut held, mut most, mut all) = (0_u64, 0_u64, 0_u64);
        let mut oldest = inside().peekable();
        for (at_ns, tokens) in inside() {
            held = held.saturating_add(*tokens);
            all = all.saturating_add(*tokens);
            while let Some((_, gone)) =
                oldest.next_if(|(at, _)| at.saturating_add(span_ns) <= *at_ns)
            {
                held = held.saturating_sub(*gone);
            }
            most = most.max(held);
        }
        let per_s = |tokens: u64, ns: u64| float::from_u64(tokens) / (float::from_u64(ns) / 1e9);
        Some(Self {
            mean_tokens_per_s: per_s(all, window.len_ns()),
            peak_tokens_per_s: per_s(most, span_ns),
        })
    }

    /// A peak below the mean is a sign that the counting is broken.
    pub fn is_consistent(&self) -> bool {
        self.peak_tokens_per_s >= self.mean_tokens_per_s
    }
}
