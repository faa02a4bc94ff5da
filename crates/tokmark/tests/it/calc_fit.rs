//! `tokmark calc fit` as a person meets it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{fails, tokmark, tokmark_with};

fn fit(arguments: &[&str]) -> Value {
    let output = tokmark(&[&["calc", "fit", "--json"], arguments].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}\n{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The example pages beside the repository, where they are.
fn pages() -> Option<Vec<String>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    Some(
        files
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
    )
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skipped() {
    eprintln!("skipped: there are no example pages beside the repository");
}

/// A page of a 4B hybrid in 4 bits with a 16-bit cache, as another tool writes it.
///
/// The figures are made up, near what such a card gives.
fn page(name: &str, repository: &str, label: &str) -> Value {
    let cell = |context: u64, requests: u32, rate: Option<f64>| {
        json!({
            "context": context, "requests": requests,
            "status": if rate.is_some() { "valid" } else { "over_capacity" },
            "total_tokens_per_s": rate, "measured_s": rate.map(|_| 30.0),
            "average_active_requests": rate.map(|_| requests),
        })
    };
    let prefill = |context: u64, rate: &str, ttft: f64| {
        json!({
            "context": context, "requests": 1, "status": "valid",
            "prompt_tokens_per_s_shown": rate, "ttft_ms": ttft, "completed_requests": 1,
        })
    };
    json!({
        "title": format!("{name} on RTX 3090 24GB"),
        "model": name,
        "hardware_title": "RTX 3090 24GB",
        "tool": "llm-inference-bench v0.8.0",
        "trust": "Measured",
        "hardware": {"Type": "Discrete GPU", "GPU": "RTX 3090", "VRAM": "24 GB"},
        "engine": {"Version": "0.32.0", "Quantization": label, "Backend": "cuda", "Engine": "vllm"},
        "run": {
            "Served model": "bench", "Decode test": "Fixed duration",
            "Prefill mode": "Measured during decode warm-up",
            "Time per measurement": "30 s", "Max output": "8,192 tokens",
        },
        "launch_command": format!(
            "# 1x RTX 3090 24GB (gpu-unlock), 420 W limit\nvllm serve {repository} \
             --max-model-len 262144 --gpu-memory-utilization 0.94 --max-num-seqs 128"
        ),
        "prefill": [prefill(8_192, "11,800.0", 690.0), prefill(32_768, "9,400.0", 3_450.0)],
        "sustained_decode": [
            cell(0, 1, Some(188.0)), cell(0, 2, Some(350.0)), cell(0, 4, Some(660.0)),
            cell(0, 64, None), cell(32_768, 1, Some(160.0)), cell(32_768, 2, Some(285.0)),
            cell(32_768, 64, None),
        ],
    })
}

fn written(folder: &Path, name: &str, page: &Value) -> String {
    let path = folder.join(name);
    std::fs::write(&path, page.to_string()).unwrap();
    path.display().to_string()
}

const NAME: &str = "Qwen3.5-4B-W4A16";

#[test]
fn names_and_labels_of_a_page_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for name in [
        NAME,
        "Qwen3.5-4B-quantized.w4a16",
        "Qwen3.5-4B-AWQ-4bit",
        "Qwen3.5-4B-GPTQ-Int4",
    ] {
        for label in [
            "W4A16",
            "W4A16 4-bit",
            "AWQ 4-bit",
            "compressed-tensors",
            "INT4",
            "GPTQ 4-bit",
        ] {
            for repository in [format!("someone/{name}"), "/models/local".to_owned()] {
                let place = format!("{}.json", paths.len());
                let page = page(name, &repository, label);
                paths.push(written(folder.path(), &place, &page));
            }
        }
    }
    let known = written(
        folder.path(),
        "known.json",
        &page("Qwen3.5-9B-AWQ", "a/Qwen3.5-9B-AWQ", "AWQ"),
    );
    let arguments: Vec<&str> = [known.as_str(), "--test"]
        .into_iter()
        .chain(paths.iter().map(String::as_str))
        .collect();
    let report = fit(&arguments);
    assert_eq!(report["skipped"], json!([]));
    assert_eq!(
        report["test"]["runs"].as_array().unwrap().len(),
        paths.len()
    );
    // Five decode cells and two prefill rows each, all with 4-bit kernels.
    assert_eq!(report["test"]["decode"]["figures"], 5 * paths.len());
    assert_eq!(report["test"]["prefill"]["figures"], 2 * paths.len());
    for run in report["test"]["runs"].as_array().unwrap() {
        assert_eq!(run["calibrated"], true, "{run}");
    }
}

#[test]
fn errors_of_a_test_are_fractions_and_absent_ones_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let one = written(
        folder.path(),
        "one.json",
        &page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16"),
    );
    let report = fit(&[&one]);
    let family = &report["fit"][0];
    assert_eq!(family["engine"], "vllm");
    assert_eq!(family["accelerator"], "nvidia-rtx-3090");
    assert_eq!(family["unlocked"], true);
    let fitted = &family["errors"]["decode"]["fitted"];
    assert_eq!(fitted["figures"], 5);
    assert!(
        fitted["median_abs_error"].as_f64().unwrap() < 0.1,
        "{fitted}"
    );
    for constant in family["constants"].as_array().unwrap() {
        assert!(constant["figures"].as_u64().unwrap() > 0, "{constant}");
        assert!(constant["believed"].is_number() && constant["believed_because"].is_string());
    }
    for kind in ["decode", "prefill"] {
        let test = &report["test"][kind];
        assert_eq!(test["median_abs_error"], Value::Null);
        assert_eq!(test["p90_abs_error"], Value::Null);
    }
    let capacity = &report["capacity"][0];
    assert_eq!(capacity["implied_tokens_from"], 2 * (32_768 + 8_192));
    assert_eq!(capacity["implied_tokens_below"], 64 * 8_192);
    assert_eq!(
        capacity["given_budget"],
        json!({"right": 7, "borderline": 0, "wrong": 0})
    );

    // A page 10 % slower than the one that was fitted is predicted about 10 % too fast.
    let mut slower = page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16");
    for cell in slower["sustained_decode"].as_array_mut().unwrap() {
        if let Some(rate) = cell["total_tokens_per_s"].as_f64() {
            cell["total_tokens_per_s"] = json!(rate / 1.1);
        }
    }
    let slower = written(folder.path(), "slower.json", &slower);
    let report = fit(&[&one, "--test", &slower]);
    let decode = &report["test"]["decode"];
    let error = decode["median_abs_error"].as_f64().unwrap();
    assert!((0.07..0.13).contains(&error), "{decode}");
    let cell = &report["test"]["cells"][0];
    let ratio = cell["predicted_tokens_per_s"].as_f64().unwrap()
        / cell["measured_tokens_per_s"].as_f64().unwrap();
    assert!((cell["error"].as_f64().unwrap() - (ratio - 1.0)).abs() < 1e-9);
}

