use tokmark_import::{ImportError, import};
use tokmark_run_format::{RunDocument, Tool, write_document};

use crate::example_page::PAGE;

fn refusal(text: &str) -> String {
    import(text).unwrap_err().to_string()
}

#[test]
fn a_run_of_this_tool_is_told_apart() {
    let run = RunDocument::new("x".into(), Tool::default());
    let text = write_document(&run).unwrap();
    assert!(matches!(import(&text), Err(ImportError::AlreadyARun)));
    assert_eq!(refusal(&text), "already a tokmark run");
}

#[test]
fn other_files_are_told_what_can_be_read() {
    let check = |text: &str, looks_like: &str| {
        let message = refusal(text);
        let start = format!(
            "{looks_like} is no result that tokmark can read; it reads `llm-inference-bench page`, "
        );
        assert!(message.starts_with(&start), "{message}");
    };
    check("", "an empty file");
    check("hello", "text");
    check("a,b\n1,2\n", "a table with the columns `a`, `b`");
    check("[1]", "a JSON list, its first item a JSON value");
    check("[]", "an empty JSON list");
    check("{}", "an empty JSON object");
    check("{\"title\": 1}", "a JSON object with `title`");
    check(
        "{\"a\":1}\n{\"a\":2}\n",
        "JSON Lines, the first a JSON object with `a`",
    );
}

#[test]
fn files_beside_a_result_name_the_result() {
    let check = |text: &str, what: &str, hint: &str| {
        let message = refusal(text);
        assert!(
            message.contains(what) && message.contains(hint),
            "{message}"
        );
    };
    check(
        "{\"metadata\":{\"request_start_ns\":1},\"metrics\":{}}\n",
        "records of single requests",
        "profile_export_aiperf.json",
    );
    check(
        "Metric,avg,min,max\nRequest Latency (ms),1,1,1\n",
        "table of AIPerf",
        "JSON",
    );
    check(
        "| model | test | t/s | ttfr (ms) | e2e_ttft (ms) |\n",
        "table of llama-benchy",
        "--format json",
    );
    check(
        "INSERT INTO test (build_commit) VALUES ('a');\n",
        "`llama-bench` as SQL",
        "-o json",
    );
}

#[test]
fn a_cut_file_is_not_an_unknown_format() {
    let cut = &PAGE[..PAGE.len() / 2];
    assert!(
        refusal(cut).starts_with("JSON that is cut off or damaged (line "),
        "{}",
        refusal(cut)
    );
}

#[test]
fn unknown_words_are_named() {
    let check = |from: &str, to: &str, expect: &str| {
        let text = PAGE.replacen(from, to, 1);
        assert_ne!(text, PAGE, "{from}");
        let message = refusal(&text);
        assert!(message.starts_with(expect), "{message}");
    };
    check(
        "\"queued\"",
        "\"waiting\"",
        "`waiting` in `decode 0 × 2` is not known; known are `not_planned`, ",
    );
    check(
        "\"valid\"",
        "\"fine\"",
        "`fine` in `prefill 8192` is not known; known are `valid`, ",
    );
    check(
        "Measured during",
        "Guessed during",
        "`Guessed during decode warm-up` in `run.Prefill mode` is not known",
    );
    check(
        "\"30 s\"",
        "\"soon\"",
        "`soon` in `run.Time per measurement` is not a time such as `30 s`",
    );
    check(
        "8,192 tokens",
        "many",
        "`many` in `run.Max output` is not a length such as",
    );
    check(
        "3,200.0",
        "3.200,0",
        "`3.200,0` in `prefill 8192` is not a rate such as",
    );
    check(
        "\"context_label\": \"8K\"",
        "\"context_label\": \"8k5\"",
        "`8k5` in `prefill 8192` is not the label of its context",
    );
    check(
        "\"total_tokens_per_s\": 80.0",
        "\"total_tokens_per_s\": -1",
        "`-1` in `decode 0 × 1` is not a figure of at least 0",
    );
    check(
        "\"requests\": 4",
        "\"requests\": 2",
        "`decode 0 × 2` is there twice",
    );
    check(
        "\"context\": 8192, \"context_label\": \"8K\"",
        "\"context\": 16384, \"context_label\": \"16K\"",
        "`prefill 16384` is there twice",
    );
    check(
        "\"requests\": 1",
        "\"requests\": \"one\"",
        "a `llm-inference-bench page` with a field missing or of the wrong kind",
    );
}
