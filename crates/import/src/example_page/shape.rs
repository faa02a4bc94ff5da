//! The page's JSON as it is.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A whole page.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) model: String,
    pub(super) hardware_title: Option<String>,
    pub(super) submitted_by: Option<String>,
    pub(super) tool: String,
    pub(super) trust: Option<String>,
    pub(super) summary: Option<String>,
    #[serde(default)]
    pub(super) hardware: Facts,
    #[serde(default)]
    pub(super) engine: Facts,
    #[serde(default)]
    pub(super) run: Facts,
    pub(super) launch_command: Option<String>,
    pub(super) prefill: Vec<PagePrefill>,
    pub(super) sustained_decode: Vec<PageCell>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// One card of the page: label and text. What is taken out has found its place.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Facts(BTreeMap<String, String>);

impl Facts {
    /// Takes the text under a label.
    pub(super) fn take(&mut self, label: &str) -> Option<String> {
        self.0.remove(label)
    }

    /// Puts a text back that could not be placed.
    pub(super) fn keep(&mut self, label: &str, text: String) {
        self.0.insert(label.to_owned(), text);
    }
}

/// A prefill row.
#[derive(Debug, Deserialize)]
pub(super) struct PagePrefill {
    pub(super) context: u64,
    pub(super) context_label: Option<String>,
    pub(super) requests: u32,
    pub(super) status: String,
    pub(super) prompt_tokens_per_s_shown: Option<String>,
    pub(super) ttft_ms: Option<f64>,
    pub(super) completed_requests: Option<u64>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// A cell of the matrix.
#[derive(Debug, Deserialize)]
pub(super) struct PageCell {
    pub(super) context: u64,
    pub(super) context_label: Option<String>,
    pub(super) requests: u32,
    pub(super) status: String,
    pub(super) total_tokens_per_s: Option<f64>,
    pub(super) per_request_tokens_per_s: Option<f64>,
    pub(super) ttft_ms: Option<f64>,
    pub(super) time_between_tokens_ms: Option<f64>,
    pub(super) average_active_requests: Option<f64>,
    pub(super) completed_requests: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) measured_s: Option<f64>,
    #[serde(flatten)]
    pub(super) rest: BTreeMap<String, Value>,
}

impl Page {
    /// What has no place of its own in a run document, as `field: value`.
    pub(super) fn left_over(&self) -> Vec<String> {
        let card = |name: &'static str, facts: &Facts| -> Vec<String> {
            facts
                .0
                .iter()
                .map(|(label, text)| format!("{name} {label}: {text}"))
                .collect()
        };
        let mut left = card("hardware", &self.hardware);
        left.extend(card("engine", &self.engine));
        left.extend(card("run", &self.run));
        left.extend(named("", &self.rest));
        for row in &self.prefill {
            left.extend(named(&format!("prefill {} ", row.context), &row.rest));
        }
        for cell in &self.sustained_decode {
            let place = format!("decode {} × {} ", cell.context, cell.requests);
            left.extend(named(&place, &cell.rest));
        }
        left
    }
}

fn named(place: &str, fields: &BTreeMap<String, Value>) -> Vec<String> {
    fields
        .iter()
        .map(|(name, value)| format!("{place}{name}: {value}"))
        .collect()
}
