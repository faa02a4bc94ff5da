//! What a document must be in itself, whatever its evidence says.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokmark_run_format::{DecodeCell, PrefillMode, RunDocument};
use tokmark_units::float;

use super::differences::{Comparing, are_close};
use crate::roofline;

/// Checks identities of the cells, and that the plan is covered once.
pub(super) fn check(document: &RunDocument, comparing: &mut Comparing) {
    for cell in &document.decode {
        identities(cell, comparing);
    }
    planned_cells(document, comparing);
    planned_rows(document, comparing);
    kv_bytes(document, comparing);
}

/// What the roofline's inputs say a token takes is what their layers give.
fn kv_bytes(document: &RunDocument, comparing: &mut Comparing) {
    let Some(model) = document.roofline.as_ref().and_then(|it| it.model.as_ref()) else {
        return;
    };
    comparing.values(
        "roofline/model/kv_bytes_per_token",
        &json!(model.kv_bytes_per_token),
        &json!(roofline::kv_bytes_per_token(model)),
    );
}

/// `total x measured = output tokens`, and the streams' sum is the output.
fn identities(cell: &DecodeCell, comparing: &mut Comparing) {
    let path = DecodeCell::evidence_name(cell.context, cell.requests);
    let Some(output) = cell.output_tokens else {
        return;
    };
    let product = cell
        .total_tokens_per_s
        .zip(cell.measured_s)
        .map(|(rate, s)| rate * s);
    if product.is_none_or(|product| !are_close(product, float::from_u64(output))) {
        let path = format!("{path}/total_tokens_per_s x measured_s");
        comparing.add(&path, json!(product), json!(output));
    }
    let sum = cell
        .stream_tokens
        .iter()
        .copied()
        .fold(0, u64::saturating_add);
    comparing.values(
        &format!("{path}/sum of stream_tokens"),
        &json!(sum),
        &json!(output),
    );
}

fn planned_cells(document: &RunDocument, comparing: &mut Comparing) {
    let mut present = BTreeSet::new();
    for cell in &document.decode {
        if !present.insert((cell.context, cell.requests)) {
            let path = DecodeCell::evidence_name(cell.context, cell.requests);
            comparing.add(&path, json!("more than once"), json!("once"));
        }
    }
    let plan = &document.plan;
    if plan.prefill == PrefillMode::Standalone {
        // Such a run measures prefill only.
        return;
    }
    // A list may name a value many times, and two long lists make more pairs than can be walked.
    let contexts: BTreeSet<u64> = plan.contexts.iter().copied().collect();
    let requests: BTreeSet<u32> = plan.requests.iter().copied().collect();
    for context in contexts {
        for requests in &requests {
            if comparing.is_full() {
                return;
            }
            if !present.contains(&(context, *requests)) {
                let path = DecodeCell::evidence_name(context, *requests);
                comparing.add(&path, Value::Null, json!("a planned cell"));
            }
        }
    }
}

fn planned_rows(document: &RunDocument, comparing: &mut Comparing) {
    if document.plan.prefill == PrefillMode::Off {
        return;
    }
    let present: BTreeSet<u64> = document.prefill.iter().map(|row| row.context).collect();
    for context in &document.plan.prefill_contexts {
        if !present.contains(context) {
            let path = format!("prefill/{context}");
            comparing.add(&path, Value::Null, json!("a planned row"));
        }
    }
    if present.len() < document.prefill.len() {
        comparing.add("prefill", json!("a context more than once"), json!("once"));
    }
}
