//! Reading a prompt.

use crate::kv::KvCache;
use crate::spec::ModelSpec;
use crate::weights::Arithmetic;

use super::decode::experts;
use super::{Machine, Roofline, Term, TermKind};

impl Roofline {
    /// Reading `new_tokens` of one prompt behind `cached_tokens` that a prefix cache holds.
    ///
    /// Operations: `2 · active parameters` a token without table and head; the head for the last
    /// token; attention `2 · layers · query heads · (key + value)` for each pair of a token and one
    /// that it sees, which is the quadratic part. Bytes: all weights at least once, the cache
    /// written, and what was cached read. Source: `data/README.md`, "Roofline".
    pub fn prefill(
        spec: &ModelSpec,
        machine: Machine,
        new_tokens: f64,
        cached_tokens: f64,
        cache: KvCache,
    ) -> Self {
        let new = new_tokens.max(0.0);
        let weights = &spec.weights;
        let written =
            spec.kv_bytes(cached_tokens + new, cache) - spec.kv_bytes(cached_tokens, cache);
        let terms = vec![
            Term {
                kind: TermKind::Dense,
                bytes: weights.dense.bytes,
                operations: 2.0 * weights.dense.parameters * new,
                arithmetic: weights.dense.arithmetic,
            },
            Term {
                kind: TermKind::Head,
                bytes: weights.head.bytes,
                operations: 2.0 * weights.head.parameters,
                arithmetic: weights.head.arithmetic,
            },
            experts(spec, new, 1.0),
            Term {
                kind: TermKind::State,
                bytes: 2.0 * spec.state_bytes(),
                operations: spec.state_bytes() * new,
                arithmetic: Arithmetic::Fp16,
            },
            Term {
                kind: TermKind::KvCache,
                bytes: written + spec.kv_read_bytes(cached_tokens, cache),
                operations: spec.prefill_attention_operations(new, cached_tokens),
                arithmetic: Arithmetic::Fp8,
            },
        ];
        Self::new(terms, new, 1.0, machine)
    }
}
