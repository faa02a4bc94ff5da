//! Why a request failed (methodology section 5).

use std::fmt;

use super::secrets::{self, Secrets};
use crate::chunk::{ErrorBody, parse_error};

/// The most characters of a failure's message.
const MESSAGE_LIMIT: usize = 300;

/// The class of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// No connection.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// An HTTP status other than success.
    Http,
    /// The server asked for fewer requests.
    RateLimited,
    /// Prompt and output do not fit the model's context or the server's cache.
    ContextTooLong,
    /// The answer began as a success and then told of an error.
    ErrorInStream,
    /// The answer stopped without an end.
    CutStream,
    /// Nothing came for too long; whoever holds the clock says so.
    Stalled,
    /// The answer is not what the endpoint promises.
    Protocol,
    /// A success without any token and without an end that explains it.
    EmptyStream,
}

impl FailureClass {
    /// The word used in documents and on pages.
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

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its class.
    pub class: FailureClass,
    /// The HTTP status of the answer, or the one that an error within a stream names.
    pub status: Option<u16>,
    /// The server's words, at most 300 characters, on one line, without secrets.
    pub message: String,
    /// Seconds to wait, when the server says so.
    pub retry_after: Option<u64>,
}

impl Failure {
    /// A failure with these words; they are shortened and secrets in them replaced.
    pub fn new(class: FailureClass, status: Option<u16>, words: &str) -> Self {
        Self {
            class,
            status,
            message: secrets::clean(words, MESSAGE_LIMIT),
            retry_after: None,
        }
    }

    /// The failure of an answer whose status is not a success.
    pub(super) fn of_status(
        status: u16,
        retry_after: Option<u64>,
        body: &[u8],
        secrets: &Secrets,
    ) -> Self {
        let body = String::from_utf8_lossy(body);
        let body = secrets.redact(body.trim());
        let body = body.as_ref();
        let fallback = if body.is_empty() {
            format!("HTTP {status} without a body")
        } else {
            body.to_owned()
        };
        let error = parse_error(body).unwrap_or_default();
        let limited = is_rate_limit(status, retry_after);
        let class = class_of(limited, &error.summary(), &fallback, FailureClass::Http);
        Self {
            retry_after,
            ..Self::new(class, Some(status), &or(error.words(), &fallback))
        }
    }

    /// The failure of an answer that began as a success and then told of an error.
    pub(super) fn in_stream(
        error: &ErrorBody<'_>,
        retry_after: Option<u64>,
        secrets: &Secrets,
    ) -> Self {
        let status = error.status();
        let limited = status.is_some_and(|status| is_rate_limit(status, retry_after));
        let class = class_of(limited, &error.summary(), "", FailureClass::ErrorInStream);
        let words = or(
            or(error.words(), &error.summary()),
            "an error without a text",
        );
        Self {
            retry_after,
            ..Self::new(class, status, &secrets.redact(&words))
        }
    }
}

fn or(text: String, fallback: &str) -> String {
    if text.is_empty() {
        fallback.to_owned()
    } else {
        text
    }
}

fn class_of(limited: bool, summary: &str, body: &str, otherwise: FailureClass) -> FailureClass {
    if limited {
        FailureClass::RateLimited
    } else if is_context_error(summary) || is_context_error(body) {
        FailureClass::ContextTooLong
    } else {
        otherwise
    }
}

/// 429, Dynamo's 529, and a 503 that says when to come back.
fn is_rate_limit(status: u16, retry_after: Option<u64>) -> bool {
    matches!(status, 429 | 529) || (status == 503 && retry_after.is_some())
}

/// How servers say that prompt and output do not fit; in lower case.
const CONTEXT_ERRORS: &[&str] = &[
    // OpenAI and TabbyAPI; llama.cpp.
    "context_length_exceeded",
    "exceed_context_size_error",
    // vLLM, SGLang, llm-d-inference-sim.
    "maximum context length",
    "longer than the maximum model length",
    "cannot be greater than max_model_len",
    "longer than the model's context length",
    "max_completion_tokens is too large",
    "max_tokens is too large",
    // llama.cpp, TabbyAPI; Ollama; LMDeploy; mlc-llm.
    "exceeds the available context size",
    "longer than the context length",
    "smaller than the model context length",
    "larger than the model input length limit",
    // TGI.
    "`inputs` tokens + `max_new_tokens` must be",
    "`inputs` must have less than",
    // TensorRT-LLM's limits by name.
    "max_seq_len",
    "max_input_len",
    // mistral.rs.
    "prompt sequence length is greater than",
    // A prompt above the whole cache: mistral.rs, llm-d-inference-sim.
    "exceeds the total kv cache capacity",
    "kv cache does not have sufficient capacity",
];

/// Whether an error's text says that the request does not fit the model's context, in the words of
/// any known server.
pub fn is_context_error(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    CONTEXT_ERRORS.iter().any(|words| text.contains(words))
}
