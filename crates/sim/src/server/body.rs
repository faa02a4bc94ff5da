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
use super::ticket::Ticket;
use crate::model::{Finish, Output, RequestId};

/// A response's body.
pub(super) enum Reply {
    /// A whole body.
    Whole(Full<Bytes>),
    /// A stream of events.
    Stream(Box<EventStream>),
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
    /// Nowhere: tokens as fast as they are taken.
    Flood(Flood),
}

/// Tokens without an engine.
#[derive(Debug)]
pub(super) struct Flood {
    pub(super) per_event: u32,
    pub(super) left: u32,
    pub(super) first: bool,
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
    pub(super) fn new(source: Source, emitter: Emitter, ticket: Ticket) -> Self {
        Self {
            source,
            emitter,
            ticket,
            items: VecDeque::new(),
            writing: false,
            state: State::Open,
        }
    }

    fn next_output(&mut self, cx: &mut Context<'_>) -> Poll<Option<Output>> {
        match &mut self.source {
            Source::Engine(outputs) => outputs.poll_recv(cx),
            Source::Flood(flood) => Poll::Ready(flood.next(&self.ticket)),
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

impl Flood {
    fn next(&mut self, ticket: &Ticket) -> Option<Output> {
        let tokens = self.per_event.min(self.left);
        self.left -= tokens;
        let now = ticket.now();
        (tokens > 0).then(|| Output {
            id: RequestId(0),
            at: now,
            tokens,
            first: std::mem::take(&mut self.first),
            finished: (self.left == 0).then_some(Finish::Length),
            prefill_start: now,
            cached_tokens: 0,
            preemptions: 0,
            rank: 0,
        })
    }
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
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(full) => full.is_end_stream(),
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(full) => full.size_hint(),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}
