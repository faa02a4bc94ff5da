//! Whether a run document is what its evidence gives: methodology section 8.
//!
//! Every figure is computed again and compared. That proves that document and evidence belong
//! together, not that anybody measured honestly.

mod differences;
mod structure;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};
use tokmark_run_format::evidence::{CellEvidence, Header, PrefillEvidence, ProbeEvidence, Record};
use tokmark_run_format::status::PrefillStatus;
use tokmark_run_format::{DecodeCell, METHODOLOGY, PrefillRow, RunDocument};
use tokmark_units::float;

use crate::interval::Rule;
use crate::roofline::Limits;
use crate::{cell, energy, passes, prefill, roofline};
use differences::Comparing;

/// A place where the document is not what the evidence gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where, for example `decode/16384/4/total_tokens_per_s`.
    pub path: String,
    /// What the document has; `null` when it has nothing.
    pub document: Value,
    /// What the evidence gives; `null` when it gives nothing.
    pub evidence: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            document,
            evidence,
        } = self;
        write!(
            f,
            "{path}: the document has {document}, the evidence gives {evidence}"
        )
    }
}

/// Compares a document with the records of its evidence file. Empty when everything agrees.
///
/// Its cost grows with the size of both and not faster, so that a stranger's files can be verified:
/// a place that the document has several times is compared once (and reported), and of very many
/// differences only the first ones are kept. Numbers agree within a relative 1e-9. Sentences (reasons and notes) are compared only when this
/// version of the program wrote both: a later one may word them better.
pub fn run(document: &RunDocument, records: &[Record]) -> Vec<Difference> {
    let evidence = Evidence::of(records);
    let mut comparing = Comparing::new(evidence.is_of_this_version(document));
    if rule_of(document).is_none() {
        comparing.add(
            "methodology",
            json!(document.methodology),
            json!(format!("at most {METHODOLOGY} is known")),
        );
    }
    let header = evidence.header.map(|header| header.run.as_str());
    comparing.values("id", &json!(document.id), &json!(header));
    probes(document, &evidence, &mut comparing);
    let limits = Limits::of(document);
    prefill_rows(document, &evidence, limits.as_ref(), &mut comparing);
    cells(document, &evidence, limits.as_ref(), &mut comparing);
    at_rest(&evidence, &mut comparing);
    structure::check(document, &mut comparing);
    comparing.found
}

/// By which rule the document's intervals were made; `None` when this program does not know it.
fn rule_of(document: &RunDocument) -> Option<Rule> {
    match document.methodology {
        1 => Some(Rule::BatchMeans),
        METHODOLOGY => Some(Rule::Cosines),
        _ => None,
    }
}

/// The records, sorted by what they are about.
struct Evidence<'a> {
    header: Option<&'a Header>,
    probes: ProbeEvidence,
    prefill: Vec<PrefillEvidence>,
    cells: BTreeMap<(u64, u32), BTreeMap<u32, &'a CellEvidence>>,
}

impl<'a> Evidence<'a> {
    /// A later record of a cell's pass, and of the probes, replaces an earlier one.
    fn of(records: &'a [Record]) -> Self {
        let mut sorted = Self {
            header: None,
            probes: ProbeEvidence::default(),
            prefill: Vec::new(),
            cells: BTreeMap::new(),
        };
        for record in records {
            match record {
                Record::Header(header) => sorted.header = Some(header),
                Record::Probes(probes) => sorted.probes = probes.clone(),
                Record::Prefill(sample) => sorted.prefill.push((**sample).clone()),
                Record::Cell(cell) => {
                    let passes = sorted.cells.entry((cell.context, cell.requests));
                    passes.or_default().insert(cell.pass, cell);
                }
            }
        }
        sorted
    }

    fn is_of_this_version(&self, document: &RunDocument) -> bool {
        let this = env!("CARGO_PKG_VERSION");
        let evidence = self.header.map(|header| header.tool_version.as_str());
        document.methodology == METHODOLOGY
            && evidence == Some(this)
            && document.tool.version.as_deref() == Some(this)
    }
}

