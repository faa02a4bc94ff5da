//! The layers in order: what mixes tokens in each, and what follows it.

use serde_json::Value;

use crate::spec::{Attention, Recurrent};

use super::super::ReadError;
use super::attention;
use super::feed::{self, Feed};
use super::fields::{Fields, MOST_LAYERS, small};
use super::recurrent::{self, RecurrentLayer};

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    pub(super) mixer: Mixer,
    pub(super) feed: Feed,
}

/// What carries information from token to token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mixer {
    Attention(Attention),
    Recurrent(RecurrentLayer),
    Nothing,
}

/// The kinds of mixers that configurations tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MixerKind {
    Full,
    Windowed,
    Recurrent,
    Nothing,
}

impl Layer {
    pub(super) fn attention(&self) -> Option<Attention> {
        match &self.mixer {
            Mixer::Attention(attention) => Some(*attention),
            Mixer::Recurrent(_) | Mixer::Nothing => None,
        }
    }

    pub(super) fn recurrent(&self) -> Option<Recurrent> {
        match &self.mixer {
            Mixer::Recurrent(layer) => Some(layer.state),
            Mixer::Attention(_) | Mixer::Nothing => None,
        }
    }

    /// Experts and how many of them a token is sent to.
    pub(super) fn experts(&self) -> Option<(u32, u32)> {
        match &self.feed {
            Feed::Experts(experts) => Some((experts.experts, experts.per_token)),
            Feed::Dense { .. } | Feed::Nothing => None,
        }
    }
}

/// Families whose configuration class ties embeddings where the file says nothing.
pub(super) fn ties_by_default(fields: Fields<'_>) -> bool {
    let kind = fields.text("model_type").ok().flatten().unwrap_or_default();
    ["gemma", "cohere", "lfm2", "gpt2"]
        .iter()
        .any(|family| kind.starts_with(family))
}

pub(super) fn read(fields: Fields<'_>) -> Result<Vec<Layer>, ReadError> {
    // Only compressed ratios above 1 change the cache; their bytes a token are not known here.
    if let Some(ratios) = fields.list("compress_ratios")?
        && ratios.iter().any(|ratio| ratio.as_u64() != Some(1))
    {
        return Err(ReadError::unknown("the attention", "compress_ratios"));
    }
    if let Some(pattern) = fields.text("hybrid_override_pattern")? {
        return by_pattern(fields, pattern);
    }
    if let Some(blocks) = fields.list("block_configs")? {
        return by_blocks(fields, blocks);
    }
    let count = fields.needed(
        "num_hidden_layers",
        &["n_layer", "num_layers", "n_layers"],
        MOST_LAYERS,
    )?;
    let kinds = mixer_kinds(fields, count)?;
    let shared = fields
        .number("num_kv_shared_layers", &[], count)?
        .unwrap_or(0);
    (0..count)
        .zip(kinds)
        .map(|(index, kind)| {
            let mut mixer = mixer(fields, kind)?;
            if let Mixer::Attention(attention) = &mut mixer {
                attention.shares_cache = index >= count - shared;
            }
            let feed = feed::of_layer(fields, index)?;
            Ok(Layer { mixer, feed })
        })
        .collect()
}

fn mixer(fields: Fields<'_>, kind: MixerKind) -> Result<Mixer, ReadError> {
    match kind {
        MixerKind::Full => attention::read(fields, false).map(Mixer::Attention),
        MixerKind::Windowed => attention::read(fields, true).map(Mixer::Attention),
        MixerKind::Recurrent => recurrent::read(fields).map(Mixer::Recurrent),
        MixerKind::Nothing => Ok(Mixer::Nothing),
    }
}

