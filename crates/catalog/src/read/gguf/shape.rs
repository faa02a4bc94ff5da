//! A GGUF file as a model.
//!
//! The tensors say what each block holds and what it weighs; the metadata give heads and windows.

use std::collections::BTreeMap;

use tokmark_units::float;

use crate::spec::{Attention, CacheShape, Experts, ModelSpec, Part, Recurrent, Weights};

use super::super::ReadError;
use super::super::bounds::at_most;
use super::{GgufFile, GgufTensor, GgufValue};

const MOST_BLOCKS: u64 = 2_000;
const MOST_NUMBER: u64 = 1 << 40;

/// The model that a GGUF file holds, or the files of a split model in any order.
///
/// Files of pictures' encoders (`mmproj`) and adapters are no models and refused.
pub fn spec_of_gguf(files: &[GgufFile]) -> Result<ModelSpec, ReadError> {
    let first = files
        .iter()
        .find(|file| file.architecture().is_some())
        .ok_or_else(|| ReadError::missing("general.architecture"))?;
    let keys = Keys::of(first)?;
    let announced = first
        .metadata
        .get("split.count")
        .and_then(GgufValue::number);
    let given = float::len_u64(files.len());
    if announced.is_some_and(|count| count > 1 && count != given) {
        let count = announced.unwrap_or_default();
        return Err(ReadError::contradiction(format!(
            "the model is split into {count} files, {given} are given"
        )));
    }
    let tensors: Vec<&GgufTensor> = files.iter().flat_map(|file| &file.tensors).collect();
    let blocks = keys.needed("block_count")?;
    at_most("block_count", blocks, MOST_BLOCKS)?;
    let predicting = keys
        .number("nextn_predict_layers")?
        .unwrap_or(0)
        .min(blocks);
    let model_blocks = blocks - predicting;
    let has_head = tensors.iter().any(|tensor| tensor.name == "output.weight");
    let contents = contents(&tensors);
    let hidden = keys.needed("embedding_length")?;
    Ok(ModelSpec {
        architecture: keys.architecture.to_owned(),
        blocks: small(model_blocks),
        hidden: small(hidden),
        vocabulary: small(vocabulary(&keys, &tensors, hidden)),
        tied_embeddings: !has_head,
        max_context_tokens: keys.number("context_length")?,
        attention: attention(&keys, &contents, model_blocks)?,
        recurrent: recurrent(&keys, &contents, model_blocks)?,
        experts: experts(&keys, &contents, model_blocks)?,
        weights: weights(&tensors, model_blocks, has_head),
        quantization: heaviest_type(&tensors),
    })
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The metadata of one architecture.
struct Keys<'a> {
    architecture: &'a str,
    metadata: &'a BTreeMap<String, GgufValue>,
}

impl<'a> Keys<'a> {
    fn of(file: &'a GgufFile) -> Result<Self, ReadError> {
        let architecture = file
            .architecture()
            .ok_or_else(|| ReadError::missing("general.architecture"))?;
        if architecture == "clip" {
            return Err(ReadError::OtherFormat {
                expected: "language model",
            });
        }
        Ok(Self {
            architecture,
            metadata: &file.metadata,
        })
    }

    fn get(&self, name: &str) -> Option<&'a GgufValue> {
        self.metadata.get(&format!("{}.{name}", self.architecture))
    }

    fn number(&self, name: &str) -> Result<Option<u64>, ReadError> {
        self.of_block(name, 0)
    }

    fn needed(&self, name: &str) -> Result<u64, ReadError> {
        match self.number(name)? {
            Some(0) => Err(ReadError::wrong(name, "0", "above zero")),
            Some(number) => Ok(number),
            None => Err(ReadError::missing(&format!("{}.{name}", self.architecture))),
        }
    }

    /// A value that is one for all blocks, or one for each.
    fn of_block(&self, name: &str, block: u64) -> Result<Option<u64>, ReadError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let value = match value {
            GgufValue::List(values) => {
                let place = usize::try_from(block).unwrap_or(usize::MAX);
                values.get(place).or(values.last())
            }
            value => Some(value),
        };
        let number = value.and_then(GgufValue::number);
        let number = number.ok_or_else(|| ReadError::wrong(name, "it", "a whole number"))?;
        at_most(name, number, MOST_NUMBER)?;
        Ok(Some(number))
    }
}

/// Names of the tensors of each block, without `blk.N.`.
type Contents<'a> = BTreeMap<u64, Vec<&'a str>>;

fn contents<'a>(tensors: &[&'a GgufTensor]) -> Contents<'a> {
    let mut contents = Contents::new();
    for tensor in tensors {
        if let Some((block, name)) = block_of(&tensor.name) {
            contents.entry(block).or_default().push(name);
        }
    }
    contents
}

