//! Files that somebody made up to cost much: verification has to end soon and in little memory.

use tokmark_measure::cell::evaluate;
use tokmark_measure::verify::run;
use tokmark_run_format::evidence::{CellEvidence, Header, ProbeEvidence, Record};
use tokmark_run_format::plan::PrefillMode;
use tokmark_run_format::{RunDocument, Tool};

use crate::build::*;

fn document() -> RunDocument {
    let mut document = RunDocument::new("run".to_owned(), Tool::default());
    document.plan.prefill = PrefillMode::Off;
    document
}

fn records(cell: CellEvidence) -> Vec<Record> {
    let header = Header {
        format: tokmark_run_format::evidence::FORMAT.to_owned(),
        run: "run".to_owned(),
        tool_version: String::new(),
    };
    vec![Record::Header(header), Record::Cell(Box::new(cell))]
}

/// Two lists of a hundred thousand make ten thousand million pairs.
#[test]
fn a_plan_of_too_many_cells_is_not_walked() {
    let mut document = document();
    document.plan.contexts = (0..100_000).collect();
    document.plan.requests = (0..100_000).collect();
    let found = run(&document, &records(steady(1)));
    assert_eq!(found.len(), 10_000);
    assert_eq!(found[1].path, "decode/0/0");
    // The same pair again and again is one pair.
    document.plan.contexts = vec![1_024; 100_000];
    document.plan.requests = vec![1; 100_000];
    document.decode = vec![evaluate(&steady(1))];
    assert_eq!(run(&document, &records(steady(1))), []);
}

/// A costly cell is computed once however often the document repeats it.
#[test]
fn a_repeated_cell_is_computed_once() {
    let mut costly = steady(1);
    costly.requests = u32::MAX;
    let mut document = document();
    let cell = evaluate(&costly);
    let small = tokmark_run_format::DecodeCell::without_numbers(
        cell.context,
        cell.requests,
        cell.status,
        cell.reason.clone(),
    );
    document.decode = vec![small; 4_000];
    document.decode[0] = cell;
    let found = run(&document, &records(costly));
    assert_eq!(found.len(), 3_999, "{:?}", found.first());
    for difference in found {
        assert_eq!(difference.document, "more than once");
    }
}

/// Every row of a document with its own samples, and every row twice.
#[test]
fn rows_are_compared_with_the_samples_of_their_context() {
    let mut document = document();
    document.plan.prefill = PrefillMode::WarmUp;
    let contexts: Vec<u64> = (0..20_000).collect();
    document.prefill = tokmark_measure::prefill::rows(&contexts, &[], &ProbeEvidence::default());
    let rows = document.prefill.clone();
    assert_eq!(
        run(&document, &records(steady(1))).len(),
        1,
        "the cell is not there"
    );
    document.prefill.extend(rows);
    let found = run(&document, &records(steady(1)));
    assert_eq!(found.last().unwrap().path, "prefill");
    assert_eq!(found.len(), 2);
}
