//! Faults of the server as a whole: refusals, slow connections, metrics, a restart.

use tokmark_run_format::CellStatus;
use tokmark_sim::{Fault, Hits};

use crate::answer_faults::sent;
use crate::{cell, measure, settings, sim, status};

#[tokio::test(start_paused = true)]
async fn requests_that_are_refused_fail_their_cells_with_the_status() {
    for (fault, http) in [
        (Fault::TooManyRequests { retry_after_s: 5 }, 429),
        (Fault::Unavailable { retry_after_s: 5 }, 503),
    ] {
        // Past the probes and the first cell.
        let limited = sim(|config| config.faults.add_to(fault, Hits::after(16)));
        let (_bench, outcome) = measure(limited, &settings("0", &[1, 4])).await;
        assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
        let refused = cell(&outcome, 0, 4);
        assert_eq!(refused.status, CellStatus::Failed, "{:?}", refused.reason);
        let failure = &refused.failures[0];
        assert_eq!(failure.class, "rate_limited");
        assert_eq!(failure.http_status, Some(http));
        assert_eq!(refused.total_tokens_per_s, None);
        // The cell ends at the first refusal, and does not go on asking for its whole length.
        assert!(failure.count < 100, "{}", failure.count);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_accept_delays_the_first_token_and_nothing_else() {
    let sound = measure(sim(|_| {}), &settings("0", &[4])).await.1;
    let slow = sim(|config| config.faults.add(Fault::SlowAccept { wait_ms: 500 }));
    let (_bench, slow) = measure(slow, &settings("0", &[4])).await;
    let (sound, slow) = (cell(&sound, 0, 4), cell(&slow, 0, 4));
    assert_eq!(slow.status, CellStatus::Valid, "{:?}", slow.reason);
    assert_eq!(slow.ttft_ms, sound.ttft_ms.map(|ttft| ttft + 500.0));
    assert_eq!(slow.output_tokens, sound.output_tokens);
}

#[tokio::test(start_paused = true)]
async fn without_the_metrics_a_cell_is_as_exact_and_says_less() {
    for fault in [Fault::MetricsAbsent, Fault::MetricsRenamed] {
        let silent = sim(|config| config.faults.add(fault.clone()));
        let (bench, outcome) = measure(silent, &settings("0", &[4])).await;
        let cell = cell(&outcome, 0, 4);
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        let truth = bench.server.truth();
        assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
        assert_eq!(cell.server_running, None);
        assert_eq!(cell.average_active_requests, Some(4.0));
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_of_one_rank_are_contradicted_by_what_arrives() {
    let partial = sim(|config| {
        config.engine.ranks = 2;
        config.faults.add(Fault::MetricsOneRank);
    });
    let (bench, outcome) = measure(partial, &settings("0", &[4])).await;
    let cell = cell(&outcome, 0, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    let truth = bench.server.truth();
    assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
    assert_eq!(cell.server_running, Some(2.0));
    let note = cell.notes.iter().find(|note| note.contains("own counter"));
    assert!(note.unwrap().contains("50.0 %"), "{note:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_again_costs_the_cell_one_try() {
    let restarting = sim(|config| {
        config.faults.add(Fault::Restart {
            after_tokens: 4_000,
            down_ms: 20_000,
        });
    });
    let (bench, outcome) = measure(restarting, &settings("0,2k", &[1, 4])).await;
    assert!(!bench.server.is_dead());
    let truth = bench.server.truth();
    for cell in &outcome.decode {
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        assert_eq!(cell.output_tokens, Some(sent(&truth, &outcome, cell)));
    }
    let tries: Vec<_> = outcome
        .decode
        .iter()
        .map(|cell| crate::evidence(&outcome, cell.context, cell.requests).retry)
        .collect();
    assert_eq!(tries, [0, 1, 0, 0], "the server died in the second cell");
}
