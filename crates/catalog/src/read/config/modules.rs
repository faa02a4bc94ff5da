//! The modules of a model: their names, as a quantization's list of exceptions knows them, and how
//! many parameters each has.

use crate::spec::CacheShape;

use super::super::ReadError;
use super::feed::{Feed, RoutedExperts};
use super::fields::{Fields, MOST_HEADS, MOST_WIDTH};
use super::layers::{Layer, Mixer};
use super::recurrent::{Matrices, RecurrentLayer};

/// One module, or the same module of all experts of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Module {
    /// The name without what stands before `layers`: `layers.3.self_attn.q_proj`, `lm_head`.
    pub(super) path: String,
    pub(super) parameters: f64,
    pub(super) class: Class,
}

/// What kind of module it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The embedding table.
    Embedding,
    /// Another table that is looked up.
    Lookup,
    /// The output head.
    Head,
    /// A matrix that quantization converts.
    Linear,
    /// A matrix that it never converts: routers, convolutions.
    Kept,
    /// Matrices of routed experts.
    Experts,
}

/// All modules, the head as if it were none of the embedding's.
pub(super) fn list(
    fields: Fields<'_>,
    layers: &[Layer],
    hidden: u64,
    vocabulary: u64,
) -> Result<Vec<Module>, ReadError> {
    let mut all = List {
        hidden,
        names: Names::of(fields)?,
        modules: Vec::new(),
    };
    let table = crate::spec::matrix(vocabulary, hidden);
    all.push("embed_tokens", table, Class::Embedding);
    all.push("lm_head", table, Class::Head);
    let a_layer = fields.number("hidden_size_per_layer_input", &[], MOST_WIDTH)?;
    if let Some(width) = a_layer {
        let rows = fields
            .number("vocab_size_per_layer_input", &[], 1 << 24)?
            .unwrap_or(vocabulary);
        let layers = tokmark_units::float::from_usize(layers.len());
        let lookup = crate::spec::matrix(rows, width) * layers;
        all.push("embed_tokens_per_layer", lookup, Class::Lookup);
    }
    let query = Query::of(fields)?;
    for (index, layer) in layers.iter().enumerate() {
        all.layer(index, layer, &query);
    }
    Ok(all.modules)
}

/// What mixers and feed-forward parts are called.
struct Names {
    /// Nemotron's hybrids call every block's content `mixer`.
    one_for_all: bool,
    mixtral: bool,
}

impl Names {
    fn of(fields: Fields<'_>) -> Result<Self, ReadError> {
        let kind = fields.text("model_type")?.unwrap_or_default();
        Ok(Self {
            one_for_all: fields.get("hybrid_override_pattern").is_some(),
            mixtral: ["mixtral", "phimoe", "minimax", "minimax_m2"].contains(&kind),
        })
    }
}

/// How queries are made.
struct Query {
    /// The low rank that MLA's queries go through.
    rank: Option<u64>,
    /// Whether the query matrix also makes a gate for the output.
    gated: bool,
    /// Heads and size of the index of sparse attention.
    index: Option<(u64, u64)>,
}

impl Query {
    fn of(fields: Fields<'_>) -> Result<Self, ReadError> {
        let heads = fields.number("index_n_heads", &[], MOST_HEADS)?;
        let dim = fields.number("index_head_dim", &[], MOST_WIDTH)?;
        // Qwen3-Next gates its output without saying so.
        let kind = fields.text("model_type")?.unwrap_or_default();
        let gated = fields
            .flag("attn_output_gate")?
            .unwrap_or(kind == "qwen3_next");
        Ok(Self {
            rank: fields
                .number("q_lora_rank", &[], MOST_WIDTH)?
                .filter(|rank| *rank > 0),
            gated,
            index: heads.zip(dim),
        })
    }
}

struct List {
    hidden: u64,
    names: Names,
    modules: Vec<Module>,
}

impl List {
    fn push(&mut self, path: impl Into<String>, parameters: f64, class: Class) {
        self.modules.push(Module {
            path: path.into(),
            parameters,
            class,
        });
    }

    fn matrix(&mut self, place: &str, name: &str, rows: u64, columns: u64) {
        let parameters = crate::spec::matrix(rows, columns);
        self.push(format!("{place}.{name}"), parameters, Class::Linear);
    }

    fn kept(&mut self, place: &str, name: &str, rows: u64, columns: u64) {
        let parameters = crate::spec::matrix(rows, columns);
        self.push(format!("{place}.{name}"), parameters, Class::Kept);
    }

    fn layer(&mut self, index: usize, layer: &Layer, query: &Query) {
        let at = |usual: &str| {
            let name = if self.names.one_for_all {
                "mixer"
            } else {
                usual
            };
            format!("layers.{index}.{name}")
        };
        let (attention, recurrent, mlp) = (at("self_attn"), at("linear_attn"), at("mlp"));
        match &layer.mixer {
            Mixer::Attention(attention_of) => {
                let heads = u64::from(attention_of.query_heads);
                self.attention(&attention, heads, attention_of.cache, query);
            }
            Mixer::Recurrent(layer) => self.recurrent(&recurrent, layer),
            Mixer::Nothing => {}
        }
        match &layer.feed {
            Feed::Dense { width, matrices } => self.dense(&mlp, *width, *matrices),
            Feed::Experts(experts) => self.experts(&mlp, experts),
            Feed::Nothing => {}
        }
    }

