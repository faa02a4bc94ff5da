use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokmark_bench::{RunError, Settings};
use tokmark_driver::{Io, MemoryConnect};
use tokmark_run_format::CellStatus;
use tokmark_run_format::plan::CapacityRule;
use tokmark_sim::{Fault, Hits};
use tokmark_test_kit::SimBench;

use crate::{CHAT, cell, measure, settings, sim, status};

/// Past every probe's length, inside a cell's answers.
const AFTER: u32 = 400;

#[tokio::test(start_paused = true)]
async fn an_error_inside_the_stream_fails_the_cell_with_the_servers_words() {
    let (_bench, outcome) = measure(
        sim(|config| {
            config.faults.add(Fault::ErrorInStream {
                after_tokens: AFTER,
            });
        }),
        &settings("0", &[1]),
    )
    .await;
    let cell = cell(&outcome, 0, 1);
    assert_eq!(cell.status, CellStatus::Failed);
    assert_eq!(cell.failures[0].class, "error_in_stream");
    assert!(!cell.failures[0].sample.is_empty());
    assert_eq!(cell.total_tokens_per_s, None, "a failure is never a number");
}

#[tokio::test(start_paused = true)]
async fn a_cut_stream_fails_the_cell() {
    let (_bench, outcome) = measure(
        sim(|config| {
            config.faults.add(Fault::CutStream {
                after_tokens: AFTER,
            });
        }),
        &settings("0", &[1]),
    )
    .await;
    assert_eq!(cell(&outcome, 0, 1).failures[0].class, "cut_stream");
}

#[tokio::test(start_paused = true)]
async fn b050_a_silent_stream_is_stalled_after_the_timeout() {
    let asked = Settings {
        stall_timeout: std::time::Duration::from_secs(2),
        ..settings("0", &[1])
    };
    let (_bench, outcome) = measure(
        sim(|config| {
            config.faults.add(Fault::Stall {
                after_tokens: AFTER,
            });
        }),
        &asked,
    )
    .await;
    assert_eq!(cell(&outcome, 0, 1).failures[0].class, "stalled");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_leaves_what_was_measured() {
    let dying = sim(|config| {
        config.faults.add(Fault::Die {
            after_tokens: 4_000,
        });
    });
    let (_bench, outcome) = measure(dying, &settings("0", &[1, 2, 4, 8])).await;
    assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
    let last = cell(&outcome, 0, 8);
    assert!(last.status.is_incomplete(), "{last:?}");
    assert_eq!(outcome.decode.len(), 4);
    assert!(
        outcome
            .decode
            .iter()
            .all(|c| c.status == CellStatus::Valid || c.reason.is_some())
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    drop(bench);
    let silent = sim(|config| config.faults.add(Fault::NeverAnswer));
    // The probe of its fields is the first to find out.
    assert!(SimBench::start(silent, CHAT).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn b070_refused_fields_are_dropped_and_remembered() {
    let picky = sim(|config| {
        for field in ["ignore_eos", "stream_options"] {
            let field = field.to_owned();
            config.faults.add(Fault::RefuseField { field });
        }
    });
    let (bench, outcome) = measure(picky, &settings("0", &[1])).await;
    let dropped = &bench.session.capabilities.dropped_fields;
    assert!(
        dropped.iter().any(|field| field == "ignore_eos"),
        "{dropped:?}"
    );
    assert!(
        outcome.decode[0].status != CellStatus::Failed,
        "{:?}",
        outcome.decode[0]
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_at_the_start_is_told_as_such() {
    let limited = sim(|config| {
        let limit = Fault::TooManyRequests { retry_after_s: 7 };
        config.faults.add_to(limit, Hits::first(1_000));
    });
    match SimBench::start(limited, CHAT).await {
        Err(error) => assert!(error.to_string().contains("429"), "{error}"),
        Ok(bench) => {
            let error = bench.measure(&settings("0", &[1])).await.unwrap_err();
            assert!(
                matches!(
                    error,
                    RunError::FirstRequest {
                        http_status: Some(429),
                        ..
                    }
                ),
                "{error}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b022_comments_between_frames_change_nothing() {
    let quiet = measure(sim(|_| {}), &settings("0", &[4])).await.1;
    let chatty = sim(|config| config.faults.add(Fault::KeepAlive { every: 3 }));
    let chatty = measure(chatty, &settings("0", &[4])).await.1;
    assert_eq!(
        quiet.decode[0].output_tokens,
        chatty.decode[0].output_tokens
    );
    assert_eq!(quiet.decode[0].ttft_ms, chatty.decode[0].ttft_ms);
}

#[tokio::test(start_paused = true)]
async fn a_cell_without_a_first_token_is_not_ready_and_no_number() {
    let mut bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    let server = Arc::clone(&bench.server);
    let opened = AtomicUsize::new(0);
    // Six probes of the idle server and the rate probe are answered; then requests vanish, as
    // behind a gateway that takes them and never passes them on.
    bench.session.connector = Arc::new(MemoryConnect::new(move || {
        let io: Box<dyn Io> = if opened.fetch_add(1, Ordering::Relaxed) < 7 {
            Box::new(server.connect())
        } else {
            let (client, silent) = tokio::io::duplex(65_536);
            tokio::spawn(async move {
                let _held_open = silent;
                std::future::pending::<()>().await;
            });
            Box::new(client)
        };
        io
    }));
    let (outcome, _) = bench.measure(&settings("0", &[1])).await.unwrap();
    let cell = cell(&outcome, 0, 1);
    assert_eq!(cell.status, CellStatus::NotReady, "{:?}", cell.reason);
    assert!(
        cell.reason.as_deref().unwrap().contains("1 min"),
        "{:?}",
        cell.reason
    );
    assert_eq!(cell.total_tokens_per_s, None);
}

#[tokio::test(start_paused = true)]
async fn b038_every_request_that_is_asked_for_is_in_flight() {
    let wide = sim(|config| config.engine.max_num_seqs = 512);
    let asked = Settings {
        window: std::time::Duration::from_secs(1),
        capacity: CapacityRule::Try,
        ..settings("0", &[400])
    };
    let (_bench, outcome) = measure(wide, &asked).await;
    let cell = cell(&outcome, 0, 400);
    assert_eq!(outcome.probes.admission_limit, None);
    assert_eq!(
        cell.average_active_requests,
        Some(400.0),
        "{:?}",
        cell.reason
    );
    assert_eq!(cell.stream_tokens.len(), 400);
}
