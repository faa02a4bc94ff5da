//! Safetensors headers, written here and read again.

use std::io::Cursor;

use serde_json::{Value, json};
use tokmark_catalog::read::{
    SafetensorsFile, read_safetensors, read_safetensors_index, with_tensors,
};

use crate::configs::read;

/// A file with this header, and so many bytes behind it.
pub(crate) fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

fn header(tensors: &[(&str, &str, &[u64], u64)]) -> (String, u64) {
    let mut offset = 0;
    let mut map = serde_json::Map::new();
    map.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    for (name, dtype, shape, bytes) in tensors {
        let range = [offset, offset + bytes];
        offset += bytes;
        map.insert(
            (*name).to_owned(),
            json!({"dtype": dtype, "shape": shape, "data_offsets": range}),
        );
    }
    (Value::Object(map).to_string(), offset)
}

fn of(tensors: &[(&str, &str, &[u64], u64)]) -> SafetensorsFile {
    let (header, data) = header(tensors);
    read_safetensors(Cursor::new(file(&header, data as usize))).unwrap()
}

#[test]
fn a_header_is_read() {
    let file = of(&[
        ("a", "BF16", &[4, 8], 64),
        ("b", "F8_E4M3", &[3], 3),
        ("c", "F4", &[3], 2),
    ]);
    assert_eq!(file.tensors.len(), 3);
    assert_eq!(
        (file.tensors["a"].bytes, file.tensors["b"].shape.clone()),
        (64, vec![3])
    );
}

#[test]
fn bytes_go_to_the_parts() {
    let spec = read(&json!({
        "model_type": "deepseek_v3", "hidden_size": 64, "intermediate_size": 128,
        "moe_intermediate_size": 32, "n_routed_experts": 4, "num_experts_per_tok": 2,
        "first_k_dense_replace": 1, "num_hidden_layers": 2, "num_attention_heads": 4,
        "vocab_size": 100, "tie_word_embeddings": false
    }));
    let parts = [
        of(&[
            ("model.embed_tokens.weight", "BF16", &[100, 64], 12_800),
            (
                "model.layers.0.self_attn.q_proj.weight",
                "BF16",
                &[64, 64],
                8_192,
            ),
            (
                "model.layers.1.mlp.experts.0.up_proj.weight_packed",
                "I32",
                &[32, 8],
                1_024,
            ),
            (
                "model.layers.1.mlp.experts.0.up_proj.weight_scale",
                "BF16",
                &[32, 2],
                128,
            ),
            (
                "model.layers.1.mlp.shared_experts.up_proj.weight",
                "BF16",
                &[32, 64],
                4_096,
            ),
        ]),
        of(&[
            ("lm_head.weight", "BF16", &[100, 64], 12_800),
            ("model.layers.2.eh_proj.weight", "BF16", &[64, 128], 16_384),
            ("model.visual.patch_embed.weight", "BF16", &[8, 8], 128),
        ]),
    ];
    let parameters = spec.parameters();
    let weighed = with_tensors(spec, &parts).unwrap();
    let weights = &weighed.weights;
    assert_eq!(weights.embedding.bytes, 12_800.0);
    assert_eq!(weights.head.bytes, 12_800.0);
    assert_eq!(weights.experts.bytes, 1_152.0);
    assert_eq!(weights.dense.bytes, 8_192.0 + 4_096.0);
    assert_eq!(weights.other.bytes, 16_384.0 + 128.0);
    assert_eq!(weighed.parameters(), parameters);
}

#[test]
fn a_tied_table_counts_once() {
    let config = json!({
        "model_type": "qwen3", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1,
        "num_attention_heads": 4, "vocab_size": 100, "tie_word_embeddings": true
    });
    let table: (&str, &str, &[u64], u64) =
        ("model.embed_tokens.weight", "BF16", &[100, 64], 12_800);
    let copy: (&str, &str, &[u64], u64) = ("lm_head.weight", "BF16", &[100, 64], 12_800);
    for tensors in [vec![table], vec![table, copy], vec![copy]] {
        let weights = with_tensors(read(&config), &[of(&tensors)])
            .unwrap()
            .weights;
        assert_eq!(
            (weights.head.bytes, weights.embedding.bytes),
            (12_800.0, 0.0)
        );
    }
    let error = with_tensors(read(&config), &[]).unwrap_err();
    assert_eq!(error.to_string(), "`tensors` is missing");
}

fn check(bytes: Vec<u8>, expect: &str) {
    assert_eq!(
        read_safetensors(Cursor::new(bytes))
            .unwrap_err()
            .to_string(),
        expect
    );
}

#[test]
fn bad_headers_are_refused() {
    check(
        vec![1, 2],
        "the length of the header needs 8 bytes, the file has 2 left",
    );
    check(
        u64::MAX.to_le_bytes().to_vec(),
        "the header is 18446744073709551615, more than 100000000",
    );
    check(
        1_000_000_u64.to_le_bytes().to_vec(),
        "the header needs 1000000 bytes, the file has 0 left",
    );
    check(file("[]", 0), "this is no safetensors file");
    check(file("{\"a\"", 0), "the JSON cannot be read");
    let one = |dtype: &str, shape: &str, range: &str| {
        file(
            &format!(
                "{{\"a\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":{range}}}}}"
            ),
            8,
        )
    };
    check(
        one("F32", "[2]", "[0,16]"),
        "the data of a tensor needs 16 bytes, the file has 8 left",
    );
    check(
        one("F32", "[2]", "[8,0]"),
        "`data_offsets` is `a`, not a range",
    );
    check(one("F32", "[3]", "[0,8]"), "a tensor of 3 F32 has 8 bytes");
    check(
        one("F32", "[4294967296,4294967296]", "[0,8]"),
        "`shape` is `a`, not a size that fits into 64 bits",
    );
    check(one("F32", "[-1]", "[0,8]"), "the JSON cannot be read");
    check(
        one("F32", &format!("{:?}", vec![1; 17]), "[0,8]"),
        "the number of dimensions is 17, more than 16",
    );
    // A type of a later version is as long as its data.
    assert!(read_safetensors(Cursor::new(one("F6", "[9]", "[0,8]"))).is_ok());
}

#[test]
fn an_index_names_its_files() {
    let index = json!({
        "metadata": {"total_size": 1000},
        "weight_map": {"b": "model-00002-of-00002.safetensors", "a": "model-00001-of-00002.safetensors", "c": "model-00001-of-00002.safetensors"}
    });
    let read = read_safetensors_index(index.to_string().as_bytes()).unwrap();
    assert_eq!((read.total_bytes, read.tensors), (Some(1000), 3));
    assert_eq!(
        read.files,
        [
            "model-00001-of-00002.safetensors",
            "model-00002-of-00002.safetensors"
        ]
    );
}

#[test]
fn an_index_stays_in_its_folder() {
    for name in [
        "../secret",
        "/etc/passwd",
        "a/b",
        "",
        "..",
        "c:x",
        "a\\b",
        ".hidden",
    ] {
        let index = json!({"weight_map": {"a": name}});
        let error = read_safetensors_index(index.to_string().as_bytes()).unwrap_err();
        assert!(
            error.to_string().ends_with("not a file beside the index"),
            "{name}: {error}"
        );
    }
    assert!(read_safetensors_index(b"{}").is_err());
}
