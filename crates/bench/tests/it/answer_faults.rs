//! Faults of single answers: what they may change in a cell, and what they must not.

use tokmark_bench::Outcome;
use tokmark_run_format::{CellStatus, DecodeCell};
use tokmark_sim::{SimConfig, Truth};
use tokmark_test_kit::SimBench;

use crate::{cell, evidence, measure, settings, sim};

fn faulty(words: &str) -> SimConfig {
    sim(|config| {
        for fault in words.split_whitespace() {
            config.faults.add_words(fault).unwrap();
        }
    })
}

/// Tokens that the server handed out in a cell's window, by its own record.
pub(crate) fn sent(truth: &Truth, outcome: &Outcome, cell: &DecodeCell) -> u64 {
    let evidence = evidence(outcome, cell.context, cell.requests);
    let window = evidence.window.unwrap();
    truth
        .requests
        .iter()
        .flat_map(|request| &request.emissions)
        .filter(|emission| window.contains(emission.at.0))
        .map(|emission| u64::from(emission.tokens))
        .sum()
}

async fn measured(words: &str, contexts: &str, requests: u32) -> (SimBench, Outcome) {
    measure(faulty(words), &settings(contexts, &[requests])).await
}

#[tokio::test(start_paused = true)]
async fn the_form_of_a_stream_changes_no_number() {
    let numbers = |outcome: &Outcome| {
        let cell = cell(outcome, 0, 4).clone();
        let gaps = cell.gaps.as_ref().map(|g| (g.p50_ms, g.p99_ms, g.max_ms));
        (
            cell.status,
            cell.output_tokens,
            cell.per_request_tokens_per_s,
            cell.ttft_ms,
            gaps,
            cell.notes,
        )
    };
    let sound = numbers(&measured("", "0", 4).await.1);
    assert_eq!(sound.0, CellStatus::Valid);
    for words in [
        "role-chunk",
        "reasoning-first:1:50",
        "keep-alive:1:3",
        "crlf",
        "no-space",
        "split-utf8",
        "usage-continuous",
        "role-chunk reasoning-first keep-alive:1:1 crlf no-space split-utf8",
    ] {
        let (_bench, outcome) = measured(words, "0", 4).await;
        assert_eq!(numbers(&outcome), sound, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn b004_several_tokens_in_an_event_count_as_usage_says() {
    let (bench, outcome) = measured("several-tokens:1:4", "0", 4).await;
    let cell = cell(&outcome, 0, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    let truth = bench.server.truth();
    assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
    // A step takes 10 to 11 ms, and an event four of them.
    let gap = cell.gaps.as_ref().unwrap().p50_ms;
    assert!((40.0..44.0).contains(&gap), "{gap}");
}

#[tokio::test(start_paused = true)]
async fn without_any_usage_the_token_ids_are_counted() {
    for words in ["usage-absent", "usage-null"] {
        let (bench, outcome) = measured(words, "0", 4).await;
        let cell = cell(&outcome, 0, 4);
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        let truth = bench.server.truth();
        assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
        assert_eq!(cell.sources.tokens.as_deref(), Some("token_ids"));
        assert_eq!(cell.notes, [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn without_any_usage_the_servers_counter_shows_that_events_carry_more() {
    let (_bench, outcome) = measured("usage-absent several-tokens:1:4", "0", 4).await;
    let notes = &cell(&outcome, 0, 4).notes;
    let says = |part: &str| notes.iter().any(|note| note.contains(part));
    assert!(says("not verified") && says("own counter"), "{notes:?}");
}

#[tokio::test(start_paused = true)]
async fn wrong_usage_is_contradicted_by_the_servers_counter() {
    let (bench, outcome) = measured("wrong-usage:1:150", "0", 4).await;
    let cell = cell(&outcome, 0, 4);
    let truth = sent(&bench.server.truth(), &outcome, cell);
    let counted = cell.output_tokens.unwrap();
    // Usage is what counts, and the note says that it is doubtful.
    assert!(counted.abs_diff(truth * 3 / 2) <= 4, "{counted}, {truth}");
    let note = cell.notes.iter().find(|note| note.contains("own counter"));
    assert!(note.unwrap().contains("33."), "{note:?}");
}

#[tokio::test(start_paused = true)]
async fn answers_that_end_early_are_counted_in_full_and_marked_when_they_are_short() {
    for (words, status) in [
        ("early-end:1:200", CellStatus::Valid),
        ("early-end:1:40", CellStatus::Restarts),
    ] {
        let (bench, outcome) = measured(words, "0", 4).await;
        let cell = cell(&outcome, 0, 4);
        assert_eq!(cell.status, status, "{words}: {:?}", cell.reason);
        let truth = bench.server.truth();
        assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
        assert!(cell.completed_requests.unwrap() >= 12, "{cell:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_after_some_text_is_found() {
    let (_bench, outcome) = measured("loop:1:100", "0", 2).await;
    let cell = cell(&outcome, 0, 2);
    assert_eq!(cell.status, CellStatus::Looped, "{:?}", cell.reason);
    assert_eq!(cell.total_tokens_per_s, None);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_was_cut_is_told() {
    let (_bench, outcome) = measured("truncated-prompt:1:1024", "2k", 1).await;
    let cut = cell(&outcome, 2_048, 1);
    assert_eq!(cut.prompt_tokens, Some(1_024));
    let note = cut.notes.first().expect("a note");
    assert!(
        note.contains("1,024") && note.contains("2,048") && note.contains("cut"),
        "{note}"
    );
    let (_bench, outcome) = measured("truncated-prompt:1:4096", "2k", 1).await;
    assert_eq!(cell(&outcome, 2_048, 1).notes, Vec::<String>::new());
}
