#![no_main]

#[path = "../../crates/catalog/tests/it/any_bytes.rs"]
#[expect(dead_code, reason = "the file holds the checks of three targets")]
mod any_bytes;
mod json;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_bytes::config(input));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    json::mutate(data, size, max_size, seed)
});
