//! Arithmetic of requests, by the number of the case that went wrong elsewhere.

use tokmark_measure::goodput::{Goodput, Limits};
use tokmark_measure::request::{self, Counted, RequestNumbers};
use tokmark_measure::stats::{self, Quantile};
use tokmark_measure::throughput::{MeanAndPeak, Throughput, is_plausible};
use tokmark_run_format::evidence::{Event, RequestEvidence, Window};

use crate::build::*;

/// Sent at 0, with events at `(ms, tokens)`, ended well.
fn ended(events: &[(u64, u32)]) -> RequestEvidence {
    let events = at_ms(events);
    RequestEvidence {
        ended_ns: events.last().map(|event| event.at_ns),
        output_tokens: Some(events.iter().map(|e| u64::from(e.tokens.unwrap())).sum()),
        finish: Some("stop".to_owned()),
        first_answer: Some(0),
        events,
        ..RequestEvidence::default()
    }
}

/// With a first and a last event, and so many tokens in all.
fn spanning(first_ms: u64, last_ms: u64, tokens: u64) -> RequestEvidence {
    let mut request = ended(&[(first_ms, 1), (last_ms, 1)]);
    request.output_tokens = Some(tokens);
    request
}

fn numbers(requests: &[RequestEvidence]) -> Vec<RequestNumbers> {
    requests.iter().map(request::numbers).collect()
}

#[test]
fn b004_multi_token_event() {
    let found = request::numbers(&ended(&[(100, 2), (120, 2), (140, 2), (160, 2), (180, 2)]));
    assert_eq!(found.output_tokens, 10);
    assert_eq!(found.gaps_ms, [20.0; 4]);
    close_to(found.tpot_ms, 80.0 / 9.0);
    close_to(found.tokens_per_event, 2.0);
    close_to(found.ttft_ms, 100.0);
}

#[test]
fn b005_a_frame_without_text_is_no_event() {
    // The empty frame at 120 ms is not among the events.
    let found = request::numbers(&ended(&[(100, 1), (140, 1)]));
    assert_eq!(found.gaps_ms, [40.0]);
    close_to(found.tpot_ms, 40.0);
    // An event that raised no count divides nothing by zero.
    let silent = request::numbers(&ended(&[(100, 1), (120, 0), (140, 1)]));
    assert_eq!(silent.gaps_ms, [20.0, 20.0]);
    close_to(silent.tpot_ms, 40.0);
}

#[test]
fn b007_tpot_needs_two_tokens() {
    let empty = ended(&[]);
    let all = numbers(&[ended(&[(100, 1)]), empty.clone(), spanning(100, 300, 11)]);
    let tpot: Vec<_> = all.iter().map(|request| request.tpot_ms).collect();
    assert_eq!(tpot, [None, None, Some(20.0)]);
    let ttft: Vec<_> = all.iter().map(|request| request.ttft_ms).collect();
    assert_eq!(ttft, [Some(100.0), None, Some(100.0)]);
    assert!(request::is_empty_output(&empty));
    assert_eq!(request::mean_tpot_ms(&all[..2]), None);
    assert_eq!(request::pooled_tpot_ms(&all[..2]), None);
}

#[test]
fn b008_two_means_under_two_names() {
    let all = numbers(&[spanning(100, 200, 11), spanning(100, 4_100, 101)]);
    close_to(request::mean_tpot_ms(&all), 25.0);
    close_to(request::pooled_tpot_ms(&all), 4_100.0 / 110.0);
}

#[test]
fn b014_decode_starts_at_the_first_token_of_any_kind() {
    let mut reasoning = ended(&[(20_000, 1), (30_000, 1), (31_000, 1)]);
    reasoning.output_tokens = Some(300);
    reasoning.first_answer = Some(1);
    let found = request::numbers(&reasoning);
    close_to(found.ttft_ms, 20_000.0);
    close_to(found.answer_ms, 30_000.0);
    close_to(found.decode_tokens_per_s(), 299.0 / 11.0);
    let burst = request::numbers(&spanning(1_000, 1_001, 500));
    let rates = request::decode_rates(&[found, burst]);
    assert_eq!((rates.tokens_per_s.len(), rates.implausible), (1, 1));
}

