//! Cells and rows by the number of the case that went wrong elsewhere.

use tokmark_measure::cell::evaluate;
use tokmark_measure::prefill::rows;
use tokmark_measure::request::{self, Counted};
use tokmark_measure::stats;
use tokmark_run_format::CellStatus;
use tokmark_run_format::evidence::{
    CellEvidence, Event, PrefillEvidence, ProbeEvidence, RequestEvidence, Scrape,
};
use tokmark_run_format::prefill::SampleRole;
use tokmark_units::float;

use crate::build::*;

fn answered(sent_ns: u64, events: Vec<Event>, tokens: u64) -> RequestEvidence {
    RequestEvidence {
        sent_ns,
        ended_ns: events.last().map(|event| event.at_ns),
        events,
        prompt_tokens: Some(1_000),
        output_tokens: Some(tokens),
        finish: Some("stop".to_owned()),
        ..RequestEvidence::default()
    }
}

/// One good answer and one stream of nothing but its end: the median is the good one's.
#[test]
fn b011_an_empty_stream_is_no_latency_of_zero() {
    let good = answered(0, at_ms(&[(300, 1)]), 1);
    let empty = RequestEvidence {
        failure: Some(failure("empty_stream", Some(200))),
        ..RequestEvidence::default()
    };
    let all = [good, empty].map(|request| request::numbers(&request).ttft_ms);
    assert_eq!(all, [Some(300.0), None]);
    let known: Vec<f64> = all.into_iter().flatten().collect();
    close_to(stats::median(&known), 300.0);
}

/// A token every 25 ms, let through 64 at a time: the rate is the server's, the gaps are not.
#[test]
fn b034_a_buffering_proxy_leaves_the_rate_and_takes_the_gaps() {
    let through = |stream: u32, held: u64| {
        let mut request = decoding(stream, 25 * MS, Some(1));
        for (index, event) in request.events.iter_mut().enumerate() {
            let release = (float::len_u64(index) / held + 1) * held;
            event.at_ns = LAUNCH + release * 25 * MS;
        }
        request
    };
    let cell = |held: u64| CellEvidence {
        streams: (0..2).map(|stream| through(stream, held)).collect(),
        ..steady_with(2, 25 * MS, Some(1))
    };
    let buffered = evaluate(&cell(64));
    assert_eq!(buffered.status, CellStatus::Buffered, "{buffered:?}");
    let reason = buffered.reason.unwrap();
    assert!(reason.contains("bursts of 64 every 1,600.0 ms"), "{reason}");
    assert_eq!(buffered.gaps, None);
    // 19 bursts of 64 lie between 4 s and 34 s: at 4.2 s, 5.8 s, …, 33 s.
    close_to(buffered.total_tokens_per_s, 2.0 * 19.0 * 64.0 / 30.0);
    let direct = evaluate(&cell(1));
    assert_eq!(direct.status, CellStatus::Valid);
    close(direct.gaps.unwrap().p50_ms, 25.0);
}

/// The server counts 100 tokens, and 83 frames came (what another tokenizer would make of them is
/// not asked): the server's count stands, and both can be read from the evidence.
#[test]
fn b065_the_servers_count_wins() {
    let frames = (0..83).map(|n| Event {
        // From 0.1 s to 1.1 s.
        at_ns: 100 * MS + n * S / 82,
        tokens: None,
    });
    let request = answered(0, frames.collect(), 100);
    let found = request::numbers(&request);
    assert_eq!(
        (found.output_tokens, found.counted),
        (100, Counted::ByUsage)
    );
    close_to(found.tpot_ms, 1_000.0 / 99.0);
    close_to(found.tokens_per_event, 100.0 / 83.0);

    // In a cell the requests without a count of their own take the same ratio, which is said.
    let mut evidence = steady_with(2, 20 * MS, None);
    let ended = &mut evidence.streams[0];
    ended.events.retain(|event| event.at_ns <= 33 * S);
    let frames = float::len_u64(ended.events.len());
    ended.output_tokens = Some(frames * 100 / 83);
    ended.ended_ns = Some(33 * S);
    ended.finish = Some("length".to_owned());
    ended.cancelled = false;
    let cell = evaluate(&evidence);
    assert_eq!(cell.sources.tokens.as_deref(), Some("estimated"));
    let per_event = cell.gaps.unwrap().tokens_per_event;
    assert!((per_event - 100.0 / 83.0).abs() < 1e-3, "{per_event}");
}

