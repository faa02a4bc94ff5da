//! llama.cpp's mixes: files whose tensors have several types.

use super::GgmlType;

/// A mix by its name, for example `Q4_K_M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GgufMix {
    row: &'static Row,
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    main: &'static str,
    /// Bits a weight of a whole file of Llama-3.1-8B; `None` where none was measured.
    file_bits: Option<f64>,
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

impl std::hash::Hash for Row {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

const fn row(name: &'static str, main: &'static str, file_bits: Option<f64>) -> Row {
    Row {
        name,
        main,
        file_bits,
    }
}

/// File figures: ggml-org/llama.cpp `tools/quantize/README.md` (311c2c9); `Q3_K_M` from memory,
/// `Q4_0` and `Q4_1` calculated for the same model. `MXFP4_MOE`: the file of gpt-oss-20b, 11.27 GiB
/// for 20.91 B weights.
static ROWS: [Row; 34] = [
    row("F32", "F32", Some(32.0)),
    row("F16", "F16", Some(16.0005)),
    row("BF16", "BF16", Some(16.0005)),
    row("Q8_0", "Q8_0", Some(8.5008)),
    row("Q6_K", "Q6_K", Some(6.5633)),
    row("Q5_K_M", "Q5_K", Some(5.7036)),
    row("Q5_K_S", "Q5_K", Some(5.5704)),
    row("Q5_1", "Q5_1", None),
    row("Q5_0", "Q5_0", None),
    row("Q4_K_M", "Q4_K", Some(4.8944)),
    row("Q4_K_S", "Q4_K", Some(4.6672)),
    row("Q4_1", "Q4_1", Some(5.15)),
    row("Q4_0", "Q4_0", Some(4.65)),
    row("IQ4_NL", "IQ4_NL", Some(4.6818)),
    row("IQ4_XS", "IQ4_XS", Some(4.4597)),
    row("Q3_K_L", "Q3_K", Some(4.2979)),
    row("Q3_K_M", "Q3_K", Some(4.0)),
    row("Q3_K_S", "Q3_K", Some(3.6429)),
    row("IQ3_M", "IQ3_S", Some(3.7628)),
    row("IQ3_S", "IQ3_S", Some(3.6606)),
    row("IQ3_XS", "IQ3_S", Some(3.4977)),
    row("IQ3_XXS", "IQ3_XXS", Some(3.2548)),
    row("Q2_K", "Q2_K", Some(3.1593)),
    row("Q2_K_S", "Q2_K", Some(2.9697)),
    row("IQ2_M", "IQ2_S", Some(2.9294)),
    row("IQ2_S", "IQ2_S", Some(2.7403)),
    row("IQ2_XS", "IQ2_XS", Some(2.5882)),
    row("IQ2_XXS", "IQ2_XXS", Some(2.3824)),
    row("IQ1_M", "IQ1_M", Some(2.146)),
    row("IQ1_S", "IQ1_S", Some(2.0042)),
    row("TQ2_0", "TQ2_0", None),
    row("TQ1_0", "TQ1_0", None),
    row("MXFP4_MOE", "MXFP4", Some(4.63)),
    row("Q2_K_L", "Q2_K", None),
];

impl GgufMix {
    /// Every mix that is known. Dynamic mixes (`UD-Q4_K_XL` and the like) are not: they differ from
    /// model to model, and only the size of the file tells.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| Self { row })
    }

    /// The mix with this name, whatever its case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|mix| mix.row.name.eq_ignore_ascii_case(name.trim()))
    }

    /// The name as files carry it.
    pub fn name(self) -> &'static str {
        self.row.name
    }

    /// The type of most of its tensors, and of the embedding table.
    pub fn main_type(self) -> GgmlType {
        GgmlType::from_name(self.row.main).unwrap_or_else(GgmlType::f16)
    }

    /// Bits a weight of a whole file, embeddings and head included; the main type's where no file
    /// was measured. A model with a larger vocabulary for its size lies farther from the main type.
    pub fn file_bits_per_weight(self) -> f64 {
        self.row
            .file_bits
            .unwrap_or_else(|| self.main_type().bits_per_weight())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mix_has_its_main_type_and_a_plausible_file() {
        for mix in GgufMix::all() {
            let main = GgmlType::from_name(mix.row.main).unwrap();
            assert_eq!(mix.main_type(), main);
            let over = mix.file_bits_per_weight() / main.bits_per_weight();
            assert!((1.0..1.3).contains(&over), "{}: {over}", mix.name());
            assert_eq!(GgufMix::from_name(&mix.name().to_lowercase()), Some(mix));
        }
    }

    #[test]
    fn a_dynamic_mix_is_unknown() {
        assert_eq!(GgufMix::from_name("UD-Q4_K_XL"), None);
    }
}
