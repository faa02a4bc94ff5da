//! The terms of a decode step in full.

use tokmark_catalog::roofline::Prompts;
use tokmark_catalog::spec::{CacheShape, Part};
use tokmark_units::float;

use crate::constant::ConstantId;
use crate::constants::Constants;
use crate::decode::{DecodeLoad, DecodeSpeed, HOST_EFFICIENCY, StepTerm};
use crate::setup::{CacheLaw, Host, Setup};

use super::{Explained, Input, bytes, constant, given};

impl Setup {
    /// The terms of a step, those of zero left out, and the speed that follows.
    pub(super) fn explain_decode(
        &self,
        constants: &Constants,
        load: &DecodeLoad,
    ) -> Vec<Explained> {
        let speed = self.decode(constants, load);
        let shape = Shape {
            setup: self,
            constants,
            load,
            speed: &speed,
        };
        let terms = speed.step.terms().filter(|(_, seconds)| *seconds > 0.0);
        let mut explained: Vec<Explained> = terms
            .map(|(term, value)| Explained {
                term: format!("decode.{}", term.word()),
                value,
                unit: "s a step",
                formula: formula(term, self.cache_law(), load.prompts),
                inputs: shape.inputs(term),
            })
            .collect();
        explained.push(Explained {
            term: "decode.total".to_owned(),
            value: speed.tokens_per_s,
            unit: "tokens/s",
            formula: "min(requests·tokens a step / Σ terms, ceiling)",
            inputs: vec![
                given("requests", load.requests, "", "the load"),
                given("tokens a step", self.tokens_per_step(), "", "1, and the drafted ones that are accepted"),
                given("Σ terms", speed.step.seconds(), "s", "above"),
                given("ceiling", speed.ceiling_tokens_per_s, "tokens/s", "bytes of the step at full bandwidth, routes alike and a shared prompt read once"),
            ],
        });
        explained
    }
}

fn formula(term: StepTerm, law: CacheLaw, prompts: Prompts) -> &'static str {
    match (term, law, prompts) {
        (StepTerm::Dense | StepTerm::Head, ..) => {
            "max(bytes / (η·BW·g), 2·parameters·b / (f_small·F·g))"
        }
        (StepTerm::Experts, ..) => {
            "max((1 − (1 − k/E)^(b^γ))·bytes / (η·BW·g), 2·k/E·parameters·b / (f_small·F·g))"
        }
        (StepTerm::State, ..) => "2·b·state / (η·BW·g)",
        (StepTerm::Cache, CacheLaw::Latency, _) => "layers·L·(a + min(c·kv_heads/g, a)·(b − 1))",
        (StepTerm::Cache, CacheLaw::Streamed, Prompts::Shared) => "b^s·read / (η·BW·g)",
        (StepTerm::Cache, CacheLaw::Streamed, Prompts::Distinct) => "b·read / (η·BW·g)",
        (StepTerm::Parts, ..) => "parts·τ_part",
        (StepTerm::Routing, ..) => "layers·τ_moe",
        (StepTerm::Recurrent, ..) => "layers·τ_rec",
        (StepTerm::Sequences, ..) => "b·τ_seq",
        (StepTerm::Exchange, ..) => "2·blocks·(10 µs + b·hidden·2 B / link)",
        (StepTerm::Host, ..) => "bytes there / (0.65·BW of the host)",
        (StepTerm::Drafting, ..) => "drafted·share·(Σ of the other terms)",
    }
}

/// A step with what its inputs are taken from.
struct Shape<'a> {
    setup: &'a Setup,
    constants: &'a Constants,
    load: &'a DecodeLoad,
    speed: &'a DecodeSpeed,
}

