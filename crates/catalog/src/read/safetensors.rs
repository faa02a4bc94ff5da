//! Safetensors: headers and the index of a checkpoint in several files.
//!
//! A file begins with the length of its header in 8 bytes, little-endian; the header is JSON: for
//! each tensor its type, its shape and where its data lie behind the header.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use serde::Deserialize;
use serde_json::Value;
use tokmark_units::float;

use crate::spec::{ModelSpec, Part};
use crate::weights::Arithmetic;

use super::ReadError;
use super::bounds::{Source, at_most};

/// Bytes of a header at most: the format's own bound.
const MOST_HEADER_BYTES: u64 = 100_000_000;
/// Bytes of an index at most.
const MOST_INDEX_BYTES: u64 = 1 << 28;
const MOST_DIMENSIONS: u64 = 16;

/// The header of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafetensorsFile {
    /// Tensors by name.
    pub tensors: BTreeMap<String, SafetensorsTensor>,
}

/// A tensor of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafetensorsTensor {
    /// Its type in the format's words, for example `BF16`.
    pub dtype: String,
    /// Its shape, the slowest dimension first.
    pub shape: Vec<u64>,
    /// Bytes of its data.
    pub bytes: u64,
}

/// `model.safetensors.index.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafetensorsIndex {
    /// Bytes of all tensors, where the index says.
    pub total_bytes: Option<u64>,
    /// Names of the files, sorted, without folder.
    pub files: Vec<String>,
    /// How many tensors it lists.
    pub tensors: usize,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// Reads the header of a safetensors file from its start.
///
/// Refuses headers longer than the file or the format's bound, tensors beyond the end of the file,
/// and data that do not have the size of their shape.
pub fn read_safetensors(file: impl Read + Seek) -> Result<SafetensorsFile, ReadError> {
    let mut source = Source::new(file)?;
    let length = source.u64("the length of the header")?;
    let header = source.bytes("the header", length, MOST_HEADER_BYTES)?;
    if !header.starts_with(b"{") {
        return Err(ReadError::OtherFormat {
            expected: "safetensors",
        });
    }
    let entries: BTreeMap<String, Value> =
        serde_json::from_slice(&header).map_err(ReadError::Json)?;
    let mut tensors = BTreeMap::new();
    for (name, value) in entries {
        if name == "__metadata__" {
            continue;
        }
        let entry: Entry = serde_json::from_value(value).map_err(ReadError::Json)?;
        let tensor = check(&name, entry, source.left())?;
        tensors.insert(name, tensor);
    }
    Ok(SafetensorsFile { tensors })
}

fn check(name: &str, entry: Entry, data_bytes: u64) -> Result<SafetensorsTensor, ReadError> {
    let (begin, end) = entry.data_offsets;
    let bytes = end
        .checked_sub(begin)
        .ok_or_else(|| ReadError::wrong("data_offsets", name, "a range"))?;
    if end > data_bytes {
        return Err(ReadError::Truncated {
            what: "the data of a tensor",
            wanted: end,
            left: data_bytes,
        });
    }
    let dimensions = float::len_u64(entry.shape.len());
    at_most("the number of dimensions", dimensions, MOST_DIMENSIONS)?;
    let elements = entry
        .shape
        .iter()
        .try_fold(1_u64, |product, dimension| product.checked_mul(*dimension));
    let elements =
        elements.ok_or_else(|| ReadError::wrong("shape", name, "a size that fits into 64 bits"))?;
    // A type that is not known here is as long as its data.
    if let Some(bits) = bits(&entry.dtype) {
        let expected = elements.checked_mul(bits).map(|bits| bits.div_ceil(8));
        if expected != Some(bytes) {
            let what = format!("a tensor of {elements} {} has {bytes} bytes", entry.dtype);
            return Err(ReadError::contradiction(what));
        }
    }
    Ok(SafetensorsTensor {
        dtype: entry.dtype,
        shape: entry.shape,
        bytes,
    })
}

