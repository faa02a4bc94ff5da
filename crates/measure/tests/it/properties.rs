//! What holds for any evidence.

use proptest::prelude::*;
use tokmark_measure::cell::evaluate;
use tokmark_measure::histogram::{self, Bucket, Estimate};
use tokmark_measure::stats;
use tokmark_measure::throughput::MeanAndPeak;
use tokmark_run_format::DecodeCell;
use tokmark_run_format::evidence::{CellEvidence, Event, RequestEvidence, Scrape, Window};

use crate::build::{MS, S};

/// A request from its gaps in ms with tokens; it ends by itself or not.
fn request(stream: u32, gaps: &[(u64, Option<u32>)], total: Option<u64>) -> RequestEvidence {
    let mut at_ns = S;
    let mut events = Vec::new();
    for (gap_ms, tokens) in gaps {
        at_ns += gap_ms * MS;
        events.push(Event {
            at_ns,
            tokens: *tokens,
        });
    }
    RequestEvidence {
        stream,
        due_ns: S,
        sent_ns: S,
        prompt_tokens: Some(100),
        ended_ns: total.map(|_| at_ns),
        finish: total.map(|_| "stop".to_owned()),
        output_tokens: total,
        cancelled: total.is_none(),
        token_source: gaps
            .iter()
            .any(|gap| gap.1.is_some())
            .then(|| "usage".to_owned()),
        events,
        ..RequestEvidence::default()
    }
}

fn requests() -> impl Strategy<Value = Vec<RequestEvidence>> {
    let counted = prop::collection::vec((1_u64..400, (0_u32..6).prop_map(Some)), 0..40);
    let uncounted = prop::collection::vec((1_u64..400, Just(None)), 0..40);
    let one = (
        prop_oneof![counted, uncounted],
        prop::option::of(1_u64..200),
    );
    prop::collection::vec(one, 1..6).prop_map(|all| {
        let numbered = (0_u32..).zip(all);
        numbered
            .map(|(stream, (gaps, total))| request(stream, &gaps, total))
            .collect()
    })
}

prop_compose! {
    fn cells()(streams in requests(), window_ms in (0_u64..3_000, 500_u64..8_000)) -> CellEvidence {
        let start_ns = S + window_ms.0 * MS;
        CellEvidence {
            context: 100,
            requests: u32::try_from(streams.len()).unwrap(),
            launch_ns: S,
            window: Some(Window { start_ns, end_ns: start_ns + window_ms.1 * MS }),
            loop_check: true,
            scrapes: vec![
                Scrape { start_ns: S / 2, end_ns: S / 2, running: Some(1.0), ..Scrape::default() },
                Scrape { start_ns: 12 * S, end_ns: 12 * S, running: Some(2.0), ..Scrape::default() },
            ],
            streams,
            ..CellEvidence::default()
        }
    }
}

/// Every moment of the evidence through a function.
fn mapped(mut evidence: CellEvidence, moment: impl Fn(u64) -> u64) -> CellEvidence {
    evidence.launch_ns = moment(evidence.launch_ns);
    if let Some(window) = &mut evidence.window {
        (window.start_ns, window.end_ns) = (moment(window.start_ns), moment(window.end_ns));
    }
    for scrape in &mut evidence.scrapes {
        (scrape.start_ns, scrape.end_ns) = (moment(scrape.start_ns), moment(scrape.end_ns));
    }
    for request in &mut evidence.streams {
        (request.due_ns, request.sent_ns) = (moment(request.due_ns), moment(request.sent_ns));
        request.ended_ns = request.ended_ns.map(&moment);
        for event in &mut request.events {
            event.at_ns = moment(event.at_ns);
        }
    }
    evidence
}

fn same(a: Option<f64>, b: Option<f64>, factor: f64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a * factor - b).abs() <= 1e-9 * b.abs().max(1e-3),
        (a, b) => a == b,
    }
}

