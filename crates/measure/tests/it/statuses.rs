//! Statuses, their order and what they take away: methodology section 5.

use tokmark_measure::cell::{evaluate, wants_retry};
use tokmark_run_format::evidence::{CellEnd, CellEvidence, LoopVerdict, NotRun, Scrape};
use tokmark_run_format::{CellStatus, DecodeCell};

use crate::build::*;

fn check(evidence: &CellEvidence, status: CellStatus, reason: &str) -> DecodeCell {
    let cell = evaluate(evidence);
    assert_eq!(cell.status, status, "{:?} {:?}", cell.reason, cell.notes);
    let found = cell.reason.clone().unwrap_or_default();
    assert!(found.contains(reason), "`{found}` without `{reason}`");
    cell
}

fn no_numbers(cell: &DecodeCell) {
    let mut bare = DecodeCell::without_numbers(
        cell.context,
        cell.requests,
        cell.status,
        cell.reason.clone(),
    );
    bare.failures.clone_from(&cell.failures);
    bare.notes.clone_from(&cell.notes);
    bare.evidence.clone_from(&cell.evidence);
    bare.preemptions = cell.preemptions;
    bare.need_tokens = cell.need_tokens;
    bare.budget_tokens = cell.budget_tokens;
    bare.admission_limit = cell.admission_limit;
    assert_eq!(*cell, bare);
}

fn waiting(count: f64) -> Vec<Scrape> {
    scrapes(|_| Scrape {
        waiting: Some(count),
        ..Scrape::default()
    })
}

fn preempting() -> Vec<Scrape> {
    // Two before the launch (reading 0) and three while the window was open.
    scrapes(|second| Scrape {
        preemptions: Some(if second < 20 { 2.0 } else { 5.0 }),
        ..Scrape::default()
    })
}

fn looping(streams: usize) -> CellEvidence {
    let mut evidence = steady(10);
    for request in evidence.streams.iter_mut().take(streams) {
        request.looped = Some(LoopVerdict {
            cycle_chars: 70,
            cycles: 40,
            covered: 0.8,
        });
    }
    evidence
}

#[test]
fn queued_when_streams_do_not_decode() {
    let mut evidence = steady(4);
    evidence.streams[3].events.clear();
    let cell = check(
        &evidence,
        CellStatus::Queued,
        "3.0 of 4 requests decoded on time average",
    );
    close_to(cell.average_active_requests, 3.0);
    close_to(cell.total_tokens_per_s, 150.0);
    close_to(cell.per_request_tokens_per_s, 50.0);
    assert_eq!(cell.admission_limit, None);
}

#[test]
fn queued_when_the_server_has_requests_waiting() {
    let mut evidence = steady(8);
    evidence.scrapes = waiting(0.4);
    check(&evidence, CellStatus::Valid, "");
    evidence.scrapes = waiting(0.5);
    check(&evidence, CellStatus::Queued, "the server had 0.5 waiting");
}

/// 21 of 22 are above 95 %, and yet the first level above a measured limit is the queue's.
#[test]
fn queued_above_a_measured_admission_limit() {
    let mut evidence = steady(22);
    evidence.admission_limit = Some(21);
    check(&evidence, CellStatus::Valid, "");
    evidence.streams[21].events.clear();
    let cell = check(&evidence, CellStatus::Queued, "measured to run 21 at once");
    assert_eq!(cell.admission_limit, Some(21));
    evidence.admission_limit = None;
    check(&evidence, CellStatus::Valid, "");
    // At the limit itself nothing is above it.
    evidence.admission_limit = Some(22);
    check(&evidence, CellStatus::Valid, "");
    // A stream that began inside the window waited for another one to end.
    evidence.admission_limit = Some(21);
    evidence.streams[21].events = every(20 * MS, 5 * S, WINDOW.end_ns + 20 * MS, Some(1));
    check(&evidence, CellStatus::Queued, "22.0 of 22 requests");
}

#[test]
fn short_answers_are_not_a_queue() {
    let mut evidence = steady(4);
    let requests = std::mem::take(&mut evidence.streams);
    for request in requests {
        // 3 s of 30 s: 10 % of the stream time, so that 90 % of C decode.
        let [before, after] = restarted(request, 10 * S, 13 * S);
        evidence.streams.extend([before, after]);
    }
    let cell = check(
        &evidence,
        CellStatus::Restarts,
        "10.0 % of the streams' time",
    );
    assert!(cell.average_active_requests.unwrap() < 3.8);
    assert!(cell.total_tokens_per_s.is_some());
}

