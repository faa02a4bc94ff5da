//! `tokmark show --predicted`: the calculator's figures beside the measured ones.

use std::path::Path;

use serde_json::{Value, json};

use crate::tokmark;

const RUN: &str = include_str!("../fixtures/run-1/demo.json");

/// The saved run with a change, written to a folder.
fn changed(folder: &Path, change: impl Fn(&mut Value)) -> String {
    let mut run: Value = serde_json::from_str(RUN).unwrap();
    change(&mut run);
    let path = folder.join("run.json");
    std::fs::write(&path, run.to_string()).unwrap();
    path.display().to_string()
}

fn shown(arguments: &[&str]) -> (String, String) {
    let output = tokmark(&[&["show"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn the_table_has_predictions_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = changed(folder.path(), |_| {});
    let (text, _) = shown(&[&path, "--predicted"]);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Context tok/s TTFT calc Error",
        "for vLLM on NVIDIA RTX 3090, weight-only kernels, f16 cache: an estimate from datasheets",
        "The server was simulated: this compares two models, not a model with a machine.",
    ] {
        assert!(flat.contains(part), "{part}\n{text}");
    }
    // 81.3 tok/s were measured.
    let first = text
        .lines()
        .find(|line| line.contains("calc 81.5"))
        .unwrap();
    assert!(first.contains("calc 311.3"), "{text}");
    assert!(text.contains("+0.2 %"), "{text}");
    assert!(
        flat.contains("9 of 9 foretold rightly, 0 left open, 0 wrongly."),
        "{text}"
    );
    let (without, _) = shown(&[&path]);
    assert!(!without.contains("calc"), "only where it was asked for");
}

#[test]
fn a_page_has_the_section_where_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = changed(folder.path(), |_| {});
    let (page, _) = shown(&[&path, "--predicted", "--format", "html"]);
    assert!(page.contains("data-predicted-matrix"));
    let (page, _) = shown(&[&path, "--format", "html"]);
    assert!(!page.contains("<section aria-labelledby=\"predicted\""));
}

#[test]
fn a_model_that_is_not_known_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = changed(folder.path(), |run| {
        run["model"]["name"] = json!("nobody/Nothing-1B");
        run["model"]["repository"] = Value::Null;
    });
    let (text, said) = shown(&[&path, "--predicted"]);
    assert!(text.contains("Sustained decode"));
    assert_eq!(
        said.trim(),
        "not predicted: the model `nobody/Nothing-1B` is not in the catalog"
    );
}

/// Nothing is learnt about a machine from a server that imitates it.
#[test]
fn a_simulated_run_is_not_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = changed(folder.path(), |_| {});
    let output = tokmark(&["calc", "fit", &path]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("its server was simulated"), "{said}");
}
