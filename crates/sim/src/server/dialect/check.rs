//! What the byte-level tests of the shapes share: an answer of known figures.

use super::super::shape::{Chunks, Delta, Head, Shape, Step, Tally, Times, Wishes};
use crate::model::Finish;
use tokmark_units::Nanos;

/// A head of short words.
pub(super) fn head() -> Head {
    Head {
        id: "x-1".to_owned(),
        created: 7,
        model: "m".to_owned(),
        fingerprint: "f".to_owned(),
    }
}

/// A delta of one token.
pub(super) fn delta(content: &str) -> Delta {
    Delta {
        content: content.to_owned(),
        ids: vec![9],
        ..Delta::default()
    }
}

/// The second of two tokens behind 51 prompt tokens, 50 of them cached: queued for 1 ms, 3 ms of
/// prefill, 2 ms of decode.
pub(super) fn step(delta: &Delta, first: bool, last: bool) -> Step<'_> {
    Step {
        delta,
        first,
        finish: last.then_some(Finish::Length),
        tally: Tally {
            prompt: 51,
            completion: 2,
            cached: 50,
        },
        wishes: Wishes::default(),
        times: Times {
            arrival: Nanos::from_millis(10),
            prefill: Nanos::from_millis(11),
            first: Nanos::from_millis(14),
            last: Nanos::from_millis(16),
        },
        prompt_ids: &[1, 2],
        so_far: "Once a",
    }
}

/// The chunks of a step, as text.
pub(super) fn written(shape: &dyn Shape, head: &Head, step: &Step<'_>) -> Vec<String> {
    let mut chunks = Chunks::default();
    shape.step(head, step, &mut chunks);
    texts(chunks)
}

/// Chunks as text.
pub(super) fn texts(chunks: Chunks) -> Vec<String> {
    let texts = chunks.0.into_iter();
    texts
        .map(|chunk| String::from_utf8(chunk.bytes).unwrap())
        .collect()
}

/// A whole answer as text.
pub(super) fn whole(shape: &dyn Shape, head: &Head, step: &Step<'_>) -> String {
    let mut out = Vec::new();
    super::super::json::object(&mut out, |object| shape.whole(head, step, object));
    String::from_utf8(out).unwrap()
}