/// Two at once, and answers that end by themselves: four streams take turns, and the time between
/// two of a stream's turns is spent in the queue.
#[test]
fn turns_at_a_measured_limit_are_a_queue() {
    let mut evidence = steady(4);
    let requests = std::mem::take(&mut evidence.streams);
    for (n, request) in requests.into_iter().enumerate() {
        let begin = if n % 2 == 0 { 10 } else { 12 };
        let [before, after] = restarted(request, begin * S, (begin + 17) * S);
        evidence.streams.extend([before, after]);
    }
    check(&evidence, CellStatus::Restarts, "of the streams' time");
    evidence.admission_limit = Some(2);
    check(&evidence, CellStatus::Queued, "measured to run 2 at once");
    // More than the limit decode: it was not the limit after all.
    evidence.admission_limit = Some(1);
    check(&evidence, CellStatus::Restarts, "of the streams' time");
}

#[test]
fn preemptions_of_launch_and_window_count() {
    let mut evidence = steady(4);
    evidence.scrapes = preempting();
    let cell = check(&evidence, CellStatus::Preempted, "3 times");
    assert_eq!(cell.preemptions, Some(3));
    assert!(cell.total_tokens_per_s.is_some());
    // Between the last reading before the launch and the next one.
    evidence.scrapes = scrapes(|second| Scrape {
        preemptions: Some(if second < 1 { 2.0 } else { 3.0 }),
        ..Scrape::default()
    });
    check(&evidence, CellStatus::Preempted, "once");
    evidence.scrapes[10].preemptions = Some(0.0);
    let cell = check(&evidence, CellStatus::Valid, "");
    assert_eq!(cell.preemptions, None, "a counter that fell proves nothing");
    assert!(cell.notes[0].contains("went backwards"), "{:?}", cell.notes);
}

#[test]
fn bursts_are_somebodys_buffer() {
    let bursts = |tokens: u32, gap_ms: u64| steady_with(2, gap_ms * MS, Some(tokens));
    let cell = check(
        &bursts(8, 160),
        CellStatus::Buffered,
        "bursts of 8 every 160.0 ms",
    );
    assert_eq!(cell.gaps, None);
    // 187 bursts of 8 in each of two streams.
    close_to(cell.total_tokens_per_s, 2_992.0 / 30.0);
    check(&bursts(4, 160), CellStatus::Valid, "");
    check(&bursts(8, 40), CellStatus::Valid, "");
    let drafting = |draft: Option<u32>| CellEvidence {
        speculative: true,
        draft_tokens: draft,
        ..bursts(8, 160)
    };
    check(&drafting(Some(7)), CellStatus::Valid, "");
    check(&drafting(Some(3)), CellStatus::Buffered, "");
    check(&drafting(None), CellStatus::Valid, "");
    // Two events are no pattern.
    check(&bursts(8, 15_000), CellStatus::Valid, "");
    // Single tokens that come together are a burst as well.
    let mut joined = steady(2);
    for event in joined
        .streams
        .iter_mut()
        .flat_map(|request| &mut request.events)
    {
        // What belongs 20 ms apart comes 0.05 ms apart.
        event.at_ns = event.at_ns / (200 * MS) * (200 * MS) + event.at_ns % (200 * MS) / 400;
    }
    check(&joined, CellStatus::Buffered, "bursts of 10 every 200.0 ms");
}

#[test]
fn loops_above_a_tenth_of_the_tokens() {
    let cell = check(&looping(1), CellStatus::Valid, "");
    assert!(
        cell.notes[0].starts_with("10.0 % of the window's tokens"),
        "{:?}",
        cell.notes
    );
    let cell = check(
        &looping(2),
        CellStatus::Looped,
        "20.0 % of the window's tokens",
    );
    no_numbers(&cell);
    assert!(wants_retry(&looping(2)));
    let again = CellEvidence {
        retry: 1,
        ..looping(2)
    };
    check(&again, CellStatus::Looped, "also with new tasks");
    assert!(!wants_retry(&again));
    let unchecked = CellEvidence {
        loop_check: false,
        ..looping(2)
    };
    let cell = check(&unchecked, CellStatus::Valid, "");
    assert!(
        cell.notes[0].contains("the loop check is off"),
        "{:?}",
        cell.notes
    );
    assert!(!wants_retry(&unchecked));
}

#[test]
fn a_failed_request_takes_the_numbers_away() {
    let mut evidence = steady(4);
    evidence.streams[1].failure = Some(failure("http", Some(503)));
    evidence.streams[2].failure = Some(failure("cut_stream", None));
    evidence.streams[3].failure = Some(failure("cut_stream", None));
    evidence.scrapes = preempting();
    let cell = check(
        &evidence,
        CellStatus::Failed,
        "3 of 4 requests failed: cut_stream, http (503): what the server said about cut_stream",
    );
    no_numbers(&cell);
    assert_eq!(cell.preemptions, Some(3));
    let classes: Vec<_> = cell
        .failures
        .iter()
        .map(|f| (f.class.as_str(), f.count))
        .collect();
    assert_eq!(classes, [("cut_stream", 2), ("http", 1)]);
    assert_eq!(cell.failures[1].http_status, Some(503));
    assert!(wants_retry(&evidence));
    evidence.retry = 1;
    check(&evidence, CellStatus::Failed, "also when tried again");
    assert!(!wants_retry(&evidence));
}