fn block_of(name: &str) -> Option<(u64, &str)> {
    let (number, rest) = name.strip_prefix("blk.")?.split_once('.')?;
    Some((number.parse().ok()?, rest))
}

fn has(contents: &Contents<'_>, block: u64, starts: &[&str]) -> bool {
    let names = contents.get(&block).map(Vec::as_slice).unwrap_or_default();
    names
        .iter()
        .any(|name| starts.iter().any(|start| name.starts_with(start)))
}

fn is_recurrent(contents: &Contents<'_>, block: u64) -> bool {
    has(contents, block, &["ssm_", "shortconv", "time_mix"])
}

fn has_attention(contents: &Contents<'_>, block: u64) -> bool {
    // Gated DeltaNet's blocks have `attn_qkv` and `attn_gate` beside their `ssm_` tensors.
    let mixes = ["attn_k.", "attn_q.", "attn_qkv.", "attn_kv_a", "attn_k_b."];
    has(contents, block, &mixes) && !is_recurrent(contents, block)
}

fn attention(
    keys: &Keys<'_>,
    contents: &Contents<'_>,
    blocks: u64,
) -> Result<Vec<Attention>, ReadError> {
    let mut groups: Vec<Attention> = Vec::new();
    let shared = keys.number("attention.shared_kv_layers")?.unwrap_or(0);
    for block in (0..blocks).filter(|block| has_attention(contents, *block)) {
        let windowed = is_windowed(keys, block)?;
        let layer = Attention {
            layers: 1,
            query_heads: small(keys.of_block("attention.head_count", block)?.unwrap_or(0)),
            cache: cache(keys, block, windowed)?,
            window_tokens: match keys.number("attention.sliding_window")? {
                Some(window) if windowed => Some(window),
                _ => None,
            },
            shares_cache: block >= blocks.saturating_sub(shared),
            read_at_most_tokens: keys.number("attention.indexer.top_k")?,
            index_bytes_per_token: match keys.number("attention.indexer.key_length")? {
                Some(length) => small(length.saturating_add(4)),
                None => 0,
            },
        };
        let same = |group: &&mut Attention| {
            Attention {
                layers: 1,
                ..**group
            } == layer
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.layers += 1,
            None => groups.push(layer),
        }
    }
    Ok(groups)
}

/// Whether a block looks back at its window only: by the file's pattern, else by the rule that
/// llama.cpp has for the architecture. Where neither is known it keeps everything, as there.
fn is_windowed(keys: &Keys<'_>, block: u64) -> Result<bool, ReadError> {
    let window = keys.number("attention.sliding_window")?;
    if window.is_none_or(|tokens| tokens == 0) {
        return Ok(false);
    }
    let name = "attention.sliding_window_pattern";
    if let Some(GgufValue::List(_)) = keys.get(name) {
        return Ok(keys.of_block(name, block)? == Some(1));
    }
    let usual = match keys.architecture {
        "gemma2" | "gpt-oss" => Some(2),
        "gemma3" => Some(6),
        "gemma3n" => Some(5),
        "cohere2" | "llama4" | "exaone4" | "olmo2" => Some(4),
        _ => None,
    };
    let pattern = keys.number(name)?.or(usual).filter(|pattern| *pattern > 0);
    Ok(pattern.is_some_and(|pattern| !(block + 1).is_multiple_of(pattern)))
}

fn cache(keys: &Keys<'_>, block: u64, windowed: bool) -> Result<CacheShape, ReadError> {
    let heads = keys.of_block("attention.head_count", block)?.unwrap_or(0);
    if heads == 0 {
        return Err(ReadError::missing("attention.head_count"));
    }
    let length = |name: &str| -> Result<Option<u64>, ReadError> {
        let own = format!("attention.{name}_swa");
        match keys.number(&own)?.filter(|_| windowed) {
            Some(length) => Ok(Some(length)),
            None => keys.number(&format!("attention.{name}")),
        }
    };
    let usual = keys.needed("embedding_length")? / heads;
    if let Some(rank) = keys.number("attention.kv_lora_rank")? {
        let key = keys
            .number("attention.key_length_mla")?
            .or(length("key_length")?);
        let value = keys
            .number("attention.value_length_mla")?
            .or(length("value_length")?);
        return Ok(CacheShape::Latent {
            rank: small(rank),
            rope_dim: small(keys.needed("rope.dimension_count")?),
            key_dim: small(key.unwrap_or(usual)),
            value_dim: small(value.unwrap_or(usual)),
        });
    }
    let key = length("key_length")?.unwrap_or(usual);
    let kv_heads = keys
        .of_block("attention.head_count_kv", block)?
        .unwrap_or(heads);
    Ok(CacheShape::Heads {
        kv_heads: small(kv_heads),
        key_dim: small(key),
        value_dim: small(length("value_length")?.unwrap_or(key)),
    })
}

