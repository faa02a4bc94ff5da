//! A decode step.

use crate::kv::KvCache;
use crate::spec::ModelSpec;
use crate::weights::Arithmetic;

use super::{Machine, Roofline, Term, TermKind};

/// What a decode step works on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// Sequences in the batch.
    pub requests: f64,
    /// Tokens that each has in the cache on average: its prompt and what it has generated so far.
    pub context_tokens: f64,
    /// The type of the cache.
    pub cache: KvCache,
    /// Whether the sequences have a prompt in common.
    pub prompts: Prompts,
    /// How independently tokens are routed to experts, from 0 (all take the same) to 1 (each its
    /// own); see [`crate::spec::Experts::touched`].
    pub routing_exponent: f64,
    /// Drafted tokens, where the server guesses ahead.
    pub speculation: Option<Speculation>,
}

/// Whether sequences have their prompt in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prompts {
    /// Each reads a cache of its own.
    Distinct,
    /// One cached prompt, which the chip's own cache may serve to all after one read.
    Shared,
}

/// Speculative decoding, as the step that verifies it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speculation {
    /// Tokens drafted a step and sequence.
    pub drafted: f64,
    /// Tokens that a step gives a sequence on average: `1 + accepted`.
    pub tokens_per_step: f64,
}

impl Load {
    /// Distinct prompts, independent routing, no drafting.
    pub fn new(requests: f64, context_tokens: f64, cache: KvCache) -> Self {
        Self {
            requests,
            context_tokens,
            cache,
            prompts: Prompts::Distinct,
            routing_exponent: 1.0,
            speculation: None,
        }
    }

    /// The load whose limit no result can pass, whatever its requests have in common: every token
    /// routed alike (active parameters only), and a shared prompt read once.
    #[must_use]
    pub fn at_best(self) -> Self {
        Self {
            prompts: Prompts::Shared,
            routing_exponent: 0.0,
            ..self
        }
    }
}

impl Roofline {
    /// A decode step of a model on a machine.
    ///
    /// | term | bytes | operations |
    /// |---|---|---|
    /// | dense | dense weights, once | `2 · parameters · t` |
    /// | head | head (the embedding table where it is tied), once | `2 · parameters · t` |
    /// | experts | `layers · E·(1 − (1 − k/E)^(t^γ))` experts | `2 · k/E · parameters · t` |
    /// | state | `2 · b · state`, read and written | `4 · elements · t` |
    /// | cache | `b · kv_read(L)`, once for a shared prompt | `t · attention(L)` |
    ///
    /// `b` sequences of `L` tokens; `t = b`, or `b · (drafted + 1)` where tokens are drafted. Weights
    /// are read once a step however many sequences share it. Source: `data/README.md`, "Roofline".
    pub fn decode(spec: &ModelSpec, machine: Machine, load: &Load) -> Self {
        let requests = load.requests.max(0.0);
        let (drafted, per_step) = match load.speculation {
            Some(speculation) => (speculation.drafted, speculation.tokens_per_step),
            None => (0.0, 1.0),
        };
        let tokens = requests * (1.0 + drafted);
        let weights = &spec.weights;
        let caches = match load.prompts {
            Prompts::Distinct => requests,
            Prompts::Shared => requests.min(1.0),
        };
        let terms = vec![
            Term {
                kind: TermKind::Dense,
                bytes: weights.dense.bytes,
                operations: 2.0 * weights.dense.parameters * tokens,
                arithmetic: weights.dense.arithmetic,
            },
            Term {
                kind: TermKind::Head,
                bytes: weights.head.bytes,
                operations: 2.0 * weights.head.parameters * tokens,
                arithmetic: weights.head.arithmetic,
            },
            experts(spec, tokens, load.routing_exponent),
            Term {
                kind: TermKind::State,
                bytes: 2.0 * requests * spec.state_bytes(),
                operations: spec.state_bytes() * tokens,
                arithmetic: Arithmetic::Fp16,
            },
            Term {
                kind: TermKind::KvCache,
                bytes: caches * spec.kv_read_bytes(load.context_tokens, load.cache),
                operations: tokens * spec.attention_operations(load.context_tokens),
                arithmetic: Arithmetic::Fp8,
            },
        ];
        Self::new(terms, requests * per_step, requests, machine)
    }
}

/// The routed experts that so many tokens need.
pub(super) fn experts(spec: &ModelSpec, tokens: f64, routing_exponent: f64) -> Term {
    let part = spec.weights.experts;
    let touched = spec.experts.map_or(0.0, |experts| {
        experts.touched(tokens, routing_exponent) / f64::from(experts.experts.max(1))
    });
    Term {
        kind: TermKind::Experts,
        bytes: part.bytes * touched,
        operations: 2.0 * part.parameters * spec.active_share() * tokens,
        arithmetic: part.arithmetic,
    }
}