#[test]
fn the_fit_is_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let one = written(
        folder.path(),
        "one.json",
        &page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16"),
    );
    let two = page("Qwen3.5-9B-AWQ", "a/Qwen3.5-9B-AWQ", "AWQ 4-bit");
    let two = written(folder.path(), "two.json", &two);
    let output = tokmark(&["calc", "fit", &one, "--test", &two]);
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("calc_fit", text);
}

#[test]
fn a_run_that_cannot_be_used_is_told_and_the_rest_is_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let one = written(
        folder.path(),
        "one.json",
        &page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16"),
    );
    let other = page("Qwen3.5-5B-W4A16", "a/Qwen3.5-5B-W4A16", "W4A16");
    let other = written(folder.path(), "other.json", &other);
    let none = written(folder.path(), "none.json", &json!({"a": 1}));
    let report = fit(&[&one, &other, &none]);
    assert_eq!(report["fit"][0]["runs"].as_array().unwrap().len(), 1);
    let skipped = report["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2);
    assert!(
        skipped[0]["reason"]
            .as_str()
            .unwrap()
            .contains("Qwen3.5-5B-W4A16")
    );
    assert!(
        skipped[0]["candidates"]
            .to_string()
            .contains("Qwen/Qwen3.5-4B"),
        "{}",
        skipped[0]
    );
    assert!(skipped[1]["run"].as_str().unwrap().contains("none.json"));

    fails(
        &["calc", "fit", &other],
        3,
        &[
            "no run can be used",
            "Qwen3.5-5B-W4A16` is not in the catalog",
            "Qwen/Qwen3.5-4B",
        ],
    );
    fails(
        &["calc", "fit", &one, "--test", &other],
        3,
        &[
            "the test run",
            "other.json",
            "is not in the catalog",
            "Qwen/Qwen3.5-4B",
        ],
    );
    fails(
        &["calc", "fit", "/nowhere/run.json"],
        2,
        &["/nowhere/run.json"],
    );
    fails(&["calc", "fit"], 2, &["RUN"]);
    // A run of the simulated server tells nothing about a card.
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/run-1");
    fails(
        &["calc", "fit", golden],
        3,
        &["no run can be used", "demo.json"],
    );
    // What is predicted has not been fitted.
    fails(
        &["calc", "fit", &one, "--test", &one],
        3,
        &["it is a test run"],
    );
}

