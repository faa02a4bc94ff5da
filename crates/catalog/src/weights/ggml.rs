//! llama.cpp's tensor types.

use tokmark_units::float;

use super::Arithmetic;

/// A tensor type: how many weights a block holds, and how many bytes it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GgmlType {
    row: &'static Row,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Row {
    id: u32,
    name: &'static str,
    weights: u32,
    bytes: u32,
}

const fn row(id: u32, name: &'static str, weights: u32, bytes: u32) -> Row {
    Row {
        id,
        name,
        weights,
        bytes,
    }
}

/// Number in the file, name, weights of a block, bytes of a block: the layouts of ggml's block
/// structures, for example `Q4_0`: a 2-byte scale and 16 bytes for 32 weights.
static ROWS: [Row; 33] = [
    row(0, "F32", 1, 4),
    row(1, "F16", 1, 2),
    row(2, "Q4_0", 32, 18),
    row(3, "Q4_1", 32, 20),
    row(6, "Q5_0", 32, 22),
    row(7, "Q5_1", 32, 24),
    row(8, "Q8_0", 32, 34),
    row(9, "Q8_1", 32, 36),
    row(10, "Q2_K", 256, 84),
    row(11, "Q3_K", 256, 110),
    row(12, "Q4_K", 256, 144),
    row(13, "Q5_K", 256, 176),
    row(14, "Q6_K", 256, 210),
    row(15, "Q8_K", 256, 292),
    row(16, "IQ2_XXS", 256, 66),
    row(17, "IQ2_XS", 256, 74),
    row(18, "IQ3_XXS", 256, 98),
    row(19, "IQ1_S", 256, 50),
    row(20, "IQ4_NL", 32, 18),
    row(21, "IQ3_S", 256, 110),
    row(22, "IQ2_S", 256, 82),
    row(23, "IQ4_XS", 256, 136),
    row(24, "I8", 1, 1),
    row(25, "I16", 1, 2),
    row(26, "I32", 1, 4),
    row(27, "I64", 1, 8),
    row(28, "F64", 1, 8),
    row(29, "IQ1_M", 256, 56),
    row(30, "BF16", 1, 2),
    row(34, "TQ1_0", 256, 54),
    row(35, "TQ2_0", 256, 66),
    row(39, "MXFP4", 32, 17),
    row(40, "NVFP4", 64, 36),
];

impl GgmlType {
    /// Every type that is known.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| Self { row })
    }

    /// The type with this number in a GGUF file; `None` for types of forks and of later versions.
    pub fn from_id(id: u32) -> Option<Self> {
        Self::all().find(|kind| kind.row.id == id)
    }

    /// The type with this name, whatever its case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.row.name.eq_ignore_ascii_case(name))
    }

    pub(crate) fn f16() -> Self {
        static F16: Row = row(1, "F16", 1, 2);
        Self { row: &F16 }
    }

    /// The name as llama.cpp writes it.
    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// Bits of a weight: bytes of a block x 8 / weights of a block.
    pub fn bits_per_weight(self) -> f64 {
        float::from_u64(self.row.bytes.into()) * 8.0 / float::from_u64(self.row.weights.into())
    }

    /// Bytes of so many weights, in whole blocks; `None` where the number overflows.
    pub fn bytes_of(self, weights: u64) -> Option<u64> {
        let blocks = weights.div_ceil(self.row.weights.into());
        blocks.checked_mul(self.row.bytes.into())
    }

    pub(crate) fn arithmetic(self) -> Arithmetic {
        match self.row.name {
            "F32" | "F16" | "BF16" | "F64" => Arithmetic::Fp16,
            "MXFP4" | "NVFP4" => Arithmetic::Fp4,
            _ => Arithmetic::Int8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, bits: f64) {
        let given = GgmlType::from_name(name).unwrap().bits_per_weight();
        assert!((given - bits).abs() < 1e-9, "{name}: {given}");
    }

    /// Worked by hand from the block structures. `IQ2_S` is often quoted as 2.5.
    #[test]
    fn blocks_cost_what_their_structures_hold() {
        check("IQ1_S", 1.5625);
        check("IQ1_M", 1.75);
        check("IQ2_XXS", 2.0625);
        check("IQ2_XS", 2.3125);
        check("IQ2_S", 2.5625);
        check("IQ3_XXS", 3.0625);
        check("IQ3_S", 3.4375);
        check("IQ4_XS", 4.25);
        check("IQ4_NL", 4.5);
        check("Q2_K", 2.625);
        check("Q3_K", 3.4375);
        check("Q4_0", 4.5);
        check("Q4_1", 5.0);
        check("Q4_K", 4.5);
        check("Q5_0", 5.5);
        check("Q5_1", 6.0);
        check("Q5_K", 5.5);
        check("Q6_K", 6.5625);
        check("Q8_0", 8.5);
        check("TQ1_0", 1.6875);
        check("TQ2_0", 2.0625);
        check("MXFP4", 4.25);
        check("NVFP4", 4.5);
    }

    #[test]
    fn part_blocks_are_whole_ones() {
        let kind = GgmlType::from_id(2).unwrap();
        assert_eq!(kind.bytes_of(33), Some(36));
        assert_eq!(GgmlType::from_id(0).unwrap().bytes_of(u64::MAX), None);
        assert_eq!(GgmlType::from_id(4), None);
    }
}
