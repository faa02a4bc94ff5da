use std::path::Path;

use serde_json::Value;
use tokmark_run_format::{CellStatus, DecodeCell, RunDocument, Tool, write_document};

use crate::{fails, tokmark, tokmark_with};

/// A run whose two cells have these rates, in a folder of its own.
fn saved(dir: &Path, name: &str, rates: [f64; 2], version: &str) -> String {
    let mut run = RunDocument::new(format!("{name:0>26}").replace('/', "0"), Tool::default());
    run.model.name = "tiny".into();
    run.engine.version = Some(version.into());
    for (requests, rate) in [1, 4].into_iter().zip(rates) {
        let mut cell = DecodeCell::without_numbers(0, requests, CellStatus::Valid, None);
        cell.total_tokens_per_s = Some(rate);
        cell.ci95_low = Some(rate * 0.99);
        cell.ci95_high = Some(rate * 1.01);
        run.decode.push(cell);
    }
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("run.json"), write_document(&run).unwrap()).unwrap();
    folder.display().to_string()
}

/// Three repeats of a side; gives the folder that holds their folders.
fn repeated(dir: &Path, name: &str, rates: [f64; 3]) -> String {
    for (at, rate) in rates.into_iter().enumerate() {
        saved(dir, &format!("{name}/{at}"), [rate, 4.0 * rate], "0.1");
    }
    dir.join(name).display().to_string()
}

fn text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_table_says_what_differs_and_by_how_much() {
    let dir = tempfile::tempdir().unwrap();
    let before = saved(dir.path(), "before", [100.0, 400.0], "0.1");
    let after = saved(dir.path(), "after", [90.0, 360.0], "0.2");
    let output = tokmark(&["compare", &before, &after]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output);
    for part in [
        "B's total tok/s is 10.0 % (4.8 to 14.9) lower than A's over 2 cells: worse.",
        "engine.version: A 0.1 | B 0.2",
        "      0         4  400.0  360.0  -10.0 %  -15.0 to -4.7 %  worse",
        "2 cells worse, 0 better",
    ] {
        assert!(said.contains(part), "`{part}` is missing:\n{said}");
    }
    // Held against B, it is A that is better.
    let turned = tokmark(&[
        "compare",
        &before,
        &after,
        "--baseline",
        "b",
        "--metric",
        "total",
    ]);
    let said = text(&turned);
    assert!(said.contains("A's total tok/s is 11.1 %"), "{said}");
    assert!(
        said.contains("higher than B's over 2 cells: better."),
        "{said}"
    );
}

#[test]
fn rules_decide_the_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let before = saved(dir.path(), "before", [100.0, 400.0], "0.1");
    let check = |rates: [f64; 2], rules: &str, code: i32| {
        let after = saved(dir.path(), "after", rates, "0.1");
        let output = tokmark(&["compare", &before, &after, "--fail-on", rules]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{rules}\n{}",
            text(&output)
        );
    };
    check([100.0, 400.0], "total < -3%", 0);
    check([120.0, 480.0], "total<-3%, status", 0);
    check([90.0, 360.0], "total<-3%", 1);
    check([96.0, 384.0], "total<-3%", 3);
    check([96.0, 384.0], "total<-5%", 0);
    check([90.0, 360.0], "ttft > +10%", 3);
    let steady = repeated(dir.path(), "steady", [100.0, 100.1, 99.9]);
    let slower = repeated(dir.path(), "slower", [97.0, 97.1, 96.9]);
    let gate = ["compare", &steady, &slower, "--fail-on", "total < -2%"];
    let output = tokmark(&gate);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(
        text(&output).contains("A tiny on unknown hardware (baseline): 3 runs"),
        "{}",
        text(&output)
    );
}

#[test]
fn every_form_of_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let before = saved(dir.path(), "before", [100.0, 400.0], "0.1");
    let after = saved(dir.path(), "after", [90.0, 400.0], "0.1");
    let junit = dir.path().join("junit.xml").display().to_string();
    let summary = dir.path().join("summary.md").display().to_string();
    std::fs::write(&summary, "# Before\n").unwrap();
    let rules = "c=1 total < -3%, status";
    let arguments = [
        "compare",
        &before,
        &after,
        "--fail-on",
        rules,
        "--json",
        "--junit",
        &junit,
        "--github-summary",
    ];
    let output = tokmark_with(&[("GITHUB_STEP_SUMMARY", &summary)], &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let metric = &value["comparisons"][0]["metrics"][0];
    assert_eq!(metric["metric"], "total");
    assert_eq!(metric["noise"], "assumed");
    let ratio = metric["cells"][0]["change"]["ratio"].as_f64().unwrap();
    assert!((ratio - 0.9).abs() < 1e-12, "{ratio}");
    assert_eq!(metric["cells"][0]["change"]["significant"], true);
    assert_eq!(metric["cells"][1]["change"]["significant"], false);
    assert_eq!(value["comparisons"][0]["rules"][0]["outcome"], "broken");
    assert_eq!(value["comparisons"][0]["rules"][1]["outcome"], "holds");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""),
        "{xml}"
    );
    assert!(
        xml.contains("name=\"c=1 total &lt; -3%\"><failure type=\"rule\" message=\"-10.0 %"),
        "{xml}"
    );
    let markdown = std::fs::read_to_string(&summary).unwrap();
    assert!(markdown.starts_with("# Before\n"), "{markdown}");
    assert!(
        markdown.contains("| c=1 total &lt; -3% | broken | -10.0 % ("),
        "{markdown}"
    );
    assert!(
        markdown.contains("| 0 | 4 | 400.0 | 400.0 | 0.0 % | "),
        "{markdown}"
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let run = saved(dir.path(), "run", [100.0, 400.0], "0.1");
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.display().to_string();
    fails(&["compare", &run], 2, &["2 values required"]);
    fails(&["compare", &run, &empty], 2, &["no run document", &empty]);
    fails(
        &["compare", &run, "/nowhere/run.json"],
        2,
        &["/nowhere/run.json"],
    );
    fails(
        &["compare", &run, &run, "--baseline", "C"],
        2,
        &["the sides are A to B"],
    );
    fails(
        &["compare", &run, &run, "--metric", "speed"],
        2,
        &["total", "per-request"],
    );
    fails(
        &["compare", &run, &run, "--noise", "60%"],
        2,
        &["from 0% to 50%"],
    );
    fails(
        &["compare", &run, &run, "--fail-on", "total < -3%, ttft < 5%"],
        2,
        &[
            "a loss of it is more",
            "column 19",
            "\n                    ^",
        ],
    );
    fails(&["compare", &run, &run], 0, &["are the same run"]);
    fails(&["compare", &run, &run, "--metric", "ttft"], 3, &[]);
}
