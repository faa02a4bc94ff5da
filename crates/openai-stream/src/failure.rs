//! Why a request failed: methodology section 5.

use crate::chunk::{ErrorText, read_error};

/// Most characters of a server's words that are kept.
const SHOWN: usize = 300;

/// The classes that a person acts on differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// No connection.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// An HTTP status that is not success.
    Http,
    /// 429, or the server's own word for it.
    RateLimited,
    /// Prompt and output exceed what the server takes.
    ContextTooLong,
    /// An error object inside a stream.
    ErrorInStream,
    /// The body ended before the answer did.
    CutStream,
    /// Silence.
    Stalled,
    /// An answer that is neither a stream nor JSON.
    Protocol,
    /// An answer without a token.
    EmptyStream,
}

impl FailureClass {
    /// The word in evidence and document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Http => "http",
            Self::RateLimited => "rate_limited",
            Self::ContextTooLong => "context_too_long",
            Self::ErrorInStream => "error_in_stream",
            Self::CutStream => "cut_stream",
            Self::Stalled => "stalled",
            Self::Protocol => "protocol",
            Self::EmptyStream => "empty_stream",
        }
    }
}

/// A failure with the server's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub class: FailureClass,
    /// HTTP status, when there was one.
    pub status: Option<u16>,
    /// At most 300 characters, without secrets.
    pub message: String,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u64>,
}

impl Failure {
    /// A failure in words.
    pub fn new(class: FailureClass, message: &str) -> Self {
        Self {
            class,
            status: None,
            message: shown(message),
            retry_after: None,
        }
    }
}

/// The failure of an answer whose status is not success.
pub fn of_status(status: u16, body: &[u8], retry_after: Option<u64>) -> Failure {
    let text = String::from_utf8_lossy(body);
    let said = serde_json::from_slice(body)
        .ok()
        .as_ref()
        .and_then(read_error);
    let message = said
        .as_ref()
        .map_or(text.as_ref(), |error| error.message.as_str());
    let class = match status {
        429 => FailureClass::RateLimited,
        400 | 413 | 422 if says_too_long(message, said.as_ref()) => FailureClass::ContextTooLong,
        _ => FailureClass::Http,
    };
    Failure {
        class,
        status: Some(status),
        message: shown(message),
        retry_after,
    }
}

/// The failure of an error object inside a stream.
pub fn in_stream(error: &ErrorText) -> Failure {
    let class = match error.code {
        Some(429) => FailureClass::RateLimited,
        _ if says_too_long(&error.message, Some(error)) => FailureClass::ContextTooLong,
        _ => FailureClass::ErrorInStream,
    };
    Failure {
        class,
        status: error.code,
        message: shown(&error.message),
        retry_after: None,
    }
}

/// The wordings of the servers in the facts sheet, old and new.
const TOO_LONG: [&str; 12] = [
    "maximum context length",
    "context length exceeded",
    "exceeds the available context",
    "longer than the context",
    "longer than the maximum model length",
    "longer than the model's context",
    "must have less than",
    "`inputs` tokens + `max_new_tokens`",
    "input is too long",
    "is too long for",
    "exceeds the maximum",
    "max_seq_len",
];

fn says_too_long(message: &str, error: Option<&ErrorText>) -> bool {
    let kind = error.map_or("", |error| error.kind.as_str());
    if ["exceed_context_size_error", "context_length_exceeded"].contains(&kind) {
        return true;
    }
    let message = message.to_lowercase();
    TOO_LONG.iter().any(|wording| message.contains(wording))
}

/// At most 300 characters, control characters as spaces, keys removed.
pub fn shown(text: &str) -> String {
    let mut words = Vec::new();
    let mut hide_next = false;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let secret = hide_next || ["sk-", "hf_", "tok_"].iter().any(|p| bare.starts_with(p));
        hide_next = bare.eq_ignore_ascii_case("bearer");
        words.push(if secret { "[removed]" } else { word });
    }
    let joined = words.join(" ");
    let clean = joined.chars().filter(|c| !c.is_control());
    clean.take(SHOWN).collect()
}
