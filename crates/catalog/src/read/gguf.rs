//! GGUF files: the header's metadata and tensors, versions 2 and 3.
//!
//! Only the header is read; the tensors' data are not touched. Layout: `GGUF`, version, number of
//! tensors, number of metadata pairs; each pair a key, a type and a value; each tensor a name,
//! dimensions, a type and an offset. Numbers are little-endian, texts carry their length.

mod shape;

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use crate::weights::GgmlType;

use super::ReadError;
use super::bounds::{Source, at_most};

pub use shape::spec_of_gguf;

/// Bytes of a key or a tensor's name at most (the format allows 65,535 and 64).
const MOST_NAME_BYTES: u64 = 1 << 16;
/// Bytes of a text at most; chat templates have tens of kilobytes.
const MOST_TEXT_BYTES: u64 = 1 << 24;
const MOST_PAIRS: u64 = 1 << 16;
const MOST_TENSORS: u64 = 1 << 18;
/// Entries of a list that is kept; longer ones are vocabularies, of which the length is kept.
const MOST_KEPT: u64 = 1 << 12;
const MOST_ENTRIES: u64 = 1 << 26;
const MOST_DIMENSIONS: u32 = 8;
/// Bytes of all texts that are kept, together.
const MOST_KEPT_BYTES: u64 = 1 << 28;

/// The header of one GGUF file.
#[derive(Debug, Clone, PartialEq)]
pub struct GgufFile {
    /// Version of the format, 2 or 3.
    pub version: u32,
    /// Metadata by key.
    pub metadata: BTreeMap<String, GgufValue>,
    /// Tensors in the file's order.
    pub tensors: Vec<GgufTensor>,
}

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub enum GgufValue {
    /// A whole number of any width.
    Whole(i128),
    /// A float of either width.
    Float(f64),
    /// A truth value.
    Flag(bool),
    /// A text.
    Text(String),
    /// A short list of numbers or truth values.
    List(Vec<GgufValue>),
    /// The length of a list that is long or holds texts.
    Length(u64),
}

/// A tensor of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GgufTensor {
    /// Its name, for example `blk.0.attn_q.weight`.
    pub name: String,
    /// Its dimensions, the fastest first.
    pub dimensions: Vec<u64>,
    /// Its type.
    pub kind: GgmlType,
    /// Elements: the product of the dimensions.
    pub elements: u64,
    /// Bytes that its data take.
    pub bytes: u64,
}

/// Reads the header of a GGUF file from its start.
///
/// Refuses version 1, big-endian files, tensor types that are not known, and lengths and counts
/// that no model has or that the rest of the file cannot hold.
pub fn read_gguf(file: impl Read + Seek) -> Result<GgufFile, ReadError> {
    let mut source = Source::new(file)?;
    if source.left() < 4 || source.array("the magic number")? != *b"GGUF" {
        return Err(ReadError::OtherFormat { expected: "GGUF" });
    }
    let version = source.u32("the version")?;
    if version != 2 && version != 3 {
        // A big-endian file states its version the other way round.
        let big = version.swap_bytes();
        return Err(if big == 2 || big == 3 {
            ReadError::unknown("the byte order", "big-endian")
        } else {
            ReadError::Version {
                format: "GGUF",
                version,
            }
        });
    }
    let tensors = source.u64("the number of tensors")?;
    at_most("the number of tensors", tensors, MOST_TENSORS)?;
    let pairs = source.u64("the number of metadata pairs")?;
    at_most("the number of metadata pairs", pairs, MOST_PAIRS)?;
    let mut reader = Reader { source, kept: 0 };
    let mut metadata = BTreeMap::new();
    for _ in 0..pairs {
        let key = reader.text("a key", MOST_NAME_BYTES)?;
        let kind = reader.source.u32("a type of a value")?;
        let value = reader.value(kind)?;
        metadata.insert(key, value);
    }
    let tensors = (0..tensors)
        .map(|_| reader.tensor())
        .collect::<Result<_, _>>()?;
    Ok(GgufFile {
        version,
        metadata,
        tensors,
    })
}

struct Reader<R> {
    source: Source<R>,
    /// Bytes of texts that were kept.
    kept: u64,
}

impl<R: Read + Seek> Reader<R> {
    fn text(&mut self, what: &'static str, most: u64) -> Result<String, ReadError> {
        let length = self.source.u64(what)?;
        let bytes = self.source.bytes(what, length, most)?;
        self.kept = self.kept.saturating_add(length);
        at_most("the length of all texts", self.kept, MOST_KEPT_BYTES)?;
        // Vocabularies and templates are not always valid UTF-8; names are.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn value(&mut self, kind: u32) -> Result<GgufValue, ReadError> {
        match kind {
            8 => self.text("a text", MOST_TEXT_BYTES).map(GgufValue::Text),
            9 => self.list(),
            kind => self.scalar(kind),
        }
    }

