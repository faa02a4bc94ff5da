//! The example pages, when they lie beside the checkout: every figure and word of a page must be
//! found again in the document, outside of the kept original.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tokmark_import::import;
use tokmark_run_format::{RunDocument, write_document};

fn pages() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: the example pages are not here");
        return Vec::new();
    };
    let mut pages: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            (
                path.display().to_string(),
                fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    pages.sort();
    pages
}

fn import_page(text: &str) -> (RunDocument, Value) {
    let mut runs = import(text).unwrap();
    assert_eq!(runs.len(), 1);
    (runs.remove(0), serde_json::from_str(text).unwrap())
}

#[test]
fn every_figure_of_the_pages_is_in_its_field() {
    let mut figures = 0;
    for (name, text) in pages() {
        let (run, page) = import_page(&text);
        let document = serde_json::to_value(&run).unwrap();
        for (rows, ours) in [("prefill", "prefill"), ("sustained_decode", "decode")] {
            let rows = page[rows].as_array().unwrap();
            assert_eq!(
                rows.len(),
                document[ours].as_array().unwrap().len(),
                "{name}"
            );
            for row in rows {
                let found = document[ours]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|cell| {
                        cell["context"] == row["context"] && cell["requests"] == row["requests"]
                    })
                    .expect("a cell for every cell of the page");
                for (field, value) in row.as_object().unwrap() {
                    match field.as_str() {
                        "context_label" => {}
                        "prompt_tokens_per_s_shown" => {
                            let shown = value.as_str().unwrap().replace(',', "");
                            let rate: f64 = shown.parse().unwrap();
                            assert_eq!(found["prompt_tokens_per_s"].as_f64(), Some(rate));
                        }
                        "status" => assert_eq!(&found["status"], value, "{name}"),
                        _ => assert_eq!(found[field].as_f64(), value.as_f64(), "{name} {row}"),
                    }
                    figures += 1;
                }
            }
        }
    }
    eprintln!("{figures} fields compared");
}

#[test]
fn every_word_of_the_pages_is_in_the_document() {
    for (name, text) in pages() {
        let (mut run, page) = import_page(&text);
        run.source = None;
        let document = write_document(&run).unwrap();
        let mut words = vec![
            page["model"].as_str().unwrap(),
            page["hardware_title"].as_str().unwrap(),
            page["submitted_by"].as_str().unwrap(),
            page["trust"].as_str().unwrap(),
        ];
        for card in ["hardware", "engine"] {
            words.extend(
                page[card]
                    .as_object()
                    .unwrap()
                    .values()
                    .map(|v| v.as_str().unwrap()),
            );
        }
        words.retain(|word| *word != "Discrete GPU");
        for word in words {
            assert!(document.contains(word), "{name}: {word}");
        }
        assert_eq!(run.title(), page["title"].as_str().unwrap());
        assert_eq!(
            run.launch_command.as_deref(),
            page["launch_command"].as_str()
        );
        let tool = format!("{} {}", run.tool.name, run.tool.version.unwrap());
        assert_eq!(tool, page["tool"].as_str().unwrap());
        let codes: Vec<&str> = run.notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(
            codes,
            ["source_trust"],
            "{name}: the summary is what the facts give"
        );
    }
}
