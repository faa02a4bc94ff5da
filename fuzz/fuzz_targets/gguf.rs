#![no_main]

#[path = "../../crates/catalog/tests/it/any_bytes.rs"]
#[expect(dead_code, reason = "the file holds the checks of three targets")]
mod any_bytes;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_bytes::gguf(input));
