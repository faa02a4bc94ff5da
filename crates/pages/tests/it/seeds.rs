//! A page of an imported run shows what its source shows: every figure and every status.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tokmark_import::import;
use tokmark_pages::{PageOptions, run_page};

use crate::html::{Element, elements, unescaped, with_attribute};

const FIXTURE: &str = include_str!("../../../import/tests/fixtures/page.json");

/// The fixture, and the example pages when they lie beside the checkout.
fn sources() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let mut sources = vec![FIXTURE.to_owned()];
    match fs::read_dir(&folder) {
        Err(_) => eprintln!("skipped: the example pages are not here"),
        Ok(entries) => sources.extend(
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
                .map(|path| fs::read_to_string(path).unwrap()),
        ),
    }
    sources
}

fn pages() -> Vec<(Value, String)> {
    sources()
        .iter()
        .map(|source| {
            let run = import(source).unwrap().remove(0);
            let page = run_page(&run, &PageOptions::self_contained());
            (serde_json::from_str(source).unwrap(), page)
        })
        .collect()
}

/// A figure as the source's page prints it.
fn printed(value: &Value, decimals: usize, unit: &str) -> String {
    let Some(number) = value.as_f64() else {
        return "—".to_owned();
    };
    let text = format!("{number:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{grouped}{dot}{fraction}{unit}")
}

fn status_words(word: &str) -> &'static str {
    match word {
        "valid" => "Valid",
        "queued" => "Requests queued",
        "looped" => "Looped",
        "over_capacity" => "Over capacity",
        other => panic!("no words for {other}"),
    }
}

fn place(element: &Element) -> (String, String) {
    let attribute = |name| element.attribute(name).to_owned();
    (attribute("data-context"), attribute("data-requests"))
}

#[test]
fn the_matrix_shows_every_cell() {
    for (source, page) in pages() {
        let table = with_attribute(&page, "table", "data-matrix");
        let cells = elements(&table.html, "td");
        let expected = source["sustained_decode"].as_array().unwrap();
        assert_eq!(cells.len(), expected.len());
        for cell in expected {
            let at = (cell["context"].to_string(), cell["requests"].to_string());
            let found = cells.iter().find(|td| place(td) == at).unwrap();
            let word = cell["status"].as_str().unwrap();
            assert_eq!(found.attribute("data-status"), word);
            let mut parts = Vec::new();
            if !cell["total_tokens_per_s"].is_null() {
                parts.push(printed(&cell["total_tokens_per_s"], 1, ""));
            }
            if word != "valid" {
                parts.push(status_words(word).to_owned());
            }
            if !cell["ttft_ms"].is_null() {
                parts.push(printed(&cell["ttft_ms"], 0, " ms TTFT"));
            }
            assert_eq!(found.text(), parts.join(" "), "{at:?}");
        }
    }
}

