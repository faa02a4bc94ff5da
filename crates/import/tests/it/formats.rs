//! Result files of other tools, when they lie beside the checkout. All were written against one
//! simulated server: the first token after 100 ms, then one every 5 ms.

use std::fs;
use std::path::PathBuf;

use tokmark_import::import;
use tokmark_run_format::{
    CellStatus, DecodeCell, RunDocument, Trust, read_document, write_document,
};

/// The single run in a file, or `None` where the files are not here.
pub(crate) fn run_of(file: &str) -> Option<RunDocument> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/formats");
    let Ok(text) = fs::read_to_string(folder.join(file)) else {
        eprintln!("skipped: `{file}` is not here");
        return None;
    };
    let mut runs = import(&text).unwrap();
    assert_eq!(runs.len(), 1, "{file}");
    let run = runs.remove(0);
    assert_eq!(run.trust, Trust::Imported);
    let again = read_document(&write_document(&run).unwrap()).unwrap();
    assert_eq!(again, run, "{file}");
    Some(run)
}

/// The only cell, which the truth of the simulated server holds for.
fn true_cell(run: &RunDocument) -> &DecodeCell {
    assert_eq!(run.decode.len(), 1);
    let cell = run.decode.first().unwrap();
    assert_eq!(cell.status, CellStatus::Valid);
    assert_eq!(cell.requests, 1);
    let near = |figure: Option<f64>, truth: f64, within: f64| {
        let figure = figure.unwrap();
        assert!((figure - truth).abs() < within, "{figure}, not {truth}");
    };
    near(cell.ttft_ms, 101.0, 2.0);
    near(cell.time_between_tokens_ms, 5.0, 0.01);
    near(cell.per_request_tokens_per_s, 200.0, 0.4);
    cell
}

#[test]
fn both_clients_of_vllm() {
    for (file, context, total, ttft) in [
        (
            "vllm-bench-serve-python.json",
            122,
            182.404_789_169_652_05,
            101.507_245_499_988_13,
        ),
        (
            "vllm-bench-serve-rust.json",
            64,
            182.586_947_878_789_46,
            100.414_266,
        ),
    ] {
        let Some(run) = run_of(file) else { return };
        let cell = true_cell(&run);
        assert_eq!(cell.context, context);
        assert_eq!(cell.total_tokens_per_s, Some(total));
        assert_eq!(cell.ttft_ms, Some(ttft));
        assert_eq!(cell.output_tokens, Some(2_000));
        assert_eq!(cell.completed_requests, Some(10));
        assert_eq!(cell.average_active_requests, None);
        assert_eq!(run.model.name, "mock-model");
        assert_eq!(run.plan.endpoint, "chat");
        assert_eq!(run.plan.max_output_tokens, 200);
        assert_eq!(run.engine.name, "", "the file names no engine");
    }
}

#[test]
fn both_clients_of_sglang() {
    for (file, total) in [
        ("sglang-bench-serving-python.jsonl", 182.394_808_080_719_14),
        ("sglang-bench-serving-rust.jsonl", 182.604_047_686_852_74),
    ] {
        let Some(run) = run_of(file) else { return };
        let cell = true_cell(&run);
        assert_eq!(cell.context, 64);
        assert_eq!(cell.total_tokens_per_s, Some(total));
        assert_eq!(cell.measured_s.map(f64::trunc), Some(10.0));
        assert!(cell.launch_ttft.p95_ms.is_some());
        assert_eq!(run.model.name, "", "the file names no model");
    }
}

#[test]
fn llm_inference_bench() {
    let Some(run) = run_of("llm-inference-bench-0.4.18.json") else {
        return;
    };
    assert_eq!(run.tool.version.as_deref(), Some("0.4.18"));
    assert_eq!(run.engine.name, "vllm");
    assert_eq!(run.engine.kv_budget.unwrap().tokens, 4_194_304);
    assert_eq!(run.decode.len(), 1);
    let cell = run.decode.first().unwrap();
    assert_eq!((cell.context, cell.requests), (0, 1));
    assert_eq!(cell.status, CellStatus::Valid);
    assert_eq!(cell.total_tokens_per_s, Some(180.041_986_828_370_34));
    assert_eq!(cell.per_request_tokens_per_s, Some(200.069_034_543_651_87));
    assert_eq!(cell.ttft_ms, Some(102.715_606_499_941_71));
    assert_eq!(cell.time_between_tokens_ms, Some(4.998_274_733_668_437));
    assert_eq!(cell.measured_s, Some(11.108_52));
    assert_eq!(cell.output_tokens, Some(2_000));
}

#[test]
fn guidellm() {
    let Some(run) = run_of("guidellm-0.8.json") else {
        return;
    };
    let cell = true_cell(&run);
    assert_eq!(cell.context, 64);
    assert_eq!(cell.prompt_tokens, Some(107));
    assert_eq!(cell.total_tokens_per_s, Some(181.381_229_960_156_53));
    assert_eq!(cell.ttft_ms, Some(100.749_254_226_684_57));
    assert_eq!(cell.completed_requests, Some(10));
    assert_eq!(cell.output_tokens, Some(2_000));
    assert_eq!(run.started_at.as_deref(), Some("2026-11-30T06:02:27Z"));
    let source = run.source.unwrap();
    let text = source.original.to_string();
    assert!(!text.contains("arch attr because"), "answers are not kept");
}

#[test]
fn aiperf() {
    let Some(run) = run_of("aiperf-0.13.json") else {
        return;
    };
    let cell = true_cell(&run);
    assert_eq!(cell.context, 64);
    assert_eq!(cell.prompt_tokens, Some(89));
    assert_eq!(cell.total_tokens_per_s, Some(180.472_679_568_416_7));
    assert_eq!(cell.average_active_requests, Some(0.897_855_788_177_624_3));
    let gaps = cell.gaps.as_ref().unwrap();
    assert_eq!((gaps.n, gaps.tokens_per_event), (1_990, 1.0));
    assert_eq!(Some(gaps.p99_ms), Some(11.693_649_2));
    assert_eq!(run.tool.version.as_deref(), Some("0.13.0"));
}

#[test]
fn records_of_aiperf_are_told_apart() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/formats");
    let Ok(text) = fs::read_to_string(folder.join("aiperf-0.13-records.jsonl")) else {
        eprintln!("skipped: the records are not here");
        return;
    };
    let message = import(&text).unwrap_err().to_string();
    assert!(message.contains("profile_export_aiperf.json"), "{message}");
}

#[test]
fn llama_benchy() {
    let Some(run) = run_of("llama-benchy-0.4.json") else {
        return;
    };
    let cell = true_cell(&run);
    assert_eq!(cell.context, 64);
    assert_eq!(cell.total_tokens_per_s, Some(200.030_871_213_423_9));
    assert_eq!(cell.ttft_ms, Some(101.461_346_750_056_69));
    assert_eq!(cell.output_tokens, None, "the file does not say");
    assert_eq!(run.prefill.len(), 1);
    let row = run.prefill.first().unwrap();
    assert_eq!(row.context, 64);
    assert_eq!(row.prompt_tokens_per_s, Some(542.078_496_277_272_5));
    assert_eq!(run.started_at.as_deref(), Some("2026-11-30T06:24:48Z"));
}
