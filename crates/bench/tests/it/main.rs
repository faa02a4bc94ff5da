//! Whole runs against the simulated server under paused time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a panic is the failure"
)]

mod answer_faults;
mod cases;
mod dialects;
mod energy;
mod faults;
mod fronts;
mod limits;
mod presets;
mod profiles;
mod resume;
mod roofline;
mod server_faults;
mod statuses;
mod steering;
mod truth;

use std::time::Duration;

use tokmark_bench::{Endpoint, Outcome, Settings};
use tokmark_run_format::evidence::{CellEvidence, Record};
use tokmark_run_format::{CellStatus, DecodeCell};
use tokmark_sim::SimConfig;
use tokmark_test_kit::SimBench;

/// The small preset, changed.
fn sim(change: impl FnOnce(&mut SimConfig)) -> SimConfig {
    let mut config = SimConfig::default();
    change(&mut config);
    config
}

/// A small matrix: contexts as given, windows of 8 s.
fn settings(contexts: &str, requests: &[u32]) -> Settings {
    Settings {
        contexts: Some(tokmark_units::parse_context_list(contexts).unwrap()),
        prefill_contexts: Some(Vec::new()),
        requests: requests.to_vec(),
        window: Duration::from_secs(8),
        ..Settings::default()
    }
}

async fn measure(config: SimConfig, settings: &Settings) -> (SimBench, Outcome) {
    let bench = SimBench::start(config, settings.endpoint).await.unwrap();
    let (outcome, _) = bench.measure(settings).await.unwrap();
    (bench, outcome)
}

fn cell(outcome: &Outcome, context: u64, requests: u32) -> &DecodeCell {
    outcome
        .decode
        .iter()
        .find(|cell| cell.context == context && cell.requests == requests)
        .unwrap()
}

fn status(outcome: &Outcome, context: u64, requests: u32) -> CellStatus {
    cell(outcome, context, requests).status
}

/// The evidence that a cell's numbers come from.
fn evidence(outcome: &Outcome, context: u64, requests: u32) -> &CellEvidence {
    outcome
        .records
        .iter()
        .rev()
        .find_map(|record| match record {
            Record::Cell(cell) if cell.context == context && cell.requests == requests => {
                Some(cell.as_ref())
            }
            _ => None,
        })
        .unwrap()
}

/// The route of most tests.
const CHAT: Endpoint = Endpoint::Chat;
