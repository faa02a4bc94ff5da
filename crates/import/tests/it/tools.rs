//! Small files in the formats of other tools, written for these tests.

use tokmark_import::{Ours, explain, import, import_as};
use tokmark_run_format::{
    CellStatus, DecodeCell, RunDocument, Trust, read_document, write_document,
};

macro_rules! fixtures {
    ($($name:ident = $file:literal;)*) => {
        $(pub(crate) const $name: &str = include_str!(concat!("../fixtures/", $file));)*
        /// Every fixture with its name.
        pub(crate) const ALL: &[(&str, &str)] = &[$(($file, $name),)*];
    };
}

fixtures! {
    VLLM = "vllm-bench-serve.jsonl";
    SGLANG = "sglang-bench-serving.jsonl";
    LLAMA_JSON = "llama-bench.json";
    LLAMA_JSONL = "llama-bench.jsonl";
    LLAMA_CSV = "llama-bench.csv";
    LLAMA_MD = "llama-bench.md";
    BENCHY = "llama-benchy.json";
    GUIDELLM = "guidellm.json";
    AIPERF = "aiperf.json";
    GENAI_PERF = "genai-perf.json";
    LOCALSCORE = "localscore.json";
    INFERENCE_BENCH = "llm-inference-bench.json";
}

/// Context, requests, status, total and per-request rate, TTFT of every cell.
type Row = (u64, u32, CellStatus, Option<f64>, Option<f64>, Option<f64>);

fn rows(run: &RunDocument) -> Vec<Row> {
    let row = |cell: &DecodeCell| {
        (
            cell.context,
            cell.requests,
            cell.status,
            cell.total_tokens_per_s,
            cell.per_request_tokens_per_s,
            cell.ttft_ms,
        )
    };
    run.decode.iter().map(row).collect()
}

fn prefill(run: &RunDocument) -> Vec<(u64, Option<f64>)> {
    let rows = run.prefill.iter();
    rows.map(|row| (row.context, row.prompt_tokens_per_s))
        .collect()
}

