//! What a control request brought back.

use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;
use tokmark_openai_stream::reply::Secrets;

/// Characters of an unexpected answer that are shown to a person.
const SHOWN_CHARACTERS: usize = 200;

/// What the server answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: StatusCode,
    /// The `Server` header.
    pub server: Option<String>,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The `Location` header of a redirection.
    pub location: Option<String>,
    /// The body, whole and unpacked.
    pub body: Bytes,
    /// What no message may hold.
    pub(crate) secrets: Secrets,
}

impl Answer {
    /// The body as JSON, if it is JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The body as JSON if the status says success.
    pub fn success_json(&self) -> Option<Value> {
        self.status
            .is_success()
            .then(|| self.json())
            .flatten()
            .filter(|value| !value.is_null())
    }

    /// Whether this is a web page rather than an answer of an API.
    pub fn is_html(&self) -> bool {
        let typed = self
            .content_type
            .as_deref()
            .is_some_and(|kind| kind.trim_start().starts_with("text/html"));
        typed || looks_like_html(&self.body)
    }

    /// The first characters of the body on one line, for a message to a person.
    pub fn shown(&self) -> String {
        shown(&self.safe_body())
    }

    /// The body without the user's own header values, which servers repeat in their errors.
    pub(crate) fn safe_body(&self) -> Vec<u8> {
        let text = String::from_utf8_lossy(&self.body);
        self.secrets.redact(&text).into_owned().into_bytes()
    }
}

/// Whether a body begins as a web page does.
pub(crate) fn looks_like_html(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    [b"<!doctype".as_slice(), b"<html", b"<head", b"<body"]
        .iter()
        .any(|tag| {
            start
                .get(..tag.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(tag))
        })
}

/// The first characters of a body on one line.
pub(crate) fn shown(body: &[u8]) -> String {
    // Four bytes are the most that one UTF-8 character takes.
    let head = body.get(..SHOWN_CHARACTERS * 4).unwrap_or(body);
    String::from_utf8_lossy(head)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|character| !character.is_control())
        .take(SHOWN_CHARACTERS)
        .collect()
}
