//! One stream of requests: the one loop of the driver.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::sleep_until;
use tokmark_units::Nanos;

use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::connection::{Connection, ExchangeEnd, Head, Outgoing, Piece};
use crate::stamp::Stamp;

/// Where a stream's requests come from. A pacing mode is a feed: a closed loop gives the next
/// request at once, a schedule gives due times.
pub trait Feed: Send {
    /// The next request, or `None` when the stream is done.
    fn next(&mut self, attempt: u32, now: Nanos) -> Option<Outgoing>;
}

impl<F: FnMut(u32, Nanos) -> Option<Outgoing> + Send> Feed for F {
    fn next(&mut self, attempt: u32, now: Nanos) -> Option<Outgoing> {
        self(attempt, now)
    }
}

/// Something that happened on a stream.
#[derive(Debug)]
pub struct Arrival {
    /// The stream, from 0.
    pub stream: u32,
    /// The request of the stream, from 0.
    pub attempt: u32,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug)]
pub enum What {
    /// The stream's first connection is open; nothing was sent yet.
    Open,
    /// A request is about to be sent.
    Due {
        /// When the plan wanted it sent.
        due: Nanos,
        /// Connect and TLS time, for a connection's first request.
        connect: Option<Nanos>,
    },
    /// Its first byte is about to be written.
    Sent(Nanos),
    /// The response's head.
    Head(Head, Stamp),
    /// Bytes of the response's body.
    Data(bytes::Bytes, Stamp),
    /// The body is complete.
    Complete(Nanos),
    /// The connection ended before the body did.
    Broken {
        /// When.
        at: Nanos,
        /// Whether the peer reset the connection rather than closed it.
        reset: bool,
        /// The cause, in words.
        message: String,
    },
    /// No connection.
    NoConnection {
        /// When.
        at: Nanos,
        /// The cause.
        error: ConnectError,
    },
}

/// What a stream needs to run.
pub struct StreamStart {
    /// The stream, from 0.
    pub stream: u32,
    /// The number of its first request.
    pub first_attempt: u32,
    /// Opens its connections.
    pub connector: Arc<dyn Connect>,
    /// The run's clock.
    pub clock: Clock,
    /// Opens when all streams are connected; until then nothing is sent.
    pub gate: watch::Receiver<bool>,
    /// Where everything that happens is told.
    pub arrivals: UnboundedSender<Arrival>,
}

/// Connects, waits for the gate, then runs requests until the feed is done or something breaks.
/// Dropping the future closes the connection, which is how requests are cancelled.
pub async fn run_stream(start: StreamStart, mut feed: impl Feed) {
    let attempt = start.first_attempt;
    let opened = Connection::open(start.connector.as_ref(), start.clock).await;
    let mut open = match opened {
        Ok(open) => open,
        Err(error) => return start.no_connection(attempt, error),
    };
    start.tell(attempt, What::Open);
    let mut gate = start.gate.clone();
    if gate.wait_for(|is_open| *is_open).await.is_err() {
        return;
    }
    let mut connect = Some(open.connect);
    for attempt in start.first_attempt.. {
        let Some(outgoing) = feed.next(attempt, start.clock.now()) else {
            return;
        };
        if outgoing.due > start.clock.now() {
            sleep_until(start.clock.instant(outgoing.due)).await;
        }
        if !open.is_open() {
            open = match Connection::open(start.connector.as_ref(), start.clock).await {
                Ok(open) => open,
                Err(error) => return start.no_connection(attempt, error),
            };
            connect = Some(open.connect);
        }
        let due = outgoing.due;
        start.tell(
            attempt,
            What::Due {
                due,
                connect: connect.take(),
            },
        );
        let mut tell = |piece: Piece| start.tell(attempt, piece.into());
        match open.exchange(&outgoing, &mut tell).await {
            ExchangeEnd::Complete(at) => start.tell(attempt, What::Complete(at)),
            ExchangeEnd::Broken { at, source, .. } => {
                let reset = is_reset(&source);
                let message = chain(&source);
                return start.tell(attempt, What::Broken { at, reset, message });
            }
        }
    }
}

impl StreamStart {
    fn tell(&self, attempt: u32, what: What) {
        // A closed channel means that nobody listens any more: the stream is being dropped.
        let _closed = self.arrivals.send(Arrival {
            stream: self.stream,
            attempt,
            what,
        });
    }

    fn no_connection(&self, attempt: u32, error: ConnectError) {
        let at = self.clock.now();
        self.tell(attempt, What::NoConnection { at, error });
    }
}

impl From<Piece> for What {
    fn from(piece: Piece) -> Self {
        match piece {
            Piece::Sent(at) => Self::Sent(at),
            Piece::Head(head, stamp) => Self::Head(head, stamp),
            Piece::Data(bytes, stamp) => Self::Data(bytes, stamp),
        }
    }
}

fn is_reset(error: &hyper::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return io.kind() == std::io::ErrorKind::ConnectionReset;
        }
        cause = error.source();
    }
    false
}

/// The error with its causes, separated by colons.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
