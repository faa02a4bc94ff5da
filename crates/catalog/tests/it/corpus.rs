//! Inputs that the fuzz targets kept, checked in every test run: CONTRIBUTING.md, section Fuzz.

use crate::any_bytes;

#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[test]
fn kept_inputs_of_config() {
    replay::corpus("config", any_bytes::config);
}

#[test]
fn kept_inputs_of_gguf() {
    replay::corpus("gguf", any_bytes::gguf);
}

#[test]
fn kept_inputs_of_safetensors() {
    replay::corpus("safetensors", any_bytes::safetensors);
}
