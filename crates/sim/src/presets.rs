//! Machines and models whose speeds are known.
//!
//! The three of the RTX 3090 reproduce published measurements of that card with vLLM 0.32. Their
//! costs were fitted to the rates per request of the valid cells and to the first-token times of
//! cold prefills; a test compares them. The card of these measurements is not a stock one (its
//! prefill is faster), so they say nothing about other cards of the name.

use std::fmt;

use tokmark_units::Nanos;

use crate::config::{ModelCard, SimConfig};
use crate::model::{
    EngineConfig, FrontEnd, NanosPerExpert, NanosPerPair, NanosPerSequence, NanosPerToken,
    RoutedExperts, StepCost,
};

/// A machine with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// No real machine: quick prefill and about 100 tokens a second, for a try on a laptop.
    #[default]
    Small,
    /// Qwen3-Coder-30B-A3B, AWQ 4-bit, 4-bit KV cache, on an RTX 3090.
    Qwen3Coder,
    /// Nemotron-Cascade-2-30B-A3B, AWQ 4-bit, 4-bit KV cache, on an RTX 3090: a hybrid that runs 21
    /// sequences at most and computes part of a cached prompt again.
    NemotronCascade,
    /// DeepSeek-R1-Distill-Qwen-14B, AWQ, 16-bit KV cache, on an RTX 3090.
    DeepseekR1Distill,
}

/// A name that is no preset's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a preset; the presets are {}", Preset::list())]
pub struct UnknownPreset {
    /// What was typed.
    pub name: String,
}

