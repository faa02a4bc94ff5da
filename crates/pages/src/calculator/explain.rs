//! Every term of the chosen cell, for a person to follow.

use tokmark_calculator::figures::quantity;
use tokmark_calculator::report::ExplainedPart;

/// A term with its formula and what goes in.
pub(crate) struct ExplainedTerm {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) formula: &'static str,
    /// Symbol, value, source.
    pub(crate) inputs: Vec<[String; 3]>,
}

/// All of them.
pub(super) fn of(terms: &[ExplainedPart]) -> Vec<ExplainedTerm> {
    let term = |term: &ExplainedPart| ExplainedTerm {
        name: term.term.replacen('.', ": ", 1),
        value: quantity(term.value, term.unit),
        formula: term.formula,
        inputs: term
            .inputs
            .iter()
            .map(|input| {
                [
                    input.symbol.to_owned(),
                    quantity(input.value, input.unit),
                    input.source.clone(),
                ]
            })
            .collect(),
    };
    terms.iter().map(term).collect()
}