/// B047: when everything failed every statistic is null, and the document is JSON all the same.
#[test]
fn b047_all_requests_failed() {
    let mut evidence = steady(20);
    evidence.end = CellEnd::Failed;
    evidence.window = None;
    for request in &mut evidence.streams {
        request.events.clear();
        request.failure = Some(failure("connect", None));
    }
    let cell = check(
        &evidence,
        CellStatus::Failed,
        "20 of 20 requests failed: connect",
    );
    no_numbers(&cell);
    assert_eq!(cell.failures.len(), 1);
    assert_eq!(cell.failures[0].count, 20);
    let value = serde_json::to_value(&cell).unwrap();
    for name in [
        "total_tokens_per_s",
        "ttft_ms",
        "output_tokens",
        "ci95_low",
        "gaps",
    ] {
        assert!(value[name].is_null(), "{name}");
    }
}

#[test]
fn ends_without_a_measured_window() {
    let ended = |end: CellEnd, reason: Option<&str>| CellEvidence {
        end,
        end_reason: reason.map(str::to_owned),
        ..steady(2)
    };
    for (end, status) in [
        (CellEnd::BusyServer, CellStatus::BusyServer),
        (CellEnd::NotReady, CellStatus::NotReady),
        (CellEnd::Interrupted, CellStatus::Interrupted),
        (CellEnd::Skipped, CellStatus::Skipped),
        (CellEnd::Failed, CellStatus::Failed),
    ] {
        no_numbers(&check(
            &ended(end, Some("what happened")),
            status,
            "what happened",
        ));
        assert!(!evaluate(&ended(end, None)).reason.unwrap().is_empty());
        assert_eq!(wants_retry(&ended(end, None)), status == CellStatus::Failed);
    }
    let windowless = CellEvidence {
        window: None,
        ..steady(2)
    };
    no_numbers(&check(&windowless, CellStatus::Interrupted, "no window"));
}

#[test]
fn cells_that_were_not_run_say_why() {
    let evidence = CellEvidence {
        context: 65_536,
        requests: 32,
        not_run: Some(NotRun {
            status: CellStatus::OverCapacity,
            reason: "needs 2,359,296 tokens".to_owned(),
            need_tokens: Some(2_359_296),
            budget_tokens: Some(655_360),
            admission_limit: None,
        }),
        ..CellEvidence::default()
    };
    let cell = check(
        &evidence,
        CellStatus::OverCapacity,
        "needs 2,359,296 tokens",
    );
    assert_eq!(
        (cell.need_tokens, cell.budget_tokens),
        (Some(2_359_296), Some(655_360))
    );
    assert_eq!(cell.evidence.as_deref(), Some("decode/65536/32"));
    assert!(!wants_retry(&evidence));
    no_numbers(&cell);
}

/// The first that applies is the status; the others that hold are notes.
#[test]
fn one_status_and_the_rest_are_notes() {
    let mut evidence = steady(4);
    evidence.streams[3].events.clear();
    evidence.scrapes = preempting();
    let cell = check(&evidence, CellStatus::Preempted, "");
    assert!(
        cell.notes
            .iter()
            .any(|n| n.starts_with("Requests queued: 3.0 of 4")),
        "{:?}",
        cell.notes
    );

    let mut evidence = looping(3);
    evidence.scrapes = preempting();
    let cell = check(&evidence, CellStatus::Looped, "");
    assert!(
        cell.notes.iter().any(|n| n.starts_with("Ran out of cache")),
        "{:?}",
        cell.notes
    );

    evidence.streams[9].failure = Some(failure("stalled", None));
    let cell = check(&evidence, CellStatus::Failed, "");
    assert!(
        cell.notes.iter().any(|n| n.starts_with("Looped")),
        "{:?}",
        cell.notes
    );

    evidence.end = CellEnd::Interrupted;
    let cell = check(&evidence, CellStatus::Interrupted, "");
    assert!(
        cell.notes.iter().any(|n| n.starts_with("Failed")),
        "{:?}",
        cell.notes
    );

    // Gaps of a buffer are no gaps, whatever else holds.
    let mut evidence = steady_with(4, 160 * MS, Some(8));
    evidence.streams[3].events.clear();
    let cell = check(&evidence, CellStatus::Queued, "");
    assert_eq!(cell.gaps, None);
    assert!(
        cell.notes.iter().any(|n| n.starts_with("Buffered")),
        "{:?}",
        cell.notes
    );
}
