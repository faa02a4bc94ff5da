//! The kept inputs of a fuzz target, for the tests that check them without the fuzzer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Calls `check` with every input that is kept for `target`, and fails with the name of the one
/// that did not pass.
pub(crate) fn corpus(target: &str, check: impl Fn(&[u8])) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus");
    let folder = Path::new(root).join(target);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let input = std::fs::read(&file).unwrap();
        let checked = catch_unwind(AssertUnwindSafe(|| check(&input)));
        assert!(checked.is_ok(), "{} does not pass", file.display());
    }
}
