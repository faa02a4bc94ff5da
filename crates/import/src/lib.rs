//! Other tools' result files as run documents.
//!
//! The format is told by the content, never by a file's name. What a source states is carried over
//! as it is; what it does not state stays `null`. The original is kept inside the document with
//! secrets and private names removed, and its SHA-256 beside it.

mod error;
mod example_page;
mod figure;
mod launch;
mod redact;
mod source;

use tokmark_run_format::RunDocument;

pub use error::ImportError;

use source::Source;

/// One format that can be read. A new one is a row of [`FORMATS`].
struct Format {
    /// Its name for people, also stored in the document.
    name: &'static str,
    /// Whether a file is of this format.
    recognises: fn(&Source<'_>) -> bool,
    /// Reads it.
    read: fn(&Source<'_>) -> Result<Vec<RunDocument>, ImportError>,
}

/// The formats, in the order in which they are tried.
const FORMATS: &[Format] = &[Format {
    name: example_page::FORMAT,
    recognises: example_page::recognises,
    read: example_page::read,
}];

/// The names of the formats that can be read.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

/// Reads a result file of another tool. One file may hold several runs.
pub fn import(text: &str) -> Result<Vec<RunDocument>, ImportError> {
    let source = Source::new(text)?;
    if source.is_tokmark_run() {
        return Err(ImportError::AlreadyARun);
    }
    let format = FORMATS
        .iter()
        .find(|format| (format.recognises)(&source))
        .ok_or_else(ImportError::unknown_format)?;
    (format.read)(&source)
}
