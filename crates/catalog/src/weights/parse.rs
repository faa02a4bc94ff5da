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
    /// `INT8`, `NVFP4`, `MXFP4`, `NF4-double`, `MLX-4bit`, `EXL3 4.0bpw`, and the GGUF mixes. Bits may
    /// stand beside the scheme (`AWQ 4-bit`, `W4A16 4-bit`, `GPTQ-Int8`), and `compressed-tensors`
    /// before it.
    ///
    /// A name that leaves the layout open (`INT4`, `4bit`, dynamic GGUF mixes) is unknown: figures
    /// for it come from the file, or are taken as usual ([`Self::usual`]).
    pub fn parse(name: &str) -> Result<Self, UnknownWord> {
        let word = joined(name);
        let word = word.strip_prefix("compressed-tensors-").unwrap_or(&word);
        let (scheme, bits) = said_bits(word);
        let has_bits = |format: &Self| {
            bits.is_none_or(|bits| (format.bits_per_weight() - f64::from(bits)).abs() < 1.5)
        };
        plain(word)
            .or_else(|| grouped(scheme, bits))
            .or_else(|| plain(scheme).filter(has_bits))
            .or_else(|| averaged(word))
            .or_else(|| {
                let mix = GgufMix::from_name(&scheme.replace('-', "_")).map(Self::Gguf);
                mix.filter(has_bits)
            })
            .ok_or_else(|| UnknownWord::new(name, "weight format", KNOWN))
    }

    /// What a name that leaves the layout open means most often: whole numbers of so many bits, in
    /// groups of 128 where there are fewer than 8 (`INT4`, `4-bit`, `compressed-tensors`, which is 4
    /// bits mostly). `None` for any other name.
    pub fn usual(name: &str) -> Option<Self> {
        let word = joined(name);
        let bits = match word.as_str() {
            "compressed-tensors" | "llm-compressor" | "quantized" => 4,
            _ => match said_bits(&word) {
                ("" | "compressed-tensors" | "llm-compressor" | "quantized", bits) => bits?,
                _ => return None,
            },
        };
        Some(Self::Int {
            bits,
            group: (bits < 8).then_some(128),
            zeros: false,
        })
    }
}

/// The words of a name with one dash between them, `4-bit` in one piece.
fn joined(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || "_-(),/".contains(c));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut joined = String::new();
    for word in words {
        let unit = matches!(word, "bit" | "bits") && joined.ends_with(|c: char| c.is_ascii_digit());
        if !joined.is_empty() && !unit {
            joined.push('-');
        }
        joined.push_str(word);
    }
    joined
}

/// `awq-4bit` and `4bit-awq` are `awq` with 4 bits; `mlx-4bit` and `w4a16` state theirs themselves.
fn said_bits(word: &str) -> (&str, Option<u8>) {
    let bits = |piece: &str| {
        let digits = piece
            .strip_suffix("bits")
            .or_else(|| piece.strip_suffix("bit"))
            .or_else(|| piece.strip_prefix("int"))?;
        digits
            .parse::<u8>()
            .ok()
            .filter(|bits| (2..=8).contains(bits))
    };
    if let Some(bits) = bits(word) {
        return ("", Some(bits));
    }
    let last = word
        .rsplit_once('-')
        .and_then(|(rest, piece)| Some((rest, bits(piece)?)));
    let is_group =
        |rest: &str| rest.starts_with('g') && rest.ends_with(|c: char| c.is_ascii_digit());
    let first = word
        .split_once('-')
        .filter(|(_, rest)| !is_group(rest))
        .and_then(|(piece, rest)| Some((rest, bits(piece)?)));
    match last.or(first) {
        Some((scheme, bits)) => (scheme, Some(bits)),
        None => (word, None),
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
        "nf4" | "bnb-nf4" | "bnb-4bit" | "bitsandbytes-4bit" => WeightFormat::Nf4 { double: false },
        "nf4-double" | "bnb-nf4-double" => WeightFormat::Nf4 { double: true },
        "int8" | "bnb-8bit" | "bitsandbytes-8bit" => WeightFormat::INT8,
        _ => return None,
    };
    Some(format)
}

