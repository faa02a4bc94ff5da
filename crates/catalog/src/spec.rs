//! What the speed of a model depends on: its layers by kind, and its weights by part.
//!
//! The catalog's rows, Hugging Face configurations, GGUF and safetensors files all become this.

mod cache;
mod weights;

pub(crate) use weights::matrix;
pub use weights::{Part, Weights};

use tokmark_units::float;

/// A model's shape and weights.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// The architecture's name in the file it was read from, for example `qwen3_moe`.
    pub architecture: String,
    /// Blocks in all; a block may hold a mixer, a feed-forward part or both.
    pub blocks: u32,
    /// Elements of the vector that goes from block to block.
    pub hidden: u32,
    /// Rows of the embedding table, padding included.
    pub vocabulary: u32,
    /// Whether the embedding table is the output head too.
    pub tied_embeddings: bool,
    /// Tokens that the model was made for, where the source says.
    pub max_context_tokens: Option<u64>,
    /// Attention layers, equal ones together.
    pub attention: Vec<Attention>,
    /// Recurrent layers (state space, linear attention, short convolution), equal ones together.
    pub recurrent: Vec<Recurrent>,
    /// Routed experts; `None` for a dense model.
    pub experts: Option<Experts>,
    /// Parameters and bytes of each part.
    pub weights: Weights,
    /// The weight format that the source declares, in its words, for example `awq` or `Q4_K_M`.
    pub quantization: Option<String>,
}

/// Equal attention layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention {
    /// How many of them.
    pub layers: u32,
    /// Query heads of one layer.
    pub query_heads: u32,
    /// What one token leaves in the cache.
    pub cache: CacheShape,
    /// Tokens that a sliding or chunked layer looks back at; `None` for all.
    pub window_tokens: Option<u64>,
    /// Whether they read the cache of other layers and keep none of their own.
    pub shares_cache: bool,
    /// Sparse attention: how many of the cached tokens a step reads at most.
    pub read_at_most_tokens: Option<u64>,
    /// Sparse attention: bytes of the key by which a token is chosen, kept and read for each token.
    pub index_bytes_per_token: u32,
}

/// What one token leaves in one layer's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheShape {
    /// A key and a value for each key-value head (multi-head, grouped-query, multi-query).
    Heads {
        /// Key-value heads.
        kv_heads: u32,
        /// Elements of a key.
        key_dim: u32,
        /// Elements of a value.
        value_dim: u32,
    },
    /// One latent vector and one rotary key for all heads (MLA).
    Latent {
        /// Elements of the latent vector.
        rank: u32,
        /// Elements of the rotary key.
        rope_dim: u32,
        /// Elements of a key after expansion, rotary part included.
        key_dim: u32,
        /// Elements of a value after expansion.
        value_dim: u32,
    },
}

/// Equal recurrent layers, which keep a state of fixed size a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurrent {
    /// How many of them.
    pub layers: u32,
    /// Heads that keep a matrix; 0 for a short convolution.
    pub heads: u32,
    /// Rows of a head's matrix: key elements, or Mamba's state size.
    pub key_dim: u32,
    /// Columns of a head's matrix: value elements, or Mamba's head size.
    pub value_dim: u32,
    /// Channels of the causal convolution in front.
    pub convolution_channels: u32,
    /// Its length; the state keeps one value less a channel.
    pub kernel: u32,
}

/// Routed experts, in all layers that have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Experts {
    /// Layers with routed experts.
    pub layers: u32,
    /// Experts of one layer.
    pub experts: u32,
    /// Experts that one token is sent to.
    pub per_token: u32,
}