fn bits(dtype: &str) -> Option<u64> {
    match dtype {
        "F64" | "I64" | "U64" | "C64" => Some(64),
        "F32" | "I32" | "U32" => Some(32),
        "F16" | "BF16" | "I16" | "U16" => Some(16),
        "F8_E4M3" | "F8_E5M2" | "F8_E8M0" | "I8" | "U8" | "BOOL" => Some(8),
        "F4" => Some(4),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Index {
    metadata: Option<BTreeMap<String, Value>>,
    weight_map: BTreeMap<String, String>,
}

/// Reads `model.safetensors.index.json`. A file's name with a folder in it is refused, so that the
/// caller may open each beside the index.
pub fn read_safetensors_index(json: &[u8]) -> Result<SafetensorsIndex, ReadError> {
    at_most("the index", float::len_u64(json.len()), MOST_INDEX_BYTES)?;
    let index: Index = serde_json::from_slice(json).map_err(ReadError::Json)?;
    let total = index
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.get("total_size"));
    let tensors = index.weight_map.len();
    let mut files: Vec<String> = index.weight_map.into_values().collect();
    files.sort();
    files.dedup();
    let outside = |name: &&String| {
        name.is_empty() || name.contains(['/', '\\', '\0', ':']) || name.starts_with('.')
    };
    if let Some(name) = files.iter().find(outside) {
        return Err(ReadError::wrong(
            "weight_map",
            name,
            "a file beside the index",
        ));
    }
    Ok(SafetensorsIndex {
        // Some writers state it as a float.
        total_bytes: total.and_then(|total| {
            total
                .as_u64()
                .or_else(|| total.as_f64().map(float::round_to_u64))
        }),
        files,
        tensors,
    })
}

/// A model of which a configuration gave the shape, with the bytes that its tensors really have.
///
/// Parameters stay those of the configuration, because packed tensors do not show them. Encoders of
/// pictures and sound and heads for drafting go to [`crate::spec::Weights::other`].
pub fn with_tensors(
    mut spec: ModelSpec,
    files: &[SafetensorsFile],
) -> Result<ModelSpec, ReadError> {
    let mut bytes = Bytes::default();
    let mut any = false;
    for (name, tensor) in files.iter().flat_map(|file| &file.tensors) {
        any = true;
        let into = match class(name, spec.blocks) {
            Class::Lookup => &mut bytes.lookup,
            Class::Embedding => &mut bytes.embedding,
            Class::Head => &mut bytes.head,
            Class::Experts => &mut bytes.experts,
            Class::Other => &mut bytes.other,
            Class::Dense => &mut bytes.dense,
        };
        *into += float::from_u64(tensor.bytes);
    }
    if !any {
        return Err(ReadError::missing("tensors"));
    }
    // A tied model may store its table twice, or only under the head's name.
    if spec.tied_embeddings {
        bytes.head = bytes.head.max(bytes.embedding);
        bytes.embedding = 0.0;
    }
    bytes.embedding += bytes.lookup;
    let weights = &mut spec.weights;
    weights.embedding.bytes = bytes.embedding;
    weights.head.bytes = bytes.head;
    weights.dense.bytes = bytes.dense;
    weights.experts.bytes = bytes.experts;
    weights.other = Part {
        parameters: 0.0,
        bytes: bytes.other,
        arithmetic: Arithmetic::Fp16,
    };
    Ok(spec)
}

#[derive(Default)]
struct Bytes {
    embedding: f64,
    lookup: f64,
    head: f64,
    dense: f64,
    experts: f64,
    other: f64,
}

enum Class {
    Embedding,
    Lookup,
    Head,
    Dense,
    Experts,
    Other,
}

fn class(name: &str, blocks: u32) -> Class {
    let part = |wanted: &str| name.split('.').any(|part| part == wanted);
    let others = [
        "visual",
        "vision_tower",
        "vision_model",
        "vision_embed_tokens",
        "audio_tower",
        "audio_model",
        "multi_modal_projector",
        "mm_projector",
        "embed_vision",
        "embed_audio",
        "mtp",
    ];
    if others.into_iter().any(part) {
        return Class::Other;
    }
    let mut parts = name.split('.').skip_while(|part| *part != "layers").skip(1);
    let layer: Option<u32> = parts.next().and_then(|number| number.parse().ok());
    // DeepSeek's heads for drafting stand behind the last block.
    if layer.is_some_and(|layer| layer >= blocks) {
        return Class::Other;
    }
    if part("experts") {
        return Class::Experts;
    }
    if part("lm_head") || name == "output.weight" {
        return Class::Head;
    }
    if part("embed_tokens_per_layer") {
        return Class::Lookup;
    }
    if ["embed_tokens", "embeddings", "wte", "embed_in"]
        .into_iter()
        .any(part)
    {
        return Class::Embedding;
    }
    Class::Dense
}
