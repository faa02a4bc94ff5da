//! Numbers of cells whose values are known by hand: methodology 4.3.

use tokmark_measure::cell::evaluate;
use tokmark_run_format::CellStatus;
use tokmark_run_format::evidence::{Event, RequestEvidence, Scrape, StampSource, Window};

use crate::build::*;

#[test]
fn a_steady_cell() {
    let mut evidence = steady(4);
    evidence.streams[3].stamps = StampSource::Kernel;
    let cell = evaluate(&evidence);
    assert_eq!(cell.status, CellStatus::Valid);
    assert_eq!(cell.reason, None);
    assert_eq!(cell.notes, Vec::<String>::new());
    assert_eq!(cell.stream_tokens, [1_500; 4]);
    assert_eq!(cell.output_tokens, Some(6_000));
    close_to(cell.measured_s, 30.0);
    close_to(cell.total_tokens_per_s, 200.0);
    close_to(cell.per_request_tokens_per_s, 50.0);
    close_to(cell.time_between_tokens_ms, 20.0);
    close_to(cell.average_active_requests, 4.0);
    close_to(cell.ttft_ms, 101.5);
    close_to(cell.launch_s, 3.0);
    close_to(cell.restart_fraction, 0.0);
    // 145 tokens before t0, 1,645 at the end; stream i is i ms later.
    close_to(cell.mean_depth, 1_000.0 + 895.5 - 0.075);
    assert_eq!(cell.completed_requests, Some(0));
    assert_eq!(cell.prompt_tokens, Some(1_000));
    assert_eq!((cell.ci_batches, cell.ci_cosines), (None, Some(32)));
    // Streams that tick evenly leave only where the window's edges fall between two ticks.
    let (low, high) = (cell.ci95_low.unwrap(), cell.ci95_high.unwrap());
    assert!(199.5 < low && low < 200.0, "{low}");
    close(high - 200.0, 200.0 - low);
    close_to(cell.drift, 0.0);
    assert_eq!(cell.notes, Vec::<String>::new());
    assert_eq!(cell.sources.tokens.as_deref(), Some("usage"));
    assert_eq!(cell.sources.arrival.as_deref(), Some("mixed"));
    close_to(cell.sources.shared_stamps, 0.0);
    assert_eq!(cell.evidence.as_deref(), Some("decode/1024/4"));
    let gaps = cell.gaps.unwrap();
    assert_eq!(gaps.n, 6_000);
    close(gaps.p50_ms, 20.0);
    close(gaps.p99_ms, 20.0);
    close(gaps.tokens_per_event, 1.0);
}

#[test]
fn a_restart_is_joined_without_its_gap() {
    let mut evidence = steady(2);
    // Stream 0 stands still from 10.1 s to 11.6 s between two requests.
    let [before, after] = restarted(evidence.streams.remove(0), 10_100 * MS, 11_600 * MS);
    evidence.streams.extend([before, after]);
    let cell = evaluate(&evidence);
    assert_eq!(cell.status, CellStatus::Valid);
    close_to(cell.restart_fraction, 1.5 / 60.0);
    close_to(cell.average_active_requests, 2.0 - 1.5 / 30.0);
    close_to(cell.per_request_tokens_per_s, 50.0);
    assert_eq!(cell.completed_requests, Some(1));
    // 74 of the 20 ms places lie inside the restart.
    assert_eq!(cell.stream_tokens, [1_500 - 74, 1_500]);
    close(cell.gaps.unwrap().max_ms, 20.0);
    close_to(cell.launch_ttft.restart_ms, 1_500.0);
}

/// A restart that has no first token by the window's end lasts until then.
#[test]
fn a_restart_may_outlast_the_window() {
    let mut evidence = steady(2);
    let [before, after] = restarted(evidence.streams.remove(0), 32_100 * MS, 40 * S);
    // The order of the records is not the order of the attempts.
    evidence.streams.extend([after, before]);
    let cell = evaluate(&evidence);
    close_to(cell.restart_fraction, 1.9 / 60.0);
    close_to(cell.average_active_requests, 2.0 - 1.9 / 30.0);
    close_to(cell.ttft_ms, 100.5);
}

#[test]
fn depth_without_usage_starts_at_the_nominal_context() {
    let mut evidence = steady(1);
    evidence.streams[0].prompt_tokens = None;
    let cell = evaluate(&evidence);
    assert_eq!(cell.prompt_tokens, None);
    close_to(cell.mean_depth, 1_024.0 + 895.5);
}

