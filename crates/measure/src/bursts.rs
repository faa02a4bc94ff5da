//! Whether something between model and client collects tokens: `buffered` of methodology section 5.

use tokmark_units::float;

use crate::stats;
use crate::timeline::{Arrival, Flow, Timeline};

/// Events closer than this belong to one burst.
const JOINED_NS: u64 = 1_000_000;
/// Fewest tokens of the median burst.
const LEAST_TOKENS: f64 = 5.0;
/// Shortest median time from one burst to the next.
const LEAST_PERIOD_MS: f64 = 50.0;
/// Fewest bursts of a stream that say something.
const LEAST_BURSTS: usize = 3;

/// The bursts of a cell, as medians over its streams' medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bursts {
    pub(crate) tokens: f64,
    pub(crate) period_ms: f64,
}

impl Bursts {
    /// `None` when no stream has enough of them.
    pub(crate) fn of(timeline: &Timeline<'_>) -> Option<Self> {
        let (tokens, periods): (Vec<f64>, Vec<f64>) = timeline
            .streams
            .iter()
            .filter_map(|flows| of_stream(flows))
            .unzip();
        Some(Self {
            tokens: stats::median(&tokens)?,
            period_ms: stats::median(&periods)?,
        })
    }

    /// Whether they are somebody's buffer. Speculation gives bursts of its own, of up to the
    /// longest draft and one token; where that length is not known they prove nothing.
    pub(crate) fn are_buffered(self, speculative: bool, draft_tokens: Option<u32>) -> bool {
        let natural = match (speculative, draft_tokens) {
            (false, _) => 0.0,
            (true, Some(draft)) => f64::from(draft) + 1.0,
            (true, None) => return false,
        };
        self.tokens >= LEAST_TOKENS && self.tokens > natural && self.period_ms >= LEAST_PERIOD_MS
    }
}

/// Median tokens of a stream's bursts, and median time from one to the next.
fn of_stream(flows: &[Flow<'_>]) -> Option<(f64, f64)> {
    let (mut tokens, mut periods) = (Vec::new(), Vec::new());
    for flow in flows {
        let bursts = joined(flow.inside());
        tokens.extend(bursts.iter().map(|burst| float::from_u64(burst.tokens)));
        let pairs = bursts.iter().zip(bursts.iter().skip(1));
        periods.extend(pairs.map(|(a, b)| float::from_u64(b.at_ns - a.at_ns) / 1e6));
    }
    let enough = tokens.len() >= LEAST_BURSTS;
    enough
        .then(|| Some((stats::median(&tokens)?, stats::median(&periods)?)))
        .flatten()
}

/// Events joined into bursts; a burst's moment is its first event's.
fn joined(arrivals: &[Arrival]) -> Vec<Arrival> {
    let mut bursts: Vec<Arrival> = Vec::new();
    let mut before: Option<u64> = None;
    for arrival in arrivals {
        let close = before.is_some_and(|at_ns| arrival.at_ns - at_ns < JOINED_NS);
        match bursts.last_mut().filter(|_| close) {
            Some(burst) => burst.tokens = burst.tokens.saturating_add(arrival.tokens),
            None => bursts.push(*arrival),
        }
        before = Some(arrival.at_ns);
    }
    bursts
}