#[test]
fn b017_one_request_has_a_duration() {
    let mut one = ended(&[(500, 1)]);
    one.prompt_tokens = Some(1_000);
    let found = Throughput::of(std::slice::from_ref(&one)).unwrap();
    close(found.duration_s, 0.5);
    close(found.output_tokens_per_s(), 2.0);
    close(found.input_tokens_per_s(), 2_000.0);
    assert_eq!(request::numbers(&one).tpot_ms, None);
    one.sent_ns = 500 * MS;
    assert_eq!(Throughput::of(&[one]), None, "no time, no rate");
}

#[test]
fn b044_mean_and_peak() {
    let window = Window {
        start_ns: 0,
        end_ns: 30 * S,
    };
    // 50 tok/s, then 100, then 50, one token at a time.
    let slow = |from: u64| (0..500).map(move |n| (from * S + n * 20 * MS, 1));
    let fast = (0..1_000).map(|n| (10 * S + n * 10 * MS, 1));
    let arrivals: Vec<(u64, u64)> = slow(0).chain(fast).chain(slow(20)).collect();
    let found = MeanAndPeak::of(&arrivals, window, S).unwrap();
    close(found.mean_tokens_per_s, 2_000.0 / 30.0);
    close(found.peak_tokens_per_s, 100.0);
    assert!(found.is_consistent());
    assert_eq!(MeanAndPeak::of(&arrivals, window, 31 * S), None);
    assert_eq!(MeanAndPeak::of(&arrivals, window, 0), None);
}

/// `(ttft, tpot)` in ms, of 11 tokens.
fn with_latencies(ttft: u64, tpot: u64) -> RequestEvidence {
    spanning(ttft, ttft + 10 * tpot, 11)
}

#[test]
fn b046_goodput_counts_requests_that_keep_every_limit() {
    let mut requests = vec![with_latencies(400, 30); 6];
    requests.extend(vec![with_latencies(400, 80); 2]);
    requests.push(with_latencies(900, 30));
    requests.push(RequestEvidence {
        failure: Some(failure("http", Some(500))),
        ..with_latencies(100, 1)
    });
    let limits = Limits {
        ttft_ms: Some(500.0),
        tpot_ms: Some(50.0),
        e2e_ms: None,
    };
    let found = Goodput::of(&requests, &limits, 10.0).unwrap();
    assert_eq!((found.met, found.sent), (6, 10));
    close(found.requests_per_s, 0.6);
    close_to(found.share(), 0.6);
    close(found.output_tokens_per_s, 6.6);
    let edge = [with_latencies(500, 50), ended(&[(500, 1)])];
    assert_eq!(
        Goodput::of(&edge, &limits, 1.0).unwrap().met,
        2,
        "exactly at a limit passes"
    );
    assert_eq!(Goodput::of(&edge, &limits, 0.0), None);
    assert_eq!(Goodput::of(&[], &limits, 1.0).unwrap().share(), None);
}

#[test]
fn b049_waiting_in_the_client_is_its_own_figure() {
    // Due every 0.2 s, one at a time, 1 s each.
    let requests: Vec<RequestEvidence> = (0..6)
        .map(|n| RequestEvidence {
            due_ns: n * 200 * MS,
            sent_ns: n * S,
            events: vec![Event {
                at_ns: (n + 1) * S,
                tokens: Some(1),
            }],
            ..RequestEvidence::default()
        })
        .collect();
    let all = numbers(&requests);
    let queue: Vec<f64> = all
        .iter()
        .map(|request| request.queue_ms.unwrap())
        .collect();
    assert_eq!(queue, [0.0, 800.0, 1_600.0, 2_400.0, 3_200.0, 4_000.0]);
    close_to(stats::mean(&queue), 2_000.0);
    assert!(all.iter().all(|request| request.ttft_ms == Some(1_000.0)));
    close_to(all[5].scheduled_e2e_ms, 5_000.0);
    close_to(all[5].scheduled_ttft_ms, 5_000.0);
    assert!(!all[0].waited_in_client());
    assert!(all[1].waited_in_client());
}

