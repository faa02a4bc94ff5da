//! Predictions beside measurements, and the pages of calibrated paths.

use http::StatusCode;
use tokmark_run_format::hardware::MachineClass;
use tokmark_run_format::{RunDocument, Trust};

use crate::visitor::{EVIDENCE, Site, measured};

const LIST: &str = "/en/decode-calculator/paths";
const UNLOCKED: &str = "/en/decode-calculator/paths/vllm-nvidia-rtx-3090-unlocked";
const STOCK: &str = "/en/decode-calculator/paths/vllm-nvidia-rtx-3090";

/// A run of a 14B model on an RTX 3090, measured with evidence.
fn known(id: &str) -> RunDocument {
    let mut run = measured(id);
    "deepseek-r1-distill-qwen-14b-awq".clone_into(&mut run.model.name);
    run.model.repository = None;
    run.hardware.name = Some("RTX 3090 24GB".to_owned());
    let card = run.hardware.accelerators.first_mut().unwrap();
    "RTX 3090".clone_into(&mut card.name);
    card.count = 1;
    card.memory_bytes = Some(24 << 30);
    card.memory_text = None;
    run.launch_command = Some("vllm serve a/deepseek-r1-distill-qwen-14b-awq".to_owned());
    run
}

fn unlocked(id: &str) -> RunDocument {
    let mut run = known(id);
    run.launch_command = run
        .launch_command
        .map(|line| format!("# gpu-unlock\n{line}"));
    run
}

