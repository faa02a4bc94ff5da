//! The shape of a model file, and its rows.

use serde::Deserialize;

use crate::model::{Model, RecurrentKind};
use crate::spec::{Attention, CacheShape, Experts, Recurrent};

use super::{DataError, Place, parse};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    family: String,
    architecture: String,
    total_parameters_b: Option<f64>,
    active_parameters_b: Option<f64>,
    blocks: u32,
    hidden: u32,
    vocabulary: u32,
    tied_embeddings: bool,
    max_context_tokens: u64,
    #[serde(default)]
    attention: Vec<AttentionRow>,
    recurrent: Option<RecurrentRow>,
    experts: Option<ExpertsRow>,
    kv_bytes_per_token_16bit: Option<u64>,
    not_modelled: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttentionRow {
    layers: u32,
    query_heads: u32,
    kv_heads: Option<u32>,
    latent_rank: Option<u32>,
    rope_dim: Option<u32>,
    key_dim: u32,
    value_dim: u32,
    window_tokens: Option<u64>,
    #[serde(default)]
    shares_cache: bool,
    read_at_most_tokens: Option<u64>,
    #[serde(default)]
    index_bytes_per_token: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecurrentRow {
    layers: u32,
    kind: RecurrentKind,
    heads: Option<u32>,
    key_dim: Option<u32>,
    value_dim: Option<u32>,
    convolution_channels: Option<u32>,
    kernel: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpertsRow {
    layers: Option<u32>,
    experts: u32,
    per_token: u32,
    width: Option<u32>,
    matrices: Option<u32>,
}

pub(super) fn read(file: &'static str, text: &str) -> Result<Vec<Model>, DataError> {
    let rows: File = parse(file, text)?;
    rows.model.into_iter().map(|row| row.check(file)).collect()
}

impl Row {
    fn check(self, file: &'static str) -> Result<Model, DataError> {
        let place = Place {
            file,
            row: &self.id,
        };
        let modelled = self.not_modelled.is_none();
        let attention: Result<Vec<_>, _> =
            self.attention.iter().map(|row| row.check(place)).collect();
        let recurrent = self
            .recurrent
            .as_ref()
            .map(|row| row.check(place, modelled));
        let recurrent = recurrent.transpose()?.flatten();
        let experts = self.experts.as_ref().map(|row| row.check(place, modelled));
        let experts = experts.transpose()?.flatten();
        let expert_parameters = self
            .experts
            .as_ref()
            .and_then(|row| row.parameters(self.hidden));
        if modelled && (self.total_parameters_b.is_none() || attention_is_empty(&self)) {
            return Err(place.wrong("neither modelled nor a reason why not"));
        }
        Ok(Model {
            attention: attention?,
            recurrent,
            recurrent_kind: self.recurrent.as_ref().map(|row| row.kind),
            experts,
            expert_parameters,
            id: self.id,
            family: self.family,
            architecture: self.architecture,
            total_parameters_b: self.total_parameters_b,
            active_parameters_b: self.active_parameters_b,
            blocks: self.blocks,
            hidden: self.hidden,
            vocabulary: self.vocabulary,
            tied_embeddings: self.tied_embeddings,
            max_context_tokens: self.max_context_tokens,
            kv_bytes_per_token_16bit: self.kv_bytes_per_token_16bit,
            not_modelled: self.not_modelled,
            aliases: self.aliases,
            source: self.source,
        })
    }
}

fn attention_is_empty(row: &Row) -> bool {
    row.attention.is_empty() && row.recurrent.is_none()
}

impl AttentionRow {
    fn check(&self, place: Place<'_>) -> Result<Attention, DataError> {
        let cache = match (self.kv_heads, self.latent_rank, self.rope_dim) {
            (Some(kv_heads), None, None) => CacheShape::Heads {
                kv_heads,
                key_dim: self.key_dim,
                value_dim: self.value_dim,
            },
            (None, Some(rank), Some(rope_dim)) => CacheShape::Latent {
                rank,
                rope_dim,
                key_dim: self.key_dim,
                value_dim: self.value_dim,
            },
            _ => return Err(place.wrong("attention has neither KV heads nor a latent vector")),
        };
        Ok(Attention {
            layers: self.layers,
            query_heads: self.query_heads,
            cache,
            window_tokens: self.window_tokens,
            shares_cache: self.shares_cache,
            read_at_most_tokens: self.read_at_most_tokens,
            index_bytes_per_token: self.index_bytes_per_token,
        })
    }
}

impl RecurrentRow {
    /// The layers; `None` where their dimensions are not known, which only a row may say that is not
    /// modelled.
    fn check(&self, place: Place<'_>, modelled: bool) -> Result<Option<Recurrent>, DataError> {
        let Some(kernel) = self.kernel else {
            return if modelled {
                Err(place.wrong("recurrent layers without dimensions"))
            } else {
                Ok(None)
            };
        };
        let heads = self.heads.unwrap_or_default();
        if (heads == 0) != (self.kind == RecurrentKind::ShortConvolution) {
            return Err(place.wrong("only a short convolution has no heads"));
        }
        Ok(Some(Recurrent {
            layers: self.layers,
            heads,
            key_dim: self.key_dim.unwrap_or_default(),
            value_dim: self.value_dim.unwrap_or_default(),
            convolution_channels: self.convolution_channels.unwrap_or_default(),
            kernel,
        }))
    }
}

impl ExpertsRow {
    fn check(&self, place: Place<'_>, modelled: bool) -> Result<Option<Experts>, DataError> {
        match self.layers {
            Some(layers) => Ok(Some(Experts {
                layers,
                experts: self.experts,
                per_token: self.per_token,
            })),
            None if modelled => Err(place.wrong("experts without their number of layers")),
            None => Ok(None),
        }
    }

    fn parameters(&self, hidden: u32) -> Option<f64> {
        let width = f64::from(self.width?);
        Some(f64::from(self.matrices?) * f64::from(hidden) * width)
    }
}
