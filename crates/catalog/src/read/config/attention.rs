//! Dimensions of attention layers.

use crate::spec::{Attention, CacheShape};

use super::super::ReadError;
use super::fields::{Fields, MOST_CONTEXT, MOST_HEADS, MOST_WIDTH, small};
use super::layers::Mixer;

/// A layer that sees everything, or one with a window.
pub(super) fn read(fields: Fields<'_>, windowed: bool) -> Result<Attention, ReadError> {
    let heads = query_heads(fields)?;
    let query_heads = if windowed {
        fields
            .number("swa_num_attention_heads", &[], MOST_HEADS)?
            .unwrap_or(heads)
    } else {
        heads
    };
    let index = match fields.number("index_topk", &[], MOST_CONTEXT)? {
        Some(_) => fields.number("index_head_dim", &[], MOST_WIDTH)?,
        None => None,
    };
    Ok(Attention {
        layers: 1,
        query_heads: small(query_heads),
        cache: cache(fields, windowed, heads)?,
        window_tokens: if windowed { window(fields)? } else { None },
        shares_cache: false,
        read_at_most_tokens: fields.number("index_topk", &[], MOST_CONTEXT)?,
        // Keys of the index are FP8 values with one FP32 scale.
        index_bytes_per_token: index.map_or(0, |dim| small(dim + 4)),
    })
}

fn query_heads(fields: Fields<'_>) -> Result<u64, ReadError> {
    fields.needed("num_attention_heads", &["n_head", "num_heads"], MOST_HEADS)
}

fn window(fields: Fields<'_>) -> Result<Option<u64>, ReadError> {
    let window = fields.number(
        "sliding_window",
        &[
            "attention_chunk_size",
            "sliding_window_size",
            "local_attention_window",
        ],
        MOST_CONTEXT,
    )?;
    window.map_or_else(
        || Err(ReadError::missing("sliding_window")),
        |tokens| Ok(Some(tokens)),
    )
}

fn cache(fields: Fields<'_>, windowed: bool, heads: u64) -> Result<CacheShape, ReadError> {
    if let Some(rank) = fields.number("kv_lora_rank", &[], MOST_WIDTH)? {
        let rope = fields.needed("qk_rope_head_dim", &[], MOST_WIDTH)?;
        let nope = fields.needed("qk_nope_head_dim", &[], MOST_WIDTH)?;
        return Ok(CacheShape::Latent {
            rank: small(rank),
            rope_dim: small(rope),
            key_dim: small(nope + rope),
            value_dim: small(fields.needed("v_head_dim", &[], MOST_WIDTH)?),
        });
    }
    let number = |name: &str, most| fields.number(name, &[], most);
    let own = if windowed {
        (
            number("swa_num_key_value_heads", MOST_HEADS)?,
            number("swa_head_dim", MOST_WIDTH)?,
            number("swa_v_head_dim", MOST_WIDTH)?,
        )
    } else {
        (
            number("num_global_key_value_heads", MOST_HEADS)?,
            number("global_head_dim", MOST_WIDTH)?,
            number("global_head_dim", MOST_WIDTH)?,
        )
    };
    let kv_names = ["num_kv_heads", "n_head_kv", "multi_query_group_num"];
    let kv_heads = match own.0 {
        Some(own) => own,
        None => fields
            .number("num_key_value_heads", &kv_names, MOST_HEADS)?
            .unwrap_or(heads),
    };
    let usual = match fields.number(
        "head_dim",
        &["attention_head_dim", "kv_channels"],
        MOST_WIDTH,
    )? {
        Some(dim) => dim,
        None => fields.needed("hidden_size", &["n_embd", "d_model"], MOST_WIDTH)? / heads,
    };
    let key_dim = own.1.unwrap_or(usual);
    let value_dim = match own.2 {
        Some(own) => own,
        None => number("v_head_dim", MOST_WIDTH)?.unwrap_or(key_dim),
    };
    if kv_heads == 0 || key_dim == 0 || value_dim == 0 {
        return Err(ReadError::wrong("num_key_value_heads", "0", "above zero"));
    }
    Ok(CacheShape::Heads {
        kv_heads: small(kv_heads),
        key_dim: small(key_dim),
        value_dim: small(value_dim),
    })
}

/// A pruned model's block: its attention may be left out, or replaced by one matrix.
pub(super) fn of_block(fields: Fields<'_>, block: Fields<'_>) -> Result<Mixer, ReadError> {
    let left_out = block.flag("no_op")?.unwrap_or(false)
        || block.flag("replace_with_linear")?.unwrap_or(false);
    if left_out {
        return Ok(Mixer::Nothing);
    }
    let mut attention = read(fields, false)?;
    let heads = query_heads(fields)?;
    let stated = block.number("num_key_value_heads", &[], MOST_HEADS)?;
    let in_group = block
        .number("n_heads_in_group", &[], MOST_HEADS)?
        .filter(|n| *n > 0);
    let own = stated
        .or(in_group.map(|in_group| heads / in_group))
        .filter(|n| *n > 0);
    if let (Some(own), CacheShape::Heads { kv_heads, .. }) = (own, &mut attention.cache) {
        *kv_heads = small(own);
    }
    Ok(Mixer::Attention(attention))
}
