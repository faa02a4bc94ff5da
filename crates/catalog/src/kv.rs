//! KV cache types, and what a cached vector costs in them.

use std::fmt;

use tokmark_units::float;

use crate::unknown::UnknownWord;

/// How one key or value vector is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KvType {
    /// 32-bit floats.
    F32,
    /// 16-bit floats, of either kind; what `auto` means on nearly every model.
    F16,
    /// 8-bit floats without scales a vector.
    Fp8,
    /// vLLM's 8-bit floats or whole numbers with an FP32 scale a (token, head).
    EightBitPerTokenHead,
    /// vLLM's nibbles with an FP32 scale a (token, head).
    FourBitPerTokenHead,
    /// llama.cpp's `q8_0`.
    Q8_0,
    /// llama.cpp's `q5_1`.
    Q5_1,
    /// llama.cpp's `q5_0`.
    Q5_0,
    /// llama.cpp's `q4_1`.
    Q4_1,
    /// llama.cpp's `q4_0` and `iq4_nl`.
    Q4_0,
    /// `turbo4` of llama.cpp forks.
    Turbo4,
    /// `turbo3` of llama.cpp forks.
    Turbo3,
    /// `turbo2` of llama.cpp forks.
    Turbo2,
    /// Keys of vLLM's `turboquant_4bit_nc`.
    TurboquantKey4,
    /// Keys of vLLM's `turboquant_k3v4_nc` and `turboquant_3bit_nc`.
    TurboquantKey3,
    /// Values of vLLM's 4-bit `turboquant` types.
    TurboquantValue4,
    /// Values of vLLM's `turboquant_3bit_nc`.
    TurboquantValue3,
    /// `ExLlama`'s 8-bit cache.
    Exl8,
    /// `ExLlama`'s 6-bit cache.
    Exl6,
    /// `ExLlama`'s 4-bit cache.
    Exl4,
}

impl KvType {
    /// Bytes of one vector of so many elements.
    ///
    /// | type | bytes |
    /// |---|---|
    /// | F16, FP8 | `2n`, `n` |
    /// | a scale a (token, head) | `n + 4` with 8 bits, `n/2 + 4` with 4 |
    /// | `q8_0`, `q5_1`, `q5_0`, `q4_1`, `q4_0` | 34, 24, 22, 20, 18 bytes for 32 elements |
    /// | turbo4, 3, 2 | 4.5, 3.5, 2.5 bits an element |
    /// | turboquant | keys `n/2 + 2` or `3n/8 + 2`, values `n/2 + 4` or `3n/8 + 4` |
    /// | `ExLlama` | about 8.5, 6.5, 4.5 bits an element |
    ///
    /// Sources: vLLM `int4_per_token_head.py` (055e47c) and `turboquant/config.py` (1471680),
    /// llama.cpp pull request 21307, the block structures of ggml. A smaller type saves memory; it
    /// need not save time.
    pub fn vector_bytes(self, elements: u32) -> f64 {
        let n = float::from_u64(elements.into());
        match self {
            Self::F32 => 4.0 * n,
            Self::F16 => 2.0 * n,
            Self::Fp8 => n,
            Self::EightBitPerTokenHead => n + 4.0,
            Self::FourBitPerTokenHead | Self::TurboquantValue4 => n / 2.0 + 4.0,
            Self::Q8_0 => n * 34.0 / 32.0,
            Self::Q5_1 => n * 24.0 / 32.0,
            Self::Q5_0 => n * 22.0 / 32.0,
            Self::Q4_1 => n * 20.0 / 32.0,
            Self::Q4_0 => n * 18.0 / 32.0,
            Self::Turbo4 | Self::Exl4 => n * 4.5 / 8.0,
            Self::Turbo3 => n * 3.5 / 8.0,
            Self::Turbo2 => n * 2.5 / 8.0,
            Self::TurboquantKey4 => n / 2.0 + 2.0,
            Self::TurboquantKey3 => n * 3.0 / 8.0 + 2.0,
            Self::TurboquantValue3 => n * 3.0 / 8.0 + 4.0,
            Self::Exl8 => n * 8.5 / 8.0,
            Self::Exl6 => n * 6.5 / 8.0,
        }
    }
}

/// The types of a cache's keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KvCache {
    /// Of the keys, and of MLA's latent vectors.
    pub key: KvType,
    /// Of the values.
    pub value: KvType,
}

