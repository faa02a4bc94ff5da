//! GGUF headers, written here and read again.

use std::io::Cursor;

use tokmark_catalog::read::{GgufFile, GgufValue, ReadError, read_gguf, spec_of_gguf};
use tokmark_catalog::spec::{CacheShape, Experts, Recurrent};
use tokmark_catalog::{KvCache, ModelSpec};

/// Writes a header, and as many zeros behind it as are asked for.
#[derive(Default)]
pub(crate) struct Writer {
    pairs: Vec<Vec<u8>>,
    tensors: Vec<Vec<u8>>,
}

fn text(value: &str) -> Vec<u8> {
    let mut bytes = (value.len() as u64).to_le_bytes().to_vec();
    bytes.extend(value.as_bytes());
    bytes
}

impl Writer {
    pub(crate) fn raw(mut self, key: &str, kind: u32, value: &[u8]) -> Self {
        let mut bytes = text(key);
        bytes.extend(kind.to_le_bytes());
        bytes.extend(value);
        self.pairs.push(bytes);
        self
    }

    pub(crate) fn number(self, key: &str, value: u32) -> Self {
        self.raw(key, 4, &value.to_le_bytes())
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        let value = text(value);
        self.raw(key, 8, &value)
    }

    fn numbers(self, key: &str, values: &[u32]) -> Self {
        let mut bytes = 4_u32.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.raw(key, 9, &bytes)
    }

    fn words(self, key: &str, count: usize) -> Self {
        let mut bytes = 8_u32.to_le_bytes().to_vec();
        bytes.extend((count as u64).to_le_bytes());
        bytes.extend((0..count).flat_map(|word| text(&format!("w{word}"))));
        self.raw(key, 9, &bytes)
    }

    pub(crate) fn tensor(mut self, name: &str, dimensions: &[u64], kind: u32) -> Self {
        let mut bytes = text(name);
        bytes.extend((dimensions.len() as u32).to_le_bytes());
        bytes.extend(
            dimensions
                .iter()
                .flat_map(|dimension| dimension.to_le_bytes()),
        );
        bytes.extend(kind.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
        self.tensors.push(bytes);
        self
    }

    pub(crate) fn bytes(&self, version: u32) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend((self.tensors.len() as u64).to_le_bytes());
        bytes.extend((self.pairs.len() as u64).to_le_bytes());
        bytes.extend(self.pairs.iter().flatten());
        bytes.extend(self.tensors.iter().flatten());
        bytes
    }

    fn read(&self) -> GgufFile {
        read_gguf(Cursor::new(self.bytes(3))).unwrap()
    }

    fn spec(&self) -> ModelSpec {
        spec_of_gguf(&[self.read()]).unwrap()
    }
}

const F32: u32 = 0;
const Q8_0: u32 = 8;
const Q4_K: u32 = 12;
const Q6_K: u32 = 14;

/// Two blocks of a dense model with grouped queries.
pub(crate) fn llama() -> Writer {
    let mut writer = Writer::default()
        .text("general.architecture", "llama")
        .text("general.name", "Small")
        .number("llama.block_count", 2)
        .number("llama.context_length", 8192)
        .number("llama.embedding_length", 512)
        .number("llama.attention.head_count", 8)
        .number("llama.attention.head_count_kv", 2)
        .words("tokenizer.ggml.tokens", 1000)
        .tensor("token_embd.weight", &[512, 1000], Q4_K)
        .tensor("output.weight", &[512, 1000], Q6_K)
        .tensor("output_norm.weight", &[512], F32);
    for block in 0..2 {
        let name = |part: &str| format!("blk.{block}.{part}.weight");
        writer = writer
            .tensor(&name("attn_q"), &[512, 512], Q4_K)
            .tensor(&name("attn_k"), &[512, 128], Q4_K)
            .tensor(&name("attn_v"), &[512, 128], Q6_K)
            .tensor(&name("attn_output"), &[512, 512], Q4_K)
            .tensor(&name("ffn_gate"), &[512, 1536], Q4_K)
            .tensor(&name("ffn_up"), &[512, 1536], Q4_K)
            .tensor(&name("ffn_down"), &[1536, 512], Q6_K);
    }
    writer
}

#[test]
fn a_dense_file() {
    for version in [2, 3] {
        let file = read_gguf(Cursor::new(llama().bytes(version))).unwrap();
        assert_eq!((file.version, file.tensors.len()), (version, 17));
        assert_eq!(
            (file.architecture(), file.name()),
            (Some("llama"), Some("Small"))
        );
        assert_eq!(
            file.metadata["tokenizer.ggml.tokens"],
            GgufValue::Length(1000)
        );
    }
    let spec = llama().spec();
    assert_eq!((spec.blocks, spec.hidden, spec.vocabulary), (2, 512, 1000));
    assert_eq!(spec.max_context_tokens, Some(8192));
    assert!(!spec.tied_embeddings);
    assert_eq!(spec.quantization.as_deref(), Some("Q4_K"));
    assert_eq!(spec.attention.len(), 1);
    let heads = CacheShape::Heads {
        kv_heads: 2,
        key_dim: 64,
        value_dim: 64,
    };
    assert_eq!(
        (spec.attention[0].layers, spec.attention[0].cache),
        (2, heads)
    );
    assert!((spec.kv_bytes_per_token(KvCache::F16) - 2.0 * 2.0 * 2.0 * 64.0 * 2.0).abs() < 1e-9);
    // 512,000 weights in blocks of 256: 144 bytes as Q4_K, 210 as Q6_K.
    assert_eq!(
        (spec.weights.embedding.bytes, spec.weights.head.bytes),
        (288_000.0, 420_000.0)
    );
    let four = 512 * (512 + 128 + 512 + 1536 + 1536) / 256 * 144;
    let six = 512 * (128 + 1536) / 256 * 210;
    let expect = f64::from(2 * (four + six) + 512 * 4);
    assert_eq!(spec.weights.dense.bytes, expect);
    assert_eq!(spec.weights.experts.bytes, 0.0);
}

