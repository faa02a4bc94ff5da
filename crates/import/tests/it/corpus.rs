//! Inputs that the fuzz targets kept, checked in every test run: CONTRIBUTING.md, section Fuzz.

use crate::any_bytes;

#[path = "../../../../fuzz/replay.rs"]
mod replay;

#[test]
fn kept_inputs_of_import() {
    replay::corpus("import", any_bytes::file);
}