fn probes(document: &RunDocument, evidence: &Evidence<'_>, comparing: &mut Comparing) {
    let fixed = evidence
        .probes
        .fixed_ttft_ns
        .map(|ns| float::from_u64(ns) / 1e6);
    comparing.values(
        "fixed_ttft_ms",
        &json!(document.fixed_ttft_ms),
        &json!(fixed),
    );
    let limit = evidence.probes.admission_limit;
    comparing.values(
        "admission_limit",
        &json!(document.admission_limit),
        &json!(limit),
    );
    let tried = &evidence.probes.admission;
    if !tried.is_empty() {
        let fewer = tried
            .iter()
            .find(|(asked, ran)| ran < asked)
            .map(|(_, ran)| *ran);
        comparing.values("evidence/admission_limit", &json!(limit), &json!(fewer));
    }
}

fn prefill_rows(
    document: &RunDocument,
    evidence: &Evidence<'_>,
    limits: Option<&Limits>,
    comparing: &mut Comparing,
) {
    let rows = first_of_each(&document.prefill, |row| row.context);
    let contexts: Vec<u64> = rows.iter().map(|row| row.context).collect();
    let recomputed = prefill::rows(&contexts, &evidence.prefill, &evidence.probes);
    for (row, again) in rows.into_iter().zip(recomputed) {
        let path = format!("prefill/{}", row.context);
        let mut again = expected_row(row, again);
        roofline::fill_row(limits, &mut again);
        comparing.values(&path, &as_value(row), &as_value(&again));
    }
}

/// A row that a rule left out has no evidence by its nature: it must be as empty as such a row is.
fn expected_row(row: &PrefillRow, again: PrefillRow) -> PrefillRow {
    let left_out = matches!(
        row.status,
        PrefillStatus::OverLength | PrefillStatus::OverCapacity
    );
    if left_out && again.samples.is_empty() && again.status == PrefillStatus::Interrupted {
        return PrefillRow::without_samples(row.context, row.status, row.reason.clone());
    }
    again
}

fn cells(
    document: &RunDocument,
    evidence: &Evidence<'_>,
    limits: Option<&Limits>,
    comparing: &mut Comparing,
) {
    let cells = first_of_each(&document.decode, |cell| (cell.context, cell.requests));
    let mut present = BTreeSet::new();
    let rule = rule_of(document).unwrap_or_default();
    for cell in cells {
        present.insert((cell.context, cell.requests));
        let path = DecodeCell::evidence_name(cell.context, cell.requests);
        let again = evidence.cells.get(&(cell.context, cell.requests));
        let again = again.and_then(|of_it| {
            let pass = |pass: &&CellEvidence| cell::evaluate_by(pass, rule);
            passes::combine(of_it.values().map(pass).collect())
        });
        let again = again.map(|mut again| {
            roofline::fill_cell(limits, &mut again);
            again
        });
        let again = again.map_or(Value::Null, |again| as_value(&again));
        comparing.values(&path, &as_value(cell), &again);
    }
    for (context, requests) in evidence.cells.keys() {
        if !present.contains(&(*context, *requests)) {
            let path = DecodeCell::evidence_name(*context, *requests);
            comparing.add(&path, Value::Null, json!("a measured cell"));
        }
    }
}

/// Power at rest was read once, for all cells.
fn at_rest(evidence: &Evidence<'_>, comparing: &mut Comparing) {
    let read = evidence.probes.idle.as_ref();
    let read = json!(read.and_then(energy::mean_power_w));
    let passes = evidence.cells.values().flat_map(BTreeMap::values);
    for cell in passes.filter(|cell| cell.telemetry.is_some()) {
        let name = DecodeCell::evidence_name(cell.context, cell.requests);
        let path = format!("evidence/{name}/idle_power_w");
        comparing.values(&path, &json!(cell.idle_power_w), &read);
    }
}

/// The first of every place; the structure's check reports the others.
fn first_of_each<T, K: Ord>(parts: &[T], place: impl Fn(&T) -> K) -> Vec<&T> {
    let mut seen = BTreeSet::new();
    parts
        .iter()
        .filter(|part| seen.insert(place(part)))
        .collect()
}

fn as_value<T: serde::Serialize>(part: &T) -> Value {
    // These types are plain data with text keys, which JSON always holds.
    serde_json::to_value(part).unwrap_or_default()
}
