//! Names of weight formats as servers, files and people write them.

use crate::unknown::UnknownWord;

use super::{GgufMix, WeightFormat};

/// Words that are proposed for an unknown one.
const KNOWN: [&str; 16] = [
    "BF16", "FP8", "AWQ", "GPTQ", "W4A16", "INT8", "NVFP4", "MXFP4", "NF4", "HQQ", "Q4_K_M",
    "Q8_0", "Q6_K", "Q5_K_M", "IQ4_XS", "Q4_0",
];

impl WeightFormat {
    /// The format that a name means, whatever its case: `BF16`, `FP8`, `AWQ`, `GPTQ-g32`, `W4A16`,
    /// `INT8`, `NVFP4`, `MXFP4`, `NF4-double`, `MLX-4bit`, `EXL3 4.0bpw`, and the GGUF mixes.
    ///
    /// A name that leaves the layout open (`INT4`, `4bit`, dynamic GGUF mixes) is unknown: figures
    /// for it come from the file.
    pub fn parse(name: &str) -> Result<Self, UnknownWord> {
        let word = name.trim().to_lowercase().replace([' ', '_'], "-");
        plain(&word)
            .or_else(|| grouped(&word))
            .or_else(|| averaged(&word))
            .or_else(|| GgufMix::from_name(name).map(Self::Gguf))
            .ok_or_else(|| UnknownWord::new(name, "weight format", KNOWN))
    }
}

fn plain(word: &str) -> Option<WeightFormat> {
    let format = match word {
        "f32" | "fp32" | "float32" => WeightFormat::F32,
        "f16" | "fp16" | "bf16" | "float16" | "bfloat16" | "half" => WeightFormat::F16,
        "fp8" | "fp8-dynamic" | "fp8-e4m3" | "w8a8-fp8" | "fbgemm-fp8" => WeightFormat::Fp8,
        "fp8-block" | "fp8-block-128" | "fp8-blockwise" => WeightFormat::Fp8Block,
        "nvfp4" | "modelopt-fp4" => WeightFormat::Nvfp4,
        "mxfp4" => WeightFormat::Mxfp4,
        "nf4" | "bnb-nf4" => WeightFormat::Nf4 { double: false },
        "nf4-double" | "bnb-nf4-double" => WeightFormat::Nf4 { double: true },
        _ => return None,
    };
    Some(format)
}

/// Whole numbers in groups: a scheme's name, and its group after `-g` where it is not the usual one.
fn grouped(word: &str) -> Option<WeightFormat> {
    let (scheme, group) = match word.rsplit_once("-g") {
        Some((scheme, group)) => (scheme, Some(group.parse::<u32>().ok()?)),
        None => (word, None),
    };
    let int = |bits, usual: Option<u32>, zeros| WeightFormat::Int {
        bits,
        group: group.or(usual),
        zeros,
    };
    let format = match scheme {
        "awq" | "awq-int4" | "awq-4bit" | "gptq" | "gptq-int4" | "gptq-4bit" | "awq-marlin"
        | "gptq-marlin" | "w4a16-asym" => int(4, Some(128), true),
        "gptq-int8" | "gptq-8bit" => int(8, Some(128), true),
        "w4a16" | "autoround" | "auto-round" => int(4, Some(128), false),
        "int8" | "w8a8" | "w8a16" | "int8-w8a16" | "int8-w8a8" | "w8a8-int8" | "llm.int8" => {
            int(8, None, false)
        }
        "hqq" | "mlx-4bit" => WeightFormat::Hqq {
            bits: 4,
            group: group.unwrap_or(64),
        },
        "mlx-8bit" => WeightFormat::Hqq {
            bits: 8,
            group: group.unwrap_or(64),
        },
        _ => return None,
    };
    Some(format)
}

/// `exl2-4.65bpw`, `exl3-3.5`: the average stands in the name.
fn averaged(word: &str) -> Option<WeightFormat> {
    let rest = word
        .strip_prefix("exl2-")
        .or_else(|| word.strip_prefix("exl3-"))?;
    let bits: f64 = rest.strip_suffix("bpw").unwrap_or(rest).parse().ok()?;
    (1.0..=8.5)
        .contains(&bits)
        .then_some(WeightFormat::Exl { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_layout_is_unknown() {
        for name in ["INT4", "4bit", "UD-Q4_K_XL", "exl2-99bpw", "gptq-gx", ""] {
            assert!(WeightFormat::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn case_and_separators_do_not_matter() {
        let check =
            |name: &str, expect| assert_eq!(WeightFormat::parse(name), Ok(expect), "{name}");
        check("bf16", WeightFormat::F16);
        check("FP8 dynamic", WeightFormat::Fp8);
        check("INT8_W8A16", WeightFormat::parse("int8").unwrap());
        check("GPTQ-Int4", WeightFormat::AWQ);
        check("EXL2 4.65bpw", WeightFormat::Exl { bits: 4.65 });
    }

    #[test]
    fn a_mistyped_format_gets_a_proposal() {
        let error = WeightFormat::parse("nvfp").unwrap_err();
        assert_eq!(error.nearest, Some("NVFP4"));
    }
}
