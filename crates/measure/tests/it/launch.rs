//! First-token times and warmth of a launch: methodology 4.2 and 4.3.10.

use tokmark_measure::cell::evaluate;
use tokmark_run_format::evidence::{CellEvidence, Scrape};

use crate::build::*;

/// C streams with the given launch TTFTs in ms; `None` never has an event.
fn launched(ttfts: &[Option<u64>]) -> CellEvidence {
    let mut evidence = steady(u32::try_from(ttfts.len()).unwrap());
    for (request, ttft) in evidence.streams.iter_mut().zip(ttfts) {
        request.events = match ttft {
            Some(ms) => every(20 * MS, LAUNCH + ms * MS, WINDOW.end_ns, Some(1)),
            None => Vec::new(),
        };
    }
    evidence
}

#[test]
fn streams_without_a_first_token_rank_above_all_others() {
    let check = |ttfts: &[Option<u64>], median, bound, censored| {
        let cell = evaluate(&launched(ttfts));
        assert_eq!(cell.ttft_ms, median, "{ttfts:?}");
        assert_eq!(cell.ttft_ms_lower_bound, bound, "{ttfts:?}");
        assert_eq!(cell.ttft_censored, censored, "{ttfts:?}");
        cell.launch_ttft
    };
    let all = check(&[Some(300), Some(100), Some(200)], Some(200.0), None, 0);
    assert_eq!((all.min_ms, all.max_ms), (Some(100.0), Some(300.0)));
    let one_late = check(&[Some(300), None, Some(100)], Some(300.0), None, 1);
    assert_eq!((one_late.min_ms, one_late.max_ms), (Some(100.0), None));
    assert_eq!(one_late.p95_ms, None);
    // The window ends 33 s after the send.
    check(&[None, None, Some(100)], None, Some(33_000.0), 2);
    // A first token after the window's end is none by then.
    let mut late = launched(&[Some(100), None, None]);
    for (stream, after_ns) in [(1, 0), (2, 1)] {
        late.streams[stream].events = every(S, WINDOW.end_ns + after_ns, 40 * S, Some(1));
    }
    let late = evaluate(&late);
    assert_eq!(
        (late.ttft_ms, late.ttft_ms_lower_bound),
        (None, Some(33_000.0))
    );
    assert_eq!(late.ttft_censored, 2);
    // The middle of an observed and an unobserved wait is at least the middle of the bounds.
    check(&[Some(100), Some(200), None, None], None, Some(16_600.0), 2);
}

#[test]
fn a_stream_that_never_sent_waits_since_the_launch() {
    let mut evidence = launched(&[Some(100), Some(100), Some(100)]);
    evidence.streams.truncate(1);
    let cell = evaluate(&evidence);
    assert_eq!(cell.ttft_censored, 2);
    assert_eq!(cell.ttft_ms_lower_bound, Some(33_000.0));
}

#[test]
fn answers_restarts_and_the_clients_part_are_apart() {
    let mut evidence = launched(&[Some(100), Some(200), Some(300)]);
    for request in &mut evidence.streams {
        // Ten events of reasoning, 20 ms apart, come before the answer.
        request.first_answer = Some(10);
        request.due_ns = request.sent_ns - 2 * MS;
        request.connect_ns = Some(3 * MS);
    }
    // One stream never gets to its answer: the median is still that of the other two.
    evidence.streams[2].first_answer = None;
    let launch = evaluate(&evidence).launch_ttft;
    close_to(launch.answer_ms, 400.0);
    close_to(launch.client_queue_ms, 2.0);
    close_to(launch.connect_ms, 3.0);
    assert_eq!(launch.restart_ms, None);
    evidence.streams[1].first_answer = None;
    assert_eq!(evaluate(&evidence).launch_ttft.answer_ms, None);
}

/// A looping first request is replaced before t0: its stream has no launch TTFT, and no other.
#[test]
fn a_replaced_first_request_gives_no_launch_ttft() {
    let mut evidence = launched(&[Some(100), Some(200), Some(900)]);
    evidence.streams[2].attempt = 1;
    let cell = evaluate(&evidence);
    close_to(cell.ttft_ms, 150.0);
    assert_eq!(cell.ttft_censored, 0);
    close_to(cell.launch_ttft.restart_ms, 900.0);
}