#[test]
fn a_gap_belongs_to_the_window_of_its_later_event() {
    let mut evidence = steady(1);
    let events = &mut evidence.streams[0].events;
    // Silence across t0: 3.9 s to 4.3 s.
    events.retain(|event| !(3_910 * MS..4_300 * MS).contains(&event.at_ns));
    let cell = evaluate(&evidence);
    let gaps = cell.gaps.unwrap();
    close(gaps.max_ms, 400.0);
    assert_eq!(gaps.n, 1_485);
    // The rate is that of the events inside.
    close_to(cell.per_request_tokens_per_s, 50.0);
    close_to(cell.total_tokens_per_s, 1_485.0 / 30.0);
}

/// A stream that falls silent is not decoding, even if its connection stays open.
#[test]
fn decode_ends_with_the_events() {
    let mut evidence = steady(2);
    evidence.streams[1]
        .events
        .retain(|event| event.at_ns < 19 * S);
    let cell = evaluate(&evidence);
    // Its last event is at 18.981 s, and the next one was due 20 ms later.
    close_to(cell.average_active_requests, 1.0 + (19.001 - 4.0) / 30.0);
    assert_eq!(cell.status, CellStatus::Queued);
}

#[test]
fn estimated_tokens_are_marked_and_add_up() {
    let mut evidence = steady_with(3, 20 * MS, None);
    evidence.streams[0].finish = Some("length".to_owned());
    evidence.streams[0].cancelled = false;
    evidence.streams[0].ended_ns = Some(33 * S);
    evidence.streams[0]
        .events
        .retain(|event| event.at_ns <= 33 * S);
    // 31.9 s after its first event: 1,596 events.
    let events = evidence.streams[0].events.len();
    assert_eq!(events, 1_596);
    evidence.streams[0].output_tokens = Some(2 * 1_596 + 399);
    let cell = evaluate(&evidence);
    assert_eq!(cell.sources.tokens.as_deref(), Some("estimated"));
    assert_eq!(
        cell.sources.tokens_spread, None,
        "one request has no spread"
    );
    // 2.25 tokens per event, 1,500 events in the window (1,451 in the one that ended at 33 s).
    assert_eq!(cell.stream_tokens[1..], [3_375, 3_375]);
    assert!(
        cell.stream_tokens[0].abs_diff(3_264) <= 1,
        "{:?}",
        cell.stream_tokens
    );
    assert_eq!(cell.output_tokens, Some(cell.stream_tokens.iter().sum()));
}

#[test]
fn without_any_count_one_per_event_is_said_to_be_unverified() {
    let cell = evaluate(&steady_with(2, 20 * MS, None));
    assert_eq!(cell.output_tokens, Some(3_000));
    assert_eq!(cell.sources.tokens.as_deref(), Some("one_per_event"));
    assert!(cell.notes[0].contains("not verified"), "{:?}", cell.notes);
}

#[test]
fn the_servers_counter_is_a_cross_check() {
    let check = |rate: f64, note: Option<&str>| {
        let mut evidence = steady(4);
        evidence.scrapes = scrapes(|second| Scrape {
            output_tokens: Some(1_000.0 + rate * f64::from(u32::try_from(second).unwrap())),
            ..Scrape::default()
        });
        let cell = evaluate(&evidence);
        let counted = (rate * 30.0).round();
        assert_eq!(cell.sources.server_output_tokens.map(f64_of), Some(counted));
        assert_eq!(cell.output_tokens, Some(6_000), "never a substitute");
        match note {
            Some(part) => assert!(cell.notes[0].contains(part), "{:?}", cell.notes),
            None => assert_eq!(cell.notes, Vec::<String>::new()),
        }
    };
    check(200.0, None);
    check(203.0, None);
    check(206.0, Some("6,180 tokens"));
    check(190.0, Some("5.0 % away"));
}

fn f64_of(count: u64) -> f64 {
    tokmark_units::float::from_u64(count)
}

#[test]
fn gauges_speculation_and_acceptance() {
    let mut evidence = steady(4);
    evidence.speculative = true;
    evidence.draft_tokens = Some(3);
    evidence.scrapes = scrapes(|second| Scrape {
        running: Some(if second < 19 { 4.0 } else { 2.0 }),
        waiting: Some(0.0),
        preemptions: Some(7.0),
        drafted: Some(f64_of(100 * second)),
        accepted: Some(f64_of(60 * second)),
        ..Scrape::default()
    });
    let cell = evaluate(&evidence);
    // 4 until 18.5 s, falling to 2 at 19.5 s (readings lie 1 ms after the half second).
    close_to(cell.server_running, (4.0 * 15.001 + 2.0 * 14.999) / 30.0);
    close_to(cell.server_waiting, 0.0);
    assert_eq!(cell.preemptions, Some(0));
    close_to(cell.speculative_acceptance, 0.6);

    let mut by_requests = steady(2);
    by_requests.streams[0].drafted = Some((400, 300));
    by_requests.streams[1].drafted = Some((600, 300));
    close_to(evaluate(&by_requests).speculative_acceptance, 0.6);
}

