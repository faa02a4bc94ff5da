use tokmark_bench::Settings;
use tokmark_run_format::{CellStatus, PrefillMode, PrefillStatus};
use tokmark_sim::model::NanosPerToken;

use crate::{cell, measure, settings, sim, status};

#[tokio::test(start_paused = true)]
async fn a_context_beyond_the_models_length_is_told_not_tried() {
    let short = sim(|config| config.engine.max_model_len = 16_384);
    let asked = Settings {
        prefill_contexts: Some(vec![tokmark_units::Context(32_768)]),
        ..settings("0,32k", &[1])
    };
    let (bench, outcome) = measure(short, &asked).await;
    assert_eq!(status(&outcome, 0, 1), CellStatus::Valid);
    assert_eq!(status(&outcome, 32_768, 1), CellStatus::OverLength);
    assert_eq!(outcome.prefill[0].status, PrefillStatus::OverLength);
    let longest = bench
        .server
        .truth()
        .requests
        .iter()
        .map(|r| r.prompt_tokens)
        .max();
    assert!(longest.unwrap() < 16_384, "{longest:?}");
}

#[tokio::test(start_paused = true)]
async fn prefill_can_be_measured_alone_or_not_at_all() {
    let asked = |mode| Settings {
        prefill: mode,
        prefill_contexts: Some(vec![tokmark_units::Context(2_048)]),
        ..settings("0,2k", &[1, 2])
    };
    let (_a, alone) = measure(sim(|_| {}), &asked(PrefillMode::Standalone)).await;
    assert!(alone.decode.is_empty());
    assert_eq!(alone.prefill.len(), 1);
    assert_eq!(alone.prefill[0].completed_requests, 3);
    assert!(alone.prefill[0].warm_ttft_ms.unwrap() < alone.prefill[0].ttft_ms.unwrap());
    let (_b, off) = measure(sim(|_| {}), &asked(PrefillMode::Off)).await;
    assert!(off.prefill.is_empty());
    assert_eq!(off.decode.len(), 4);
    // The documents are warm all the same.
    assert!(cell(&off, 2_048, 2).warm_fraction.unwrap() > 0.95);
}

#[tokio::test(start_paused = true)]
async fn a_shared_document_is_prefilled_once() {
    let asked = Settings {
        shared_context: true,
        ..settings("2k", &[1, 8])
    };
    let (bench, outcome) = measure(sim(|_| {}), &asked).await;
    assert_eq!(status(&outcome, 2_048, 8), CellStatus::Valid);
    let cold = bench
        .server
        .truth()
        .requests
        .iter()
        .filter(|r| r.prompt_tokens == 2_048 && r.cached_tokens == 0)
        .count();
    // One document and the warm-up before anything is recorded.
    assert_eq!(cold, 2);
}

#[tokio::test(start_paused = true)]
async fn ranks_keep_their_own_documents() {
    let two = sim(|config| config.engine.ranks = 2);
    let (bench, outcome) = measure(two, &settings("2k", &[1, 4])).await;
    assert_eq!(
        bench
            .session
            .server
            .engine
            .kv_budget
            .as_ref()
            .unwrap()
            .ranks,
        2
    );
    let cell = cell(&outcome, 2_048, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    assert!(cell.warm_fraction.unwrap() >= 0.95, "{cell:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cell_that_fits_only_by_what_its_row_showed_finds_its_documents_warm() {
    // Cold prompts of 8K take 8 s: before one was seen again from the cache, four of them are
    // expected to write more meanwhile than the cache has room for.
    let slow = sim(|config| {
        config.engine.max_model_len = 16_384;
        config.engine.num_blocks = 40_960 / config.engine.block_size;
        config.engine.cost.prefill = NanosPerToken(1_000_000.0);
    });
    let (bench, outcome) = measure(slow, &settings("1k,8k", &[1, 4])).await;
    let cell = cell(&outcome, 8_192, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    assert!(cell.warm_fraction.unwrap() > 0.95, "{cell:?}");
    let cold = bench.server.truth().requests.iter().fold(0, |sum, r| {
        sum + u32::from(r.prompt_tokens == 8_192 && r.cached_tokens == 0)
    });
    // A document for each stream, one for the samples, one to warm the server up.
    assert!((4..=6).contains(&cold), "{cold}");
}
