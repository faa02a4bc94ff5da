//! One request and its answer: what is sent, what arrives, how it ends.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use tokmark_units::Nanos;

use crate::body::BodyError;
use crate::stamp::Stamp;

/// A request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// When the plan wants it sent; the driver waits for a later moment.
    pub due: Nanos,
    /// Path with prefix and query.
    pub path: Arc<str>,
    /// Headers besides `Content-Length`; `Host` among them.
    pub headers: Arc<HeaderMap>,
    /// JSON body.
    pub body: Bytes,
}

/// The head of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Content-Encoding`.
    pub content_encoding: Option<String>,
    /// `Location` of a redirection.
    pub location: Option<String>,
    /// `Retry-After` in seconds, when it is a number.
    pub retry_after: Option<u64>,
}

impl Head {
    /// From a status and its header fields by lower-case name.
    pub(crate) fn of<'a>(status: u16, field: impl Fn(&str) -> Option<&'a str>) -> Self {
        Self {
            status,
            content_type: field("content-type").map(str::to_owned),
            content_encoding: field("content-encoding").map(str::to_owned),
            location: field("location").map(str::to_owned),
            retry_after: field("retry-after").and_then(|value| value.trim().parse().ok()),
        }
    }
}

/// What arrives of one exchange, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The request's first byte is about to be written.
    Sent(Nanos),
    /// The head.
    Head(Head, Stamp),
    /// Bytes of the body, as long as the call runs.
    Data(&'a [u8], Stamp),
}

/// Why an exchange broke off.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The socket or the TLS session failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// What came is no HTTP/1.1 response.
    #[error("the answer is not HTTP/1.1: {0}")]
    Head(#[source] httparse::Error),
    /// The head is longer than any that makes sense.
    #[error("the head of the answer is too long")]
    HeadTooLong,
    /// `Content-Length` is no number.
    #[error("the answer has no readable content length")]
    Length,
    /// The body's framing is broken.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The server closed the connection instead of answering.
    #[error("the connection closed before an answer came")]
    ClosedBeforeHead,
    /// The connection closed before the body was complete.
    #[error("the connection closed before the answer was complete")]
    ClosedInBody,
}

impl ExchangeError {
    /// Whether the peer reset the connection rather than closed it.
    pub fn is_reset(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == std::io::ErrorKind::ConnectionReset)
    }
}

/// How an exchange ended.
#[derive(Debug)]
pub enum ExchangeEnd {
    /// The body is complete.
    Complete(Nanos),
    /// The connection ended first.
    Broken {
        /// When.
        at: Nanos,
        /// Whether the request was on the wire at all.
        sent: bool,
        /// What happened.
        source: ExchangeError,
    },
}

impl ExchangeEnd {
    pub(crate) fn broken(at: Nanos, sent: bool, source: ExchangeError) -> Self {
        Self::Broken { at, sent, source }
    }
}