#[test]
fn a_table_that_is_the_head_too() {
    let spec = Writer::default()
        .text("general.architecture", "qwen3")
        .number("qwen3.block_count", 1)
        .number("qwen3.embedding_length", 256)
        .number("qwen3.attention.head_count", 4)
        .number("qwen3.attention.head_count_kv", 2)
        .number("qwen3.attention.key_length", 128)
        .number("qwen3.attention.value_length", 128)
        .tensor("token_embd.weight", &[256, 100], Q8_0)
        .tensor("blk.0.attn_k.weight", &[256, 256], Q8_0)
        .spec();
    assert!(spec.tied_embeddings);
    assert_eq!(spec.weights.embedding.bytes, 0.0);
    assert_eq!(spec.weights.head.bytes, 256.0 * 100.0 / 32.0 * 34.0);
    assert!((spec.kv_bytes_per_token(KvCache::F16) - 1024.0).abs() < 1e-9);
}

#[test]
fn experts_hybrids_and_heads_for_drafting() {
    let mut writer = Writer::default()
        .text("general.architecture", "qwen3next")
        .number("qwen3next.block_count", 5)
        .number("qwen3next.nextn_predict_layers", 1)
        .number("qwen3next.embedding_length", 512)
        .number("qwen3next.attention.head_count", 4)
        .number("qwen3next.attention.head_count_kv", 1)
        .number("qwen3next.attention.key_length", 256)
        .number("qwen3next.attention.value_length", 256)
        .number("qwen3next.expert_count", 64)
        .number("qwen3next.expert_used_count", 4)
        .number("qwen3next.ssm.conv_kernel", 4)
        .number("qwen3next.ssm.state_size", 128)
        .number("qwen3next.ssm.group_count", 4)
        .number("qwen3next.ssm.time_step_rank", 8)
        .number("qwen3next.ssm.inner_size", 1024)
        .tensor("token_embd.weight", &[512, 100], Q8_0)
        .tensor("output.weight", &[512, 100], Q8_0);
    for block in 0..5 {
        let name = |part: &str| format!("blk.{block}.{part}.weight");
        writer = if block >= 3 {
            writer.tensor(&name("attn_k"), &[512, 256], Q8_0)
        } else {
            writer.tensor(&name("attn_qkv"), &[512, 2048], Q8_0).tensor(
                &name("ssm_out"),
                &[1024, 512],
                Q8_0,
            )
        };
        writer = writer
            .tensor(&name("ffn_up_exps"), &[512, 128, 64], Q8_0)
            .tensor(&name("ffn_up_shexp"), &[512, 128], Q8_0);
    }
    let spec = writer.spec();
    assert_eq!(spec.blocks, 4);
    assert_eq!(
        spec.experts,
        Some(Experts {
            layers: 4,
            experts: 64,
            per_token: 4
        })
    );
    assert_eq!(spec.attention_layers(), 1);
    let expect = Recurrent {
        layers: 3,
        heads: 8,
        key_dim: 128,
        value_dim: 128,
        convolution_channels: 2048,
        kernel: 4,
    };
    assert_eq!(spec.recurrent, [expect]);
    let block = |weights: u32| f64::from(weights / 32 * 34);
    assert_eq!(spec.weights.experts.bytes, 4.0 * block(512 * 128 * 64));
    let other = block(512 * 256) + block(512 * 128 * 64) + block(512 * 128);
    assert_eq!(spec.weights.other.bytes, other);
}