#[tokio::test]
async fn a_run_stands_beside_its_prediction() {
    let site = Site::empty().await;
    site.put(&unlocked("one"), Some(EVIDENCE), 0).await;
    let page = site.get("/en/runs/one").await;
    let text = page.text();
    for part in [
        "<h2 id=\"predicted\">Predicted and measured</h2>",
        "constants fitted to 3 runs, this one not among them, but one of the same model.",
        "<span class=\"measured\">80.0</span>",
        "<small class=\"prediction\">predicted 79.1</small>",
        "<strong class=\"error\">-1.1 %</strong>",
        "1 of 1 figure lie in the 90 % band.",
        "href=\"/en/decode-calculator/paths/vllm-nvidia-rtx-3090-unlocked\"",
        "<polygon class=\"band\"",
        "measured 80.0, predicted 79.1 (-1.1 %), 90 % band ",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let file = site.get("/runs/one/run.html").await;
    assert!(file.text().contains("predicted 79.1"));
    assert!(
        !file.text().contains("/en/decode-calculator/paths"),
        "no site beside it"
    );
}

#[tokio::test]
async fn a_model_or_machine_that_is_not_known_says_so() {
    let site = Site::empty().await;
    site.put(&measured("one"), Some(EVIDENCE), 0).await;
    let page = site.get("/en/runs/one").await;
    let reason = "The decode calculator cannot predict this run: the model";
    assert!(page.text().contains(reason));
    assert!(page.text().contains("is not in the catalog."));
    assert!(!page.text().contains("data-predicted-matrix"));
}

#[tokio::test]
async fn the_programs_paths_are_listed_and_shown() {
    let site = Site::empty().await;
    let list = site.get(LIST).await;
    assert_eq!(list.status, StatusCode::OK);
    for part in [
        "<a href=\"/en/decode-calculator/paths/vllm-nvidia-rtx-3090-unlocked\">NVIDIA RTX 3090",
        ", limits taken off</a>",
        "<td>weight-only</td>",
        "int4_per_token_head",
        "<td>0.9 % / 2.9 %</td>",
        "<td>10.6 % / 18.0 %</td>",
        "came with the program",
    ] {
        assert!(list.text().contains(part), "{part}");
    }
    let page = site.get(UNLOCKED).await;
    for part in [
        "<h1>vLLM on NVIDIA RTX 3090",
        "Sustained decode, nothing of the model</th><td>36</td><td>1.7 %</td><td>4.3 %</td>",
        "<th scope=\"row\">stream efficiency</th><td>η</td><td>weight-only</td>",
        "<td>0.921 share of bandwidth</td>",
        "profiles of single kernels: 88 to 94 % on large matrices",
        "Decode: how far the fit is off",
        "data-residuals",
    ] {
        assert!(page.text().contains(part), "{part}");
    }
    let rows = page.text().split("data-residuals").nth(1).unwrap();
    assert_eq!(rows.matches("<tr><th scope=\"row\">").count(), 50);
}

#[tokio::test]
async fn addresses_of_no_path_lead_nowhere() {
    let site = Site::empty().await;
    for path in [
        "/xx/decode-calculator/paths",
        "/en/decode-calculator/paths/",
        "/en/decode-calculator/paths/nobody",
        "/en/decode-calculator/paths/..%2f..%2fetc",
        STOCK,
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_measured_run_makes_a_path_of_its_own() {
    let site = Site::empty().await;
    site.put(&known("one"), Some(EVIDENCE), 0).await;
    assert_eq!(site.get(STOCK).await.status, StatusCode::NOT_FOUND);
    site.state.calibrate().await.unwrap();
    let page = site.get(STOCK).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("Fitted to 1 run of this site."));
    let row = "<a href=\"/en/runs/one\">deepseek-r1-distill-qwen-14b-awq on RTX 3090 24GB</a>";
    assert!(page.text().contains(row));
    assert!(site.get(LIST).await.text().contains("to runs of this site"));
    let run = site.get("/en/runs/one").await;
    let one_figure = "constants fitted to 1 run, which is this one; they tell too little of these";
    assert!(run.text().contains(one_figure));
    // The same runs again: the same fit.
    site.state.calibrate().await.unwrap();
    assert_eq!(site.get(STOCK).await.text(), page.text());
}

#[tokio::test]
async fn only_runs_that_can_be_trusted_move_constants() {
    let site = Site::empty().await;
    // Without its evidence a run is only somebody's word.
    site.put(&known("word"), None, 0).await;
    // Another tool's result on a stock card.
    let mut imported = known("imported");
    imported.trust = Trust::Imported;
    imported.evidence = None;
    site.put(&imported, None, 1).await;
    let mut simulated = known("simulated");
    simulated.hardware.class = MachineClass::Simulated;
    site.put(&simulated, Some(EVIDENCE), 2).await;
    site.state.calibrate().await.unwrap();
    assert_eq!(site.get(STOCK).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_smaller_fit_does_not_replace_the_programs() {
    let site = Site::empty().await;
    let mut run = unlocked("one");
    run.trust = Trust::Imported;
    run.evidence = None;
    site.put(&run, None, 0).await;
    site.state.calibrate().await.unwrap();
    let page = site.get(UNLOCKED).await;
    assert!(page.text().contains("came with the program"));
    let row = page
        .text()
        .split("<a href=\"/en/runs/one\">")
        .nth(1)
        .unwrap();
    let row = row.split("</tr>").next().unwrap();
    assert!(row.contains("<td>no</td><td>1.1 % / 1.1 %</td>"), "{row}");
}

#[tokio::test]
async fn titles_of_runs_are_escaped() {
    let site = Site::empty().await;
    let mut run = known("one");
    run.model.repository = Some("a/deepseek-r1-distill-qwen-14b-awq".to_owned());
    "<script>alert(1)</script>".clone_into(&mut run.model.name);
    site.put(&run, Some(EVIDENCE), 0).await;
    site.state.calibrate().await.unwrap();
    for path in [STOCK, LIST, "/en/runs/one"] {
        let page = site.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(!page.text().contains("<script>alert"), "{path}");
    }
    let page = site.get(STOCK).await;
    assert!(page.text().contains("&#60;script&#62;alert(1)"));
}

/// The example pages as runs of a site: its own fit has as many figures as the program's, and stands
/// in its place with links.
#[tokio::test]
async fn the_example_pages_become_the_sites_own_path() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no example pages beside the repository");
        return;
    };
    let site = Site::empty().await;
    let files = entries.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut ids = Vec::new();
    for (second, path) in (0..).zip(files) {
        let text = std::fs::read_to_string(path).unwrap();
        let run = tokmark_import::import(&text).unwrap().remove(0);
        site.put(&run, None, second).await;
        ids.push(run.id);
    }
    site.state.calibrate().await.unwrap();
    let page = site.get(UNLOCKED).await;
    assert!(page.text().contains("Fitted to 3 runs of this site."));
    for id in ids {
        let link = format!("<a href=\"/en/runs/{id}\">");
        assert!(page.text().contains(&link), "{link}");
        let run = site.get(&format!("/en/runs/{id}")).await;
        assert!(
            run.text()
                .contains("constants fitted to 3 runs, this one among them.")
        );
    }
    let errors = "Sustained decode, all but the row of contexts</th><td>36</td><td>1.4 %</td>";
    assert!(page.text().contains(errors), "as the program's own");
}