/// Frames that one read delivered share a stamp.
#[test]
fn shared_stamps_are_counted() {
    let mut evidence = steady(1);
    for event in &mut evidence.streams[0].events {
        // Pairs of events move onto the first of them: 20 ms apart, two by two.
        event.at_ns = event.at_ns / (40 * MS) * (40 * MS);
    }
    let cell = evaluate(&evidence);
    close_to(cell.sources.shared_stamps, 1.0);
    close_to(cell.per_request_tokens_per_s, 50.0);
    close(cell.gaps.unwrap().max_ms, 40.0);
}

/// A stamp before its predecessor's is the same moment, as it is once it was written and read.
#[test]
fn stamps_never_go_backwards() {
    let mut evidence = steady(1);
    let tidy = {
        let mut tidy = evidence.clone();
        tidy.streams[0].events[500].at_ns = tidy.streams[0].events[499].at_ns;
        evaluate(&tidy)
    };
    evidence.streams[0].events[500].at_ns = evidence.streams[0].events[499].at_ns - 1_000;
    assert_eq!(evaluate(&evidence), tidy);
}

/// B043: a request that was under way when the window opened gives it its tokens only.
#[test]
fn b043_only_tokens_inside_the_window_count() {
    let request = RequestEvidence {
        sent_ns: 3 * S,
        due_ns: 3 * S,
        events: every(500 * MS, 4 * S, 8_001 * MS, Some(1)),
        ..RequestEvidence::default()
    };
    assert_eq!(request.events.len(), 9);
    let mut evidence = steady(1);
    evidence.window = Some(Window {
        start_ns: 5 * S,
        end_ns: 15 * S,
    });
    evidence.streams = vec![request.clone()];
    let cell = evaluate(&evidence);
    assert_eq!(cell.output_tokens, Some(7));
    assert!(!tokmark_measure::request::belongs_to(
        &request,
        evidence.window.unwrap()
    ));
}

/// B016: eight streams of 20 tok/s are 160 tok/s; neither is multiplied twice.
#[test]
fn b016_rates_per_request_and_in_all() {
    let cell = evaluate(&steady_with(8, 50 * MS, Some(1)));
    close_to(cell.per_request_tokens_per_s, 20.0);
    close_to(cell.total_tokens_per_s, 160.0);
    assert_eq!(cell.notes, Vec::<String>::new());
    // Streams of very different speed: the product of the columns is no longer the total.
    let mut uneven = steady_with(8, 50 * MS, Some(1));
    for request in uneven.streams.iter_mut().take(3) {
        for event in &mut request.events {
            *event = Event {
                tokens: Some(4),
                ..*event
            };
        }
    }
    let cell = evaluate(&uneven);
    assert!(
        cell.notes
            .iter()
            .any(|note| note.contains("the streams differ")),
        "{:?}",
        cell.notes
    );
}

/// A made-up file with absurd numbers costs no memory and no panic.
#[test]
fn absurd_evidence_is_survived() {
    let mut evidence = steady(1);
    evidence.requests = u32::MAX;
    evidence.streams[0].stream = u32::MAX;
    evidence.streams.push(RequestEvidence {
        output_tokens: Some(u64::MAX),
        finish: Some("stop".to_owned()),
        events: vec![Event::default(); 3],
        ..RequestEvidence::default()
    });
    evidence.window = Some(Window {
        start_ns: 0,
        end_ns: u64::MAX,
    });
    let cell = evaluate(&evidence);
    assert!(cell.stream_tokens.len() <= 65_536);
    let text = serde_json::to_string(&cell).unwrap();
    assert!(!text.contains("NaN"));
}

#[test]
fn b034_a_compressed_cell_says_so() {
    let mut evidence = steady(2);
    assert!(evaluate(&evidence).notes.is_empty());
    for request in &mut evidence.streams {
        request.content_encoding = Some("gzip".to_owned());
    }
    let cell = evaluate(&evidence);
    assert_eq!(cell.status, CellStatus::Valid);
    assert_eq!(
        cell.notes,
        [
            "answers came compressed with `gzip` although `identity` was asked: the arrival times \
             are those of compressed pieces"
        ]
    );
}
