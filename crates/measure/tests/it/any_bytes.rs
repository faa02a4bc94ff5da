//! What holds for any run document and any evidence behind it.
//!
//! The fuzz target `run_file` includes this file and looks for bytes that break it; the tests of
//! `corpus` take those that are kept. An input is lines of JSON: the first is the document, each
//! other one a record of its evidence. A line that is neither is left out.

use tokmark_measure::{cell, prefill, verify};
use tokmark_run_format::evidence::{CellEvidence, PrefillEvidence, ProbeEvidence, Record};
use tokmark_run_format::{DecodeCell, RunDocument, Tool, read_document, write_document};

/// A document is read or refused, what was read can be written and read again, and its
/// verification ends, always with the same findings.
pub(crate) fn run_file(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let records: Vec<Record> = rest
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if let Ok(document) = read_document(first) {
        let written = write_document(&document).unwrap();
        let again = read_document(&written).unwrap();
        assert_eq!(again, document);
        assert_eq!(
            verify::run(&again, &records),
            verify::run(&document, &records)
        );
    }
    measured(&records);
}

/// Figures made from evidence are found to be those of the evidence.
fn measured(records: &[Record]) {
    let mut document = RunDocument::new(String::new(), Tool::default());
    let mut probes = ProbeEvidence::default();
    let mut samples: Vec<PrefillEvidence> = Vec::new();
    for record in records {
        match record {
            Record::Header(header) => document.id.clone_from(&header.run),
            Record::Probes(found) => probes = found.clone(),
            Record::Prefill(sample) => samples.push((**sample).clone()),
            Record::Cell(cell) => keep(&mut document, checked(cell)),
        }
    }
    let contexts: Vec<u64> = samples
        .iter()
        .take(8)
        .map(|sample| sample.context)
        .collect();
    document.prefill = prefill::rows(&contexts, &samples, &probes);
    no_sentinels(&format!("{:?}", document.prefill));
    let written = write_document(&document).unwrap();
    let again = read_document(&written).unwrap();
    assert_eq!(again, document);
    let wrong = verify::run(&again, records).into_iter().find(|found| {
        let of_a_figure = found.path.starts_with("decode/") || found.path.starts_with("prefill/");
        of_a_figure && !found.path.ends_with("/place")
    });
    assert_eq!(wrong, None);
}

/// A later record of a cell replaces an earlier one.
fn keep(document: &mut RunDocument, cell: DecodeCell) {
    let place = |other: &DecodeCell| (other.context, other.requests);
    document.decode.retain(|other| place(other) != place(&cell));
    document.decode.push(cell);
}

fn checked(evidence: &CellEvidence) -> DecodeCell {
    let cell = cell::evaluate(evidence);
    let sum = |tokens: &[u64]| tokens.iter().copied().fold(0, u64::saturating_add);
    if let Some(tokens) = cell.output_tokens {
        assert_eq!(
            sum(&cell.stream_tokens),
            tokens,
            "the streams' sum is the total"
        );
    }
    no_sentinels(&format!("{cell:?}"));
    cell
}

/// Absent is `None`: no figure is infinite or not a number.
#[track_caller]
fn no_sentinels(shown: &str) {
    for word in ["(NaN)", "(inf)", "(-inf)", ": NaN", ": inf,", ": -inf"] {
        assert!(!shown.contains(word), "{shown}");
    }
}