/// B053: a clock that goes backwards gives no latency, not a negative or a clamped one.
#[test]
fn b053_an_event_before_its_send_is_no_latency() {
    let mut evidence = launched(&[Some(100), Some(200), Some(300)]);
    evidence.streams[0].sent_ns = LAUNCH + 2 * S;
    let cell = evaluate(&evidence);
    close_to(cell.ttft_ms, 250.0);
    assert_eq!(cell.ttft_censored, 0);
    assert!(
        cell.notes[0].contains("before their send"),
        "{:?}",
        cell.notes
    );
}

#[test]
fn warmth_by_usage_counters_or_ttft() {
    let mut evidence = launched(&[Some(100), Some(150), Some(200), Some(250)]);
    let check = |evidence: &CellEvidence, expect: Option<(f64, &str)>| {
        let cell = evaluate(evidence);
        let found = cell
            .warm_fraction
            .zip(cell.sources.warm_fraction.as_deref());
        match (found, expect) {
            (Some((fraction, source)), Some((expect, named))) => {
                close(fraction, expect);
                assert_eq!(source, named);
            }
            (found, expect) => assert_eq!(found, expect),
        }
    };
    check(&evidence, None);
    // Median 175 ms, of 75 ms fixed and 2,075 ms cold.
    evidence.fixed_ttft_ns = Some(75 * MS);
    check(&evidence, None);
    evidence.cold_ttft_ns = Some(2_075 * MS);
    check(&evidence, Some((0.95, "inferred")));
    // Slower than cold, as of many cold requests at once, is not less than nothing.
    evidence.cold_ttft_ns = Some(100 * MS);
    check(&evidence, Some((0.0, "inferred")));
    evidence.cold_ttft_ns = Some(2_075 * MS);
    evidence.scrapes = scrapes(|second| Scrape {
        prefix_queries: Some(if second < 1 { 5_000.0 } else { 9_000.0 }),
        prefix_hits: Some(if second < 1 { 5_000.0 } else { 8_880.0 }),
        ..Scrape::default()
    });
    check(&evidence, Some((0.97, "counters")));
    evidence.streams[0].cached_tokens = Some(992);
    check(&evidence, Some((0.97, "counters")));
    evidence.streams[1].cached_tokens = Some(960);
    check(&evidence, Some((0.976, "usage")));
    // A server that restarted meanwhile tells nothing by its counters.
    evidence.streams[0].cached_tokens = None;
    evidence.scrapes[3].prefix_queries = Some(0.0);
    check(&evidence, Some((0.95, "inferred")));
}

/// The server counts 30 ms until its first tokens; what it does not count is somebody else's.
#[test]
fn b020_a_launchs_time_outside_the_engine_is_noted() {
    let mut evidence = launched(&[Some(100), Some(300)]);
    let counted = |mean_s: f64| {
        scrapes(move |second| Scrape {
            ttft_seconds: Some(if second < 1 { 5.0 } else { 5.0 + 2.0 * mean_s }),
            ttft_count: Some(if second < 1 { 7.0 } else { 9.0 }),
            ..Scrape::default()
        })
    };
    evidence.scrapes = counted(0.03);
    let cell = evaluate(&evidence);
    close_to(cell.launch_ttft.server_mean_ms, 30.0);
    close_to(cell.launch_ttft.outside_engine_ms, 170.0);
    let noted = cell
        .notes
        .iter()
        .filter(|note| note.contains("outside the engine"));
    assert_eq!(noted.count(), 1, "{:?}", cell.notes);
    // Nearly all of it is the engine's.
    evidence.scrapes = counted(0.18);
    let cell = evaluate(&evidence);
    close_to(cell.launch_ttft.server_mean_ms, 180.0);
    assert_eq!(cell.launch_ttft.outside_engine_ms, None);
    // A stream without a first token has no mean yet.
    evidence.scrapes = counted(0.03);
    evidence.streams[1].events.clear();
    let cell = evaluate(&evidence);
    assert_eq!(cell.launch_ttft.outside_engine_ms, None);
}
