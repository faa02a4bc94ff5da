//! One HTTP/1.1 connection and the requests on it, one after the other.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokmark_units::Nanos;

use crate::Io;
use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::stamp::{Stamp, Wire};

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
    /// `Retry-After` in seconds, when it is a number.
    pub retry_after: Option<u64>,
}

/// What arrives of one exchange, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The request's first byte is about to be written.
    Sent(Nanos),
    /// The head.
    Head(Head, Stamp),
    /// Bytes of the body.
    Data(Bytes, Stamp),
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
        /// What hyper said.
        source: hyper::Error,
    },
}

type Wired = http1::Connection<TokioIo<Box<dyn Io>>, Full<Bytes>>;

/// An open connection.
pub struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    /// `None` once it has ended: polling it again would panic.
    wired: Option<Wired>,
    wire: Arc<Wire>,
    clock: Clock,
    /// Connect and TLS time.
    pub connect: Nanos,
}

impl Connection {
    /// Opens a connection; nothing is sent on it yet.
    pub async fn open(connector: &dyn Connect, clock: Clock) -> Result<Self, ConnectError> {
        let connected = connector.connect(clock).await?;
        let (sender, wired) = http1::Builder::new()
            .handshake(TokioIo::new(connected.io))
            .await
            .map_err(ConnectError::Http)?;
        Ok(Self {
            sender,
            wired: Some(wired),
            wire: connected.wire,
            clock,
            connect: connected.took,
        })
    }

    /// Whether another request can be sent.
    pub fn is_open(&self) -> bool {
        self.wired.is_some() && !self.sender.is_closed()
    }

    /// Sends one request and hands every piece of the answer to `piece`, stamped. The connection
    /// and the body are polled in one task, in turn: what the last read brought is handed out
    /// before the next read, so the last read's stamp is the stamp of these bytes.
    pub async fn exchange(
        &mut self,
        outgoing: &Outgoing,
        piece: &mut (dyn FnMut(Piece) + Send),
    ) -> ExchangeEnd {
        self.wire.arm_write();
        let request = build(outgoing);
        // hyper polls the connection until it can take a request, for example right after the
        // last response; without this a reused connection could refuse it.
        if let Err(source) = self.ready().await {
            return self.broken(source);
        }
        let mut pending = Box::pin(self.sender.send_request(request));
        let (wire, wired) = (Arc::clone(&self.wire), &mut self.wired);
        let mut announced = false;
        let answered = poll_fn(|cx| {
            let answer = pending.as_mut().poll(cx);
            if answer.is_ready() {
                return answer;
            }
            drive(wired, cx);
            announce(&wire, &mut announced, piece);
            pending.as_mut().poll(cx)
        })
        .await;
        announce(&self.wire, &mut announced, piece);
        match answered {
            Ok(response) => self.receive(response, piece).await,
            Err(source) => self.broken(source),
        }
    }

    async fn ready(&mut self) -> Result<(), hyper::Error> {
        let (sender, wired) = (&mut self.sender, &mut self.wired);
        poll_fn(|cx| {
            drive(wired, cx);
            sender.poll_ready(cx)
        })
        .await
    }

    async fn receive(
        &mut self,
        response: Response<Incoming>,
        piece: &mut (dyn FnMut(Piece) + Send),
    ) -> ExchangeEnd {
        piece(Piece::Head(head(&response), self.wire.last_read()));
        let mut body = response.into_body();
        loop {
            let wired = &mut self.wired;
            let frame = poll_fn(|cx| {
                let frame = Pin::new(&mut body).poll_frame(cx);
                if frame.is_ready() {
                    return frame;
                }
                drive(wired, cx);
                Pin::new(&mut body).poll_frame(cx)
            })
            .await;
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        piece(Piece::Data(bytes, self.wire.last_read()));
                    }
                }
                Some(Err(source)) => return self.broken(source),
                None => return ExchangeEnd::Complete(self.clock.now()),
            }
        }
    }

    fn broken(&self, source: hyper::Error) -> ExchangeEnd {
        ExchangeEnd::Broken {
            at: self.clock.now(),
            sent: self.wire.first_write().is_some(),
            source,
        }
    }
}

/// Lets the connection read and write; an ended one is dropped, its error reaches the request.
fn drive(wired: &mut Option<Wired>, cx: &mut Context<'_>) {
    if let Some(open) = wired
        && let Poll::Ready(_ended) = Pin::new(open).poll(cx)
    {
        *wired = None;
    }
}

fn announce(wire: &Wire, announced: &mut bool, piece: &mut (dyn FnMut(Piece) + Send)) {
    if !*announced && let Some(at) = wire.first_write() {
        *announced = true;
        piece(Piece::Sent(at));
    }
}

fn build(outgoing: &Outgoing) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(outgoing.body.clone()));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = outgoing
        .path
        .parse()
        .unwrap_or_else(|_| http::Uri::from_static("/"));
    *request.headers_mut() = HeaderMap::clone(&outgoing.headers);
    request
}

fn head(response: &Response<Incoming>) -> Head {
    let text = |name: http::HeaderName| {
        response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    Head {
        status: response.status().as_u16(),
        content_type: text(http::header::CONTENT_TYPE),
        content_encoding: text(http::header::CONTENT_ENCODING),
        retry_after: text(http::header::RETRY_AFTER).and_then(|value| value.trim().parse().ok()),
    }
}
