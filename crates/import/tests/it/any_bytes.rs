//! What holds for any file that is offered for import.
//!
//! The fuzz target `import` includes this file and looks for bytes that break it; the tests of
//! `corpus` take those that are kept.

use tokmark_import::import;
use tokmark_run_format::{read_document, write_document};

/// A file is imported or refused in words; what was imported is a document like any other, and the
/// same file gives the same one.
pub(crate) fn file(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    match import(&text) {
        Ok(runs) => {
            for run in &runs {
                let written = write_document(run).unwrap();
                let again = read_document(&written).unwrap();
                assert_eq!(&again, run);
                assert!(run.source.is_some(), "the original is kept");
            }
            assert_eq!(import(&text).ok().as_ref(), Some(&runs));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