/// Whole numbers in groups: a scheme's name, and its group after `-g` where it is not the usual
/// one; `said` are the bits that stand beside it.
fn grouped(word: &str, said: Option<u8>) -> Option<WeightFormat> {
    let (scheme, group) = match word.rsplit_once("-g") {
        Some((scheme, group)) => (scheme, Some(group.parse::<u32>().ok()?)),
        None => (word, None),
    };
    // Behind a group too: `GPTQ-Int4-g32`.
    let (scheme, said) = match said {
        Some(_) => (scheme, said),
        None => said_bits(scheme),
    };
    let int = |bits, usual: Option<u32>, zeros| WeightFormat::Int {
        bits,
        group: group.or(usual),
        zeros,
    };
    let only = |bits: u8| said.is_none_or(|said| said == bits).then_some(bits);
    let format = match scheme {
        "awq" | "gptq" | "awq-marlin" | "gptq-marlin" => int(said.unwrap_or(4), Some(128), true),
        "w4a16-asym" => int(only(4)?, Some(128), true),
        "w4a16" => int(only(4)?, Some(128), false),
        "autoround" | "auto-round" => int(said.unwrap_or(4), Some(128), false),
        "" if said == Some(8) && group.is_some() => int(8, None, false),
        "w8a8" | "w8a16" | "int8-w8a16" | "int8-w8a8" | "w8a8-int8" | "llm.int8" => {
            int(only(8)?, None, false)
        }
        "hqq" => hqq(said.unwrap_or(4), group),
        "mlx" => hqq(said?, group),
        _ => return None,
    };
    Some(format)
}

fn hqq(bits: u8, group: Option<u32>) -> WeightFormat {
    WeightFormat::Hqq {
        bits,
        group: group.unwrap_or(64),
    }
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
        check("GPTQ Int8", WeightFormat::parse("gptq-8bit").unwrap());
        check("EXL2 4.65bpw", WeightFormat::Exl { bits: 4.65 });
    }

    /// Labels as result pages and servers write them.
    #[test]
    fn bits_may_stand_beside_the_scheme() {
        let check = |name: &str, same: &str| {
            assert_eq!(
                WeightFormat::parse(name),
                WeightFormat::parse(same),
                "{name}"
            );
            assert!(WeightFormat::parse(name).is_ok(), "{name}");
        };
        for name in [
            "AWQ 4-bit",
            "4-bit AWQ",
            "AWQ (4-bit)",
            "awq_int4",
            "AWQ Marlin 4 bit",
        ] {
            check(name, "AWQ");
        }
        for name in [
            "W4A16 4-bit",
            "W4A16 INT4",
            "compressed-tensors (W4A16)",
            "4bit w4a16",
        ] {
            check(name, "W4A16");
        }
        check("GPTQ 4-bit", "GPTQ");
        check("GPTQ-Int4-g32", "GPTQ-g32");
        check("W4A16, g64", "W4A16-g64");
        check("W8A8 8-bit", "INT8");
        check("FP8 8-bit", "FP8");
        check("NVFP4 4-bit", "NVFP4");
        check("Q4_K_M 4-bit", "Q4_K_M");
        check("AutoRound 4-bit", "AutoRound");
        check("MLX 8-bit", "mlx-8bit");
        check("bitsandbytes 4-bit", "NF4");
        let three = WeightFormat::parse("GPTQ 3-bit").unwrap();
        assert!((three.bits_per_weight() - (3.0 + 19.0 / 128.0)).abs() < 1e-12);
        for contradiction in ["W4A16 8-bit", "FP8 4-bit", "NVFP4 8-bit", "BF16 4-bit"] {
            assert!(
                WeightFormat::parse(contradiction).is_err(),
                "{contradiction}"
            );
        }
    }

    #[test]
    fn a_layout_that_is_left_open_is_the_usual_one() {
        let check = |name: &str, same: Option<&str>| {
            let same = same.map(|same| WeightFormat::parse(same).unwrap());
            assert_eq!(WeightFormat::usual(name), same, "{name}");
        };
        for name in [
            "INT4",
            "4bit",
            "4-bit",
            "compressed-tensors",
            "Compressed Tensors 4-bit",
        ] {
            check(name, Some("W4A16"));
        }
        check("8-bit", Some("INT8"));
        check("magic", None);
        check("AWQ", None);
        check("UD-Q4_K_XL", None);
    }

    #[test]
    fn a_mistyped_format_gets_a_proposal() {
        let error = WeightFormat::parse("nvfp").unwrap_err();
        assert_eq!(error.nearest, Some("NVFP4"));
    }
}