#[test]
fn latent_attention_and_windows() {
    let latent = Writer::default()
        .text("general.architecture", "deepseek2")
        .number("deepseek2.block_count", 1)
        .number("deepseek2.embedding_length", 512)
        .number("deepseek2.attention.head_count", 16)
        .number("deepseek2.attention.head_count_kv", 1)
        .number("deepseek2.attention.kv_lora_rank", 512)
        .number("deepseek2.attention.key_length", 576)
        .number("deepseek2.attention.value_length", 512)
        .number("deepseek2.attention.key_length_mla", 192)
        .number("deepseek2.attention.value_length_mla", 128)
        .number("deepseek2.rope.dimension_count", 64)
        .tensor("token_embd.weight", &[512, 100], Q8_0)
        .tensor("blk.0.attn_kv_a_mqa.weight", &[512, 576], Q8_0)
        .spec();
    let expect = CacheShape::Latent {
        rank: 512,
        rope_dim: 64,
        key_dim: 192,
        value_dim: 128,
    };
    assert_eq!(latent.attention[0].cache, expect);

    let mut gemma = Writer::default()
        .text("general.architecture", "gemma3")
        .number("gemma3.block_count", 12)
        .number("gemma3.embedding_length", 512)
        .numbers("gemma3.attention.head_count", &[4; 12])
        .numbers("gemma3.attention.head_count_kv", &[2; 12])
        .number("gemma3.attention.sliding_window", 1024)
        .tensor("token_embd.weight", &[512, 100], Q8_0);
    for block in 0..12 {
        gemma = gemma.tensor(&format!("blk.{block}.attn_k.weight"), &[512, 256], Q8_0);
    }
    let layers: Vec<(u32, Option<u64>)> = gemma
        .spec()
        .attention
        .iter()
        .map(|group| (group.layers, group.window_tokens))
        .collect();
    assert_eq!(layers, [(10, Some(1024)), (2, None)]);
}

#[test]
fn a_split_model_needs_all_its_files() {
    let whole = llama();
    let first = Writer {
        pairs: whole.pairs,
        tensors: Vec::new(),
    }
    .raw("split.count", 2, &2_u16.to_le_bytes());
    let second = Writer {
        pairs: Vec::new(),
        tensors: whole.tensors,
    };
    let files = [second.read(), first.read()];
    assert_eq!(spec_of_gguf(&files).unwrap(), llama().spec());
    assert_eq!(
        spec_of_gguf(&files[1..]).unwrap_err().to_string(),
        "the model is split into 2 files, 1 are given"
    );
}

fn check(bytes: Vec<u8>, expect: &str) {
    let error = read_gguf(Cursor::new(bytes)).unwrap_err();
    assert_eq!(error.to_string(), expect);
}

#[test]
fn bad_headers_are_refused() {
    check(Vec::new(), "this is no GGUF file");
    check(b"GGML....".to_vec(), "this is no GGUF file");
    check(
        b"GGUF".to_vec(),
        "the version needs 4 bytes, the file has 0 left",
    );
    check(llama().bytes(1), "version 1 of GGUF is not supported");
    check(
        llama().bytes(3_u32.swap_bytes()),
        "the byte order `big-endian` is not known",
    );
    let header = |tensors: u64, pairs: u64| {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(tensors.to_le_bytes());
        bytes.extend(pairs.to_le_bytes());
        bytes
    };
    check(
        header(u64::MAX, 0),
        "the number of tensors is 18446744073709551615, more than 262144",
    );
    check(
        header(0, 1 << 40),
        "the number of metadata pairs is 1099511627776, more than 65536",
    );
    check(header(0, 1), "a key needs 8 bytes, the file has 0 left");
    let mut long_key = header(0, 1);
    long_key.extend((1_u64 << 60).to_le_bytes());
    check(long_key, "a key is 1152921504606846976, more than 65536");
}

#[test]
fn bad_values_are_refused() {
    let with = |kind: u32, value: &[u8]| Writer::default().raw("k", kind, value).bytes(3);
    check(with(13, &[]), "the type of a value `13` is not known");
    let list = |kind: u32, length: u64| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend(length.to_le_bytes());
        bytes
    };
    check(with(9, &list(9, 1)), "the type of a list `9` is not known");
    check(
        with(9, &list(4, 1 << 50)),
        "the length of a list is 1125899906842624, more than 67108864",
    );
    check(
        with(9, &list(4, 1 << 20)),
        "a list needs 4194304 bytes, the file has 0 left",
    );
    check(
        with(9, &list(8, 1 << 20)),
        "a text in a list needs 8 bytes, the file has 0 left",
    );
    let tensor =
        |dimensions: &[u64], kind| Writer::default().tensor("t", dimensions, kind).bytes(3);
    check(
        tensor(&[1; 9], 0),
        "the number of dimensions is 9, more than 8",
    );
    check(
        tensor(&[1 << 40, 1 << 40], 0),
        "`dimensions` is `t`, not a size that fits into 64 bits",
    );
    check(tensor(&[32], 4), "the tensor type `4` is not known");
    check(
        tensor(&[32], 31_337),
        "the tensor type `31337` is not known",
    );
}

#[test]
fn what_is_no_model_is_refused() {
    let refused = |writer: Writer| spec_of_gguf(&[writer.read()]).unwrap_err().to_string();
    assert_eq!(
        refused(Writer::default()),
        "`general.architecture` is missing"
    );
    let clip = Writer::default().text("general.architecture", "clip");
    assert_eq!(refused(clip), "this is no language model file");
    let bare = Writer::default().text("general.architecture", "llama");
    assert_eq!(refused(bare), "`llama.block_count` is missing");
    let many = Writer::default()
        .text("general.architecture", "llama")
        .number("llama.block_count", 5000);
    assert_eq!(refused(many), "block_count is 5000, more than 2000");
    assert!(matches!(spec_of_gguf(&[]), Err(ReadError::Missing { .. })));
}
