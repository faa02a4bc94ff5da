//! Tokens of each event: methodology 4.3.6.
//!
//! Running usage and the like give every event its own count. Where only totals are known, a
//! request's total is spread evenly over its events, and requests without a total take the ratio of
//! those that ended. Fractions are rounded cumulatively, so that whole tokens per event add up to
//! the total exactly, and so do the streams to the cell.

use std::collections::BTreeMap;

use tokmark_run_format::evidence::{RequestEvidence, Window};
use tokmark_units::float;

use crate::stats;

/// One token per event stands when the ended requests' tokens and events differ by at most one in
/// this many: 2 %.
///
/// The methodology names the upper side; events that carry less than a token each would otherwise
/// count too much, so the same holds below.
const ONE_PER_EVENT: u64 = 50;

/// What stands for the tokens of a cell's events.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Attribution {
    /// `usage`, `timings`, `token_ids`, `estimated` or `one_per_event`.
    pub(crate) source: Option<String>,
    /// Standard deviation over mean of the ended requests' tokens per event, when estimated.
    pub(crate) spread: Option<f64>,
    /// What the reader should know.
    pub(crate) note: Option<String>,
    /// Tokens of each event of each request.
    pub(crate) tokens: Vec<Vec<u64>>,
}

/// Gives every event of every request its tokens.
pub(crate) fn attribute(requests: &[RequestEvidence], window: Window) -> Attribution {
    let ended: Vec<Ratio> = requests.iter().filter_map(Ratio::of_ended).collect();
    let common = Common::of(&ended);
    let tokens = requests
        .iter()
        .map(|request| spread_over(request, &common))
        .collect();
    let inside = |request: &&RequestEvidence| {
        request
            .events
            .iter()
            .any(|event| window.contains(event.at_ns))
    };
    let (counted, uncounted): (Vec<_>, Vec<_>) = requests
        .iter()
        .filter(inside)
        .partition(|request| is_counted(request));
    let mut attribution = Attribution {
        tokens,
        ..Attribution::default()
    };
    if uncounted.is_empty() {
        attribution.source = most_common_source(&counted);
        return attribution;
    }
    attribution.source = Some(common.source.to_owned());
    match common.basis {
        Basis::Ended if common.source == ESTIMATED => attribution.spread = relative_spread(&ended),
        Basis::Ended => {}
        Basis::Assumed => {
            attribution.note = Some(
                "no request of this cell ended with a token count: one token per event is assumed \
                 and not verified"
                    .to_owned(),
            );
        }
    }
    attribution
}

const ESTIMATED: &str = "estimated";

/// Whether a request's own events carry counts.
///
/// Some servers put the total on the last frame only: that is no count of that frame's tokens, so
/// at least half of the events must have one.
pub(crate) fn is_counted(request: &RequestEvidence) -> bool {
    let with_count = request
        .events
        .iter()
        .filter(|event| event.tokens.is_some())
        .count();
    with_count > 0 && 2 * with_count >= request.events.len()
}

/// Whole tokens over whole events.
#[derive(Debug, Clone, Copy)]
struct Ratio {
    tokens: u64,
    events: u64,
}

impl Ratio {
    const ONE: Self = Self {
        tokens: 1,
        events: 1,
    };

    /// Of a request that ended by itself with a total.
    fn of_ended(request: &RequestEvidence) -> Option<Self> {
        let ended = request.finish.is_some() && request.failure.is_none() && !request.cancelled;
        let tokens = request
            .output_tokens
            .filter(|tokens| ended && *tokens > 0)?;
        let events = float::len_u64(request.events.len());
        (events > 0).then_some(Self { tokens, events })
    }

    fn as_f64(self) -> f64 {
        float::from_u64(self.tokens) / float::from_u64(self.events)
    }

    /// Tokens of the first `events` events, rounded to the nearest whole one.
    fn up_to(self, events: u64) -> u64 {
        let doubled = 2 * u128::from(events) * u128::from(self.tokens) + u128::from(self.events);
        u64::try_from(doubled / (2 * u128::from(self.events))).unwrap_or(u64::MAX)
    }
}

enum Basis {
    Ended,
    Assumed,
}

/// The ratio for requests whose own total is not known.
struct Common {
    ratio: Ratio,
    source: &'static str,
    basis: Basis,
}

