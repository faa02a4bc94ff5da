//! The file that is imported: its text, its JSON when it is JSON, its hash.

use std::borrow::Cow;

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
    /// The lines of a file that has a JSON object on each; empty for other text.
    lines: Vec<Value>,
}

impl<'a> Source<'a> {
    /// Takes a file's text. Text that begins like JSON must be JSON, or JSON Lines: a cut file is
    /// told apart from an unknown format.
    pub(crate) fn new(text: &'a str) -> Result<Self, ImportError> {
        let body = text.trim_start_matches('\u{feff}');
        let source = |json, lines| Self { text, json, lines };
        if !body.trim_start().starts_with(['{', '[']) {
            return Ok(source(None, Vec::new()));
        }
        let plain = plain_json(body);
        let error = match serde_json::from_str(&plain) {
            Ok(value) => return Ok(source(Some(value), Vec::new())),
            Err(error) => error,
        };
        match lines(&plain) {
            Some(Ok(lines)) => Ok(source(None, lines)),
            Some(Err(error)) => Err(error),
            None => Err(not_json(error)),
        }
    }

    /// The file's text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Bytes of the file.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
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

    /// The results of formats that write one object for each: one alone, a list, or lines.
    pub(crate) fn records(&self) -> &[Value] {
        match &self.json {
            Some(Value::Array(items)) => items,
            Some(object) => std::slice::from_ref(object),
            None => &self.lines,
        }
    }

    /// Whether the first of those results has these fields.
    pub(crate) fn records_have(&self, fields: &[&str]) -> bool {
        self.records()
            .first()
            .is_some_and(|record| fields.iter().all(|field| record.get(field).is_some()))
    }

    /// What the file looks like, for a person whose file cannot be read.
    pub(crate) fn looks_like(&self) -> String {
        let named = |value: &Value| match value {
            Value::Object(fields) if fields.is_empty() => "an empty JSON object".to_owned(),
            Value::Object(fields) => {
                let shown: Vec<String> = fields
                    .keys()
                    .take(5)
                    .map(|name| format!("`{}`", name.chars().take(40).collect::<String>()))
                    .collect();
                let more = if fields.len() > 5 { ", …" } else { "" };
                format!("a JSON object with {}{more}", shown.join(", "))
            }
            Value::Array(items) if items.is_empty() => "an empty JSON list".to_owned(),
            _ => "a JSON value".to_owned(),
        };
        match (&self.json, self.lines.first()) {
            (Some(Value::Array(items)), _) if !items.is_empty() => {
                let first = items.first().map(named).unwrap_or_default();
                format!("a JSON list, its first item {first}")
            }
            (Some(value), _) => named(value),
            (None, Some(first)) => format!("JSON Lines, the first {}", named(first)),
            (None, None) if self.text.trim().is_empty() => "an empty file".to_owned(),
            (None, None) => table_head(self.text).unwrap_or_else(|| "text".to_owned()),
        }
    }

    /// An identity that the same file always gets: the first 16 bytes of its SHA-256 in the
    /// base32 that every run identity uses, 26 characters.
    pub(crate) fn id(&self) -> String {
        identity(&Sha256::digest(self.text))
    }

    /// The identity of one of several documents of a file.
    pub(crate) fn id_of(&self, index: usize) -> String {
        let whole = Sha256::digest(self.text);
        let mut hash = Sha256::new();
        hash.update(whole);
        hash.update(index.to_string());
        identity(&hash.finalize())
    }

    /// The origin as the document keeps it.
    pub(crate) fn origin(&self, format: &str) -> ImportSource {
        let original = match &self.json {
            Some(json) => json.clone(),
            None if !self.lines.is_empty() => Value::Array(self.lines.clone()),
            None => Value::String(self.text.to_owned()),
        };
        ImportSource {
            format: format.to_owned(),
            sha256: HEXLOWER.encode(&Sha256::digest(self.text)),
            original: redact::original(original),
        }
    }
}

/// A table by its first line: columns with commas between them.
fn table_head(text: &str) -> Option<String> {
    let names: Vec<&str> = text.lines().next()?.split(',').map(str::trim).collect();
    let shown: Vec<String> = names
        .iter()
        .take(5)
        .map(|name| format!("`{}`", name.chars().take(40).collect::<String>()))
        .collect();
    let more = if names.len() > 5 { ", …" } else { "" };
    (names.len() > 1).then(|| format!("a table with the columns {}{more}", shown.join(", ")))
}

fn identity(hash: &[u8]) -> String {
    BASE32_DNSSEC.encode(hash.get(..16).unwrap_or_default())
}

fn not_json(source: serde_json::Error) -> ImportError {
    ImportError::NotJson {
        line: source.line(),
        column: source.column(),
        source,
    }
}

/// The objects of JSON Lines. `None` when the first line is no object by itself; an error when a
/// later one is not.
fn lines(text: &str) -> Option<Result<Vec<Value>, ImportError>> {
    let mut read = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => read.push(value),
            Ok(_) | Err(_) if read.is_empty() => return None,
            Ok(_) => {
                return Some(Err(ImportError::Line {
                    line: index + 1,
                    source: None,
                }));
            }
            Err(source) => {
                let source = Some(source);
                return Some(Err(ImportError::Line {
                    line: index + 1,
                    source,
                }));
            }
        }
    }
    (!read.is_empty()).then_some(Ok(read))
}

/// Python writes NaN and Infinity, which no JSON has: here they become texts.
fn plain_json(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let taken = if here.starts_with('"') {
            let end = string_end(here);
            out.push_str(here.get(..end).unwrap_or(here));
            end
        } else if let Some(word) = WORDS.iter().find(|word| here.starts_with(**word)) {
            out.push('"');
            out.push_str(word);
            out.push('"');
            word.len()
        } else {
            out.push_str(here.get(..1).unwrap_or_default());
            1
        };
        rest = here.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of a JSON string with its quotes; of all the text when it does not end.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_numbers_become_texts() {
        let given = r#"{"a": NaN, "b NaN \" Infinity": [-Infinity,Infinity, -1], "c": "NaN"}"#;
        let expect =
            r#"{"a": "NaN", "b NaN \" Infinity": ["-Infinity","Infinity", -1], "c": "NaN"}"#;
        assert_eq!(plain_json(given), expect);
        assert_eq!(plain_json("{\"open: NaN"), "{\"open: NaN");
    }

    #[test]
    fn lines_are_objects() {
        let read = |text: &str| Source::new(text).map(|source| source.records().len());
        assert_eq!(read("{\"a\":1}\n\n{\"a\":2}\n").unwrap(), 2);
        assert_eq!(read("[{\"a\":1}, {\"a\":2}]").unwrap(), 2);
        assert_eq!(read("{\"a\":1}").unwrap(), 1);
        assert_eq!(read("words").unwrap(), 0);
        let cut = read("{\"a\":1}\n{\"a\":").unwrap_err();
        assert_eq!(cut.to_string(), "line 2 is cut off or damaged");
    }
}
