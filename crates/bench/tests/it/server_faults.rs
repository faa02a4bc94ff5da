//! Faults of the server as a whole: refusals, slow connections, metrics, a restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokmark_bench::{Progress, Settings};
use tokmark_driver::{Clock, Connect, ConnectError, Connected};
use tokmark_run_format::evidence::{PrefillPurpose, Record};
use tokmark_run_format::{CellStatus, DecodeCell};
use tokmark_sim::{Fault, Hits};
use tokmark_test_kit::SimBench;
use tokmark_units::Nanos;

use crate::answer_faults::sent;
use crate::{CHAT, cell, measure, settings, sim, status};

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

#[tokio::test(start_paused = true)]
async fn a_server_that_is_long_away_is_waited_for_as_long_as_asked() {
    let away = |wait_s| async move {
        let restarting = sim(|config| {
            config.faults.add(Fault::Restart {
                after_tokens: 6_000,
                down_ms: 300_000,
            });
        });
        let asked = Settings {
            wait_server: Duration::from_secs(wait_s),
            ..settings("0,2k", &[1, 4])
        };
        measure(restarting, &asked).await
    };
    let (_, outcome) = away(400).await;
    for cell in &outcome.decode {
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        // The documents are in the cache of the new server as they were in that of the old one.
        let warm = cell.context == 0 || cell.warm_fraction.unwrap() > 0.9;
        assert!(
            warm,
            "{} x {}: {:?}",
            cell.context, cell.requests, cell.warm_fraction
        );
    }
    let notes: Vec<&str> = outcome
        .notes
        .iter()
        .map(|note| note.code.as_str())
        .collect();
    assert!(notes.contains(&"server_restarted"), "{notes:?}");
    let cold = |purpose| {
        let record = |record: &&Record| matches!(record, Record::Prefill(sample) if sample.purpose == purpose);
        outcome.records.iter().filter(record).count()
    };
    assert_eq!(
        cold(PrefillPurpose::Document),
        4,
        "no document has two cold samples"
    );
    let (_, outcome) = away(30).await;
    let failed = |cell: &&DecodeCell| cell.status == CellStatus::Failed;
    assert!(outcome.decode.iter().filter(failed).count() >= 1);
}

/// A connector of a machine that is suspended when its n-th cell ends.
struct Laptop {
    inner: Arc<dyn Connect>,
    asked: AtomicU64,
    asleep_at: u64,
}

impl Connect for Laptop {
    fn connect(&self, clock: Clock) -> BoxFuture<'_, Result<Connected, ConnectError>> {
        self.inner.connect(clock)
    }

    fn suspended(&self) -> Nanos {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        Nanos::from_secs(if asked >= self.asleep_at { 3_600 } else { 0 })
    }
}

#[tokio::test(start_paused = true)]
async fn a_cell_in_which_the_computer_slept_is_measured_again() {
    let mut bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    // Each cell asks at its start and at its end; the hidden first cell of the probes does too.
    bench.session.connector = Arc::new(Laptop {
        inner: Arc::clone(&bench.session.connector),
        asked: AtomicU64::new(0),
        asleep_at: 5,
    });
    let (outcome, told) = bench.measure(&settings("0", &[1, 4])).await.unwrap();
    let tries: Vec<u32> = [1, 4]
        .map(|requests| crate::evidence(&outcome, 0, requests).retry)
        .to_vec();
    assert_eq!(tries, [0, 1], "it slept in the second cell");
    assert_eq!(status(&outcome, 0, 4), CellStatus::Valid);
    let again =
        |event: &&Progress| matches!(event, Progress::Note(text) if text.contains("once more"));
    assert_eq!(told.iter().filter(again).count(), 1);
}