impl Experts {
    /// Distinct experts of a layer that a step over `tokens` tokens touches:
    /// `E·(1 − (1 − k/E)^(tokens^γ))`.
    ///
    /// `γ` is 1 for independent, uniform routing, which touches the most; 0 for tokens that all take
    /// the same route. Requests that share a prompt lie between (0.7 to 0.8 was seen). See
    /// `data/README.md`, "Roofline".
    pub fn touched(self, tokens: f64, routing_exponent: f64) -> f64 {
        let all = float::from_u64(self.experts.into());
        let chosen = float::from_u64(self.per_token.into()).min(all);
        if all <= 0.0 || tokens <= 0.0 {
            return 0.0;
        }
        let missed = 1.0 - chosen / all;
        let draws = tokens.max(1.0).powf(routing_exponent.clamp(0.0, 1.0));
        all * (1.0 - missed.powf(draws))
    }
}

impl Recurrent {
    /// Bytes of one layer's state for one sequence: the matrices in 32 bits, which is the servers'
    /// default, and the last inputs of the convolution in 16 bits.
    pub fn state_bytes(self) -> f64 {
        let of = |value: u32| float::from_u64(value.into());
        let matrices = of(self.heads) * of(self.key_dim) * of(self.value_dim) * 4.0;
        let inputs = of(self.convolution_channels) * of(self.kernel.saturating_sub(1)) * 2.0;
        matrices + inputs
    }
}

impl ModelSpec {
    /// Parameters of the language model, embeddings included.
    pub fn parameters(&self) -> f64 {
        let weights = &self.weights;
        [
            weights.embedding,
            weights.head,
            weights.dense,
            weights.experts,
        ]
        .iter()
        .map(|part| part.parameters)
        .sum()
    }

    /// Parameters that one token passes through: all but the experts it is not sent to. The
    /// embedding table counts, as it does in the makers' figures mostly.
    pub fn active_parameters(&self) -> f64 {
        self.parameters() - self.weights.experts.parameters * (1.0 - self.active_share())
    }

    /// The share of the routed experts that one token is sent to.
    pub(crate) fn active_share(&self) -> f64 {
        self.experts.map_or(1.0, |experts| {
            let all = float::from_u64(experts.experts.into());
            if all > 0.0 {
                (float::from_u64(experts.per_token.into()) / all).min(1.0)
            } else {
                1.0
            }
        })
    }

    /// Layers with attention.
    pub fn attention_layers(&self) -> u32 {
        self.attention.iter().map(|group| group.layers).sum()
    }

    /// Bytes of the recurrent layers' state for one sequence.
    pub fn state_bytes(&self) -> f64 {
        let of = |group: &Recurrent| float::from_u64(group.layers.into()) * group.state_bytes();
        self.recurrent
            .iter()
            .map(of)
            .fold(0.0, |sum, one| sum + one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Qwen3's mixtures: 128 experts, 8 a token.
    #[test]
    fn experts_touched_by_a_batch() {
        let experts = Experts {
            layers: 48,
            experts: 128,
            per_token: 8,
        };
        let check = |tokens, exponent, expect: f64| {
            let given = experts.touched(tokens, exponent);
            assert!((given - expect).abs() < 0.5, "{tokens}: {given}");
        };
        check(1.0, 1.0, 8.0);
        check(2.0, 1.0, 15.5);
        check(4.0, 1.0, 29.0);
        check(8.0, 1.0, 52.0);
        check(16.0, 1.0, 82.0);
        check(1e6, 1.0, 128.0);
        check(16.0, 0.0, 8.0);
        check(0.0, 1.0, 0.0);
    }

    #[test]
    fn states_have_the_bytes_of_the_sheet() {
        let check = |group: Recurrent, megabytes: f64| {
            let given = f64::from(group.layers) * group.state_bytes() / 1e6;
            assert!((given - megabytes).abs() < 0.06, "{given}");
        };
        let nemotron = Recurrent {
            layers: 23,
            heads: 64,
            key_dim: 128,
            value_dim: 64,
            convolution_channels: 6144,
            kernel: 4,
        };
        check(nemotron, 49.1);
        let qwen = Recurrent {
            layers: 24,
            heads: 32,
            key_dim: 128,
            value_dim: 128,
            convolution_channels: 8192,
            kernel: 4,
        };
        check(qwen, 51.5);
    }
}
