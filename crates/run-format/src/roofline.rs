//! What a machine's memory and arithmetic allow a model at most: methodology, "Share of the roofline".
//!
//! These are the inputs; each cell's and prefill row's share follows from them and from its own
//! figures, so that whoever reads the document can compute it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hardware::UnknownFact;

/// Machine and model as the roofline sees them. Without one of the two there are no shares, and
/// `unknown` says why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Roofline {
    /// The machine.
    pub machine: Option<RooflineMachine>,
    /// The model.
    pub model: Option<RooflineModel>,
    /// Tokens that the server drafts a step and sequence, when it speculates and its launch says
    /// how many.
    pub draft_tokens: Option<u32>,
    /// What is not known, and why.
    pub unknown: Vec<UnknownFact>,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureSource {
    /// It was measured on this hardware.
    Measured,
    /// The catalogue of hardware and models.
    #[default]
    Catalogue,
    /// The model's own files.
    Files,
    /// What the document says of the engine: declared, told by the server, or read from its launch.
    Engine,
    /// The name of the model or its file.
    Name,
    /// The servers' default, which holds because the launch says nothing else.
    Default,
}

/// Which side of the machine sets the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RooflineBound {
    /// Bytes through the memory.
    Memory,
    /// Operations.
    Compute,
}

/// What carries the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineMachine {
    /// Its name, in the catalogue's words where it is there.
    pub name: String,
    /// How many of them share each layer (tensor parallel).
    pub count: u32,
    /// Memory bandwidth of one, in 10^9 bytes per second.
    pub bandwidth_gb_s: f64,
    /// `measured` or `catalogue`.
    pub bandwidth_source: FigureSource,
    /// Arithmetic of one, from the catalogue.
    pub rates: RooflineRates,
}

/// Arithmetic in 10^12 operations per second, dense; `null` where no figure is known that is a
/// ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineRates {
    /// 16-bit floats, 32-bit accumulation.
    pub fp16_tflops: Option<f64>,
    /// 16-bit floats, 16-bit accumulation, where it is faster.
    pub fp16_accumulate_tflops: Option<f64>,
    /// 8-bit floats.
    pub fp8_tflops: Option<f64>,
    /// 8-bit whole numbers.
    pub int8_tops: Option<f64>,
    /// 4-bit floats.
    pub fp4_tflops: Option<f64>,
}

/// The model's shape and weights, as far as a step depends on them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineModel {
    /// `catalogue` or `files`.
    pub source: FigureSource,
    /// The catalogue's id, or what kind of files: `GGUF`, `config.json`, …
    pub name: String,
    /// The weights' format in words.
    pub weight_format: Option<String>,
    /// `files`, `engine` or `name`.
    pub weight_format_source: FigureSource,
    /// Type of the KV cache; `keys/values` where the two differ.
    pub kv_type: String,
    /// `engine` or `default`.
    pub kv_type_source: FigureSource,
    /// Bytes that one more token takes in the layers that keep all tokens.
    pub kv_bytes_per_token: f64,
    /// Linear layers outside the routed experts, read once a step.
    pub dense: RooflinePart,
    /// The output head, read once a step.
    pub head: RooflinePart,
    /// The routed experts of all layers, of which a step reads those that its tokens are sent to.
    pub experts: RooflinePart,
    /// How tokens are sent to experts; `null` for a dense model.
    pub routing: Option<RooflineRouting>,
    /// Attention layers, equal ones together.
    pub attention: Vec<RooflineAttention>,
    /// Recurrent layers, equal ones together.
    pub recurrent: Vec<RooflineRecurrent>,
}

/// The fastest arithmetic that a weight format allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RooflineArithmetic {
    /// 16-bit floats.
    #[default]
    Fp16,
    /// 8-bit whole numbers.
    Int8,
    /// 8-bit floats.
    Fp8,
    /// 4-bit floats.
    Fp4,
}

/// One part of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflinePart {
    /// Parameters.
    pub parameters: f64,
    /// Bytes in memory, scales included.
    pub bytes: f64,
    /// The fastest arithmetic for them.
    pub arithmetic: RooflineArithmetic,
}

/// Routed experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineRouting {
    /// Layers that have them.
    pub layers: u32,
    /// Experts of one layer.
    pub experts: u32,
    /// Experts that one token is sent to.
    pub per_token: u32,
}

/// Equal attention layers. Latent attention (MLA) has `latent_rank` and `rope_dim` in place of
/// `kv_heads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineAttention {
    /// How many of them.
    pub layers: u32,
    /// Query heads of one layer.
    pub query_heads: u32,
    /// Key-value heads of one layer.
    pub kv_heads: Option<u32>,
    /// Elements of the latent vector.
    pub latent_rank: Option<u32>,
    /// Elements of the rotary key beside it.
    pub rope_dim: Option<u32>,
    /// Elements of a key; with latent attention after expansion.
    pub key_dim: u32,
    /// Elements of a value; with latent attention after expansion.
    pub value_dim: u32,
    /// Tokens that they look back at; `null` for all.
    pub window_tokens: Option<u64>,
    /// Whether they read the cache of other layers and keep none of their own.
    pub shares_cache: bool,
    /// Sparse attention: cached tokens that a step reads at most.
    pub read_at_most_tokens: Option<u64>,
    /// Sparse attention: bytes of the key by which a token is chosen.
    pub index_bytes_per_token: u32,
}

/// Equal recurrent layers, which keep a state of fixed size a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflineRecurrent {
    /// How many of them.
    pub layers: u32,
    /// Heads that keep a matrix; 0 for a short convolution.
    pub heads: u32,
    /// Rows of a head's matrix.
    pub key_dim: u32,
    /// Columns of a head's matrix.
    pub value_dim: u32,
    /// Channels of the convolution in front.
    pub convolution_channels: u32,
    /// Its length.
    pub kernel: u32,
}
