//! Response bodies. A stream hands the connection one event at a time and waits until it is
//! written, so that every event is a write of its own.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame as BodyFrame, SizeHint};
use http_body_util::Full;
use tokio::sync::mpsc;

use super::emitter::{Emitter, Item};
use super::feed::Feed;
use super::flood::FloodStream;
use super::pace::PacedStream;
use super::ticket::Ticket;
use crate::model::Output;

/// A response's body.
pub(super) enum Reply {
    /// A whole body.
    Whole(Full<Bytes>),
    /// A stream of events.
    Stream(Box<EventStream>),
    /// A stream that writes its events to the socket itself, as fast as they are read.
    Flood(Box<FloodStream>),
    /// A stream whose events are written to the socket when they are due.
    Paced(Box<PacedStream>),
}

/// The connection breaks on purpose.
#[derive(Debug, thiserror::Error)]
#[error("the stream is cut on purpose")]
pub(super) struct CutStream;

impl Reply {
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self::Whole(Full::new(bytes))
    }
}

/// Where a stream's tokens come from.
pub(super) enum Source {
    /// The engine.
    Engine(mpsc::UnboundedReceiver<Output>),
    /// No engine.
    Feed(Feed),
}

/// The events of one answer.
pub(super) struct EventStream {
    source: Source,
    emitter: Emitter,
    ticket: Ticket,
    items: VecDeque<Item>,
    /// An event was handed over and is to be written before the next.
    writing: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Closing,
    Stalled,
}

impl EventStream {
    pub(super) fn new(source: Source, mut emitter: Emitter, ticket: Ticket) -> Self {
        let mut items = VecDeque::new();
        emitter.open(&mut items);
        Self {
            source,
            emitter,
            ticket,
            items,
            writing: false,
            state: State::Open,
        }
    }

    fn next_output(&mut self, cx: &mut Context<'_>) -> Poll<Option<Output>> {
        match &mut self.source {
            Source::Engine(outputs) => outputs.poll_recv(cx),
            Source::Feed(feed) => feed.poll(cx),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<BodyFrame<Bytes>, CutStream>>> {
        // The connection writes what it has when the body has nothing, so saying so once between
        // two events keeps them apart.
        if std::mem::take(&mut self.writing) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        // A dead server sends nothing any more, whatever it had ready.
        if self.ticket.server_is_dead() {
            return Poll::Ready(Some(Err(CutStream)));
        }
        loop {
            match self.items.pop_front() {
                Some(Item::Frame(frame)) => {
                    self.writing = true;
                    self.ticket.emitted(&frame.produced);
                    return Poll::Ready(Some(Ok(BodyFrame::data(frame.bytes))));
                }
                Some(Item::Done(finish)) => {
                    self.ticket.finish(finish.into());
                    self.state = State::Closing;
                }
                Some(Item::GiveUp) => {
                    self.ticket.give_up();
                    self.state = State::Closing;
                }
                Some(Item::Cut) => {
                    self.ticket.give_up();
                    return Poll::Ready(Some(Err(CutStream)));
                }
                Some(Item::Stall) => self.state = State::Stalled,
                None => match self.state {
                    State::Closing => return Poll::Ready(None),
                    State::Stalled => return Poll::Pending,
                    State::Open => match self.next_output(cx) {
                        Poll::Pending => return Poll::Pending,
                        Poll::Ready(Some(output)) => {
                            self.ticket.produced(&output);
                            self.emitter.output(&output, &mut self.items);
                        }
                        // The engine is gone: no honest end can be sent.
                        Poll::Ready(None) => self.items.push_back(Item::Cut),
                    },
                },
            }
        }
    }
}

/// A body that wrote its events itself has its end left to give.
fn ended(poll: Poll<Result<(), CutStream>>) -> Poll<Option<Result<BodyFrame<Bytes>, CutStream>>> {
    poll.map(|ended| ended.err().map(Err))
}

impl Body for Reply {
    type Data = Bytes;
    type Error = CutStream;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, CutStream>>> {
        match &mut *self {
            Self::Whole(full) => Pin::new(full)
                .poll_frame(cx)
                .map_err(|never| match never {}),
            Self::Stream(stream) => stream.poll(cx),
            Self::Flood(stream) => ended(stream.poll(cx)),
            Self::Paced(stream) => ended(stream.poll(cx)),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(full) => full.is_end_stream(),
            Self::Stream(_) | Self::Flood(_) | Self::Paced(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(full) => full.size_hint(),
            Self::Stream(_) | Self::Flood(_) | Self::Paced(_) => SizeHint::default(),
        }
    }
}
