//! Formats of weights, and what a weight costs in them, scales included.
//!
//! Two figures differ. The *block* figure is that of one tensor in the format and follows from its
//! layout. The *file* figure of a GGUF mix is that of a whole file, whose tensors have several
//! types ([`GgufMix`]). A model on a GPU server leaves embeddings, output head, norms and routers
//! in 16 bits nearly always; which tensors a checkpoint really converts, its `quantization_config`
//! says ([`crate::read`]).

mod ggml;
mod mix;
mod parse;

pub use ggml::GgmlType;
pub use mix::GgufMix;

use tokmark_units::float;

/// How a tensor of weights is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WeightFormat {
    /// 32-bit floats.
    F32,
    /// 16-bit floats, of either kind.
    F16,
    /// 8-bit floats with one scale a tensor or channel.
    Fp8,
    /// 8-bit floats with one 32-bit scale a block of 128 x 128.
    Fp8Block,
    /// Whole numbers with 16-bit scales: AWQ, GPTQ, `AutoRound`, compressed-tensors, W8A8.
    Int {
        /// Bits of one number.
        bits: u8,
        /// Weights that share a scale; `None` for one scale a channel.
        group: Option<u32>,
        /// Whether each group also stores a zero point of `bits` bits.
        zeros: bool,
    },
    /// 4-bit floats with an FP8 scale a block of 16 (and one FP32 a tensor).
    Nvfp4,
    /// 4-bit floats with an 8-bit exponent a block of 32.
    Mxfp4,
    /// bitsandbytes' 4-bit levels with a 32-bit scale a block of 64.
    Nf4 {
        /// Whether the scales are quantized in turn.
        double: bool,
    },
    /// HQQ: whole numbers with a 16-bit scale and a 16-bit zero a group. MLX stores the same.
    Hqq {
        /// Bits of one number.
        bits: u8,
        /// Weights that share a scale.
        group: u32,
    },
    /// `ExLlama`'s mixes, whose name states the average.
    Exl {
        /// Bits a weight.
        bits: f64,
    },
    /// One of llama.cpp's tensor types.
    Ggml(GgmlType),
    /// One of llama.cpp's mixes of tensor types, for a whole file.
    Gguf(GgufMix),
}

/// The arithmetic that a format lets a server use at best. A ceiling takes the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// 16-bit floats.
    Fp16,
    /// 8-bit whole numbers, as llama.cpp's kernels and W8A8 use them.
    Int8,
    /// 8-bit floats.
    Fp8,
    /// 4-bit floats.
    Fp4,
}

impl WeightFormat {
    /// AWQ and GPTQ as they are nearly always made: 4 bits, groups of 128, zero points stored.
    pub const AWQ: Self = Self::Int {
        bits: 4,
        group: Some(128),
        zeros: true,
    };

    /// Whole numbers of 8 bits with one scale a channel.
    pub const INT8: Self = Self::Int {
        bits: 8,
        group: None,
        zeros: false,
    };

    /// Bits of a weight, scales included.
    ///
    /// | format | formula |
    /// |---|---|
    /// | groups of `g` whole numbers | `bits + 16/g`, and `+ bits/g` with zero points |
    /// | one scale a channel or tensor | `bits`; the scale adds less than 0.01 |
    /// | FP8 blocks | `8 + 32/(128*128)` |
    /// | NVFP4 | `4 + 8/16` |
    /// | MXFP4 | `4 + 8/32` |
    /// | NF4 | `4 + 32/64`; double `4 + 8/64 + 32/(64*256)` |
    /// | HQQ, MLX | `bits + 32/g` |
    /// | GGML tensor types | bytes of a block x 8 / weights of a block |
    /// | GGUF mixes | measured on a file of Llama-3.1-8B |
    pub fn bits_per_weight(self) -> f64 {
        match self {
            Self::F32 => 32.0,
            Self::F16 => 16.0,
            Self::Fp8 => 8.0,
            Self::Fp8Block => 8.0 + 32.0 / (128.0 * 128.0),
            Self::Int { bits, group, zeros } => {
                let bits = float::from_u64(bits.into());
                let Some(group) = group.filter(|group| *group > 0) else {
                    return bits;
                };
                let zero = if zeros { bits } else { 0.0 };
                bits + (16.0 + zero) / float::from_u64(group.into())
            }
            Self::Mxfp4 => 4.0 + 8.0 / 32.0,
            // 8 bits for 16 weights, and 32 for 64.
            Self::Nvfp4 | Self::Nf4 { double: false } => 4.0 + 8.0 / 16.0,
            Self::Nf4 { double: true } => 4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0),
            Self::Hqq { bits, group } => {
                float::from_u64(bits.into()) + 32.0 / float::from_u64(group.max(1).into())
            }
            Self::Exl { bits } => bits,
            Self::Ggml(kind) => kind.bits_per_weight(),
            Self::Gguf(mix) => mix.file_bits_per_weight(),
        }
    }

    /// The fastest arithmetic that servers use with this format.
    pub fn arithmetic(self) -> Arithmetic {
        match self {
            Self::F32 | Self::F16 | Self::Nf4 { .. } | Self::Hqq { .. } | Self::Exl { .. } => {
                Arithmetic::Fp16
            }
            // 4-bit weights are also multiplied with 8-bit activations (W4A8).
            Self::Int { .. } => Arithmetic::Int8,
            Self::Fp8 | Self::Fp8Block => Arithmetic::Fp8,
            Self::Nvfp4 | Self::Mxfp4 => Arithmetic::Fp4,
            Self::Ggml(kind) => kind.arithmetic(),
            Self::Gguf(mix) => mix.main_type().arithmetic(),
        }
    }

    /// The format of embeddings and output head in a file whose linear layers have this format.
    ///
    /// GPU servers' formats leave both in 16 bits nearly always. A GGUF mix stores the embedding
    /// table in its main type, and its file figure covers the rest.
    #[must_use]
    pub fn embedding_format(self) -> Self {
        match self {
            Self::F32 => Self::F32,
            Self::Gguf(mix) => Self::Ggml(mix.main_type()),
            Self::Ggml(_) | Self::Hqq { .. } => self,
            _ => Self::F16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, bits: f64) {
        let format = WeightFormat::parse(word).unwrap();
        let given = format.bits_per_weight();
        assert!((given - bits).abs() < 5e-4, "{word}: {given}, not {bits}");
    }

    /// Worked by hand from each format's layout.
    #[test]
    fn formats_of_gpu_servers_cost_their_layout() {
        check("AWQ", 4.156);
        check("GPTQ-g64", 4.3125);
        check("GPTQ-g32", 4.625);
        check("W4A16", 4.125);
        check("W4A16-g64", 4.25);
        check("W4A16-g32", 4.5);
        check("AutoRound", 4.125);
        check("INT8", 8.0);
        check("INT8-g128", 8.125);
        check("FP8", 8.0);
        check("FP8-block", 8.002);
        check("NVFP4", 4.5);
        check("MXFP4", 4.25);
        check("NF4", 4.5);
        check("NF4-double", 4.127);
        check("HQQ", 4.5);
        check("MLX-4bit", 4.5);
        check("EXL3 3.5bpw", 3.5);
        check("BF16", 16.0);
    }

    #[test]
    fn a_file_costs_more_than_its_main_type() {
        check("Q4_K_M", 4.8944);
        check("Q8_0", 8.5008);
        check("F16", 16.0);
    }
}