/// Nemotron's hybrids: a letter a block, each of which holds one thing.
fn by_pattern(fields: Fields<'_>, pattern: &str) -> Result<Vec<Layer>, ReadError> {
    super::super::bounds::at_most(
        "hybrid_override_pattern",
        tokmark_units::float::len_u64(pattern.len()),
        MOST_LAYERS,
    )?;
    pattern
        .chars()
        .map(|letter| {
            let (kind, feed) = match letter {
                'M' => (MixerKind::Recurrent, Feed::Nothing),
                '*' => (MixerKind::Full, Feed::Nothing),
                'E' => (MixerKind::Nothing, feed::experts(fields)?),
                '-' => (MixerKind::Nothing, feed::dense(fields)?),
                other => return Err(ReadError::unknown("the layer kind", &other.to_string())),
            };
            Ok(Layer {
                mixer: mixer(fields, kind)?,
                feed,
            })
        })
        .collect()
}

/// Pruned models: dimensions of their own for each block.
fn by_blocks(fields: Fields<'_>, blocks: &[Value]) -> Result<Vec<Layer>, ReadError> {
    super::super::bounds::at_most(
        "block_configs",
        tokmark_units::float::len_u64(blocks.len()),
        MOST_LAYERS,
    )?;
    blocks
        .iter()
        .map(|block| {
            let block = block.as_object().map(Fields::new);
            let part = |name| block.map_or(Ok(None), |block| block.object(name));
            let (attention, ffn) = (part("attention")?, part("ffn")?);
            let attention = attention.ok_or_else(|| ReadError::missing("attention"))?;
            let ffn = ffn.ok_or_else(|| ReadError::missing("ffn"))?;
            Ok(Layer {
                mixer: attention::of_block(fields, attention)?,
                feed: feed::of_block(fields, ffn)?,
            })
        })
        .collect()
}

fn mixer_kinds(fields: Fields<'_>, count: u64) -> Result<Vec<MixerKind>, ReadError> {
    let every = |kind: &dyn Fn(u64) -> MixerKind| Ok((0..count).map(kind).collect());
    if let Some(names) = named_kinds(fields, count)? {
        return Ok(names);
    }
    if let Some(pattern) = fields.numbers("hybrid_layer_pattern")? {
        return listed(&pattern, count, MixerKind::Full, MixerKind::Windowed);
    }
    if let Some(list) = fields.numbers("attn_type_list")? {
        return listed(&list, count, MixerKind::Recurrent, MixerKind::Full);
    }
    if let Some(interval) = fields.number("full_attention_interval", &[], count)? {
        let is_full = |index: u64| interval > 0 && (index + 1).is_multiple_of(interval);
        return every(&|index| full_or(is_full(index), MixerKind::Recurrent));
    }
    if let Some(linear) = fields.object("linear_attn_config")? {
        // Counted from 1.
        let full = linear.numbers("full_attn_layers")?.unwrap_or_default();
        return every(&|index| full_or(full.contains(&(index + 1)), MixerKind::Recurrent));
    }
    if let Some(period) = fields.number("attn_layer_period", &[], count)? {
        let offset = fields.number("attn_layer_offset", &[], count)?.unwrap_or(0);
        let is_full = |index: u64| period > 0 && index % period == offset;
        return every(&|index| full_or(is_full(index), MixerKind::Recurrent));
    }
    let kind = fields.text("model_type")?.unwrap_or_default();
    if ["mamba", "mamba2", "falcon_mamba"].contains(&kind) {
        return every(&|_| MixerKind::Recurrent);
    }
    if fields.get("attention_chunk_size").is_some() && kind.starts_with("llama4") {
        let rope = fields
            .numbers("no_rope_layers")?
            .filter(|list| !list.is_empty());
        if let Some(rope) = rope {
            return listed(&rope, count, MixerKind::Full, MixerKind::Windowed);
        }
        let interval = fields
            .number("no_rope_layer_interval", &[], count)?
            .unwrap_or(4);
        let is_full = |index: u64| interval > 0 && (index + 1).is_multiple_of(interval);
        return every(&|index| full_or(is_full(index), MixerKind::Windowed));
    }
    windowed_kinds(fields, count, kind)
}

