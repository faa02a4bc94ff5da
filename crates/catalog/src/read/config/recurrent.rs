//! Dimensions of recurrent layers.

use crate::spec::Recurrent;

use super::super::ReadError;
use super::fields::{Fields, MOST_HEADS, MOST_WIDTH, small};

/// A recurrent layer, with what its matrices need beside the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RecurrentLayer {
    pub(super) state: Recurrent,
    pub(super) matrices: Matrices,
}

/// The matrices of a recurrent layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Matrices {
    /// Gated `DeltaNet`: queries and keys of `keys` elements in all, values of `values`.
    GatedDeltaNet { keys: u64, values: u64 },
    /// Mamba-2: `inner` channels, `groups · state` elements for each of both gates.
    Mamba2 { inner: u64, gates: u64 },
    /// Mamba: `inner` channels, a low rank for the time step.
    Mamba { inner: u64, state: u64, rank: u64 },
    /// Kimi's delta attention: heads of one size.
    Kda { inner: u64, head_dim: u64 },
    /// Linear attention without convolution: queries, keys, values and a gate.
    Linear { inner: u64 },
    /// A short convolution between two gates.
    ShortConvolution { channels: u64 },
}

/// The one kind of recurrent layer that a configuration describes.
pub(super) fn read(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    if fields.get("linear_num_value_heads").is_some() {
        return gated_delta_net(fields);
    }
    if fields.get("conv_L_cache").is_some() {
        return short_convolution(fields);
    }
    if let Some(linear) = fields.object("linear_attn_config")? {
        return kda(linear);
    }
    let has_heads = ["mamba_num_heads", "mamba_n_heads"]
        .iter()
        .any(|name| fields.get(name).is_some());
    let kind = fields.text("model_type")?.unwrap_or_default();
    if has_heads || kind == "mamba2" {
        return mamba2(fields);
    }
    if fields.get("mamba_d_state").is_some() || fields.get("state_size").is_some() {
        return mamba(fields);
    }
    if fields.get("attn_type_list").is_some() {
        return linear(fields);
    }
    Err(ReadError::unknown("the recurrent layer of", kind))
}

fn hidden(fields: Fields<'_>) -> Result<u64, ReadError> {
    fields.needed("hidden_size", &["d_model"], MOST_WIDTH)
}

fn state(heads: u64, key_dim: u64, value_dim: u64, channels: u64, kernel: u64) -> Recurrent {
    Recurrent {
        layers: 1,
        heads: small(heads),
        key_dim: small(key_dim),
        value_dim: small(value_dim),
        convolution_channels: small(channels),
        kernel: small(kernel),
    }
}

fn gated_delta_net(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let number = |name: &str, most| fields.needed(name, &[], most);
    let value_heads = number("linear_num_value_heads", MOST_HEADS)?;
    let key_dim = number("linear_key_head_dim", MOST_WIDTH)?;
    let value_dim = number("linear_value_head_dim", MOST_WIDTH)?;
    let keys = number("linear_num_key_heads", MOST_HEADS)? * key_dim;
    let values = value_heads * value_dim;
    let kernel = fields
        .number("linear_conv_kernel_dim", &[], MOST_WIDTH)?
        .unwrap_or(4);
    Ok(RecurrentLayer {
        state: state(value_heads, key_dim, value_dim, 2 * keys + values, kernel),
        matrices: Matrices::GatedDeltaNet { keys, values },
    })
}

fn mamba2(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let heads = fields.needed(
        "mamba_num_heads",
        &["mamba_n_heads", "num_heads"],
        MOST_HEADS,
    )?;
    let named = ["mamba_head_dim", "mamba_d_head", "head_dim"];
    let stated = named.iter().find_map(|name| fields.get(name)?.as_u64());
    let head_dim = match stated {
        Some(dim) => dim.min(MOST_WIDTH),
        // `auto`: the expanded width over the heads.
        None => expanded(fields)? / heads,
    };
    let other_names = ["mamba_d_state", "state_size"];
    let state_size = fields.needed("ssm_state_size", &other_names, MOST_WIDTH)?;
    let groups = fields
        .number("n_groups", &["mamba_n_groups"], MOST_HEADS)?
        .unwrap_or(1);
    let kernel = fields
        .number("conv_kernel", &["mamba_d_conv"], MOST_WIDTH)?
        .unwrap_or(4);
    let (inner, gates) = (heads * head_dim, groups * state_size);
    Ok(RecurrentLayer {
        state: state(heads, state_size, head_dim, inner + 2 * gates, kernel),
        matrices: Matrices::Mamba2 { inner, gates },
    })
}

fn expanded(fields: Fields<'_>) -> Result<u64, ReadError> {
    let factor = fields.number("mamba_expand", &["expand"], 64)?.unwrap_or(2);
    Ok(hidden(fields)? * factor)
}

fn mamba(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let inner = match fields.number("mamba_d_ssm", &["intermediate_size"], MOST_WIDTH)? {
        Some(inner) if fields.get("mamba_d_state").is_none() => inner,
        _ => expanded(fields)?,
    };
    let state_size = fields.needed("mamba_d_state", &["state_size"], MOST_WIDTH)?;
    let kernel = fields
        .number("mamba_d_conv", &["conv_kernel"], MOST_WIDTH)?
        .unwrap_or(4);
    let rank = ["mamba_dt_rank", "time_step_rank"]
        .iter()
        .find_map(|name| fields.get(name)?.as_u64());
    let rank = match rank {
        Some(rank) => rank.min(MOST_WIDTH),
        None => hidden(fields)?.div_ceil(16),
    };
    Ok(RecurrentLayer {
        state: state(1, state_size, inner, inner, kernel),
        matrices: Matrices::Mamba {
            inner,
            state: state_size,
            rank,
        },
    })
}

fn kda(linear: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let heads = linear.needed("num_heads", &[], MOST_HEADS)?;
    let head_dim = linear.needed("head_dim", &[], MOST_WIDTH)?;
    let kernel = linear
        .number("short_conv_kernel_size", &[], MOST_WIDTH)?
        .unwrap_or(4);
    let inner = heads * head_dim;
    Ok(RecurrentLayer {
        state: state(heads, head_dim, head_dim, 3 * inner, kernel),
        matrices: Matrices::Kda { inner, head_dim },
    })
}

fn linear(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let heads = fields.needed("num_attention_heads", &[], MOST_HEADS)?;
    let head_dim = match fields.number("head_dim", &[], MOST_WIDTH)? {
        Some(dim) => dim,
        None => hidden(fields)? / heads,
    };
    Ok(RecurrentLayer {
        state: state(heads, head_dim, head_dim, 0, 0),
        matrices: Matrices::Linear {
            inner: heads * head_dim,
        },
    })
}

fn short_convolution(fields: Fields<'_>) -> Result<RecurrentLayer, ReadError> {
    let kernel = fields.needed("conv_L_cache", &[], MOST_WIDTH)?;
    let channels = match fields.number("conv_dim", &[], MOST_WIDTH)? {
        Some(channels) => channels,
        None => hidden(fields)?,
    };
    Ok(RecurrentLayer {
        state: state(0, 0, 0, channels, kernel),
        matrices: Matrices::ShortConvolution { channels },
    })
}
