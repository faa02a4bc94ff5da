//! Feed-forward parts: dense, or routed experts.

use super::super::ReadError;
use super::fields::{Fields, MOST_EXPERTS, MOST_LAYERS, MOST_WIDTH, small};
use super::layers::number_of_layer;

/// What follows the mixer of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Feed {
    Dense {
        /// Elements between its matrices.
        width: u64,
        /// Matrices: 3 with a gate, else 2.
        matrices: u64,
    },
    Experts(RoutedExperts),
    Nothing,
}

/// The routed experts of one layer, and what stands beside them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoutedExperts {
    pub(super) experts: u32,
    pub(super) per_token: u32,
    /// Elements between the matrices of one expert.
    pub(super) width: u64,
    /// Elements that go into an expert, where they are not the hidden vector's.
    pub(super) latent: Option<u64>,
    /// Width of the experts that every token passes, together.
    pub(super) shared_width: u64,
    pub(super) matrices: u64,
}

const COUNTS: [&str; 4] = [
    "n_routed_experts",
    "num_local_experts",
    "moe_num_experts",
    "n_experts",
];

/// Of a layer, counted from 0.
pub(super) fn of_layer(fields: Fields<'_>, index: u64) -> Result<Feed, ReadError> {
    if has_experts(fields)? && is_routed(fields, index)? {
        return experts(fields);
    }
    // Mamba's own models have no feed-forward part.
    let kind = fields.text("model_type")?.unwrap_or_default();
    if ["mamba", "mamba2", "falcon_mamba"].contains(&kind) {
        return Ok(Feed::Nothing);
    }
    let own = number_of_layer(fields, "intermediate_size", index, MOST_WIDTH)?;
    match own {
        Some(width) if fields.get("intermediate_size_mlp").is_none() => Ok(Feed::Dense {
            width: width.into(),
            matrices: matrices(fields)?,
        }),
        _ => dense(fields),
    }
}

pub(super) fn dense(fields: Fields<'_>) -> Result<Feed, ReadError> {
    let others = [
        "intermediate_size",
        "n_inner",
        "ffn_hidden_size",
        "ffn_dim",
        "d_ff",
    ];
    Ok(Feed::Dense {
        width: fields.needed("intermediate_size_mlp", &others, MOST_WIDTH)?,
        matrices: matrices(fields)?,
    })
}

/// A pruned model's block.
pub(super) fn of_block(fields: Fields<'_>, block: Fields<'_>) -> Result<Feed, ReadError> {
    if block.flag("no_op")?.unwrap_or(false) {
        return Ok(Feed::Nothing);
    }
    if let Some(width) = block.number("intermediate_size", &[], MOST_WIDTH)? {
        let matrices = matrices(fields)?;
        return Ok(Feed::Dense { width, matrices });
    }
    let hidden = fields.needed("hidden_size", &[], MOST_WIDTH)?;
    let factor = block.get("ffn_mult").and_then(serde_json::Value::as_f64);
    let factor = factor.filter(|factor| (0.0..=64.0).contains(factor));
    let factor = factor.ok_or_else(|| ReadError::missing("ffn_mult"))?;
    // Llama's rule: two thirds of twice the factor, up to a multiple of 256.
    let hidden = tokmark_units::float::from_u64(hidden);
    let wanted = tokmark_units::float::round_to_u64((2.0 * factor * hidden / 3.0).floor());
    Ok(Feed::Dense {
        width: wanted.div_ceil(256) * 256,
        matrices: matrices(fields)?,
    })
}

fn has_experts(fields: Fields<'_>) -> Result<bool, ReadError> {
    let count = fields.number("num_experts", &COUNTS, MOST_EXPERTS)?;
    Ok(count.is_some_and(|count| count > 1))
}

