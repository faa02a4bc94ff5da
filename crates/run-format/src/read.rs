//! Reading documents of every released version.

use crate::document::RunDocument;

/// Why a file is not a run document that this program can read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or cut off.
    #[error("not a JSON document (line {line}, column {column})")]
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
        /// What the reader said.
        #[source]
        source: serde_json::Error,
    },
    /// JSON without the `format` field of a run document.
    #[error("not a tokmark run: it has no `format` field such as `tokmark-run/1`")]
    NotARun,
    /// A version from the future.
    #[error("this run has format `{found}`, which this version of tokmark cannot read")]
    UnknownVersion {
        /// The `format` field.
        found: String,
    },
    /// A known version with a field of the wrong shape.
    #[error("the run is damaged at `{path}`: {source}")]
    Damaged {
        /// Roughly where: the last field that was read well.
        path: String,
        /// What the reader said.
        #[source]
        source: serde_json::Error,
    },
}

/// Reads a run document of any released version.
pub fn read_document(text: &str) -> Result<RunDocument, ReadError> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|source| ReadError::NotJson {
            line: source.line(),
            column: source.column(),
            source,
        })?;
    let format = value
        .get("format")
        .and_then(serde_json::Value::as_str)
        .ok_or(ReadError::NotARun)?
        .to_owned();
    match format.as_str() {
        crate::FORMAT => read_v1(text),
        _ if format.starts_with("tokmark-run/") => Err(ReadError::UnknownVersion { found: format }),
        _ => Err(ReadError::NotARun),
    }
}

fn read_v1(text: &str) -> Result<RunDocument, ReadError> {
    // From the text rather than the value, so that a fault has its line and column.
    serde_json::from_str(text).map_err(|source| ReadError::Damaged {
        path: format!("line {}, column {}", source.line(), source.column()),
        source,
    })
}
