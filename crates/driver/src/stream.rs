//! One stream of requests: the one loop of the driver.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::sleep_until;
use tokmark_openai_stream::reply::{BodyEnd, Reply, Secrets};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

use crate::answer::{Answer, Batch, Partial};
use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::connection::Connection;
use crate::exchange::{ExchangeEnd, Outgoing, Piece};
use crate::health::{ActiveStream, ThreadHealth};

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
    /// Events of the answer.
    Events(Box<Batch>),
    /// The answer is over, well or not.
    Ended {
        /// When that was noticed.
        at: Nanos,
        /// The outcome.
        reply: Box<Reply>,
        /// The system's words when the connection ended before the answer did.
        broken: Option<String>,
    },
    /// The request was cancelled by dropping its stream; what is known of it.
    Dropped(Partial),
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
    /// How answers are read.
    pub endpoint: Endpoint,
    /// What no message about an answer may hold.
    pub secrets: Secrets,
    /// Where the reads of this stream's thread are counted, if anywhere.
    pub health: Option<Arc<ThreadHealth>>,
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
        if !exchange(&start, attempt, &mut open, &outgoing).await {
            return;
        }
    }
}

/// Runs one request to its end; whether the next one may follow. After a failure none does: a
/// server that refuses requests must not be flooded with them.
async fn exchange(
    start: &StreamStart,
    attempt: u32,
    open: &mut Connection,
    outgoing: &Outgoing,
) -> bool {
    let mut exchange = Exchange {
        start,
        attempt,
        answer: Some(Answer::new(start.endpoint, start.secrets.clone())),
        _active: start.health.as_deref().map(ThreadHealth::stream),
    };
    let end = open
        .exchange(outgoing, &mut |piece| exchange.piece(piece))
        .await;
    match end {
        ExchangeEnd::Complete(at) => exchange.end(at, BodyEnd::Complete, None),
        ExchangeEnd::Broken { at, source, .. } => {
            let end = if source.is_reset() {
                BodyEnd::Reset
            } else {
                BodyEnd::Cut
            };
            exchange.end(at, end, Some(chain(&source)));
            false
        }
    }
}

/// One request in the air. Dropping it tells what is known of the answer.
struct Exchange<'a> {
    start: &'a StreamStart,
    attempt: u32,
    answer: Option<Answer>,
    _active: Option<ActiveStream<'a>>,
}

impl Exchange<'_> {
    fn piece(&mut self, piece: Piece<'_>) {
        let Some(answer) = &mut self.answer else {
            return;
        };
        match piece {
            Piece::Sent(at) => self.start.tell(self.attempt, What::Sent(at)),
            Piece::Head(head, _) => answer.head(&head),
            Piece::Data(bytes, stamp) => {
                if let Some(health) = &self.start.health {
                    health.read(stamp);
                }
                let batch = answer.data(bytes, stamp);
                self.start.events(self.attempt, batch);
            }
        }
    }

    /// Whether the answer is a good one.
    fn end(&mut self, at: Nanos, end: BodyEnd, broken: Option<String>) -> bool {
        let Some(answer) = self.answer.take() else {
            return false;
        };
        let (batch, reply) = answer.finish(at, end);
        self.start.events(self.attempt, Some(batch));
        let reply = Box::new(reply);
        let succeeded = reply.failure.is_none();
        self.start
            .tell(self.attempt, What::Ended { at, reply, broken });
        succeeded
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        if let Some(mut answer) = self.answer.take() {
            let rest = answer.rest();
            self.start.events(self.attempt, rest);
            let partial = answer.partial();
            self.start.tell(self.attempt, What::Dropped(partial));
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

    fn events(&self, attempt: u32, batch: Option<Batch>) {
        if let Some(batch) = batch.filter(|batch| !batch.events.is_empty()) {
            self.tell(attempt, What::Events(Box::new(batch)));
        }
    }

    fn no_connection(&self, attempt: u32, error: ConnectError) {
        let at = self.clock.now();
        self.tell(attempt, What::NoConnection { at, error });
    }
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