/// Words of options, with what they mean; the first of equal ones is the one written.
const WORDS: [(&str, KvType, KvType); 30] = [
    ("f16", KvType::F16, KvType::F16),
    ("fp16", KvType::F16, KvType::F16),
    ("bf16", KvType::F16, KvType::F16),
    ("bfloat16", KvType::F16, KvType::F16),
    ("float16", KvType::F16, KvType::F16),
    ("auto", KvType::F16, KvType::F16),
    ("f32", KvType::F32, KvType::F32),
    ("fp8", KvType::Fp8, KvType::Fp8),
    ("fp8_e4m3", KvType::Fp8, KvType::Fp8),
    ("fp8_e5m2", KvType::Fp8, KvType::Fp8),
    (
        "int8_per_token_head",
        KvType::EightBitPerTokenHead,
        KvType::EightBitPerTokenHead,
    ),
    (
        "fp8_per_token_head",
        KvType::EightBitPerTokenHead,
        KvType::EightBitPerTokenHead,
    ),
    (
        "int4_per_token_head",
        KvType::FourBitPerTokenHead,
        KvType::FourBitPerTokenHead,
    ),
    ("q8_0", KvType::Q8_0, KvType::Q8_0),
    ("q5_1", KvType::Q5_1, KvType::Q5_1),
    ("q5_0", KvType::Q5_0, KvType::Q5_0),
    ("q4_1", KvType::Q4_1, KvType::Q4_1),
    ("q4_0", KvType::Q4_0, KvType::Q4_0),
    ("iq4_nl", KvType::Q4_0, KvType::Q4_0),
    ("turbo4", KvType::Turbo4, KvType::Turbo4),
    ("turbo3", KvType::Turbo3, KvType::Turbo3),
    ("turbo2", KvType::Turbo2, KvType::Turbo2),
    ("turboquant_k8v4", KvType::Fp8, KvType::TurboquantValue4),
    (
        "turboquant_4bit_nc",
        KvType::TurboquantKey4,
        KvType::TurboquantValue4,
    ),
    (
        "turboquant_k3v4_nc",
        KvType::TurboquantKey3,
        KvType::TurboquantValue4,
    ),
    (
        "turboquant_3bit_nc",
        KvType::TurboquantKey3,
        KvType::TurboquantValue3,
    ),
    // 68 bytes for a head of 128: nibbles and an FP32 scale.
    (
        "tq4",
        KvType::FourBitPerTokenHead,
        KvType::FourBitPerTokenHead,
    ),
    ("exl_q8", KvType::Exl8, KvType::Exl8),
    ("exl_q6", KvType::Exl6, KvType::Exl6),
    ("exl_q4", KvType::Exl4, KvType::Exl4),
];

impl KvCache {
    /// Keys and values in 16 bits.
    pub const F16: Self = Self {
        key: KvType::F16,
        value: KvType::F16,
    };

    /// The cache that an option's word means, whatever its case; two words with a slash between
    /// them are the keys' and the values' (`q8_0/q4_0`).
    pub fn parse(word: &str) -> Result<Self, UnknownWord> {
        let trimmed = word.trim();
        if let Some((key, value)) = trimmed.split_once('/') {
            return Ok(Self {
                key: Self::parse_one(key)?.key,
                value: Self::parse_one(value)?.value,
            });
        }
        Self::parse_one(trimmed)
    }

    fn parse_one(word: &str) -> Result<Self, UnknownWord> {
        let word = word.trim();
        WORDS
            .into_iter()
            .find(|(known, ..)| known.eq_ignore_ascii_case(word))
            .map(|(_, key, value)| Self { key, value })
            .ok_or_else(|| UnknownWord::new(word, "KV cache type", WORDS.map(|(known, ..)| known)))
    }

    /// Bytes that one token takes in one layer and head: its key's and its value's.
    pub fn token_head_bytes(self, key_dim: u32, value_dim: u32) -> f64 {
        self.key.vector_bytes(key_dim) + self.value.vector_bytes(value_dim)
    }
}

impl fmt::Display for KvCache {
    /// The word that means both, else the two words with a slash.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let both = WORDS
            .into_iter()
            .find(|(_, key, value)| *key == self.key && *value == self.value);
        if let Some((word, ..)) = both {
            return out.write_str(word);
        }
        let key = WORDS.into_iter().find(|(_, key, _)| *key == self.key);
        let value = WORDS.into_iter().find(|(.., value)| *value == self.value);
        let word = |found: Option<(&'static str, KvType, KvType)>| found.map_or("", |row| row.0);
        write!(out, "{}/{}", word(key), word(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, ratio_to_16_bit: f64) {
        let cache = KvCache::parse(word).unwrap();
        let ratio = KvCache::F16.token_head_bytes(128, 128) / cache.token_head_bytes(128, 128);
        // The ratios are known to two or three digits.
        assert!((ratio - ratio_to_16_bit).abs() < 0.045, "{word}: {ratio}");
    }

    /// Ratios published by the engines and forks, for heads of 128.
    #[test]
    fn caches_save_what_their_makers_say() {
        check("auto", 1.0);
        check("fp8", 2.0);
        check("int8_per_token_head", 1.94);
        check("int4_per_token_head", 3.76);
        check("q8_0", 1.88);
        check("q5_1", 2.67);
        check("q5_0", 2.91);
        check("q4_1", 3.2);
        check("q4_0", 3.56);
        check("iq4_nl", 3.56);
        check("turbo4", 3.6);
        check("turbo3", 4.6);
        check("turbo2", 6.4);
        check("turboquant_k8v4", 2.61);
        check("turboquant_4bit_nc", 3.82);
        check("turboquant_k3v4_nc", 4.34);
        check("turboquant_3bit_nc", 5.02);
        check("tq4", 3.76);
        check("exl_q8", 1.9);
        check("exl_q6", 2.5);
        check("exl_q4", 3.6);
    }

    #[test]
    fn keys_and_values_may_differ() {
        let cache = KvCache::parse("Q8_0/turbo4").unwrap();
        assert_eq!((cache.key, cache.value), (KvType::Q8_0, KvType::Turbo4));
        assert_eq!(cache.to_string(), "q8_0/turbo4");
        assert_eq!(KvCache::F16.to_string(), "f16");
    }

    #[test]
    fn a_mistyped_type_gets_a_proposal() {
        let error = KvCache::parse("fp8_e4m").unwrap_err();
        assert_eq!(error.nearest, Some("fp8_e4m3"));
        assert!(KvCache::parse("q8_0/").is_err());
    }
}
