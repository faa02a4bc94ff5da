//! Inputs that the fuzz targets kept, checked in every test run: CONTRIBUTING.md, section Fuzz.

use crate::any_bytes;

#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[test]
fn kept_inputs_of_metrics() {
    replay::corpus("metrics", any_bytes::metrics);
}

#[test]
fn kept_inputs_of_address() {
    replay::corpus("address", any_bytes::address);
}