#[test]
fn what_is_saved_is_used_and_comes_before_what_is_bundled() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("data").display().to_string();
    let data = [("XDG_DATA_HOME", home.as_str())];
    let mut stock = page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16");
    stock["launch_command"] = json!("vllm serve a/Qwen3.5-4B-W4A16 --max-model-len 65536");
    let stock = written(folder.path(), "stock.json", &stock);
    let asked = [
        "calc",
        "--model",
        "Qwen/Qwen3.5-4B",
        "--quantization",
        "W4A16",
        "--hardware",
        "RTX 3090",
        "--contexts",
        "0",
        "--requests",
        "1",
        "--shared-prompt",
        "--json",
    ];
    let answer = || -> Value {
        let output = tokmark_with(&data, &asked);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(answer()["path"]["calibrated"], false);
    let saved = tokmark_with(&data, &["calc", "fit", &stock, "--save"]);
    assert!(saved.status.success());
    let said = String::from_utf8_lossy(&saved.stderr).into_owned();
    assert!(said.contains("calibrations.json"), "{said}");
    let after = answer();
    assert_eq!(after["path"]["calibrated"], true);
    let rate = after["cells"][0]["total_tokens_per_s"]["median"]
        .as_f64()
        .unwrap();
    assert!((rate / 188.0 - 1.0).abs() < 0.05, "{rate}");
    // The table says whose they are.
    let table: Vec<&str> = asked.into_iter().filter(|word| *word != "--json").collect();
    let text = String::from_utf8(tokmark_with(&data, &table).stdout).unwrap();
    assert!(text.contains("fitted to 1 run of yours"), "{text}");

    // Another family beside it keeps it.
    let unlocked = page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16");
    let unlocked = written(folder.path(), "unlocked.json", &unlocked);
    let saved = tokmark_with(&data, &["calc", "fit", &unlocked, "--save", "--json"]);
    assert!(saved.status.success());
    assert_eq!(answer()["path"]["calibrated"], true);
}

#[test]
fn calibrations_are_written_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let one = written(
        folder.path(),
        "one.json",
        &page(NAME, "a/Qwen3.5-4B-W4A16", "W4A16"),
    );
    let to = folder.path().join("calibrations.json");
    fit(&[&one, "--output", &to.display().to_string()]);
    let text = std::fs::read_to_string(to).unwrap();
    let read = tokmark_calculator::stored::read(&text).unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].fitted.len(), 7);
    assert_eq!(read[0].runs, ["Qwen3.5-4B-W4A16 on RTX 3090 24GB"]);
}

/// The goals of the calculator on the example pages. Errors of what was held out are of fits that
/// knew nothing of it.
#[test]
fn the_pages_are_predicted_as_well_as_promised() {
    let Some(pages) = pages() else {
        return skipped();
    };
    let arguments: Vec<&str> = pages.iter().map(String::as_str).collect();
    let report = fit(&arguments);
    assert_eq!(report["fit"].as_array().unwrap().len(), 1, "one family");
    let errors = &report["fit"][0]["errors"];
    let check = |kind: &str, held_out: &str, median: f64, p90: f64| {
        let part = &errors[kind][held_out];
        let figure = |name: &str| part[name].as_f64().unwrap();
        assert!(
            figure("median_abs_error") <= median && figure("p90_abs_error") <= p90,
            "{kind}, {held_out}: {part}"
        );
    };
    check("decode", "fitted", 0.02, 0.06);
    check("decode", "rows_held_out", 0.02, 0.08);
    check("decode", "models_held_out", 0.04, 0.16);
    check("prefill", "fitted", 0.02, 0.09);
    check("prefill", "models_held_out", 0.15, 0.28);
    for run in report["capacity"].as_array().unwrap() {
        assert_eq!(run["given_budget"]["wrong"], 0, "{run}");
        // The states of a hybrid share its pool with the cache, in blocks that memory does not show.
        let hybrid = run["run"].as_str().unwrap().contains("Nemotron");
        assert!(hybrid || run["from_memory"]["wrong"] == 0, "{run}");
    }
}

