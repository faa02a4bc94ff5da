//! One file per tool: how its file is recognised, what its fields mean, and what is taken.

pub(crate) mod aiperf;
mod aiperf_load;
pub(crate) mod guidellm;
pub(crate) mod inference_bench;
mod inference_bench_prefill;
pub(crate) mod llama_bench;
mod llama_bench_table;
pub(crate) mod llama_benchy;
pub(crate) mod localscore;
pub(crate) mod sglang_bench;
pub(crate) mod vllm_bench;

use crate::error::ImportError;
use crate::source::Source;

/// Why a file that is of no known format cannot be read: of the files that tools write beside their
/// results, which one to import instead.
pub(crate) fn not_this_file(source: &Source<'_>) -> ImportError {
    let text = source.text();
    let first = text.lines().next().unwrap_or_default();
    let record = source.records().first();
    let is_record = record.is_some_and(|record| {
        record.pointer("/metadata/request_start_ns").is_some() && record.get("metrics").is_some()
    });
    let wrong = |what, hint| ImportError::WrongFile { what, hint };
    if is_record {
        wrong(
            "these are AIPerf's records of single requests, without the load that was sent",
            "import the summary beside it, `profile_export_aiperf.json`",
        )
    } else if first.starts_with("Metric,avg,") || first.starts_with("Metric,Avg,") {
        wrong(
            "this is the table of AIPerf or GenAI-Perf, without the load that was sent",
            "import the JSON file beside it",
        )
    } else if text.contains("e2e_ttft (ms)") {
        wrong(
            "this is the table of llama-benchy, without its version and settings",
            "write the result with `--format json --save-result FILE` and import that",
        )
    } else if text.contains("INSERT INTO") && text.contains("build_commit") {
        wrong(
            "this is `llama-bench` as SQL",
            "write it with `-o json`, `jsonl`, `csv` or `md`",
        )
    } else {
        ImportError::unknown_format(source.looks_like())
    }
}
