use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokmark_bench::{Progress, RunError, Settings};
use tokmark_run_format::CellStatus;
use tokmark_run_format::plan::CapacityRule;
use tokmark_sim::text::LoopRule;
use tokmark_sim::{Dialect, Fault};
use tokmark_test_kit::SimBench;

use crate::{CHAT, cell, evidence, measure, settings, sim, status};

/// Every answer repeats itself from its beginning.
fn always() -> LoopRule {
    LoopRule {
        prompt_tokens: 0..=u32::MAX,
        after_tokens: 0,
        share: 1.0,
    }
}

#[tokio::test(start_paused = true)]
async fn queued_one_level_above_the_limit_and_over_admission_beyond() {
    let few = sim(|config| config.engine.max_num_seqs = 4);
    let (_bench, outcome) = measure(few, &settings("0,2k", &[1, 4, 8, 16])).await;
    assert_eq!(outcome.probes.admission_limit, Some(4));
    for context in [0, 2_048] {
        assert_eq!(status(&outcome, context, 4), CellStatus::Valid);
        let queued = cell(&outcome, context, 8);
        assert_eq!(queued.status, CellStatus::Queued, "{:?}", queued.reason);
        assert!((queued.average_active_requests.unwrap() - 4.0).abs() < 0.2);
        assert!(queued.total_tokens_per_s.is_some());
        let over = cell(&outcome, context, 16);
        assert_eq!(over.status, CellStatus::OverAdmission);
        assert_eq!(over.admission_limit, Some(4));
        assert_eq!(over.total_tokens_per_s, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hybrid_models_states_limit_it_though_its_tokens_would_fit() {
    let hybrid = sim(|config| config.engine.max_states = Some(21));
    let (_bench, outcome) = measure(hybrid, &settings("0", &[16, 32, 64])).await;
    assert_eq!(outcome.probes.admission_limit, Some(21));
    assert_eq!(status(&outcome, 0, 16), CellStatus::Valid);
    let queued = cell(&outcome, 0, 32);
    assert_eq!(queued.status, CellStatus::Queued);
    assert!(
        (queued.average_active_requests.unwrap() - 21.0).abs() < 0.5,
        "{queued:?}"
    );
    assert_eq!(status(&outcome, 0, 64), CellStatus::OverAdmission);
}

#[tokio::test(start_paused = true)]
async fn over_capacity_by_each_rule() {
    let small = || sim(|config| config.engine.num_blocks = 32_768 / config.engine.block_size + 1);
    let with = |rule| Settings {
        capacity: rule,
        ..settings("8k", &[1, 2, 4])
    };
    let (_a, expected) = measure(small(), &with(CapacityRule::Expected)).await;
    // Three documents of 8K and what they write fit into 32K, four do not.
    assert_eq!(status(&expected, 8_192, 2), CellStatus::Valid);
    let over = cell(&expected, 8_192, 4);
    assert_eq!(over.status, CellStatus::OverCapacity);
    assert!(over.need_tokens.unwrap() > over.budget_tokens.unwrap() * 97 / 100);
    let (_b, reserve) = measure(small(), &with(CapacityRule::Reserve)).await;
    assert_eq!(status(&reserve, 8_192, 1), CellStatus::Valid);
    // 4 x (8K + 8K) = 64K; 2 x 16K = 32K is the whole budget and fits.
    assert_eq!(status(&reserve, 8_192, 2), CellStatus::Valid);
    assert_eq!(status(&reserve, 8_192, 4), CellStatus::OverCapacity);
}

#[tokio::test(start_paused = true)]
async fn preempted_when_tried_beyond_the_cache() {
    let small = sim(|config| {
        config.engine.max_model_len = 16_384;
        config.engine.num_blocks = 20_480 / config.engine.block_size + 1;
    });
    let asked = Settings {
        capacity: CapacityRule::Try,
        ..settings("4k", &[1, 5])
    };
    let (_bench, outcome) = measure(small, &asked).await;
    let preempted = cell(&outcome, 4_096, 5);
    assert_eq!(
        preempted.status,
        CellStatus::Preempted,
        "{:?}",
        preempted.reason
    );
    assert!(preempted.preemptions.unwrap() > 0);
    assert!(preempted.total_tokens_per_s.is_some());
}

#[tokio::test(start_paused = true)]
async fn looped_after_two_tries() {
    let looping = sim(|config| config.text.loops = Some(always()));
    let (_bench, outcome) = measure(looping, &settings("0", &[1, 2])).await;
    for requests in [1, 2] {
        let cell = cell(&outcome, 0, requests);
        assert_eq!(cell.status, CellStatus::Looped, "{:?}", cell.reason);
        assert_eq!(evidence(&outcome, 0, requests).retry, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_check_that_is_off_decides_nothing() {
    let looping = sim(|config| config.text.loops = Some(always()));
    let asked = Settings {
        loop_check: false,
        ..settings("0", &[1])
    };
    let (_bench, outcome) = measure(looping, &asked).await;
    assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
}

#[tokio::test(start_paused = true)]
async fn short_answers_are_restarts_and_gaps_of_restarts_do_not_count() {
    let short = sim(|config| {
        config.natural_output = Some(40);
        let field = "ignore_eos".to_owned();
        config.faults.add(Fault::RefuseField { field });
    });
    let (_bench, outcome) = measure(short, &settings("0", &[1, 4])).await;
    let cell = cell(&outcome, 0, 4);
    assert!(cell.completed_requests.unwrap() > 10, "{cell:?}");
    assert!(cell.restart_fraction.unwrap() > 0.0);
    // A stream's own rate leaves the gaps of its restarts out: it is above its share of the total.
    assert!(cell.per_request_tokens_per_s.unwrap() > cell.total_tokens_per_s.unwrap() / 4.0);
}

#[tokio::test(start_paused = true)]
async fn buffered_shows_the_rate_but_no_gaps() {
    let buffering = sim(|config| config.faults.add(Fault::BufferingProxy { events: 16 }));
    let (_bench, outcome) = measure(buffering, &settings("0", &[1, 4])).await;
    let cell = cell(&outcome, 0, 4);
    assert_eq!(cell.status, CellStatus::Buffered, "{:?}", cell.reason);
    assert!(cell.total_tokens_per_s.is_some());
    assert_eq!(cell.gaps, None);
}

#[tokio::test(start_paused = true)]
async fn a_bare_server_is_measured_by_estimation() {
    let bare = sim(|config| {
        config.dialect = Dialect::OpenAi;
        config.prompt_tokens_details = false;
    });
    let (bench, outcome) = measure(bare, &settings("0,2k", &[1, 4])).await;
    assert_eq!(bench.session.server.engine.name, "openai");
    let truth = bench.server.truth();
    for (context, requests) in [(0, 1), (2_048, 4)] {
        let cell = cell(&outcome, context, requests);
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        let window = evidence(&outcome, context, requests).window.unwrap();
        let sent: u64 = truth
            .requests
            .iter()
            .flat_map(|r| &r.emissions)
            .filter(|e| window.contains(e.at.0))
            .map(|e| u64::from(e.tokens))
            .sum();
        let counted = cell.output_tokens.unwrap();
        assert!(counted.abs_diff(sent) * 100 <= sent, "{counted} for {sent}");
        assert_ne!(cell.sources.tokens.as_deref(), Some("usage"));
        // Without a counting route lengths are calibrated: within 2 %.
        if let Some(tokens) = cell.prompt_tokens.filter(|_| context > 0) {
            assert!(tokens.abs_diff(context) * 50 <= context, "{tokens}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn somebody_elses_load_is_never_a_number() {
    let busy = sim(|config| {
        config.faults.add(Fault::BackgroundLoad { sequences: 3 });
    });
    let bench = SimBench::start(busy, CHAT).await.unwrap();
    let error = bench.measure(&settings("0", &[1])).await.unwrap_err();
    assert!(matches!(error, RunError::Busy(_)), "{error}");
    assert!(error.to_string().contains('3'), "{error}");
}

#[tokio::test(start_paused = true)]
async fn b094_what_does_not_fit_into_the_time_is_not_planned_and_says_so() {
    let asked = Settings {
        max_time: Some(Duration::from_mins(1)),
        ..settings("0", &[1, 2, 4, 8, 16, 32])
    };
    let (_bench, outcome) = measure(sim(|_| {}), &asked).await;
    assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
    let last = cell(&outcome, 0, 32);
    assert_eq!(last.status, CellStatus::NotPlanned);
    let reason = last.reason.as_deref().unwrap();
    assert!(reason.contains("time given"), "{reason}");
    // What was measured was measured in full.
    assert_eq!(outcome.decode[0].measured_s, Some(8.0));
    assert_eq!(outcome.decode.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn stopping_keeps_what_was_measured() {
    let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    let stop = CancellationToken::new();
    let trigger = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(30)).await;
        trigger.cancel();
    });
    let (outcome, told) = bench
        .measure_until(&settings("0", &[1, 2, 4, 8, 16]), &stop)
        .await
        .unwrap();
    assert!(!outcome.complete);
    assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
    let count = |wanted| outcome.decode.iter().filter(|c| c.status == wanted).count();
    assert_eq!(count(CellStatus::Interrupted), 1, "{:?}", outcome.decode);
    assert!(count(CellStatus::NotPlanned) >= 1);
    assert_eq!(outcome.decode.len(), 5);
    assert!(
        told.iter()
            .any(|event| matches!(event, Progress::CellLive(_)))
    );
}