fn recurrent(
    keys: &Keys<'_>,
    contents: &Contents<'_>,
    blocks: u64,
) -> Result<Vec<Recurrent>, ReadError> {
    let layers = (0..blocks)
        .filter(|block| is_recurrent(contents, *block))
        .count();
    if layers == 0 {
        return Ok(Vec::new());
    }
    let layers = small(float::len_u64(layers));
    if let Some(kernel) = keys.number("shortconv.l_cache")? {
        return Ok(vec![Recurrent {
            layers,
            heads: 0,
            key_dim: 0,
            value_dim: 0,
            convolution_channels: small(keys.needed("embedding_length")?),
            kernel: small(kernel),
        }]);
    }
    let inner = keys.needed("ssm.inner_size")?;
    let state = keys.needed("ssm.state_size")?;
    let groups = keys.number("ssm.group_count")?.unwrap_or(0);
    // Mamba has one matrix of `inner` columns, the others a matrix for each head.
    let heads = match keys.number("ssm.time_step_rank")? {
        Some(heads) if groups > 0 && heads > 0 => heads,
        _ => 1,
    };
    Ok(vec![Recurrent {
        layers,
        heads: small(heads),
        key_dim: small(state),
        value_dim: small(inner / heads),
        convolution_channels: small(inner.saturating_add(2 * groups.saturating_mul(state))),
        kernel: small(keys.needed("ssm.conv_kernel")?),
    }])
}

fn experts(
    keys: &Keys<'_>,
    contents: &Contents<'_>,
    blocks: u64,
) -> Result<Option<Experts>, ReadError> {
    let routed = |block: &u64| {
        has(
            contents,
            *block,
            &[
                "ffn_up_exps",
                "ffn_gate_up_exps",
                "ffn_down_exps",
                "ffn_up.0.",
            ],
        )
    };
    let layers = (0..blocks).filter(routed).count();
    if layers == 0 {
        return Ok(None);
    }
    let (experts, per_token) = (
        keys.needed("expert_count")?,
        keys.needed("expert_used_count")?,
    );
    if per_token > experts {
        return Err(ReadError::contradiction(format!(
            "a token is sent to {per_token} of {experts} experts"
        )));
    }
    Ok(Some(Experts {
        layers: small(float::len_u64(layers)),
        experts: small(experts),
        per_token: small(per_token),
    }))
}

fn vocabulary(keys: &Keys<'_>, tensors: &[&GgufTensor], hidden: u64) -> u64 {
    let table = tensors
        .iter()
        .find(|tensor| tensor.name == "token_embd.weight");
    let rows = table.and_then(|table| table.elements.checked_div(hidden));
    let listed = match keys.metadata.get("tokenizer.ggml.tokens") {
        Some(GgufValue::Length(length)) => Some(*length),
        _ => None,
    };
    rows.or(listed).unwrap_or(0)
}

fn weights(tensors: &[&GgufTensor], blocks: u64, has_head: bool) -> Weights {
    let mut weights = Weights {
        embedding: Part::EMPTY,
        head: Part::EMPTY,
        dense: Part::EMPTY,
        experts: Part::EMPTY,
        other: Part::EMPTY,
    };
    for tensor in tensors {
        let part = Part {
            parameters: float::from_u64(tensor.elements),
            bytes: float::from_u64(tensor.bytes),
            arithmetic: tensor.kind.arithmetic(),
        };
        let name = tensor.name.as_str();
        let block = block_of(name).map(|(block, _)| block);
        let into = match name {
            "token_embd.weight" if has_head => &mut weights.embedding,
            "output.weight" | "token_embd.weight" => &mut weights.head,
            name if name.starts_with("per_layer_token_embd") => &mut weights.embedding,
            _ if block.is_some_and(|block| block >= blocks) => &mut weights.other,
            name if name.contains("_exps.") => &mut weights.experts,
            _ => &mut weights.dense,
        };
        into.add(part);
    }
    weights
}

/// The type that takes the most bytes, as the name of the file's quantization.
fn heaviest_type(tensors: &[&GgufTensor]) -> Option<String> {
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for tensor in tensors {
        let sum = bytes.entry(tensor.kind.name()).or_default();
        *sum = sum.saturating_add(tensor.bytes);
    }
    let heaviest = bytes.into_iter().max_by_key(|(_, bytes)| *bytes)?;
    Some(heaviest.0.to_owned())
}
