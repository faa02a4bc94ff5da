//! What holds for any model file.
//!
//! The fuzz targets `config`, `gguf` and `safetensors` include this file and look for bytes that
//! break it; the tests of `corpus` take those that are kept.

use std::io::Cursor;

use tokmark_catalog::read::{
    read_config, read_gguf, read_safetensors, read_safetensors_index, spec_of_gguf,
};
use tokmark_catalog::{KvCache, ModelSpec};

/// A configuration is a model with finite figures, or refused in words.
pub(crate) fn config(text: &[u8]) {
    match read_config(text, None) {
        Ok(spec) => finite(&spec),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    // The same bytes as the file beside a good one.
    let good = br#"{"hidden_size":64,"intermediate_size":128,"num_hidden_layers":2,
        "num_attention_heads":4,"vocab_size":100,"num_experts":4,"num_experts_per_tok":2}"#;
    if let Ok(spec) = read_config(good, Some(text)) {
        finite(&spec);
    }
}

/// A GGUF header is read, and what was read is a model with finite figures, or refused.
pub(crate) fn gguf(bytes: &[u8]) {
    match read_gguf(Cursor::new(bytes)) {
        Ok(file) => {
            // Each tensor takes at least 24 bytes of the header, each pair 13.
            assert!(file.tensors.len() * 24 + file.metadata.len() * 13 <= bytes.len());
            if let Ok(spec) = spec_of_gguf(&[file]) {
                finite(&spec);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A safetensors header has no tensor beyond the end of the file; an index no file elsewhere.
pub(crate) fn safetensors(bytes: &[u8]) {
    if let Ok(file) = read_safetensors(Cursor::new(bytes)) {
        for tensor in file.tensors.values() {
            assert!(usize::try_from(tensor.bytes).unwrap() <= bytes.len());
        }
    }
    if let Ok(index) = read_safetensors_index(bytes) {
        for name in &index.files {
            let folder = std::path::Path::new("folder");
            assert_eq!(folder.join(name).parent(), Some(folder), "{name}");
        }
    }
}

fn finite(spec: &ModelSpec) {
    for figure in [
        spec.parameters(),
        spec.active_parameters(),
        spec.weights.bytes(),
        spec.state_bytes(),
        spec.kv_bytes(1e6, KvCache::F16),
        spec.kv_read_bytes(1e6, KvCache::F16),
        spec.attention_operations(1e6),
        spec.prefill_attention_operations(1e6, 1e6),
    ] {
        assert!(figure.is_finite() && figure >= 0.0, "{figure}");
    }
}