#[test]
fn the_table_shows_every_figure() {
    for (source, page) in pages() {
        let table = with_attribute(&page, "table", "data-measurements");
        let rows = elements(&table.html, "tr");
        let find = |phase: &str, row: &Value| -> Vec<String> {
            let at = (row["context"].to_string(), row["requests"].to_string());
            let found = rows
                .iter()
                .find(|tr| tr.attribute("data-phase") == phase && place(tr) == at)
                .unwrap();
            let figures = elements(&found.html, "td");
            figures.iter().map(Element::text).collect()
        };
        let dash = || "—".to_owned();
        let label = |row: &Value| row["context_label"].as_str().unwrap().to_owned();
        for row in source["prefill"].as_array().unwrap() {
            let expected = vec![
                label(row),
                row["requests"].to_string(),
                status_words(row["status"].as_str().unwrap()).to_owned(),
                row["prompt_tokens_per_s_shown"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
                dash(),
                printed(&row["ttft_ms"], 0, " ms"),
                dash(),
                dash(),
                printed(&row["completed_requests"], 0, ""),
                dash(),
                dash(),
                dash(),
            ];
            assert_eq!(find("prefill", row), expected);
        }
        for cell in source["sustained_decode"].as_array().unwrap() {
            let expected = vec![
                label(cell),
                cell["requests"].to_string(),
                status_words(cell["status"].as_str().unwrap()).to_owned(),
                printed(&cell["total_tokens_per_s"], 1, ""),
                printed(&cell["per_request_tokens_per_s"], 1, ""),
                printed(&cell["ttft_ms"], 0, " ms"),
                printed(&cell["time_between_tokens_ms"], 1, " ms"),
                printed(&cell["average_active_requests"], 1, ""),
                printed(&cell["completed_requests"], 0, ""),
                printed(&cell["output_tokens"], 0, ""),
                printed(&cell["measured_s"], 1, " s"),
                dash(),
            ];
            assert_eq!(find("decode", cell), expected);
        }
        let all = source["prefill"].as_array().unwrap().len()
            + source["sustained_decode"].as_array().unwrap().len();
        let rows = rows
            .iter()
            .filter(|tr| !tr.attribute("data-phase").is_empty());
        assert_eq!(rows.count(), all);
    }
}

#[test]
fn cards_title_and_command_show_every_word() {
    for (source, page) in pages() {
        let texts =
            |name| -> Vec<String> { elements(&page, name).iter().map(Element::text).collect() };
        let text = |field: &str| source[field].as_str().unwrap().to_owned();
        assert_eq!(texts("h1"), [text("title")]);
        let facts = texts("dd");
        for card in ["hardware", "engine", "run"] {
            for (label, value) in source[card].as_object().unwrap() {
                let value = value.as_str().unwrap();
                let value = match (label.as_str(), value.split_once("x ")) {
                    ("GPU", Some((count, name))) => format!("{count} × {name}"),
                    ("VRAM", _) if source["hardware"]["GPU"] == "2x Rig" => format!("2 × {value}"),
                    _ => value.to_owned(),
                };
                assert!(facts.contains(&value), "{label}: {value}");
            }
        }
        let paragraphs = texts("p");
        let summary = text("summary");
        let lines: Vec<&String> = paragraphs.iter().filter(|p| summary.contains(*p)).collect();
        let (engine, extent) = (lines[0], lines[1]);
        assert_eq!(format!("{engine}{extent}"), summary);
        let origin = paragraphs.iter().find(|p| p.starts_with("by ")).unwrap();
        let expected = format!("by {} {} Imported", text("submitted_by"), text("tool"));
        assert!(origin.starts_with(&expected), "{origin}");
        let command = with_attribute(&page, "code", "id");
        let command = unescaped(&command.html);
        let expected = text("launch_command").replace("sesame", "[removed]");
        assert_eq!(command, expected);
    }
}

#[test]
fn prefill_cards_show_rate_and_ttft() {
    for (source, page) in pages() {
        let cards: Vec<Element> = elements(&page, "li")
            .into_iter()
            .filter(|li| !li.attribute("data-prefill").is_empty())
            .collect();
        for (card, row) in cards.iter().zip(source["prefill"].as_array().unwrap()) {
            let shown = row["prompt_tokens_per_s_shown"].as_str().unwrap();
            let shown = if shown.contains(',') {
                shown.trim_end_matches(".0")
            } else {
                shown
            };
            let label = row["context_label"].as_str().unwrap();
            let ttft = printed(&row["ttft_ms"], 0, " ms TTFT");
            assert_eq!(card.text(), format!("{label} context {shown} {ttft}"));
        }
        assert_eq!(cards.len(), source["prefill"].as_array().unwrap().len());
    }
}

#[test]
fn an_import_claims_nothing_that_it_does_not_know() {
    for (_, page) in pages() {
        assert!(page.contains("whether the prompt cache was warm is not recorded"));
        assert!(!page.contains("mostly excludes prefill"));
    }
}
