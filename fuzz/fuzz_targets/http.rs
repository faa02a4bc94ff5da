#![no_main]

#[path = "../../crates/driver/tests/it/any_bytes.rs"]
mod any_bytes;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_bytes::http(input));