/// The first request loads the model for 20.6 s: it stands apart and moves no median.
#[test]
fn b082_loading_the_model_is_no_prefill() {
    let sample = |ttft_ms: u64| PrefillEvidence {
        context: 8_192,
        request: RequestEvidence {
            cached_tokens: Some(0),
            ..answered(
                S,
                vec![Event {
                    at_ns: S + ttft_ms * MS,
                    tokens: Some(1),
                }],
                8,
            )
        },
        ..PrefillEvidence::default()
    };
    let samples = [21_000, 400, 410, 390].map(sample);
    let row = rows(&[8_192], &samples, &ProbeEvidence::default()).remove(0);
    let first = &row.samples[0];
    assert_eq!(first.role, SampleRole::First);
    close_to(row.ttft_ms, 400.0);
    close(first.ttft_ms - row.ttft_ms.unwrap(), 20_600.0);
    close_to(row.ttft_ms_max, 410.0);
}

/// The same server accepts 20 % of its drafts on random text and 75 % on prose.
#[test]
fn b085_acceptance_is_what_the_counters_gained() {
    let check = |accepted: f64, share: f64| {
        let mut evidence = steady(1);
        evidence.speculative = true;
        // 2,000 drafts from launch to the window's end, and 500 before.
        evidence.scrapes = scrapes(|second| {
            let done = float::from_u64(second.saturating_sub(1).min(32)) / 32.0;
            Scrape {
                drafted: Some(500.0 + 2_000.0 * done),
                accepted: Some(450.0 + accepted * done),
                preemptions: Some(if second < 9 { 4.0 } else { 6.0 }),
                ..Scrape::default()
            }
        });
        let cell = evaluate(&evidence);
        close_to(cell.speculative_acceptance, share);
        assert_eq!(cell.preemptions, Some(2));
    };
    check(400.0, 0.2);
    check(1_500.0, 0.75);
}

/// Ten requests, eight of which fail in four ways: each way has its count and one of its texts.
#[test]
fn b092_failures_have_a_class_a_count_and_a_sample() {
    let mut evidence = steady(10);
    let ways: [(usize, &str, Option<u16>, &str); 4] = [
        (3, "connect", None, "connection refused"),
        (2, "tls", None, "certificate not trusted"),
        (2, "http", Some(400), "extra field ignore_eos"),
        (1, "http", Some(500), "Internal Server Error"),
    ];
    let mut streams = evidence.streams.iter_mut();
    for (count, class, status, words) in ways {
        for request in streams.by_ref().take(count) {
            request.events.clear();
            request.failure = Some(failure(class, status));
            request.failure.as_mut().unwrap().message = words.to_owned();
        }
    }
    let cell = evaluate(&evidence);
    assert_eq!(cell.status, CellStatus::Failed);
    let found: Vec<_> = cell
        .failures
        .iter()
        .map(|f| (f.count, f.class.as_str(), f.http_status, f.sample.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (3, "connect", None, "connection refused"),
            (2, "http", Some(400), "extra field ignore_eos"),
            (2, "tls", None, "certificate not trusted"),
            (1, "http", Some(500), "Internal Server Error"),
        ]
    );
    let reason = cell.reason.unwrap();
    assert!(reason.starts_with("8 of 10 requests failed"), "{reason}");
}

/// 100 tok/s for 20 s, then 82 as the card heats up: the window's trend shows it.
#[test]
fn b106_a_fall_inside_the_window_is_its_drift() {
    let at = |second: u64| {
        let (gap_ms, count) = if second < 24 { (10, 100) } else { (12, 82) };
        (0..count).map(move |n| Event {
            at_ns: second * S + n * gap_ms * MS,
            tokens: Some(1),
        })
    };
    let mut evidence = steady(1);
    evidence.streams[0].events = (2..34).flat_map(at).collect();
    let cell = evaluate(&evidence);
    close_to(cell.total_tokens_per_s, 94.0);
    // The least-squares line through 20 slices of 100 and 10 of 82, from edge to edge.
    close_to(cell.drift, -1_800.0 / 2_247.5 * 30.0 / 94.0);
    close_to(evaluate(&steady(1)).drift, 0.0);
}
