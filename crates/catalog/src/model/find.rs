//! Which model a name means.

use crate::matching::{Match, runs};

use super::Model;

/// Words for how a checkpoint's weights are stored or packed, which do not change the model.
const STORAGE: [&str; 51] = [
    "gguf",
    "awq",
    "gptq",
    "int4",
    "int8",
    "fp8",
    "fp16",
    "bf16",
    "f16",
    "f32",
    "nvfp4",
    "mxfp4",
    "nf4",
    "bnb",
    "4bit",
    "8bit",
    "6bit",
    "5bit",
    "3bit",
    "2bit",
    "w4a16",
    "w8a8",
    "w8a16",
    "w4a8",
    "exl2",
    "exl3",
    "mlx",
    "hf",
    "ud",
    "qat",
    "i1",
    "imatrix",
    "autoround",
    "hqq",
    "marlin",
    "quantized",
    "quant",
    "dynamic",
    "safetensors",
    "block",
    "unsloth",
    "mtp",
    "original",
    "dwq",
    "e4m3",
    "bpw",
    "compressed",
    "tensors",
    "bitsandbytes",
    "sym",
    "asym",
];

/// The model that a name means: its id, the name that a server gives it, a quantized copy's id, a
/// file's path; whatever their case.
///
/// A name with words that no row has is a model of its own, for example a fine-tune: the rows whose
/// words it contains are candidates, and often have its shape.
pub(crate) fn find<'a>(rows: &'a [Model], name: &str) -> Match<'a, Model> {
    let name = name.trim().trim_end_matches('/');
    if let Some(row) = rows.iter().find(|row| row.id.eq_ignore_ascii_case(name)) {
        return Match::Exact(row);
    }
    let has_alias = |row: &&Model| {
        row.aliases
            .iter()
            .any(|alias| alias.eq_ignore_ascii_case(name))
    };
    if let Some(row) = rows.iter().find(has_alias) {
        return Match::Alias(row);
    }
    let organisations: Vec<String> = rows
        .iter()
        .filter_map(|row| row.id.split_once('/'))
        .map(|(organisation, _)| organisation.to_lowercase())
        .collect();
    let said = words(name, &organisations);
    if said.is_empty() {
        return Match::Unknown;
    }
    let with_words = |row: &'a Model| {
        let own = words(&row.id, &organisations);
        // A short name such as `llama3.1:8b` means this model only where it is written so: without the
        // colon it would be the name of the base model.
        let written_out = row.aliases.iter().filter(|alias| !alias.contains(':'));
        let aliases = written_out.map(|alias| words(alias, &organisations));
        (row, std::iter::once(own).chain(aliases).collect::<Vec<_>>())
    };
    let all: Vec<(&Model, Vec<Vec<String>>)> = rows.iter().map(with_words).collect();
    let equal: Vec<&Model> = all
        .iter()
        .filter(|(_, names)| names.contains(&said))
        .map(|(row, _)| *row)
        .collect();
    match equal.as_slice() {
        [row] => Match::Words(row),
        [_, _, ..] => Match::Candidates(equal),
        [] => akin(&all, &said),
    }
}

/// Rows whose words are a part of the name's, or the name's of theirs: those that share the most.
fn akin<'a>(all: &[(&'a Model, Vec<Vec<String>>)], said: &[String]) -> Match<'a, Model> {
    // In one piece, so that `gemma-3n-E4B` is not taken for a `gemma-3-4b`.
    let inside = |small: &[String], large: &[String]| {
        small.len() > 1 && large.windows(small.len()).any(|part| part == small)
    };
    let mut found: Vec<(usize, &Model)> = Vec::new();
    for (row, names) in all {
        let alike = names
            .iter()
            .filter(|own| inside(own, said) || inside(said, own))
            .map(|own| own.len().min(said.len()))
            .max();
        found.extend(alike.map(|length| (length, *row)));
    }
    let longest = found.iter().map(|(length, _)| *length).max();
    let best = found
        .into_iter()
        .filter(|(length, _)| Some(*length) == longest)
        .map(|(_, row)| row);
    let best: Vec<&Model> = best.collect();
    if best.is_empty() {
        Match::Unknown
    } else {
        Match::Candidates(best)
    }
}