/// `layer_types` and its relatives: a word a layer.
fn named_kinds(fields: Fields<'_>, count: u64) -> Result<Option<Vec<MixerKind>>, ReadError> {
    let words = match fields.texts("layer_types")? {
        Some(words) => words,
        None => match fields.texts("layers_block_type")? {
            Some(words) => words,
            None => return Ok(None),
        },
    };
    let kinds: Result<Vec<MixerKind>, ReadError> = words
        .iter()
        .map(|word| match *word {
            "full_attention" | "attention" | "global_attention" => Ok(MixerKind::Full),
            "sliding_attention" | "chunked_attention" | "local_attention" => {
                Ok(MixerKind::Windowed)
            }
            "linear_attention" | "mamba" | "mamba2" | "conv" | "recurrent" | "kda" => {
                Ok(MixerKind::Recurrent)
            }
            other => Err(ReadError::unknown("the layer kind", other)),
        })
        .collect();
    let kinds = kinds?;
    if tokmark_units::float::len_u64(kinds.len()) != count {
        let given = kinds.len();
        let what = format!("`layer_types` names {given} layers, `num_hidden_layers` is {count}");
        return Err(ReadError::contradiction(what));
    }
    Ok(Some(kinds))
}

/// A list of 0 and 1, one a layer.
fn listed(
    list: &[u64],
    count: u64,
    zero: MixerKind,
    one: MixerKind,
) -> Result<Vec<MixerKind>, ReadError> {
    let kinds: Vec<MixerKind> = list
        .iter()
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .map(|value| if *value == 0 { zero } else { one })
        .collect();
    if tokmark_units::float::len_u64(kinds.len()) < count {
        return Err(ReadError::contradiction(format!(
            "a list of layer kinds has {} entries for {count} layers",
            kinds.len()
        )));
    }
    Ok(kinds)
}

fn full_or(is_full: bool, other: MixerKind) -> MixerKind {
    if is_full { MixerKind::Full } else { other }
}

/// `sliding_window` and the pattern in which it applies.
fn windowed_kinds(fields: Fields<'_>, count: u64, kind: &str) -> Result<Vec<MixerKind>, ReadError> {
    let every = |kind: &dyn Fn(u64) -> MixerKind| Ok((0..count).map(kind).collect());
    let has_window = fields.get("sliding_window").is_some()
        && fields.flag("use_sliding_window")?.unwrap_or(true);
    if !has_window {
        return every(&|_| MixerKind::Full);
    }
    // Qwen2 and its kin slide only from a layer on, and only where `use_sliding_window` is true.
    if fields.get("max_window_layers").is_some() {
        let slides = fields.flag("use_sliding_window")?.unwrap_or(false);
        let first = fields
            .number("max_window_layers", &[], u64::MAX)?
            .unwrap_or(count);
        return every(&|index| full_or(!slides || index < first, MixerKind::Windowed));
    }
    let stated = fields.number(
        "sliding_window_pattern",
        &["_sliding_window_pattern"],
        MOST_LAYERS,
    )?;
    let usual = match kind {
        "gemma2" | "gpt_oss" => Some(2),
        "gemma3" | "gemma3_text" => Some(6),
        "gemma3n" | "gemma3n_text" => Some(5),
        "cohere2" | "olmo3" | "exaone4" => Some(4),
        _ => None,
    };
    match stated.or(usual) {
        // Every n-th layer sees everything, the last of each group.
        Some(pattern) if pattern > 0 => {
            every(&|index| full_or((index + 1) % pattern == 0, MixerKind::Windowed))
        }
        _ => every(&|_| MixerKind::Windowed),
    }
}

/// A field that has one value a layer, or one for all.
pub(super) fn number_of_layer(
    fields: Fields<'_>,
    name: &str,
    index: u64,
    most: u64,
) -> Result<Option<u32>, ReadError> {
    if let Some(Value::Array(values)) = fields.get(name) {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let number = values.get(place).and_then(Value::as_u64);
        let number = number.ok_or_else(|| ReadError::missing(name))?;
        super::super::bounds::at_most(name, number, most)?;
        return Ok(Some(small(number)));
    }
    Ok(fields.number(name, &[], most)?.map(small))
}