#[test]
fn b053_negative_spans_are_not_clamped() {
    let mut request = ended(&[(1_500, 1), (2_500, 1)]);
    request.sent_ns = 1_500 * MS;
    close_to(request::numbers(&request).e2e_ms, 1_000.0);
    request.sent_ns = 3_500 * MS;
    let found = request::numbers(&request);
    assert_eq!((found.ttft_ms, found.e2e_ms), (None, None));
}

#[test]
fn b055_percentiles_are_pooled_not_averaged() {
    let a = vec![10.0; 100];
    let mut b = vec![10.0; 90];
    b.extend([1_000.0; 10]);
    let pooled: Vec<f64> = a.iter().chain(&b).copied().collect();
    close_to(stats::percentile(&pooled, 0.99), 1_000.0);
    let of_each = [
        stats::percentile(&a, 0.99).unwrap(),
        stats::percentile(&b, 0.99).unwrap(),
    ];
    close_to(stats::mean(&of_each), 505.0);
}

#[test]
fn b056_one_formula_everywhere() {
    // Ten requests one after the other, 2 s each, first token after 0.5 s.
    let requests: Vec<RequestEvidence> = (0..10)
        .map(|n| RequestEvidence {
            sent_ns: n * 2 * S,
            due_ns: n * 2 * S,
            ..spanning(n * 2_000 + 500, n * 2_000 + 2_000, 100)
        })
        .collect();
    let found = Throughput::of(&requests).unwrap();
    close(found.output_tokens_per_s(), 50.0);
    let rates = request::decode_rates(&numbers(&requests));
    assert_eq!(rates.tokens_per_s.len(), 10);
    rates
        .tokens_per_s
        .iter()
        .for_each(|rate| close(*rate, 66.0));
    assert!(is_plausible(50.0));
    for rate in [1.08e14, 5e-8, 0.0, f64::NAN] {
        assert!(!is_plausible(rate), "{rate}");
    }
}

#[test]
fn b062_timeouts_rank_above_every_survivor() {
    let (observed, censored) = (vec![30_000.0; 60], vec![60_000.0; 40]);
    let at = |p| stats::censored_percentile(&observed, &censored, p).unwrap();
    assert_eq!(at(0.99), Quantile::AtLeast(60_000.0));
    assert_eq!(at(0.99).exact(), None);
    assert_eq!(at(0.5), Quantile::Exactly(30_000.0));
}

#[test]
fn b107_output_input_and_total_have_their_own_names() {
    let requests: Vec<RequestEvidence> = (0..10)
        .map(|n| RequestEvidence {
            prompt_tokens: Some(8_000),
            ..spanning(1_000 + n, 100_000, 1_000)
        })
        .collect();
    let found = Throughput::of(&requests).unwrap();
    close(found.output_tokens_per_s(), 100.0);
    close(found.input_tokens_per_s(), 800.0);
    close(found.total_tokens_per_s(), 900.0);
}

#[test]
fn tokens_are_counted_where_they_can_be() {
    let mut request = ended(&[(100, 3), (200, 4)]);
    assert_eq!(request::numbers(&request).counted, Counted::ByUsage);
    request.output_tokens = None;
    let by_events = request::numbers(&request);
    assert_eq!(
        (by_events.output_tokens, by_events.counted),
        (7, Counted::ByEvents)
    );
    request
        .events
        .iter_mut()
        .for_each(|event| event.tokens = None);
    let bare = request::numbers(&request);
    assert_eq!(
        (bare.output_tokens, bare.counted),
        (2, Counted::OnePerEvent)
    );
}

#[test]
fn a_failed_request_has_no_latencies() {
    let mut cut = ended(&[(100, 1), (200, 1)]);
    cut.failure = Some(failure("cut_stream", None));
    let found = request::numbers(&cut);
    assert_eq!(
        (found.ttft_ms, found.e2e_ms, found.tpot_ms),
        (None, None, None)
    );
    assert_eq!(found.gaps_ms, Vec::<f64>::new());
}
