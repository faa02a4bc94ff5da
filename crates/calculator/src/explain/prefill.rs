//! The terms of reading a prompt in full.

use tokmark_units::float;

use crate::constant::ConstantId;
use crate::constants::Constants;
use crate::prefill::PrefillTerm;
use crate::setup::{Kernel, Setup};

use super::{Explained, Input, constant, given};

impl Setup {
    /// The terms of a prompt of so many tokens, those of zero left out, and its seconds in all; empty
    /// where no arithmetic rate is known.
    pub(super) fn explain_prefill(&self, constants: &Constants, tokens: f64) -> Vec<Explained> {
        let tokens = tokens.max(1.0);
        let Some(time) = self.prefill(constants, tokens, 0.0) else {
            return Vec::new();
        };
        let terms = time.terms().filter(|(_, seconds)| *seconds > 0.0);
        let mut explained: Vec<Explained> = terms
            .map(|(term, value)| Explained {
                term: format!("prefill.{}", term.word()),
                value,
                unit: "s",
                formula: formula(term),
                inputs: self.prefill_inputs(term, constants, tokens),
            })
            .collect();
        explained.push(Explained {
            term: "prefill.total".to_owned(),
            value: time.tokens_per_s(),
            unit: "tokens/s",
            formula: "n / Σ terms",
            inputs: vec![
                given("n", tokens, "tokens", "the prompt"),
                given("Σ terms", time.seconds(), "s", "above"),
            ],
        });
        explained
    }

    fn prefill_inputs(&self, term: PrefillTerm, constants: &Constants, tokens: f64) -> Vec<Input> {
        let weights = &self.model.weights;
        let prompt = given("n", tokens, "tokens", "the prompt");
        let fitted = |id| constant(constants, id);
        let mut inputs = Vec::new();
        match term {
            PrefillTerm::Dense => {
                let parameters = weights.dense.parameters;
                inputs.extend([prompt, given("parameters", parameters, "", "the model")]);
                inputs.extend(fitted(ConstantId::PrefillDense));
                inputs.extend(self.rate("F", self.kernel()));
            }
            PrefillTerm::Experts => {
                let parameters = weights.experts.parameters;
                inputs.extend([prompt, given("parameters", parameters, "", "the model")]);
                inputs.extend(self.model.experts.iter().flat_map(|experts| {
                    [
                        given("E", f64::from(experts.experts), "", "experts of a layer"),
                        given("k", f64::from(experts.per_token), "", "experts of a token"),
                    ]
                }));
                inputs.extend(fitted(ConstantId::PrefillExperts));
                inputs.extend(self.rate("F", self.kernel()));
            }
            PrefillTerm::Attention => {
                let operations = self.model.prefill_attention_operations(tokens, 0.0);
                let from = "2·layers·query heads·(key + value)·n²/2, windows counted";
                inputs.push(given("operations", operations, "", from));
                inputs.extend(fitted(ConstantId::PrefillAttention));
                inputs.extend(self.rate("F16", Kernel::Wide));
            }
            PrefillTerm::Recurrent => {
                inputs.push(prompt);
                let layers = self.recurrent_layers();
                inputs.push(given("layers", layers, "", "recurrent layers"));
                inputs.extend(fitted(ConstantId::PrefillRecurrent));
            }
            PrefillTerm::Floor => {}
        }
        inputs
    }

    /// The rate of all accelerators that share a layer.
    fn rate(&self, symbol: &'static str, kernel: Kernel) -> Vec<Input> {
        let cards = float::from_u64(self.layout.tensor.max(1).into());
        let rate = self.card.operations_per_s(kernel);
        let name = &self.card.name;
        rate.map(|rate| given(symbol, rate * cards / 1e12, "TFLOP/s", name))
            .into_iter()
            .collect()
    }
}

fn formula(term: PrefillTerm) -> &'static str {
    match term {
        PrefillTerm::Dense => "n·2·parameters / (f_dense·F)",
        PrefillTerm::Experts => "n·2·k/E·parameters / (f_experts·F)",
        PrefillTerm::Attention => "operations / (f_attention·F16)",
        PrefillTerm::Recurrent => "n·layers·t_rec",
        PrefillTerm::Floor => {
            "weights read once less what calculating takes, and launches of a step"
        }
    }
}
