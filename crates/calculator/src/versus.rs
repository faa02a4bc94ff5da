//! Two answers side by side, as a document.

use serde::Serialize;

use crate::report::{CellPart, Report};

/// Both answers as one document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Versus<'a> {
    /// The first machine's answer.
    pub base: &'a Report,
    /// The other machine's.
    pub versus: &'a Report,
    /// The other machine's figures over the first one's, cell by cell.
    pub ratio: Vec<Ratio>,
}

/// The other machine's figures over the first one's; empty where one of them does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// Prompt tokens.
    pub context: u64,
    /// Requests at once.
    pub requests: u32,
    /// Of decode.
    pub total_tokens_per_s: Option<f64>,
    /// Of reading a prompt.
    pub prompt_tokens_per_s: Option<f64>,
}

impl<'a> Versus<'a> {
    /// Compares two answers to the same load.
    pub fn of(base: &'a Report, versus: &'a Report) -> Self {
        let pairs = base.cells.iter().zip(&versus.cells);
        Self {
            base,
            versus,
            ratio: pairs
                .map(|(first, other)| Ratio::of(first, other))
                .collect(),
        }
    }
}

impl Ratio {
    fn of(first: &CellPart, other: &CellPart) -> Self {
        let both = first.may_fit() && other.may_fit();
        let prompt = first.prompt_tokens_per_s.zip(other.prompt_tokens_per_s);
        Self {
            context: first.context,
            requests: first.requests,
            total_tokens_per_s: both
                .then_some(other.total_tokens_per_s.median / first.total_tokens_per_s.median),
            prompt_tokens_per_s: prompt
                .filter(|_| both)
                .map(|(first, other)| other.median / first.median),
        }
    }
}