    fn attention(&mut self, place: &str, heads: u64, cache: CacheShape, query: &Query) {
        let hidden = self.hidden;
        match cache {
            CacheShape::Heads {
                kv_heads,
                key_dim,
                value_dim,
            } => {
                let (kv, key, value) = (
                    u64::from(kv_heads),
                    u64::from(key_dim),
                    u64::from(value_dim),
                );
                let gate = if query.gated { 2 } else { 1 };
                self.matrix(place, "q_proj", hidden, heads * key * gate);
                self.matrix(place, "k_proj", hidden, kv * key);
                self.matrix(place, "v_proj", hidden, kv * value);
                self.matrix(place, "o_proj", heads * value, hidden);
            }
            CacheShape::Latent {
                rank,
                rope_dim,
                key_dim,
                value_dim,
            } => {
                let (rank, rope) = (u64::from(rank), u64::from(rope_dim));
                let (key, value) = (u64::from(key_dim), u64::from(value_dim));
                match query.rank {
                    Some(low) => {
                        self.matrix(place, "q_a_proj", hidden, low);
                        self.matrix(place, "q_b_proj", low, heads * key);
                    }
                    None => self.matrix(place, "q_proj", hidden, heads * key),
                }
                self.matrix(place, "kv_a_proj_with_mqa", hidden, rank + rope);
                self.matrix(
                    place,
                    "kv_b_proj",
                    rank,
                    heads * (key - rope.min(key) + value),
                );
                self.matrix(place, "o_proj", heads * value, hidden);
            }
        }
        if let Some((index_heads, dim)) = query.index {
            let from = query.rank.unwrap_or(hidden);
            self.matrix(place, "indexer.wq_b", from, index_heads * dim);
            self.matrix(place, "indexer.wk", hidden, dim);
        }
    }

    fn recurrent(&mut self, place: &str, layer: &RecurrentLayer) {
        let hidden = self.hidden;
        let heads = u64::from(layer.state.heads);
        let kernel = u64::from(layer.state.kernel);
        match layer.matrices {
            Matrices::GatedDeltaNet { keys, values } => {
                self.matrix(place, "in_proj_qkvz", hidden, 2 * keys + 2 * values);
                self.matrix(place, "in_proj_ba", hidden, 2 * heads);
                self.matrix(place, "out_proj", values, hidden);
            }
            Matrices::Mamba2 { inner, gates } => {
                self.matrix(place, "in_proj", hidden, 2 * inner + 2 * gates + heads);
                self.matrix(place, "out_proj", inner, hidden);
            }
            Matrices::Mamba { inner, state, rank } => {
                self.matrix(place, "in_proj", hidden, 2 * inner);
                self.matrix(place, "x_proj", inner, rank + 2 * state);
                self.matrix(place, "dt_proj", rank, inner);
                self.matrix(place, "out_proj", inner, hidden);
            }
            Matrices::Kda { inner, head_dim } => {
                for name in ["q_proj", "k_proj", "v_proj", "o_proj"] {
                    self.matrix(place, name, hidden, inner);
                }
                // Decay and gate go through a low rank, that of a head.
                for name in ["f_proj", "g_proj"] {
                    self.matrix(place, name, head_dim, hidden + inner);
                }
                self.matrix(place, "b_proj", hidden, heads);
            }
            Matrices::Linear { inner } => {
                self.matrix(place, "qkv_proj", hidden, 3 * inner);
                self.matrix(place, "output_gate", hidden, inner);
                self.matrix(place, "out_proj", inner, hidden);
            }
            Matrices::ShortConvolution { channels } => {
                self.matrix(place, "in_proj", hidden, 3 * channels);
                self.matrix(place, "out_proj", channels, hidden);
            }
        }
        let channels = u64::from(layer.state.convolution_channels);
        self.kept(place, "conv1d", channels, kernel);
    }

    fn dense(&mut self, place: &str, width: u64, matrices: u64) {
        let hidden = self.hidden;
        if matrices > 2 {
            self.matrix(place, "gate_proj", hidden, width);
        }
        self.matrix(place, "up_proj", hidden, width);
        self.matrix(place, "down_proj", width, hidden);
    }

    fn experts(&mut self, place: &str, experts: &RoutedExperts) {
        let hidden = self.hidden;
        let place = if self.names.mixtral {
            place.replace(".mlp", ".block_sparse_moe")
        } else {
            place.to_owned()
        };
        let inside = experts.latent.unwrap_or(hidden);
        let one = crate::spec::matrix(inside, experts.width);
        let count = tokmark_units::float::from_u64(experts.experts.into());
        let names: &[&str] = match (self.names.mixtral, experts.matrices) {
            (true, _) => &["w1", "w2", "w3"],
            (false, 2) => &["up_proj", "down_proj"],
            (false, _) => &["gate_proj", "up_proj", "down_proj"],
        };
        for name in names {
            self.push(
                format!("{place}.experts.0.{name}"),
                one * count,
                Class::Experts,
            );
        }
        if let Some(latent) = experts.latent {
            self.matrix(&place, "fc1_latent_proj", hidden, latent);
            self.matrix(&place, "fc2_latent_proj", latent, hidden);
        }
        self.kept(&place, "gate", hidden, experts.experts.into());
        if experts.shared_width > 0 {
            let shared = format!("{place}.shared_experts");
            self.dense(&shared, experts.shared_width, experts.matrices);
        }
    }
}
