//! One connection and the requests on it, one after the other.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use tokmark_units::Nanos;

use crate::body::BodyError;
use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::http1::Http1;
use crate::http2::Http2;
use crate::stamp::Stamp;
use crate::target::Protocol;

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

/// What is spoken on a connection.
enum Http {
    One(Http1),
    Two(Box<Http2>),
}

/// An open connection.
pub struct Connection {
    http: Http,
    /// Connect and TLS time, and HTTP/2's greeting.
    pub connect: Nanos,
}

impl Connection {
    /// Opens a connection; nothing is sent on it yet.
    pub async fn open(connector: &dyn Connect, clock: Clock) -> Result<Self, ConnectError> {
        let connected = connector.connect(clock).await?;
        let took = connected.took;
        Ok(match connected.protocol {
            Protocol::Http1 => Self {
                http: Http::One(Http1::new(connected.io, connected.wire, clock)),
                connect: took,
            },
            Protocol::Http2 => {
                let started = clock.now();
                let http = Box::new(Http2::open(connected, clock).await?);
                Self {
                    http: Http::Two(http),
                    connect: took + clock.now().saturating_sub(started),
                }
            }
        })
    }

    /// Whether another request can be sent.
    pub fn is_open(&mut self) -> bool {
        match &mut self.http {
            Http::One(http) => http.is_open(),
            Http::Two(http) => http.is_open(),
        }
    }

    /// Sends one request and hands every piece of the answer to `piece`, stamped: what a read
    /// brought is handed out before the next read, so the last read's stamp is the stamp of these
    /// bytes.
    pub async fn exchange(
        &mut self,
        outgoing: &Outgoing,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> ExchangeEnd {
        match &mut self.http {
            Http::One(http) => http.exchange(outgoing, piece).await,
            Http::Two(http) => http.exchange(outgoing, piece).await,
        }
    }
}
