//! Inputs that the fuzz targets kept, checked in every test run: CONTRIBUTING.md, section Fuzz.

use crate::any_bytes;

#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[test]
fn kept_inputs_of_run_file() {
    replay::corpus("run_file", any_bytes::run_file);
}
