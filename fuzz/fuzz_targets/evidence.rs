#![no_main]

#[path = "../../crates/run-format/tests/it/any_bytes.rs"]
mod any_bytes;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_bytes::evidence(input));