    fn scalar(&mut self, kind: u32) -> Result<GgufValue, ReadError> {
        let source = &mut self.source;
        let what = "a value";
        Ok(match kind {
            0 => GgufValue::Whole(u8::from_le_bytes(source.array(what)?).into()),
            1 => GgufValue::Whole(i8::from_le_bytes(source.array(what)?).into()),
            2 => GgufValue::Whole(u16::from_le_bytes(source.array(what)?).into()),
            3 => GgufValue::Whole(i16::from_le_bytes(source.array(what)?).into()),
            4 => GgufValue::Whole(source.u32(what)?.into()),
            5 => GgufValue::Whole(i32::from_le_bytes(source.array(what)?).into()),
            6 => GgufValue::Float(f32::from_le_bytes(source.array(what)?).into()),
            7 => GgufValue::Flag(source.array::<1>(what)? != [0]),
            10 => GgufValue::Whole(source.u64(what)?.into()),
            11 => GgufValue::Whole(i64::from_le_bytes(source.array(what)?).into()),
            12 => GgufValue::Float(f64::from_le_bytes(source.array(what)?)),
            other => {
                return Err(ReadError::unknown(
                    "the type of a value",
                    &other.to_string(),
                ));
            }
        })
    }

    /// A list. Short lists of numbers are kept, of the others their length. Lists of lists are
    /// refused: no model has any, and they could nest without end.
    fn list(&mut self) -> Result<GgufValue, ReadError> {
        let kind = self.source.u32("the type of a list")?;
        let length = self.source.u64("the length of a list")?;
        at_most("the length of a list", length, MOST_ENTRIES)?;
        if kind == 8 {
            for _ in 0..length {
                let bytes = self.source.u64("a text in a list")?;
                at_most("a text in a list", bytes, MOST_TEXT_BYTES)?;
                self.source.skip("a text in a list", bytes)?;
            }
            return Ok(GgufValue::Length(length));
        }
        let Some(width) = width(kind) else {
            return Err(ReadError::unknown("the type of a list", &kind.to_string()));
        };
        if length > MOST_KEPT {
            self.source.skip("a list", length.saturating_mul(width))?;
            return Ok(GgufValue::Length(length));
        }
        let values = (0..length).map(|_| self.scalar(kind));
        values.collect::<Result<_, _>>().map(GgufValue::List)
    }

    fn tensor(&mut self) -> Result<GgufTensor, ReadError> {
        let name = self.text("the name of a tensor", MOST_NAME_BYTES)?;
        let count = self.source.u32("the number of dimensions")?;
        at_most(
            "the number of dimensions",
            count.into(),
            MOST_DIMENSIONS.into(),
        )?;
        let dimensions: Vec<u64> = (0..count)
            .map(|_| self.source.u64("a dimension"))
            .collect::<Result<_, _>>()?;
        let id = self.source.u32("the type of a tensor")?;
        let _offset = self.source.u64("the offset of a tensor")?;
        let kind = GgmlType::from_id(id)
            .ok_or_else(|| ReadError::unknown("the tensor type", &id.to_string()))?;
        let elements = dimensions
            .iter()
            .try_fold(1_u64, |product, dimension| product.checked_mul(*dimension));
        let sized = elements.and_then(|elements| Some((elements, kind.bytes_of(elements)?)));
        let Some((elements, bytes)) = sized else {
            return Err(ReadError::wrong(
                "dimensions",
                &name,
                "a size that fits into 64 bits",
            ));
        };
        Ok(GgufTensor {
            name,
            dimensions,
            kind,
            elements,
            bytes,
        })
    }
}

/// Bytes of a value of fixed width.
fn width(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

impl GgufValue {
    /// A whole number at or above zero.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Whole(number) => u64::try_from(*number).ok(),
            Self::Flag(flag) => Some((*flag).into()),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl GgufFile {
    /// The architecture, which begins the model's own keys: `qwen3moe`.
    pub fn architecture(&self) -> Option<&str> {
        self.metadata.get("general.architecture")?.text()
    }

    /// The model's name in the file.
    pub fn name(&self) -> Option<&str> {
        self.metadata.get("general.name")?.text()
    }

    /// Bytes of all tensors, alignment left out.
    pub fn tensor_bytes(&self) -> u64 {
        self.tensors
            .iter()
            .fold(0, |sum, tensor| sum.saturating_add(tensor.bytes))
    }
}