impl Shape<'_> {
    fn inputs(&self, term: StepTerm) -> Vec<Input> {
        let model = &self.setup.model;
        let of = |count: u32| float::from_u64(count.into());
        match term {
            StepTerm::Dense => {
                self.weights(self.here(model.weights.dense, |host| host.dense_share))
            }
            StepTerm::Head => self.weights(model.weights.head),
            StepTerm::Experts => self.experts(),
            StepTerm::State => {
                let state = given(
                    "state",
                    model.state_bytes(),
                    "B",
                    "the model's recurrent layers",
                );
                let mut inputs = vec![state, self.sequences()];
                inputs.extend(self.bandwidth());
                inputs
            }
            StepTerm::Cache => self.cache(),
            StepTerm::Parts => self.counted(
                given(
                    "parts",
                    self.setup.parts(),
                    "",
                    "mixers and feed-forward parts",
                ),
                ConstantId::PartSeconds,
            ),
            StepTerm::Routing => self.counted(
                given("layers", self.setup.moe_layers(), "", "layers with experts"),
                ConstantId::RoutingSeconds,
            ),
            StepTerm::Recurrent => self.counted(
                given(
                    "layers",
                    self.setup.recurrent_layers(),
                    "",
                    "recurrent layers",
                ),
                ConstantId::RecurrentSeconds,
            ),
            StepTerm::Sequences => self.counted(self.sequences(), ConstantId::SequenceSeconds),
            StepTerm::Exchange => vec![
                given("blocks", of(model.blocks), "", "the model"),
                self.tokens(),
                given("hidden", of(model.hidden), "", "the model"),
                given(
                    "link",
                    self.setup.layout.link_gb_per_s,
                    "GB/s",
                    "one way between accelerators",
                ),
            ],
            StepTerm::Host => self.host(),
            StepTerm::Drafting => self.drafting(),
        }
    }

    fn counted(&self, count: Input, id: ConstantId) -> Vec<Input> {
        let mut inputs = vec![count];
        inputs.extend(constant(self.constants, id));
        inputs
    }

    /// Requests of one step: of one copy of the model, and one group of a pipeline.
    fn sequences(&self) -> Input {
        let batch = self.setup.batch(self.load.requests);
        given("b", batch, "", "requests of one step")
    }

    /// Tokens of one step, drafted ones too.
    fn tokens(&self) -> Input {
        let drafted = self.setup.drafting.map_or(0.0, |drafting| drafting.drafted);
        let batch = self.setup.batch(self.load.requests);
        given("b", batch * (1.0 + drafted), "", "tokens of one step")
    }

    /// What streams at which rate.
    fn bandwidth(&self) -> Vec<Input> {
        let card = &self.setup.card;
        let mut inputs = Vec::new();
        inputs.extend(constant(self.constants, ConstantId::StreamEfficiency));
        inputs.push(given("BW", card.bandwidth_gb_per_s, "GB/s", &card.name));
        inputs.push(self.cards());
        inputs
    }

    fn cards(&self) -> Input {
        let count = self.setup.layout.tensor.max(1);
        given(
            "g",
            float::from_u64(count.into()),
            "",
            "accelerators that share each layer",
        )
    }

    fn arithmetic(&self) -> Vec<Input> {
        let card = &self.setup.card;
        let rate = card.operations_per_s(self.setup.kernel());
        let mut inputs = Vec::new();
        inputs.extend(constant(self.constants, ConstantId::DecodeArithmetic));
        inputs.extend(rate.map(|rate| given("F", rate / 1e12, "TFLOP/s", &card.name)));
        inputs
    }

    fn weights(&self, part: Part) -> Vec<Input> {
        let mut inputs = vec![
            bytes(part.bytes),
            given("parameters", part.parameters, "", "the model"),
            self.tokens(),
        ];
        inputs.extend(self.bandwidth());
        inputs.extend(self.arithmetic());
        inputs
    }

    /// The part of the weights that does not lie in the host's memory.
    fn here(&self, part: Part, share: impl Fn(Host) -> f64) -> Part {
        let here = 1.0 - self.setup.layout.host.map_or(0.0, share).clamp(0.0, 1.0);
        Part {
            parameters: part.parameters * here,
            bytes: part.bytes * here,
            ..part
        }
    }

    fn experts(&self) -> Vec<Input> {
        let Some(experts) = self.setup.model.experts else {
            return Vec::new();
        };
        let exponent = match self.load.prompts {
            Prompts::Shared => ConstantId::RoutingExponentShared,
            Prompts::Distinct => ConstantId::RoutingExponentDistinct,
        };
        let part = self.setup.model.weights.experts;
        let mut inputs = self.weights(self.here(part, |host| host.expert_share));
        inputs.push(given(
            "E",
            f64::from(experts.experts),
            "",
            "experts of a layer",
        ));
        inputs.push(given(
            "k",
            f64::from(experts.per_token),
            "",
            "experts of a token",
        ));
        let exponent = constant(self.constants, exponent);
        inputs.extend(exponent.map(|exponent| Input {
            symbol: "γ",
            ..exponent
        }));
        inputs
    }

    fn cache(&self) -> Vec<Input> {
        let model = &self.setup.model;
        let depth = self.speed.depth_tokens;
        let length = given(
            "L",
            depth,
            "tokens",
            "prompt, and what was generated on average",
        );
        if self.setup.cache_law() == CacheLaw::Latency {
            let layers = float::from_u64(model.attention_layers().into());
            let heads = model
                .attention
                .first()
                .map_or(1, |group| match group.cache {
                    CacheShape::Heads { kv_heads, .. } => kv_heads,
                    CacheShape::Latent { .. } => 1,
                });
            let mut inputs = vec![
                given("layers", layers, "", "layers with attention"),
                length,
                given(
                    "kv_heads",
                    f64::from(heads),
                    "",
                    "key-value heads of a layer",
                ),
                self.sequences(),
                self.cards(),
            ];
            let ids = [ConstantId::CacheLatency, ConstantId::CacheThroughput];
            inputs.extend(
                ids.into_iter()
                    .filter_map(|id| constant(self.constants, id)),
            );
            return inputs;
        }
        let read = model.kv_read_bytes(depth, self.setup.cache);
        let mut inputs = vec![
            given("read", read, "B", "cache of L tokens, windows counted"),
            length,
            self.sequences(),
        ];
        if self.load.prompts == Prompts::Shared {
            inputs.extend(constant(self.constants, ConstantId::CacheSharing));
        }
        inputs.extend(self.bandwidth());
        inputs
    }

    fn host(&self) -> Vec<Input> {
        let Some(host) = self.setup.layout.host else {
            return Vec::new();
        };
        let seconds = self.speed.step.term(StepTerm::Host);
        let there = seconds * host.bandwidth_gb_per_s * 1e9 * HOST_EFFICIENCY;
        vec![
            given(
                "bytes there",
                there,
                "B",
                "weights of the step that lie in the host's memory",
            ),
            given(
                "BW of the host",
                host.bandwidth_gb_per_s,
                "GB/s",
                "what was said",
            ),
        ]
    }

    fn drafting(&self) -> Vec<Input> {
        let Some(drafting) = self.setup.drafting else {
            return Vec::new();
        };
        let own = self.speed.step.term(StepTerm::Drafting);
        vec![
            given("drafted", drafting.drafted, "tokens", "what was said"),
            given(
                "share",
                drafting.draft_share,
                "",
                "time of one drafted token over that of a step",
            ),
            given(
                "Σ of the other terms",
                self.speed.step.seconds() - own,
                "s",
                "above",
            ),
        ]
    }
}
