//! Every term of a prediction with its formula, inputs and sources, for a person to follow.

mod decode;
mod prefill;

use crate::constant::ConstantId;
use crate::constants::{Constants, Origin};
use crate::decode::DecodeLoad;
use crate::memory::{Limits, MemoryRule};
use crate::predict::Knowledge;
use crate::setup::Setup;

/// A term in full.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// Which, for example `decode.dense`.
    pub term: String,
    /// Seconds, or what `unit` says.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
    /// The formula, in the symbols of the inputs.
    pub formula: &'static str,
    /// What goes in.
    pub inputs: Vec<Input>,
}

/// One input of a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The symbol in the formula.
    pub symbol: &'static str,
    /// The value in its unit.
    pub value: f64,
    /// Its unit; empty for a number without one.
    pub unit: &'static str,
    /// Where it comes from.
    pub source: String,
}

impl Setup {
    /// The terms of a decode step, of reading the prompt, and of the memory, those of zero left out.
    pub fn explain(
        &self,
        knowledge: &Knowledge,
        limits: &Limits,
        load: &DecodeLoad,
    ) -> Vec<Explained> {
        let mut terms = self.explain_decode(&knowledge.constants, load);
        terms.extend(self.explain_prefill(&knowledge.constants, load.prompt_tokens));
        terms.extend(self.explain_memory(limits));
        terms
    }

    fn explain_memory(&self, limits: &Limits) -> Vec<Explained> {
        let memory = self.memory(limits);
        let rule = MemoryRule::of(self.engine, self.card.kind);
        let fraction = limits.memory_fraction.unwrap_or(rule.fraction);
        let stated = limits
            .memory_fraction
            .map_or(rule.source, |_| "the launch command");
        let of = |count: u32| tokmark_units::float::from_u64(count.max(1).into());
        let cards = of(self.layout.tensor) * of(self.layout.pipeline);
        vec![
            Explained {
                term: "memory.pool".to_owned(),
                value: memory.pool_bytes,
                unit: "B",
                formula: "fraction·memory·accelerators − weights − overhead",
                inputs: vec![
                    given("fraction", fraction, "", stated),
                    given("memory", self.card.memory_bytes, "B", &self.card.name),
                    given("accelerators", cards, "", "those that share one copy"),
                    given(
                        "weights",
                        memory.weight_bytes,
                        "B",
                        "the model and its format",
                    ),
                    given("overhead", memory.overhead_bytes, "B", rule.source),
                ],
            },
            Explained {
                term: "memory.tokens".to_owned(),
                value: memory.tokens,
                unit: "tokens",
                formula: "pool / bytes of a token; hybrids share the pool in equal blocks",
                inputs: vec![
                    given(
                        "bytes of a token",
                        memory.token_bytes,
                        "B",
                        "the model and the cache's type",
                    ),
                    given(
                        "state of a sequence",
                        memory.state_bytes,
                        "B",
                        "the model's recurrent layers",
                    ),
                ],
            },
        ]
    }
}

fn given(symbol: &'static str, value: f64, unit: &'static str, source: &str) -> Input {
    Input {
        symbol,
        value,
        unit,
        source: source.to_owned(),
    }
}

fn bytes(value: f64) -> Input {
    given("bytes", value, "B", "the model and its format")
}

fn constant(constants: &Constants, id: ConstantId) -> Option<Input> {
    let constant = constants.constant(id)?;
    Some(Input {
        symbol: id.symbol(),
        value: constants.get(id),
        unit: id.unit(),
        source: match constant.origin {
            Origin::Default(source) => format!("default: {source}"),
            Origin::Measured { observations } => format!("fitted to {observations} figures"),
        },
    })
}
