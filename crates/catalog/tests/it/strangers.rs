//! Random, cut and altered files: every one is read or refused, none panics or takes the memory.

use std::io::Cursor;

use proptest::prelude::*;
use tokmark_catalog::read::{read_config, read_gguf, read_safetensors, read_safetensors_index};

use crate::any_bytes;
use crate::gguf::llama;
use crate::safetensors::file;

/// A header that has everything, as bytes.
fn gguf() -> Vec<u8> {
    llama().bytes(3)
}

fn config() -> String {
    serde_json::json!({
        "model_type": "qwen3_next", "hidden_size": 64, "intermediate_size": 128,
        "moe_intermediate_size": 32, "num_experts": 8, "num_experts_per_tok": 2,
        "decoder_sparse_step": 1, "full_attention_interval": 2, "num_hidden_layers": 4,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 100,
        "linear_conv_kernel_dim": 4, "linear_key_head_dim": 16, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_value_head_dim": 16, "sliding_window": 128,
        "quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {
            "targets": ["Linear"], "weights": {"num_bits": 4, "group_size": 32, "type": "int"}}},
            "ignore": ["lm_head", "re:.*gate.*"]}
    })
    .to_string()
}

#[test]
fn every_cut_of_a_gguf_header_is_refused() {
    let whole = gguf();
    assert!(read_gguf(Cursor::new(whole.clone())).is_ok());
    for length in 0..whole.len() {
        assert!(
            read_gguf(Cursor::new(&whole[..length])).is_err(),
            "{length}"
        );
    }
}

#[test]
fn every_cut_of_a_config_is_refused() {
    let whole = config();
    assert!(read_config(whole.as_bytes(), None).is_ok());
    for length in 0..whole.len() {
        assert!(
            read_config(&whole.as_bytes()[..length], None).is_err(),
            "{length}"
        );
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{{\"text_config\":{}", "[".repeat(200_000));
    assert!(read_config(deep.as_bytes(), None).is_err());
    let header = "{\"a\":".repeat(10_000);
    assert!(read_safetensors(Cursor::new(file(&header, 0))).is_err());
    assert!(read_safetensors_index(deep.as_bytes()).is_err());
}

proptest! {
    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        any_bytes::config(&bytes);
        prop_assert!(read_safetensors_index(&bytes).is_err());
        let mut after_magic = b"GGUF\x03\0\0\0".to_vec();
        after_magic.extend(&bytes);
        any_bytes::gguf(&after_magic);
        any_bytes::gguf(&bytes);
        any_bytes::safetensors(&bytes);
    }

    #[test]
    fn an_altered_gguf_header_is_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = gguf();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        any_bytes::gguf(&bytes);
    }

    #[test]
    fn altered_numbers_of_a_config_are_read_or_refused(
        field in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just("0".to_owned()), Just("-1".to_owned()), Just("1e300".to_owned()),
            Just("18446744073709551615".to_owned()), Just("null".to_owned()), Just("[]".to_owned()),
            Just("\"x\"".to_owned()), Just("true".to_owned()), (0_u32..70_000).prop_map(|n| n.to_string()),
        ],
    ) {
        let mut config: serde_json::Value = serde_json::from_str(&config()).unwrap();
        let map = config.as_object_mut().unwrap();
        let names: Vec<String> = map.keys().cloned().collect();
        let name = names[field.index(names.len())].clone();
        map.insert(name, serde_json::from_str(&value).unwrap());
        any_bytes::config(config.to_string().as_bytes());
    }

    #[test]
    fn an_altered_safetensors_header_is_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
        let mut bytes = file(header, 8);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        any_bytes::safetensors(&bytes);
    }
}
