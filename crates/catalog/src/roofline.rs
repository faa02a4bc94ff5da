//! The roofline: what a machine's memory and arithmetic allow a model at most.
//!
//! A decode step reads the weights once for all requests, the cache of each request, and multiplies;
//! it can be no faster than the slower of both. The terms follow `data/README.md`, section
//! "Roofline"; a calculator adds what engines cost on top, a check of plausibility compares results
//! with it.

mod decode;
mod machine;
mod prefill;

pub use decode::{Load, Prompts, Speculation};
pub use machine::Machine;

use crate::weights::Arithmetic;

/// What a step is made of, and what that allows on a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// The terms; those of zero bytes and operations are left out.
    pub terms: Vec<Term>,
    /// Tokens that the step gives: generated in all requests, or prompt tokens read.
    pub tokens: f64,
    /// Requests that share the step.
    pub requests: f64,
    machine: Machine,
}

/// One term of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// What is read and calculated.
    pub kind: TermKind,
    /// Bytes that go through the memory.
    pub bytes: f64,
    /// Multiplications and additions.
    pub operations: f64,
    /// The fastest arithmetic that can do them.
    pub arithmetic: Arithmetic,
}

/// The terms of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// Linear layers outside the routed experts, with embeddings that are not looked up.
    Dense,
    /// The output head.
    Head,
    /// Routed experts.
    Experts,
    /// State of recurrent layers.
    State,
    /// Attention over the KV cache.
    KvCache,
}

/// Which side of the machine sets the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Bytes through the memory.
    Memory,
    /// Operations.
    Compute,
}

impl TermKind {
    /// The term in a decode step as a formula, `b` sequences of `L` tokens.
    pub fn formula(self) -> &'static str {
        match self {
            Self::Dense => "bytes: dense weights once; operations: 2 · dense parameters · b",
            Self::Head => "bytes: head once; operations: 2 · vocabulary · hidden · b",
            Self::Experts => {
                "bytes: layers · E·(1 − (1 − k/E)^(b^γ)) · bytes of an expert; \
                 operations: 2 · layers · k · parameters of an expert · b"
            }
            Self::State => "bytes: 2 · b · state (read and written); operations: 4 · elements · b",
            Self::KvCache => {
                "bytes: b · Σ layers · min(L, window) · bytes a token; \
                 operations: b · Σ 2 · layers · query heads · (key + value) · min(L, window)"
            }
        }
    }
}

impl Term {
    /// Seconds that its bytes take on a machine.
    pub fn memory_seconds(&self, machine: &Machine) -> f64 {
        self.bytes / machine.bytes_per_s()
    }

    /// Seconds that its operations take on a machine; `None` where no rate is known.
    pub fn compute_seconds(&self, machine: &Machine) -> Option<f64> {
        if self.operations <= 0.0 {
            return Some(0.0);
        }
        Some(self.operations / machine.operations_per_s(self.arithmetic)?)
    }
}

impl Roofline {
    fn new(terms: Vec<Term>, tokens: f64, requests: f64, machine: Machine) -> Self {
        let terms = terms
            .into_iter()
            .filter(|term| term.bytes > 0.0 || term.operations > 0.0)
            .collect();
        Self {
            terms,
            tokens,
            requests,
            machine,
        }
    }

    /// Bytes of the step.
    pub fn bytes(&self) -> f64 {
        self.terms.iter().map(|term| term.bytes).sum()
    }

    /// Operations of the step.
    pub fn operations(&self) -> f64 {
        self.terms.iter().map(|term| term.operations).sum()
    }

    /// The term of a kind, where the step has it.
    pub fn term(&self, kind: TermKind) -> Option<&Term> {
        self.terms.iter().find(|term| term.kind == kind)
    }

    /// Seconds that the step's bytes take at the memory's full rate.
    pub fn memory_seconds(&self) -> f64 {
        self.bytes() / self.machine.bytes_per_s()
    }

    /// Seconds that the step's operations take at full rate; `None` where the rate is not known.
    pub fn compute_seconds(&self) -> Option<f64> {
        self.terms
            .iter()
            .map(|term| term.compute_seconds(&self.machine))
            .sum()
    }

    /// The least time of the step: the longer of both, as if they overlapped perfectly.
    pub fn seconds(&self) -> f64 {
        let compute = self.compute_seconds().unwrap_or_default();
        self.memory_seconds().max(compute)
    }

    /// Which side sets the limit. Where no rate is known it is taken to be the memory.
    pub fn bound(&self) -> Bound {
        match self.compute_seconds() {
            Some(compute) if compute > self.memory_seconds() => Bound::Compute,
            _ => Bound::Memory,
        }
    }

    /// Tokens a second at most, all requests together; `None` for a step that costs nothing.
    pub fn tokens_per_s(&self) -> Option<f64> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| self.tokens / seconds)
    }

    /// Tokens a second that the memory allows. The stricter [`Self::tokens_per_s`] needs a rate that
    /// is a ceiling, which the figures of Apple's chips and of laptops are not.
    pub fn memory_tokens_per_s(&self) -> Option<f64> {
        let seconds = self.memory_seconds();
        (seconds > 0.0).then(|| self.tokens / seconds)
    }

    /// Tokens a second and request at most.
    pub fn tokens_per_s_per_request(&self) -> Option<f64> {
        let total = self.tokens_per_s()?;
        (self.requests > 0.0).then(|| total / self.requests)
    }
}