/// Each page predicted by a fit to the others.
#[test]
fn a_page_that_was_not_fitted_is_predicted() {
    let Some(pages) = pages() else {
        return skipped();
    };
    for test in &pages {
        let mut arguments: Vec<&str> = pages.iter().map(String::as_str).collect();
        arguments.extend(["--test", test]);
        let report = fit(&arguments);
        let decode = &report["test"]["decode"];
        assert!(
            decode["median_abs_error"].as_f64().unwrap() <= 0.08,
            "{test}: {decode}"
        );
        assert!(
            decode["p90_abs_error"].as_f64().unwrap() <= 0.2,
            "{test}: {decode}"
        );
    }
}

/// The program's own calibrations are what a fit to the pages gives today.
#[test]
fn the_bundled_calibrations_are_used_and_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().display().to_string();
    let asked = [
        "calc",
        "--model",
        "cyankiwi/Nemotron-Cascade-2-30B-A3B-AWQ-4bit",
        "--hardware",
        "RTX 3090",
        "--unlocked",
        "--kv",
        "int4_per_token_head",
        "--contexts",
        "0,128k",
        "--requests",
        "1,4",
        "--shared-prompt",
    ];
    let output = tokmark_with(
        &[("XDG_DATA_HOME", &home)],
        &[&asked[..], &["--json"]].concat(),
    );
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["path"]["calibrated"], true);
    assert_eq!(document["path"]["runs"], 3);
    let median = |at: usize| {
        let band = &document["cells"][at]["total_tokens_per_s"];
        band["median"].as_f64().unwrap()
    };
    // The page shows 145.0 and 422.8.
    assert!((median(0) / 145.0 - 1.0).abs() < 0.04, "{}", median(0));
    assert!((median(1) / 422.8 - 1.0).abs() < 0.04, "{}", median(1));
    let output = tokmark_with(&[("XDG_DATA_HOME", &home)], &asked);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("fitted to 3 runs that came with tokmark"),
        "{text}"
    );

    let Some(pages) = pages() else {
        return skipped();
    };
    let to = folder.path().join("new.json");
    let path = to.display().to_string();
    let arguments: Vec<&str> = pages
        .iter()
        .map(String::as_str)
        .chain(["--output", &path])
        .collect();
    fit(&arguments);
    let new = tokmark_calculator::stored::read(&std::fs::read_to_string(to).unwrap()).unwrap();
    let old = tokmark_calculator::stored::bundled().unwrap();
    for (new, old) in new[0].entries.iter().zip(&old[0].entries) {
        assert_eq!((new.id, new.scope), (old.id, old.scope));
        assert!(
            (new.value / old.value - 1.0).abs() < 0.01,
            "{new:?}, {old:?}: fit again"
        );
    }
}

/// The tables in the documentation are what a fit to the pages prints today.
#[test]
fn the_documentation_has_the_errors_of_today() {
    let documented = include_str!("../../../../docs/calculator.md");
    let begin = documented.split_once("<!-- accuracy: ").unwrap().1;
    let (command, rest) = begin.split_once(" -->\n").unwrap();
    assert!(
        command.starts_with("tokmark calc fit --markdown"),
        "{command}"
    );
    let (tables, _) = rest.split_once("<!-- accuracy ends -->").unwrap();
    let Some(pages) = pages() else {
        return skipped();
    };
    let mut arguments = vec!["calc", "fit", "--markdown"];
    arguments.extend(pages.iter().map(String::as_str));
    let output = tokmark(&arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(tables.trim(), text.trim(), "run `{command}` again");
}
