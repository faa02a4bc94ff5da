//! Parameters and bytes of a model's parts.

use tokmark_units::float;

use crate::weights::{Arithmetic, WeightFormat};

/// The parts of a model that a step reads differently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Tables that are looked up, a row a token: the input embedding. Empty where the table is the
    /// output head too, which is read whole.
    pub embedding: Part,
    /// The output head.
    pub head: Part,
    /// All else that every token passes: attention, dense feed-forward, shared experts, routers.
    pub dense: Part,
    /// The routed experts of all layers.
    pub experts: Part,
    /// What decoding does not read: encoders of pictures and sound, heads for drafting tokens.
    pub other: Part,
}

/// One part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Numbers that were trained.
    pub parameters: f64,
    /// What they take in memory, scales included.
    pub bytes: f64,
    /// The fastest arithmetic that its format allows.
    pub arithmetic: Arithmetic,
}

impl Default for Part {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Part {
    /// Nothing.
    pub const EMPTY: Self = Self {
        parameters: 0.0,
        bytes: 0.0,
        arithmetic: Arithmetic::Fp16,
    };

    /// So many parameters in a format.
    pub fn in_format(parameters: f64, format: WeightFormat) -> Self {
        Self {
            parameters,
            bytes: parameters * format.bits_per_weight() / 8.0,
            arithmetic: format.arithmetic(),
        }
    }

    /// Bits of a parameter on average; `None` of nothing.
    pub fn bits_per_weight(self) -> Option<f64> {
        (self.parameters > 0.0).then(|| self.bytes * 8.0 / self.parameters)
    }

    /// So many of its parameters in another format than the rest.
    #[must_use]
    pub(crate) fn with_some_in(mut self, parameters: f64, format: WeightFormat) -> Self {
        if let Some(bits) = self.bits_per_weight() {
            let parameters = parameters.clamp(0.0, self.parameters);
            self.bytes += parameters * (format.bits_per_weight() - bits) / 8.0;
        }
        self
    }

    /// Adds another part; the faster arithmetic stays, since a ceiling takes the fastest.
    pub(crate) fn add(&mut self, other: Self) {
        self.parameters += other.parameters;
        self.bytes += other.bytes;
        self.arithmetic = self.arithmetic.max(other.arithmetic);
    }
}

impl Weights {
    /// The weights of a model in one format: linear layers in `format`, embedding and head as such
    /// files have them ([`WeightFormat::embedding_format`]).
    ///
    /// `lookup` are parameters of tables that are looked up, `head` those of the output head (the
    /// table, where it is tied), `dense` and `experts` the rest.
    pub(crate) fn in_format(
        lookup: f64,
        head: f64,
        dense: f64,
        experts: f64,
        format: WeightFormat,
    ) -> Self {
        let table = format.embedding_format();
        // A mix's file figure covers the head, which has a larger type than most of the file.
        let head_format = match format {
            WeightFormat::Gguf(_) => format,
            _ => table,
        };
        Self {
            embedding: Part::in_format(lookup, table),
            head: Part::in_format(head, head_format),
            dense: Part::in_format(dense, format),
            experts: Part::in_format(experts, format),
            other: Part::EMPTY,
        }
    }

    /// Bytes of all parts.
    pub fn bytes(&self) -> f64 {
        self.read_whole_bytes() + self.embedding.bytes + self.experts.bytes + self.other.bytes
    }

    /// Bytes that every step reads whole, whatever is routed where.
    pub fn read_whole_bytes(&self) -> f64 {
        self.dense.bytes + self.head.bytes
    }
}

/// Parameters of a matrix.
pub(crate) fn matrix(rows: u64, columns: u64) -> f64 {
    float::from_u64(rows) * float::from_u64(columns)
}
