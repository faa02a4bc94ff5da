//! The file that is imported: its text, its JSON when it is JSON, its hash.

use data_encoding::{BASE32_DNSSEC, HEXLOWER};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokmark_run_format::ImportSource;

use crate::error::ImportError;
use crate::redact;

/// A file to import.
pub(crate) struct Source<'a> {
    text: &'a str,
    /// The whole file as one JSON value; `None` for other text.
    pub(crate) json: Option<Value>,
}

impl<'a> Source<'a> {
    /// Takes a file's text. Text that begins like JSON must be JSON: a cut file is told apart from
    /// an unknown format.
    pub(crate) fn new(text: &'a str) -> Result<Self, ImportError> {
        let body = text.trim_start_matches('\u{feff}');
        let json = match serde_json::from_str(body) {
            Ok(value) => Some(value),
            Err(source) if body.trim_start().starts_with('{') && source.is_eof() => {
                return Err(ImportError::NotJson {
                    line: source.line(),
                    column: source.column(),
                    source,
                });
            }
            Err(_) => None,
        };
        Ok(Self { text, json })
    }

    pub(crate) fn is_tokmark_run(&self) -> bool {
        self.json
            .as_ref()
            .and_then(|json| json.get("format"))
            .and_then(Value::as_str)
            .is_some_and(|format| format.starts_with("tokmark-run/"))
    }

    /// Whether the file is a JSON object with these fields.
    pub(crate) fn has_fields(&self, fields: &[&str]) -> bool {
        self.json
            .as_ref()
            .is_some_and(|json| fields.iter().all(|field| json.get(field).is_some()))
    }

    /// An identity that the same file always gets: the first 16 bytes of its SHA-256 in the
    /// base32 that every run identity uses, 26 characters.
    pub(crate) fn id(&self) -> String {
        let hash = Sha256::digest(self.text);
        BASE32_DNSSEC.encode(hash.get(..16).unwrap_or_default())
    }

    /// The origin as the document keeps it.
    pub(crate) fn origin(&self, format: &str) -> ImportSource {
        let original = self
            .json
            .clone()
            .unwrap_or_else(|| Value::String(self.text.to_owned()));
        ImportSource {
            format: format.to_owned(),
            sha256: HEXLOWER.encode(&Sha256::digest(self.text)),
            original: redact::json(original),
        }
    }
}