/// Whether a layer has routed experts, by the several rules of the families.
fn is_routed(fields: Fields<'_>, index: u64) -> Result<bool, ReadError> {
    let number = |name: &str| fields.number(name, &[], MOST_LAYERS);
    if let Some(layers) = fields
        .numbers("moe_layers")?
        .filter(|layers| !layers.is_empty())
    {
        return Ok(layers.contains(&index));
    }
    if let Some(layers) = fields.text("moe_layers_enum")? {
        return Ok(layers
            .split(',')
            .any(|layer| layer.trim().parse() == Ok(index)));
    }
    let first = match number("first_k_dense_replace")? {
        Some(first) => Some(first),
        None => fields.number("num_dense_layers", &["moe_layer_start_index"], MOST_LAYERS)?,
    };
    if first.is_some_and(|first| index < first) {
        return Ok(false);
    }
    if let Some(layers) = fields.numbers("mlp_only_layers")?
        && layers.contains(&index)
    {
        return Ok(false);
    }
    if let Some(serde_json::Value::Array(_)) = fields.get("moe_layer_freq") {
        let own = number_of_layer(fields, "moe_layer_freq", index, MOST_LAYERS)?;
        return Ok(own != Some(0));
    }
    let on_last = |step: u64| step == 0 || (index + 1).is_multiple_of(step);
    if let Some(step) = fields.number(
        "interleave_moe_layer_step",
        &["decoder_sparse_step"],
        MOST_LAYERS,
    )? {
        return Ok(on_last(step));
    }
    if let Some(period) = number("expert_layer_period")?.filter(|period| *period > 0) {
        let offset = number("expert_layer_offset")?.unwrap_or(0);
        return Ok(index % period == offset);
    }
    let step = number("moe_layer_freq")?.filter(|step| *step > 0);
    Ok(step.is_none_or(|step| index.is_multiple_of(step)))
}

pub(super) fn experts(fields: Fields<'_>) -> Result<Feed, ReadError> {
    let per_token_names = [
        "num_experts_per_token",
        "top_k_experts",
        "moe_topk",
        "moe_k",
        "experts_per_token",
    ];
    let widths = [
        "moe_ffn_hidden_size",
        "expert_ffn_hidden_size",
        "intermediate_size",
    ];
    let experts = fields.needed("num_experts", &COUNTS, MOST_EXPERTS)?;
    let per_token = fields.needed("num_experts_per_tok", &per_token_names, MOST_EXPERTS)?;
    if per_token > experts {
        let what = format!("a token is sent to {per_token} of {experts} experts");
        return Err(ReadError::contradiction(what));
    }
    let width = fields.needed("moe_intermediate_size", &widths, MOST_WIDTH)?;
    Ok(Feed::Experts(RoutedExperts {
        experts: small(experts),
        per_token: small(per_token),
        width,
        latent: fields.number("moe_latent_size", &[], MOST_WIDTH)?,
        shared_width: shared_width(fields, width)?,
        matrices: matrices(fields)?,
    }))
}

fn shared_width(fields: Fields<'_>, width: u64) -> Result<u64, ReadError> {
    let stated = fields.number(
        "shared_expert_intermediate_size",
        &[
            "moe_shared_expert_intermediate_size",
            "shared_intermediate_size",
        ],
        MOST_WIDTH,
    )?;
    let count = fields.number("n_shared_experts", &["num_shared_experts"], MOST_EXPERTS)?;
    if let Some(stated) = stated {
        // The stated width is that of one.
        return Ok(stated * count.unwrap_or(1).max(1));
    }
    if let Some(count) = count {
        return Ok(width * count);
    }
    let kind = fields.text("model_type")?.unwrap_or_default();
    if kind.starts_with("llama4") {
        return Ok(width);
    }
    // Gemma's mixtures keep a dense part beside the experts of each layer.
    if kind.starts_with("gemma") {
        let dense = fields.number("intermediate_size", &[], MOST_WIDTH)?;
        return Ok(dense.unwrap_or(0));
    }
    Ok(0)
}

/// Two matrices where there is no gate, else three.
fn matrices(fields: Fields<'_>) -> Result<u64, ReadError> {
    let activation = match fields.text("mlp_hidden_act")? {
        Some(activation) => Some(activation),
        None => fields.text("hidden_act")?,
    };
    let plain = [
        "gpt2",
        "gpt_bigcode",
        "gpt_neox",
        "gptj",
        "falcon",
        "phi",
        "starcoder2",
        "opt",
        "bloom",
        "nemotron",
    ];
    let kind = fields.text("model_type")?.unwrap_or_default();
    let no_gate = activation == Some("relu2") || plain.contains(&kind);
    Ok(if no_gate { 2 } else { 3 })
}
