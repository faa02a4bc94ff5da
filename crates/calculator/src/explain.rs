//! Every term of a prediction with its formula, inputs and sources, for a person to follow.

use tokmark_catalog::roofline::Prompts;
use tokmark_units::float;

use crate::constant::ConstantId;
use crate::constants::{Constants, Origin};
use crate::decode::{DecodeLoad, StepTerm};
use crate::memory::{Limits, MemoryRule};
use crate::predict::Knowledge;
use crate::prefill::PrefillTerm;
use crate::setup::{CacheLaw, Setup};

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

    fn explain_decode(&self, constants: &Constants, load: &DecodeLoad) -> Vec<Explained> {
        let speed = self.decode(constants, load);
        let terms = speed.step.terms().filter(|(_, seconds)| *seconds > 0.0);
        let mut explained: Vec<Explained> = terms
            .map(|(term, value)| Explained {
                term: format!("decode.{}", term.word()),
                value,
                unit: "s a step",
                formula: self.step_formula(term, load.prompts),
                inputs: self.step_inputs(term, constants, load, speed.depth_tokens),
            })
            .collect();
        explained.push(Explained {
            term: "decode.total".to_owned(),
            value: speed.tokens_per_s,
            unit: "tokens/s",
            formula: "requests · tokens a step / Σ terms, at most the ceiling",
            inputs: vec![
                given("Σ terms", speed.step.seconds(), "s", "above"),
                given("ceiling", speed.ceiling_tokens_per_s, "tokens/s", "bytes of the step at full bandwidth, routes alike and a shared prompt read once"),
            ],
        });
        explained
    }

    fn step_formula(&self, term: StepTerm, prompts: Prompts) -> &'static str {
        match (term, self.cache_law(), prompts) {
            (StepTerm::Dense | StepTerm::Head, ..) => {
                "max(bytes / (η·BW), 2·parameters·b / (f_small·F))"
            }
            (StepTerm::Experts, ..) => {
                "max((1 − (1 − k/E)^(b^γ))·bytes / (η·BW), 2·k/E·parameters·b / (f_small·F))"
            }
            (StepTerm::State, ..) => "2·b·state / (η·BW)",
            (StepTerm::Cache, CacheLaw::Latency, _) => "layers·L·(a + min(c·kv_heads, a)·(b − 1))",
            (StepTerm::Cache, CacheLaw::Streamed, Prompts::Shared) => {
                "b^s·bytes of L tokens / (η·BW)"
            }
            (StepTerm::Cache, CacheLaw::Streamed, Prompts::Distinct) => {
                "b·bytes of L tokens / (η·BW)"
            }
            (StepTerm::Parts, ..) => "parts·τ_part",
            (StepTerm::Routing, ..) => "layers·τ_moe",
            (StepTerm::Recurrent, ..) => "layers·τ_rec",
            (StepTerm::Sequences, ..) => "b·τ_seq",
            (StepTerm::Exchange, ..) => "2·blocks·(10 µs + b·hidden·2 B / link)",
            (StepTerm::Host, ..) => "bytes there / (0.65·BW of the host)",
            (StepTerm::Drafting, ..) => "drafted · share of a step · step",
        }
    }

    fn step_inputs(
        &self,
        term: StepTerm,
        constants: &Constants,
        load: &DecodeLoad,
        depth: f64,
    ) -> Vec<Input> {
        let batch = given("b", load.requests, "", "the load");
        let length = given(
            "L",
            depth,
            "tokens",
            "prompt, and what was generated on average",
        );
        let mut inputs = match term {
            StepTerm::Dense => weight_inputs(self.model.weights.dense, batch),
            StepTerm::Head => weight_inputs(self.model.weights.head, batch),
            StepTerm::Experts => self.expert_inputs(constants, batch, load.prompts),
            StepTerm::Cache => self.cache_inputs(constants, batch, length, load.prompts),
            _ => vec![self.counted(term, batch)],
        };
        inputs.extend(own_constant(term).and_then(|id| constant(constants, id)));
        let streams = match term {
            StepTerm::Dense | StepTerm::Head | StepTerm::Experts | StepTerm::State => true,
            StepTerm::Cache => self.cache_law() == CacheLaw::Streamed,
            _ => false,
        };
        if streams {
            inputs.extend(constant(constants, ConstantId::StreamEfficiency));
            let bandwidth = self.card.bandwidth_gb_per_s;
            inputs.push(given("BW", bandwidth, "GB/s", &self.card.name));
        }
        inputs
    }

    /// What a term that is no weight and no cache counts.
    fn counted(&self, term: StepTerm, batch: Input) -> Input {
        match term {
            StepTerm::State => given(
                "state",
                self.model.state_bytes(),
                "B",
                "the model's recurrent layers",
            ),
            StepTerm::Parts => given("parts", self.parts(), "", "mixers and feed-forward parts"),
            StepTerm::Routing => given("layers", self.moe_layers(), "", "layers with experts"),
            StepTerm::Recurrent => given("layers", self.recurrent_layers(), "", "recurrent layers"),
            _ => batch,
        }
    }

    fn expert_inputs(&self, constants: &Constants, batch: Input, prompts: Prompts) -> Vec<Input> {
        let Some(experts) = self.model.experts else {
            return Vec::new();
        };
        let exponent = match prompts {
            Prompts::Shared => ConstantId::RoutingExponentShared,
            Prompts::Distinct => ConstantId::RoutingExponentDistinct,
        };
        let mut inputs = vec![
            bytes(self.model.weights.experts.bytes),
            given("E", f64::from(experts.experts), "", "the model"),
            given("k", f64::from(experts.per_token), "", "the model"),
            batch,
        ];
        inputs.extend(constant(constants, exponent));
        inputs
    }

    fn cache_inputs(
        &self,
        constants: &Constants,
        batch: Input,
        length: Input,
        prompts: Prompts,
    ) -> Vec<Input> {
        let layers = float::from_u64(self.model.attention_layers().into());
        let ids: &[ConstantId] = match (self.cache_law(), prompts) {
            (CacheLaw::Latency, _) => &[ConstantId::CacheLatency, ConstantId::CacheThroughput],
            (CacheLaw::Streamed, Prompts::Shared) => &[ConstantId::CacheSharing],
            (CacheLaw::Streamed, Prompts::Distinct) => &[],
        };
        let token = self.model.kv_bytes_per_token(self.cache);
        let mut inputs = vec![
            given("layers", layers, "", "layers with attention"),
            given(
                "bytes of a token",
                token,
                "B",
                "the model and the cache's type",
            ),
            length,
            batch,
        ];
        inputs.extend(ids.iter().filter_map(|id| constant(constants, *id)));
        inputs
    }

    fn explain_prefill(&self, constants: &Constants, tokens: f64) -> Vec<Explained> {
        let Some(time) = self.prefill(constants, tokens.max(1.0), 0.0) else {
            return Vec::new();
        };
        let terms = time.terms().filter(|(_, seconds)| *seconds > 0.0);
        terms
            .map(|(term, value)| {
                let (formula, id) = prefill_formula(term);
                let mut inputs = vec![given("n", tokens.max(1.0), "tokens", "the prompt")];
                inputs.extend(id.and_then(|id| constant(constants, id)));
                if let Some(rate) = self.card.operations_per_s(self.kernel()) {
                    inputs.push(given("F", rate / 1e12, "TFLOP/s", &self.card.name));
                }
                Explained {
                    term: format!("prefill.{}", term.word()),
                    value,
                    unit: "s",
                    formula,
                    inputs,
                }
            })
            .collect()
    }

    fn explain_memory(&self, limits: &Limits) -> Vec<Explained> {
        let memory = self.memory(limits);
        let rule = MemoryRule::of(self.engine, self.card.kind);
        let fraction = limits.memory_fraction.unwrap_or(rule.fraction);
        let stated = limits
            .memory_fraction
            .map_or(rule.source, |_| "the launch command");
        vec![
            Explained {
                term: "memory.pool".to_owned(),
                value: memory.pool_bytes,
                unit: "B",
                formula: "fraction·memory·accelerators − weights − overhead",
                inputs: vec![
                    given("fraction", fraction, "", stated),
                    given("memory", self.card.memory_bytes, "B", &self.card.name),
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

fn weight_inputs(part: tokmark_catalog::spec::Part, batch: Input) -> Vec<Input> {
    vec![
        bytes(part.bytes),
        given("parameters", part.parameters, "", "the model"),
        batch,
    ]
}

/// The constant that only this term has.
fn own_constant(term: StepTerm) -> Option<ConstantId> {
    match term {
        StepTerm::Dense | StepTerm::Head => Some(ConstantId::DecodeArithmetic),
        StepTerm::Parts => Some(ConstantId::PartSeconds),
        StepTerm::Routing => Some(ConstantId::RoutingSeconds),
        StepTerm::Recurrent => Some(ConstantId::RecurrentSeconds),
        StepTerm::Sequences => Some(ConstantId::SequenceSeconds),
        _ => None,
    }
}

fn prefill_formula(term: PrefillTerm) -> (&'static str, Option<ConstantId>) {
    match term {
        PrefillTerm::Dense => (
            "n·2·parameters / (f_dense·F)",
            Some(ConstantId::PrefillDense),
        ),
        PrefillTerm::Experts => (
            "n·2·k/E·parameters / (f_experts·F)",
            Some(ConstantId::PrefillExperts),
        ),
        PrefillTerm::Attention => (
            "n²·Σ layers·query heads·(key + value) / (f_attention·F16)",
            Some(ConstantId::PrefillAttention),
        ),
        PrefillTerm::Recurrent => ("n·layers·t_rec", Some(ConstantId::PrefillRecurrent)),
        PrefillTerm::Floor => (
            "weights read once less what calculating takes, and launches",
            None,
        ),
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
