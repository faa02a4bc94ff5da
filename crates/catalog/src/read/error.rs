//! Why a model file was not read.

use std::io;

/// Why a model file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The source could not be read.
    #[error("the file cannot be read")]
    Io(#[source] io::Error),
    /// It ends before something that it announces.
    #[error("{what} needs {wanted} bytes, the file has {left} left")]
    Truncated {
        /// What is cut off.
        what: &'static str,
        /// Bytes that it should have.
        wanted: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// It is another kind of file.
    #[error("this is no {expected} file")]
    OtherFormat {
        /// What it should have been.
        expected: &'static str,
    },
    /// A version that cannot be read.
    #[error("version {version} of {format} is not supported")]
    Version {
        /// The format.
        format: &'static str,
        /// The version that the file states.
        version: u32,
    },
    /// A length or count beyond what any model has.
    #[error("{what} is {given}, more than {most}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// What the file states.
        given: u64,
        /// The bound.
        most: u64,
    },
    /// Not JSON, or JSON of another shape.
    #[error("the JSON cannot be read")]
    Json(#[source] serde_json::Error),
    /// A field without which nothing can be said.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: String,
    },
    /// A field that holds something else than it should.
    #[error("`{field}` is `{given}`, not {wanted}")]
    Wrong {
        /// The field.
        field: String,
        /// What it holds, shortened.
        given: String,
        /// What it should hold.
        wanted: &'static str,
    },
    /// A word or number whose meaning is not known here.
    #[error("{what} `{given}` is not known")]
    Unknown {
        /// What kind of thing it names.
        what: &'static str,
        /// The word, shortened.
        given: String,
    },
    /// Parts of the file contradict each other.
    #[error("{what}")]
    Contradiction {
        /// What contradicts what.
        what: String,
    },
}

impl ReadError {
    pub(crate) fn unknown(what: &'static str, given: &str) -> Self {
        Self::Unknown {
            what,
            given: shortened(given),
        }
    }

    pub(crate) fn wrong(field: &str, given: &str, wanted: &'static str) -> Self {
        Self::Wrong {
            field: shortened(field),
            given: shortened(given),
            wanted,
        }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::Missing {
            field: shortened(field),
        }
    }

    pub(crate) fn contradiction(what: impl Into<String>) -> Self {
        Self::Contradiction { what: what.into() }
    }
}

/// A stranger's text, short enough for a message.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}