/// The runs of letters and digits of a name, without organisation, path, ending and storage.
fn words(name: &str, organisations: &[String]) -> Vec<String> {
    let lower = name.to_lowercase();
    let file = lower.rsplit('/').next().unwrap_or(&lower);
    let file = file.strip_suffix(".gguf").unwrap_or(file);
    let file = without_organisation(file, organisations);
    let file = in_pieces(file);
    let pieces = file.split(['-', '_', ' ', ':', '+']);
    let kept: Vec<&str> = without_mixes(&pieces.collect::<Vec<_>>());
    runs(&kept.join(" "))
}

/// A blank for each point outside of numbers (`quantized.w4a16`), and `4-bit` in one piece.
fn in_pieces(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let digit_at = |at: Option<usize>| {
        at.and_then(|at| letters.get(at))
            .is_some_and(char::is_ascii_digit)
    };
    let points = letters.iter().enumerate().map(|(at, letter)| {
        let in_number = digit_at(at.checked_sub(1)) && digit_at(at.checked_add(1));
        if *letter == '.' && !in_number {
            ' '
        } else {
            *letter
        }
    });
    let mut name: String = points.collect();
    for bits in 2..=8 {
        name = name.replace(&format!("-{bits}-bit"), &format!("-{bits}bit"));
    }
    name
}

/// `nvidia_Nemotron-3` and `NVIDIA-Nemotron-3` are `Nemotron-3`.
fn without_organisation<'a>(file: &'a str, organisations: &[String]) -> &'a str {
    let after = |organisation: &String| {
        let rest = file.strip_prefix(organisation.as_str())?;
        // `meta-llama-3` is a Llama 3, and not organisation `meta-llama` with a model `3`.
        let one_word = !organisation.contains('-');
        rest.strip_prefix('_')
            .or_else(|| rest.strip_prefix('-').filter(|_| one_word))
    };
    organisations.iter().find_map(after).unwrap_or(file)
}

/// Leaves out words of storage, and llama.cpp's mixes with what belongs to them: `q4 k m`, `iq2 xxs`.
fn without_mixes<'a>(pieces: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut in_mix = false;
    for piece in pieces {
        let size = matches!(
            *piece,
            "k" | "m" | "s" | "l" | "xl" | "xs" | "xxs" | "nl" | "0" | "1" | "p"
        );
        if is_mix(piece) {
            in_mix = true;
        } else if in_mix && size {
        } else {
            in_mix = false;
            let group = piece
                .strip_prefix('g')
                .is_some_and(|digits| digits.parse::<u16>().is_ok());
            if !STORAGE.contains(piece) && !group {
                kept.push(*piece);
            }
        }
    }
    kept
}

fn is_mix(piece: &str) -> bool {
    let digits = ["iq", "tq", "q"]
        .iter()
        .find_map(|start| piece.strip_prefix(start));
    digits.is_some_and(|digits| {
        digits.len() == 1 && digits.chars().all(|digit| digit.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: &str) {
        let organisations = ["nvidia".to_owned(), "qwen".to_owned()];
        assert_eq!(words(name, &organisations).join(" "), expect, "{name}");
    }

    #[test]
    fn names_lose_what_is_about_storage() {
        check("Qwen/Qwen3-4B", "qwen 3 4 b");
        check("unsloth/Qwen3.6-27B-MTP-GGUF", "qwen 3.6 27 b");
        check("/models/Qwen3-4B-UD-Q4_K_XL.gguf", "qwen 3 4 b");
        check("Qwen3-4B-IQ2_XXS.gguf", "qwen 3 4 b");
        check(
            "bartowski/nvidia_Nemotron-Cascade-2-30B-A3B-GGUF",
            "nemotron cascade 2 30 b a 3 b",
        );
        check(
            "Qwen3-Coder-30B-A3B-Instruct-AWQ",
            "qwen 3 coder 30 b a 3 b instruct",
        );
        check("Qwen3-4B-GPTQ-Int4-g128", "qwen 3 4 b");
        check("phi-4", "phi 4");
        check("Qwen3.5-4B-quantized.w4a16", "qwen 3.5 4 b");
        check("Qwen3.5-4B-AWQ-4-bit", "qwen 3.5 4 b");
        check("Qwen3.5-4B-W4A16-G128", "qwen 3.5 4 b");
    }
}