/// Total, per request, and the time averages that must not depend on the clock's speed.
fn rates(cell: &DecodeCell) -> [Option<f64>; 2] {
    [cell.total_tokens_per_s, cell.per_request_tokens_per_s]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_streams_sum_is_the_total(evidence in cells()) {
        let cell = evaluate(&evidence);
        if let Some(output) = cell.output_tokens {
            prop_assert_eq!(cell.stream_tokens.iter().sum::<u64>(), output);
            prop_assert_eq!(cell.stream_tokens.len(), evidence.streams.len());
            let product = cell.total_tokens_per_s.unwrap() * cell.measured_s.unwrap();
            prop_assert!(same(Some(product), Some(tokmark_units::float::from_u64(output)), 1.0));
        }
        if let Some(active) = cell.average_active_requests {
            prop_assert!((0.0..=f64::from(cell.requests) + 1e-9).contains(&active));
        }
        if let Some(gaps) = &cell.gaps {
            prop_assert!(gaps.p50_ms <= gaps.p95_ms && gaps.p95_ms <= gaps.p99_ms);
            prop_assert!(gaps.p99_ms <= gaps.max_ms);
        }
        let text = serde_json::to_string(&cell).unwrap();
        let back: DecodeCell = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(back, cell, "no value that JSON cannot hold");
    }

    #[test]
    fn shifting_the_clock_changes_nothing(evidence in cells(), shift in 0_u64..1_000_000 * S) {
        let shifted = mapped(evidence.clone(), |at_ns| at_ns + shift);
        prop_assert_eq!(evaluate(&shifted), evaluate(&evidence));
    }

    #[test]
    fn scaling_time_scales_rates(evidence in cells(), factor in 2_u32..20) {
        let scaled = mapped(evidence.clone(), |at_ns| at_ns * u64::from(factor));
        let (slow, fast) = (evaluate(&scaled), evaluate(&evidence));
        for (fast, slow) in rates(&fast).into_iter().zip(rates(&slow)) {
            prop_assert!(same(fast, slow, 1.0 / f64::from(factor)), "{fast:?} {slow:?}");
        }
        prop_assert!(same(fast.ttft_ms, slow.ttft_ms, f64::from(factor)));
        prop_assert!(same(fast.average_active_requests, slow.average_active_requests, 1.0));
        prop_assert!(same(fast.mean_depth, slow.mean_depth, 1.0));
        prop_assert!(same(fast.restart_fraction, slow.restart_fraction, 1.0));
        prop_assert!(same(fast.server_running, slow.server_running, 1.0));
        prop_assert_eq!(fast.output_tokens, slow.output_tokens);
    }

    /// One read that brought two frames instead of one changes neither totals nor rates.
    #[test]
    fn splitting_events_changes_no_total(evidence in cells()) {
        let mut doubled = evidence.clone();
        for event in doubled.streams.iter_mut().flat_map(|request| &mut request.events) {
            event.tokens = Some(2 * event.tokens.unwrap_or(1));
        }
        let mut split = doubled.clone();
        for request in &mut split.streams {
            let halves = request.events.iter().flat_map(|event| {
                let half = Event { tokens: event.tokens.map(|tokens| tokens / 2), ..*event };
                [half, half]
            });
            request.events = halves.collect();
        }
        let (whole, halves) = (evaluate(&doubled), evaluate(&split));
        prop_assert_eq!(&whole.stream_tokens, &halves.stream_tokens);
        prop_assert_eq!(rates(&whole), rates(&halves));
        prop_assert_eq!(whole.mean_depth, halves.mean_depth);
    }

    #[test]
    fn percentiles_lie_between_the_extremes(
        mut values in prop::collection::vec(-1e6_f64..1e6, 1..60),
        p in 0.0_f64..=1.0,
        q in 0.0_f64..=1.0,
    ) {
        let at = |p| stats::percentile(&values, p).unwrap();
        let (low, high) = if p <= q { (at(p), at(q)) } else { (at(q), at(p)) };
        prop_assert!(low <= high + 1e-9 * high.abs());
        prop_assert!(at(0.0) <= low + 1e-9 && high <= at(1.0) + 1e-9);
        let before = Some(at(p));
        values.reverse();
        prop_assert_eq!(stats::percentile(&values, p), before);
    }

    /// A percentile is an order statistic where it falls on one, and linear between two: the
    /// definition, without the place arithmetic of the code.
    #[test]
    fn percentiles_are_order_statistics_and_linear_between(
        values in prop::collection::vec(-1e6_f64..1e6, 2..60),
        place in 0_usize..58,
        share in 0.0_f64..=1.0,
    ) {
        let last = values.len() - 1;
        let below = place.min(last - 1);
        // The k-th smallest is the one that exactly k others are below, ties in their order.
        let rank = |k: usize| {
            let are_below = |i: usize, value: f64| {
                let order = |(j, other): (usize, &f64)| other.total_cmp(&value).then(j.cmp(&i));
                values.iter().enumerate().filter(|other| order(*other).is_lt()).count()
            };
            let kth = values.iter().enumerate().find(|(i, value)| are_below(*i, **value) == k);
            *kth.unwrap().1
        };
        let (low, high) = (rank(below), rank(below + 1));
        let float = tokmark_units::float::from_usize;
        let at = |p: f64| stats::percentile(&values, p).unwrap();
        let p = (float(below) + share) / float(last);
        let expect = low + (high - low) * share;
        prop_assert!((at(p) - expect).abs() <= 1e-6, "{} for {expect}", at(p));
        prop_assert_eq!((at(0.0), at(1.0)), (rank(0), rank(last)));
    }

    /// A sample that is only bucketed gives a percentile in the bucket where the true one lies, and
    /// what came before the span changes nothing.
    #[test]
    fn a_histograms_percentile_is_in_the_right_bucket(
        sample in prop::collection::vec(0.0_f64..3.0, 1..80),
        earlier in prop::collection::vec(0.0_f64..3.0, 0..80),
        p in 0.01_f64..=1.0,
    ) {
        let edges = [0.25, 0.5, 1.0, 2.0, f64::INFINITY];
        let buckets = |samples: &[f64]| edges.map(|le| {
            let below = samples.iter().filter(|value| **value <= le).count();
            Bucket { le, count: tokmark_units::float::from_usize(below) }
        });
        let all: Vec<f64> = earlier.iter().chain(&sample).copied().collect();
        let found = histogram::percentile(&buckets(&earlier), &buckets(&all), p).unwrap();
        let alone = histogram::percentile(&buckets(&[]), &buckets(&sample), p);
        prop_assert_eq!(Some(found), alone);
        // The smallest value that at least a share p of the sample does not exceed.
        let mut sorted = sample.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let needed = p * tokmark_units::float::from_usize(sorted.len());
        let mut ranked = (1_u32..).zip(&sorted);
        let exact = *ranked.find(|(rank, _)| f64::from(*rank) >= needed - 1e-9).unwrap().1;
        let upper = edges.into_iter().find(|edge| exact <= *edge).unwrap();
        let lower = edges.into_iter().rev().find(|edge| *edge < exact).unwrap_or(0.0);
        match found {
            Estimate::About(value) => prop_assert!(
                (lower - 1e-6..=upper + 1e-6).contains(&value), "{value} for {exact}"
            ),
            Estimate::Above(edge) => prop_assert!(
                upper.is_infinite() && (edge - lower).abs() < 1e-9, "{edge} for {exact}"
            ),
        }
    }

    /// B044: over a window of whole spans a peak below the mean would mean broken counting.
    #[test]
    fn b044_the_peak_is_never_below_the_mean(
        mut arrivals in prop::collection::vec((0_u64..10_000, 0_u64..9), 0..200),
        spans in 1_u64..8,
    ) {
        arrivals.sort_unstable();
        let arrivals: Vec<(u64, u64)> = arrivals.iter().map(|(ms, n)| (ms * MS, *n)).collect();
        let window = Window { start_ns: 0, end_ns: spans * S };
        let found = MeanAndPeak::of(&arrivals, window, S).unwrap();
        prop_assert!(found.is_consistent(), "{found:?}");
    }
}