impl Preset {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Small,
        Self::Qwen3Coder,
        Self::NemotronCascade,
        Self::DeepseekR1Distill,
    ];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Qwen3Coder => "qwen3-coder-30b-a3b-awq-rtx3090",
            Self::NemotronCascade => "nemotron-cascade-2-30b-a3b-awq-rtx3090",
            Self::DeepseekR1Distill => "deepseek-r1-distill-qwen-14b-awq-rtx3090",
        }
    }

    /// The preset of a name.
    pub fn parse(name: &str) -> Result<Self, UnknownPreset> {
        let found = Self::ALL.iter().find(|preset| preset.name() == name);
        found.copied().ok_or_else(|| UnknownPreset {
            name: name.to_owned(),
        })
    }

    fn list() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|p| format!("`{p}`")).collect();
        names.join(", ")
    }

    /// What it stands for, in a line.
    pub fn text(self) -> &'static str {
        match self {
            Self::Small => {
                "No real machine: about 100 tokens/s for one request, quick prefill, 32K of context."
            }
            Self::Qwen3Coder => {
                "Qwen3-Coder-30B-A3B AWQ 4-bit (experts), 4-bit KV cache of 152K tokens, RTX 3090, vLLM 0.32."
            }
            Self::NemotronCascade => {
                "Nemotron-Cascade-2-30B-A3B AWQ 4-bit (hybrid, 21 sequences), 4-bit KV cache of 608K tokens, \
                 RTX 3090, vLLM 0.32."
            }
            Self::DeepseekR1Distill => {
                "DeepSeek-R1-Distill-Qwen-14B AWQ (dense), 16-bit KV cache of 60K tokens, RTX 3090, vLLM 0.32."
            }
        }
    }

    /// A server with this engine and model, in the default dialect and without faults.
    pub fn config(self) -> SimConfig {
        match self {
            Self::Small => SimConfig::default(),
            Self::Qwen3Coder => qwen3_coder(),
            Self::NemotronCascade => nemotron_cascade(),
            Self::DeepseekR1Distill => deepseek_r1_distill(),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn served(engine: EngineConfig, root: &str, vocabulary: u32, kv_cache_dtype: &str) -> SimConfig {
    SimConfig {
        engine,
        model: ModelCard {
            served_name: "bench".to_owned(),
            aliases: Vec::new(),
            root: root.to_owned(),
            vocabulary,
            kv_cache_dtype: kv_cache_dtype.to_owned(),
        },
        ..SimConfig::default()
    }
}

fn qwen3_coder() -> SimConfig {
    let engine = EngineConfig {
        max_model_len: 147_456,
        max_num_seqs: 128,
        num_blocks: 9_728,
        front_end: FrontEnd {
            fixed: Nanos::from_millis(24),
            per_token: NanosPerToken(5_000.0),
        },
        cost: StepCost {
            fixed: Nanos(4_734_400),
            sequence: NanosPerSequence(42_930.0),
            state: NanosPerSequence(0.0),
            kv_read: NanosPerToken(73.97),
            kv_depth: NanosPerToken(275.14),
            experts: Some(RoutedExperts {
                total: 128,
                active: 8,
                independence: 0.5211,
                each: NanosPerExpert(288_550.0),
            }),
            prefill: NanosPerToken(65_540.0),
            prefill_attention: NanosPerPair(36.156),
            draft: NanosPerToken(0.0),
        },
        ..EngineConfig::default()
    };
    let root = "cyankiwi/Qwen3-Coder-30B-A3B-Instruct-AWQ-4bit";
    served(engine, root, 151_936, "int4_per_token_head")
}

fn nemotron_cascade() -> SimConfig {
    let engine = EngineConfig {
        max_model_len: 262_144,
        max_num_seqs: 105,
        max_states: Some(21),
        num_blocks: 38_912,
        // A second request for a cached prompt took 8 % of the cold time; since the positions that
        // are computed again are the last and dearest ones, that is 5 % of the tokens.
        cache_fraction: 0.95,
        front_end: FrontEnd {
            fixed: Nanos::from_millis(18),
            per_token: NanosPerToken(2_200.0),
        },
        cost: StepCost {
            fixed: Nanos(1_777_400),
            // The rates give the sum of these two only. The state's share is its size (23 layers of
            // 64 heads of 64 x 128 values in 4 bytes) read and written at 936 GB/s.
            sequence: NanosPerSequence(236_700.0),
            state: NanosPerSequence(103_000.0),
            kv_read: NanosPerToken(5.822),
            kv_depth: NanosPerToken(39.495),
            experts: Some(RoutedExperts {
                total: 128,
                active: 6,
                independence: 0.2422,
                each: NanosPerExpert(757_030.0),
            }),
            prefill: NanosPerToken(80_650.0),
            prefill_attention: NanosPerPair(5.660),
            draft: NanosPerToken(0.0),
        },
        ..EngineConfig::default()
    };
    let root = "cyankiwi/Nemotron-Cascade-2-30B-A3B-AWQ-4bit";
    served(engine, root, 131_072, "int4_per_token_head")
}

fn deepseek_r1_distill() -> SimConfig {
    let engine = EngineConfig {
        max_model_len: 57_344,
        max_num_seqs: 128,
        num_blocks: 3_840,
        front_end: FrontEnd {
            fixed: Nanos::from_millis(17),
            per_token: NanosPerToken(2_100.0),
        },
        cost: StepCost {
            fixed: Nanos(12_079_400),
            sequence: NanosPerSequence(122_110.0),
            state: NanosPerSequence(0.0),
            kv_read: NanosPerToken(197.79),
            kv_depth: NanosPerToken(31.01),
            experts: None,
            prefill: NanosPerToken(255_040.0),
            prefill_attention: NanosPerPair(11.483),
            draft: NanosPerToken(0.0),
        },
        ..EngineConfig::default()
    };
    let root = "casperhansen/deepseek-r1-distill-qwen-14b-awq";
    served(engine, root, 152_064, "auto")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_works_and_is_found_by_its_name() {
        for preset in Preset::ALL {
            assert_eq!(Preset::parse(preset.name()), Ok(*preset));
            assert_eq!(preset.config().engine.validate(), Ok(()), "{preset}");
        }
        let error = Preset::parse("qwen").unwrap_err().to_string();
        assert!(error.starts_with("`qwen` is not a preset; the presets are `small`, `qwen3"));
    }

    #[test]
    fn kv_budgets_lie_in_the_intervals_that_the_measurements_imply() {
        let check = |preset: Preset, from: u64, below: u64| {
            let tokens = preset.config().engine.kv_tokens();
            assert!((from..below).contains(&tokens), "{preset}: {tokens}");
        };
        check(Preset::Qwen3Coder, 147_456, 163_840);
        check(Preset::NemotronCascade, 589_824, 655_360);
        check(Preset::DeepseekR1Distill, 57_344, 65_536);
    }
}
