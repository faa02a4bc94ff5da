//! Models by name, and the shape that each has.

mod find;
mod shape;

pub(crate) use find::find;

use crate::spec::{Attention, Experts, Recurrent};

/// One row of the model files.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its id on Hugging Face, for example `Qwen/Qwen3-4B`.
    pub id: String,
    /// The family, for example `Qwen3`.
    pub family: String,
    /// The architecture in words.
    pub architecture: String,
    /// Parameters in 10^9.
    pub total_parameters_b: Option<f64>,
    /// Parameters that one token passes, in 10^9, as the makers count them.
    pub active_parameters_b: Option<f64>,
    /// Blocks.
    pub blocks: u32,
    /// Elements of the hidden vector.
    pub hidden: u32,
    /// Rows of the embedding table.
    pub vocabulary: u32,
    /// Whether the embedding table is the output head too.
    pub tied_embeddings: bool,
    /// Tokens that it was made for.
    pub max_context_tokens: u64,
    /// Attention layers.
    pub attention: Vec<Attention>,
    /// Recurrent layers.
    pub recurrent: Option<Recurrent>,
    /// What these layers are.
    pub recurrent_kind: Option<RecurrentKind>,
    /// Routed experts.
    pub experts: Option<Experts>,
    /// Parameters of one expert, where its width is known.
    pub expert_parameters: Option<f64>,
    /// Bytes of the cache a token in 16 bits, as the source states it.
    pub kv_bytes_per_token_16bit: Option<u64>,
    /// Why no speed can be calculated for it, where none can.
    pub not_modelled: Option<String>,
    /// Other names that mean exactly this model.
    pub aliases: Vec<String>,
    /// Where the figures come from.
    pub source: String,
}

/// The kinds of layers that keep a state of fixed size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecurrentKind {
    /// State space layers, version 2.
    Mamba2,
    /// Linear attention with a gated delta rule.
    GatedDeltaNet,
    /// Kimi's delta attention.
    Kda,
    /// A causal convolution between two gates.
    ShortConvolution,
}

impl Model {
    /// The name without the organisation.
    pub fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }
}