fn one(text: &str) -> RunDocument {
    let mut runs = import(text).unwrap();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn left_out(run: &RunDocument) -> &str {
    let note = run.notes.iter().find(|note| note.code == "source_left_out");
    note.map_or("", |note| note.text.as_str())
}

use CellStatus::{Failed, NotPlanned, OverCapacity, Queued, Skipped, Valid};

#[test]
fn vllm() {
    let run = one(VLLM);
    assert_eq!(
        rows(&run),
        [
            (1_024, 4, Valid, Some(640.0), Some(200.0), Some(60.0)),
            (1_024, 8, Failed, None, None, None),
        ]
    );
    let failed = &run.decode[1];
    assert_eq!(
        failed.reason.as_deref(),
        Some("2 of 40 requests failed; the source's figures are over the others")
    );
    assert_eq!(failed.failures[0].count, 2);
    assert_eq!(failed.failures[0].sample, "timeout at http://[removed]/v1");
    assert_eq!(run.decode[0].launch_ttft.p95_ms, Some(66.0));
    assert_eq!(run.model.name, "tiny-1b");
    assert_eq!(run.model.repository.as_deref(), Some("owner/tiny-1b"));
    assert_eq!(run.plan.endpoint, "completions");
    assert_eq!(run.plan.max_output_tokens, 128);
    assert_eq!(run.started_at.as_deref(), Some("2026-11-30T08:00:00Z"));
    assert!(left_out(&run).contains("result 3: requests come at 5 per second"));
}

#[test]
fn sglang_repeats_stand_in_runs_of_their_own() {
    let runs = import(SGLANG).unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(
        rows(&runs[0]),
        [(
            1_024,
            2,
            Valid,
            Some(256.0),
            Some(1_000.0 / 7.0),
            Some(90.0)
        )]
    );
    assert_eq!(runs[1].decode[0].total_tokens_per_s, Some(260.0));
    assert_ne!(runs[0].id, runs[1].id);
    let hash = |run: &RunDocument| run.source.as_ref().unwrap().sha256.clone();
    assert_eq!(hash(&runs[0]), hash(&runs[1]), "the hash is of the file");
    let kept = &runs[1].source.as_ref().unwrap().original;
    assert_eq!(kept.as_array().unwrap().len(), 1, "its own line only");
    assert_eq!(kept[0]["output_throughput"], 260.0);
    assert_eq!(kept[0]["request_rate"], "Infinity");
    let run = &runs[0];
    assert_eq!(run.engine.name, "sglang");
    assert_eq!(run.engine.version.as_deref(), Some("0.5.9"));
    assert_eq!(run.model.served_name, "/home/[removed]/models/tiny-1b");
    assert!(left_out(run).contains("result 2: prompts have random lengths"));
    assert!(left_out(run).contains("result 3: prompts of the dataset `sharegpt`"));
}

#[test]
fn llama_bench_in_every_form() {
    for (name, text) in [
        ("json", LLAMA_JSON),
        ("jsonl", LLAMA_JSONL),
        ("csv", LLAMA_CSV),
        ("md", LLAMA_MD),
    ] {
        let runs = import(text).unwrap();
        let run = &runs[0];
        assert_eq!(
            rows(run),
            [
                (0, 1, Valid, Some(250.0), Some(250.0), None),
                (4_096, 1, Valid, Some(200.0), Some(200.0), None),
            ],
            "{name}"
        );
        assert_eq!(prefill(run), [(512, Some(10_240.0))], "{name}");
        assert_eq!(run.engine.build.as_deref(), Some("abc1234"), "{name}");
        assert_eq!(run.engine.version.as_deref(), Some("b7001"), "{name}");
        assert_eq!(run.engine.quantization.as_deref(), Some("Q4_0"), "{name}");
        assert!(left_out(run).contains("one rate for prompt and output together"));
        assert_eq!(runs.len(), if name == "md" { 1 } else { 2 }, "{name}");
    }
}

#[test]
fn llama_bench_with_other_settings_is_another_run() {
    let runs = import(LLAMA_JSON).unwrap();
    assert_eq!(
        rows(&runs[1]),
        [(0, 1, Valid, Some(180.0), Some(180.0), None)]
    );
    assert!(runs[0].engine.flags.contains(&"n_gpu_layers 99".to_owned()));
    assert!(runs[1].engine.flags.contains(&"n_gpu_layers 0".to_owned()));
    let run = &runs[0];
    assert!(left_out(run).contains("pp512 at depth 4096"));
    assert_eq!(run.model.file.as_deref(), Some("tiny-1b-q4_0.gguf"));
    assert_eq!(run.engine.kv_type.as_deref(), Some("q8_0"));
    assert_eq!(run.hardware.name.as_deref(), Some("Some Card"));
    assert_eq!(run.model.parameters, Some(1_235_814_432));
    let cell = run.cell(0, 1).unwrap();
    assert_eq!(
        (cell.output_tokens, cell.measured_s),
        (Some(256), Some(1.024))
    );
    assert_eq!(run.started_at.as_deref(), Some("2026-11-30T08:00:00Z"));
}

#[test]
fn llama_benchy() {
    let run = one(BENCHY);
    assert_eq!(
        rows(&run),
        [
            (2_048, 1, Valid, Some(100.0), Some(100.0), Some(104.0)),
            (2_048, 4, Valid, Some(320.0), Some(82.0), Some(300.0)),
            (6_144, 1, Valid, Some(98.0), Some(98.0), Some(230.0)),
        ]
    );
    // With four at once the speed is theirs together, and behind a cached context only the rest is
    // computed: neither is a row.
    assert_eq!(prefill(&run), [(2_048, Some(20_000.0))]);
    assert!(left_out(&run).contains("benchmark 3: it only loads the context"));
}

#[test]
fn guidellm() {
    let run = one(GUIDELLM);
    assert_eq!(
        rows(&run),
        [
            (1_024, 1, Valid, Some(100.0), Some(125.0), Some(120.0)),
            (1_024, 4, Valid, Some(380.0), Some(125.0), Some(120.0)),
            (1_024, 8, Failed, None, None, None),
        ]
    );
    assert_eq!(run.decode[0].prompt_tokens, Some(1_030));
    assert_eq!(run.plan.max_output_tokens, 128);
    assert!(left_out(&run).contains("benchmark 4: `throughput` sends as many"));
    assert!(left_out(&run).contains("benchmark 5: `constant` sends at a rate"));
}

#[test]
fn guidellm_before_0_4_has_its_data_in_words() {
    let mut report: serde_json::Value = serde_json::from_str(GUIDELLM).unwrap();
    report["config"] = serde_json::Value::Null;
    report["args"] = serde_json::json!({
        "model": "tiny-1b", "data": "prompt_tokens=256,output_tokens=64"
    });
    let run = one(&report.to_string());
    assert_eq!(run.decode[0].context, 256);
    assert_eq!(run.plan.max_output_tokens, 64);
    report["args"]["data"] = "prompt_tokens=256,prompt_tokens_stdev=20,output_tokens=64".into();
    let refused = import(&report.to_string()).unwrap_err().to_string();
    assert!(refused.contains("random lengths"), "{refused}");
}

#[test]
fn aiperf_states_its_units() {
    let run = one(AIPERF);
    let total = Some(512.0);
    assert_eq!(
        rows(&run),
        [(1_024, 4, Valid, total, Some(142.0), Some(80.0))]
    );
    let cell = &run.decode[0];
    assert_eq!(cell.time_between_tokens_ms, Some(7.0));
    assert_eq!(cell.measured_s, Some(5.0));
    assert_eq!(cell.launch_ttft.max_ms, Some(104.0));
    let odd = AIPERF.replace("\"us\"", "\"fortnights\"");
    let refused = import(&odd).unwrap_err().to_string();
    assert!(
        refused.starts_with("`fortnights` in `time_to_first_token.unit`"),
        "{refused}"
    );
    let rate = AIPERF.replace("\"request_rate\": null", "\"request_rate\": 3.5");
    let refused = import(&rate).unwrap_err().to_string();
    assert!(
        refused.contains("requests come at 3.5 per second"),
        "{refused}"
    );
}

#[test]
fn genai_perf() {
    let run = one(GENAI_PERF);
    let total = Some(256.0);
    assert_eq!(
        rows(&run),
        [(512, 2, Valid, total, Some(150.0), Some(70.0))]
    );
    assert_eq!(run.tool.name, "GenAI-Perf");
    assert_eq!(run.plan.max_output_tokens, 0, "-1 is no limit");
}

#[test]
fn localscore() {
    let runs = import(LOCALSCORE).unwrap();
    assert_eq!(runs.len(), 2, "one prompt length is there twice");
    assert_eq!(
        rows(&runs[0]),
        [
            (1_024, 1, Valid, Some(53.9), Some(53.9), Some(828.4)),
            (4_096, 1, Valid, Some(50.0), Some(50.0), Some(3_800.0)),
        ]
    );
    assert_eq!(
        prefill(&runs[0]),
        [(1_024, Some(1_264.5)), (4_096, Some(1_100.0))]
    );
    let run = &runs[0];
    assert_eq!(run.model.name, "Tiny 1B Instruct");
    assert_eq!(run.hardware.name.as_deref(), Some("Some Card"));
    assert_eq!(run.hardware.memory_text.as_deref(), Some("31.1 GB"));
    assert_eq!(run.engine.name, "llamafile");
}

#[test]
fn llm_inference_bench_sentinels_are_statuses() {
    let run = one(INFERENCE_BENCH);
    assert_eq!(
        rows(&run),
        [
            (0, 1, Valid, Some(80.0), Some(80.0), Some(200.0)),
            (0, 4, Queued, Some(300.0), Some(75.0), Some(200.0)),
            (0, 8, Skipped, None, None, None),
            (16_384, 1, Failed, None, None, None),
            (16_384, 4, OverCapacity, None, None, None),
            (16_384, 8, OverCapacity, None, None, None),
        ]
    );
    assert_eq!(run.decode[1].reason.as_deref(), Some("2 of 4 running"));
    assert_eq!(run.decode[4].need_tokens, Some(4 * 24_576));
    assert_eq!(prefill(&run), [(8_192, Some(5_120.0))]);
    assert_eq!(run.prefill[0].ttft_ms, Some(1_600.0));
    assert_eq!(run.plan.decode_test, "fixed_duration");
    let less = INFERENCE_BENCH.replace("65536", "0");
    assert_eq!(
        one(&less).decode[4].status,
        NotPlanned,
        "no budget, no rule"
    );
}

#[test]
fn every_document_keeps_its_source_without_private_words() {
    for (name, text) in ALL {
        for run in import(text).unwrap() {
            assert_eq!(run.trust, Trust::Imported, "{name}");
            let written = write_document(&run).unwrap();
            assert_eq!(read_document(&written).unwrap(), run, "{name}");
            let private = ["sesame", "box", "somebody/", "a private"];
            for word in private {
                assert!(!written.contains(word), "{name} keeps `{word}`");
            }
            assert!(run.source.is_some(), "{name}");
        }
    }
}

#[test]
fn every_figure_has_its_definition() {
    for (name, text) in ALL {
        for run in import(text).unwrap() {
            let table = explain(&run);
            let given = |ours: &'static str| table.iter().any(|row| row.ours == Ours::Field(ours));
            let has = |figure: fn(&DecodeCell) -> Option<f64>| {
                run.decode.iter().any(|cell| figure(cell).is_some())
            };
            if has(|cell| cell.total_tokens_per_s) {
                assert!(given("decode.total_tokens_per_s"), "{name}");
            }
            if has(|cell| cell.ttft_ms) {
                assert!(given("decode.ttft_ms"), "{name}");
            }
            if !run.prefill.is_empty() {
                assert!(given("prefill.prompt_tokens_per_s"), "{name}");
            }
            let notes = run.notes.iter();
            let notes = notes
                .filter(|note| note.code == "source_definition")
                .count();
            let figures = table.iter().filter(|row| match row.ours {
                Ours::Field(ours) => ours.starts_with("decode.") || ours.starts_with("prefill."),
                Ours::NotTaken(_) => false,
            });
            assert_eq!(notes, figures.count(), "{name}");
        }
    }
}

#[test]
fn a_tool_can_be_named() {
    let run = import_as(VLLM, "vllm-bench-serve").unwrap();
    assert_eq!(run[0].decode.len(), 2);
    let wrong = import_as(VLLM, "guidellm").unwrap_err().to_string();
    assert!(!wrong.is_empty());
    let unknown = import_as(VLLM, "curl").unwrap_err().to_string();
    assert!(
        unknown.starts_with("`curl` is no tool that tokmark knows"),
        "{unknown}"
    );
}

#[test]
fn damaged_files_are_refused_in_words() {
    let check = |text: String, expect: &str| {
        let message = import(&text)
            .map(|runs| runs.len())
            .unwrap_err()
            .to_string();
        assert!(message.contains(expect), "{message}");
    };
    let line = |text: &str| text.lines().next().unwrap().to_owned();
    let vllm = line(VLLM);
    check(
        vllm.replace("640.0", "-640.0"),
        "`-640.0` in `output_throughput` is not",
    );
    check(
        vllm.replace("640.0", "\"fast\""),
        "`fast` in `output_throughput` is not",
    );
    check(
        vllm.replace("640.0", "1e300"),
        "not a figure that anything could have",
    );
    check(vllm.replace("640.0", "1e999"), "cut off or damaged");
    check(
        vllm.replace("\"completed\": 40", "\"completed\": 4.5"),
        "a whole number",
    );
    check(
        vllm.replace("\"max_concurrency\": 4", "\"max_concurrency\": null"),
        "only falls",
    );
    check(
        vllm.replace("\"max_concurrency\": 4", "\"max_concurrency\": 0"),
        "a number of requests",
    );
    check(vllm[..vllm.len() / 2].to_owned(), "cut off or damaged");
    check(
        format!("{vllm}\n{}", &vllm[..90]),
        "line 2 is cut off or damaged",
    );
    check(
        LLAMA_CSV.replace(",\"0.1\"", ""),
        "line 2 is cut off or damaged",
    );
    check(
        LLAMA_MD.replace("pp512 |", "pp |"),
        "`pp` in `test` is not a test",
    );
    check(
        LLAMA_MD.replace("250.00 ± 0.10", "fast"),
        "`fast` in `t/s` is not a rate",
    );
    check(
        GUIDELLM.replace("\"benchmarks\": [", "\"benchmarks\": 7, \"x\": ["),
        "is not a list",
    );
    check("[]".to_owned(), "an empty JSON list is no result");
    check(
        vllm.replace("640.0", "0.0"),
        "context 1024, requests 4: it has no rate of output tokens",
    );
    let mut empty: serde_json::Value = serde_json::from_str(GUIDELLM).unwrap();
    empty["benchmarks"] = serde_json::json!([]);
    check(empty.to_string(), "it has no results");
}

#[test]
fn a_run_in_which_everything_failed_has_no_figures() {
    let dead = |text: &str| {
        text.lines()
            .next()
            .unwrap()
            .replace("\"completed\": 40", "\"completed\": 0")
            .replace("\"completed\": 20", "\"completed\": 0")
            .replace("\"failed\": 0", "\"failed\": 40")
            .replace("\"median_ttft_ms\": 60.0", "\"median_ttft_ms\": NaN")
    };
    let refused = import(&dead(VLLM)).unwrap_err().to_string();
    assert!(
        refused.contains("no request came through, and the file names no prompt length"),
        "{refused}"
    );
    // This one names the length of its prompts, so its place is known.
    let run = one(&dead(SGLANG));
    assert_eq!(rows(&run), [(1_024, 2, Failed, None, None, None)]);
    assert_eq!(
        run.decode[0].reason.as_deref(),
        Some("no request came through")
    );
}

#[test]
fn mixed_models_are_runs_of_their_own() {
    let line = VLLM.lines().next().unwrap();
    let other = line.replace("owner/tiny-1b", "owner/other-2b");
    let runs = import(&format!("{line}\n{other}\n")).unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run.model.name.as_str()).collect();
    assert_eq!(names, ["tiny-1b", "other-2b"]);
}

#[test]
fn a_file_of_too_many_runs_is_refused() {
    let line = VLLM.lines().next().unwrap();
    let many = format!("{line}\n").repeat(300);
    let message = import(&many).unwrap_err().to_string();
    assert_eq!(
        message,
        "257 results or runs in one file; at most 256 are read"
    );
}