impl Common {
    fn of(ended: &[Ratio]) -> Self {
        let sum = |part: fn(&Ratio) -> u64| ended.iter().map(part).fold(0, u64::saturating_add);
        let pooled = Ratio {
            tokens: sum(|ratio| ratio.tokens),
            events: sum(|ratio| ratio.events),
        };
        let is_one = |ratio: Ratio| {
            let apart = ratio.tokens.abs_diff(ratio.events);
            apart.saturating_mul(ONE_PER_EVENT) <= ratio.events
        };
        let (ratio, source, basis) = match pooled.events {
            0 => (Ratio::ONE, "one_per_event", Basis::Assumed),
            _ if is_one(pooled) => (Ratio::ONE, "one_per_event", Basis::Ended),
            _ => (pooled, ESTIMATED, Basis::Ended),
        };
        Self {
            ratio,
            source,
            basis,
        }
    }
}

fn spread_over(request: &RequestEvidence, common: &Common) -> Vec<u64> {
    if is_counted(request) {
        // Running counts are cumulative: an event without one is in the next event's.
        let own = |event: &tokmark_run_format::evidence::Event| event.tokens.unwrap_or(0);
        return request.events.iter().map(own).map(u64::from).collect();
    }
    let ratio = Ratio::of_ended(request).unwrap_or(common.ratio);
    (0..float::len_u64(request.events.len()))
        .map(|before| ratio.up_to(before + 1).saturating_sub(ratio.up_to(before)))
        .collect()
}

fn relative_spread(ended: &[Ratio]) -> Option<f64> {
    let ratios: Vec<f64> = ended.iter().map(|ratio| ratio.as_f64()).collect();
    Some(stats::sample_sd(&ratios)? / stats::mean(&ratios)?)
}

fn most_common_source(counted: &[&RequestEvidence]) -> Option<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for request in counted {
        if let Some(source) = &request.token_source {
            *votes.entry(source).or_default() += request.events.len();
        }
    }
    votes
        .into_iter()
        .max_by_key(|(_, votes)| *votes)
        .map(|(source, _)| source.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokmark_run_format::evidence::Event;

    const WINDOW: Window = Window {
        start_ns: 0,
        end_ns: 1_000,
    };

    fn request(counts: &[Option<u32>], output_tokens: Option<u64>) -> RequestEvidence {
        let event = |(index, tokens): (usize, &Option<u32>)| Event {
            at_ns: float::len_u64(index),
            tokens: *tokens,
        };
        RequestEvidence {
            events: counts.iter().enumerate().map(event).collect(),
            output_tokens,
            finish: output_tokens.map(|_| "length".to_owned()),
            cancelled: output_tokens.is_none(),
            token_source: counts
                .iter()
                .any(Option::is_some)
                .then(|| "usage".to_owned()),
            ..RequestEvidence::default()
        }
    }

    #[test]
    fn where_the_tokens_come_from() {
        let check = |requests: &[RequestEvidence], source: &str, sums: &[u64]| {
            let found = attribute(requests, WINDOW);
            let totals: Vec<u64> = found
                .tokens
                .iter()
                .map(|tokens| tokens.iter().sum())
                .collect();
            assert_eq!(found.source.as_deref(), Some(source));
            assert_eq!(totals, sums, "{source}");
            found
        };
        let open = request(&[None; 10], None);
        check(&[request(&[Some(2), None, Some(4)], None)], "usage", &[6]);
        let assumed = check(std::slice::from_ref(&open), "one_per_event", &[10]);
        assert!(assumed.note.unwrap().contains("not verified"));
        // 1.02 tokens per event are one; the ended request keeps its own total.
        let nearly_one = check(
            &[request(&[None; 100], Some(102)), open.clone()],
            "one_per_event",
            &[102, 10],
        );
        assert_eq!(nearly_one.note, None);
        let estimated = check(
            &[
                request(&[None; 10], Some(27)),
                request(&[None; 10], Some(23)),
                open.clone(),
            ],
            "estimated",
            &[27, 23, 25],
        );
        assert!((estimated.spread.unwrap() - 8.0_f64.sqrt() / 25.0).abs() < 1e-9);
        check(
            &[request(&[None; 10], Some(5)), open.clone()],
            "estimated",
            &[5, 5],
        );
        // What was cancelled has a count up to then, not the whole of its events.
        let mut cancelled = request(&[None; 10], Some(40));
        cancelled.cancelled = true;
        check(&[cancelled, open], "one_per_event", &[10, 10]);
    }

    #[test]
    fn a_total_on_the_last_frame_is_spread_over_the_request() {
        let total_at_the_end = request(&[None, None, None, Some(40)], Some(40));
        let found = attribute(&[total_at_the_end], WINDOW);
        assert_eq!(found.tokens, [vec![10, 10, 10, 10]]);
        assert_eq!(found.source.as_deref(), Some("estimated"));
    }

    #[test]
    fn fractions_are_rounded_cumulatively() {
        let found = attribute(&[request(&[None; 7], Some(10))], WINDOW);
        assert_eq!(found.tokens, [vec![1, 2, 1, 2, 1, 2, 1]]);
    }
}
