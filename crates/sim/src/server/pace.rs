//! Paced streams over TCP: one thread that writes every event of every stream when it is due.
//!
//! A write to a loopback socket costs the kernel 2 to 4 microseconds, so 1,024 streams at 5 ms use
//! most of a core; what is left for a token is a place in a heap, a few copies and one look at the
//! clock. The thread sleeps until the next event is due and then writes everything that is due,
//! what became due meanwhile included.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::oneshot;
use tokmark_units::Nanos;

use super::body::CutStream;
use super::clock::Clock;
use super::ledger::Ledger;
use super::script::{Chunk, Script};
use super::wire::{AfterHead, Wire};

/// When a socket that took nothing is tried again.
const RETRY: Nanos = Nanos(200_000);

/// The body of a paced answer. It has nothing for the HTTP connection but its end.
#[derive(Debug)]
pub(super) struct PacedStream {
    after_head: AfterHead,
    pacer: Arc<Pacer>,
    /// The stream until the head is written and the pacer takes it.
    waiting: Option<Paced>,
    ended: oneshot::Receiver<Result<(), CutStream>>,
}

impl PacedStream {
    /// A stream with its first token at `first` and one every `every` from then on.
    pub(super) fn new(
        pacer: Arc<Pacer>,
        wire: Arc<Wire>,
        script: Script,
        ledger: Ledger,
        first: Nanos,
        every: Nanos,
    ) -> Self {
        let (end, ended) = oneshot::channel();
        let stream = Paced {
            due: first,
            every,
            chunk: Chunk::default(),
            pending_tokens: 0,
            script,
            wire,
            ledger,
            end,
        };
        Self {
            after_head: AfterHead::new(),
            pacer,
            waiting: Some(stream),
            ended,
        }
    }

    /// Ready when all events are written, or cannot be.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CutStream>> {
        if let Some(stream) = &self.waiting {
            ready!(self.after_head.poll(&stream.wire, cx));
        }
        if let Some(stream) = self.waiting.take() {
            self.pacer.take(stream);
        }
        // A pacer that is gone never says how the stream ended.
        let ended = ready!(std::pin::Pin::new(&mut self.ended).poll(cx));
        Poll::Ready(ended.unwrap_or(Err(CutStream)))
    }
}

/// One stream in the pacer's hands.
#[derive(Debug)]
struct Paced {
    /// When its next token is due.
    due: Nanos,
    every: Nanos,
    chunk: Chunk,
    /// Tokens of the chunk that is being written.
    pending_tokens: u32,
    script: Script,
    wire: Arc<Wire>,
    ledger: Ledger,
    end: oneshot::Sender<Result<(), CutStream>>,
}

/// What becomes of a stream after its turn.
enum Turn {
    /// It has something to write again at this time.
    At(Nanos),
    /// All its events are written.
    Done,
    /// Its client is gone.
    Gone,
}

impl Paced {
    /// Writes what is due at `now`: the next token, and what belongs to the first and the last one.
    fn turn(&mut self, now: Nanos) -> Turn {
        if self.end.is_closed() || self.ledger.server_is_dead() {
            return Turn::Gone;
        }
        loop {
            if self.chunk.rest().is_empty() {
                let (script, due) = (&mut self.script, self.due);
                match self.chunk.fill(|into| script.next(due, into)) {
                    None => return Turn::Done,
                    Some(tokens) => self.pending_tokens = tokens,
                }
            }
            match self.wire.try_write(self.chunk.rest()) {
                Ok(written) => self.chunk.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Turn::At(Nanos(now.0.saturating_add(RETRY.0)));
                }
                Err(_) => return Turn::Gone,
            }
            if !self.chunk.rest().is_empty() {
                continue;
            }
            if self.pending_tokens > 0 {
                self.ledger.sent(now, self.due, self.pending_tokens);
            }
            if self.script.waits() {
                self.due = Nanos(self.due.0.saturating_add(self.every.0));
                return Turn::At(self.due);
            }
        }
    }
}

/// Hands streams to the thread that writes them.
#[derive(Debug)]
pub(super) struct Pacer {
    inbox: Arc<Inbox>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Inbox {
    fresh: Mutex<Vec<Paced>>,
    /// Whether there is anything fresh, so that the thread takes the lock only then.
    any: AtomicBool,
    closed: AtomicBool,
}

impl Pacer {
    /// Starts the thread. It ends when the pacer is dropped.
    pub(super) fn start(clock: Clock) -> io::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let own = Arc::clone(&inbox);
        let thread = thread::Builder::new()
            .name("sim-pace".to_owned())
            .spawn(move || run(&own, clock))?;
        Ok(Self {
            inbox,
            thread: thread.thread().clone(),
        })
    }

    fn take(&self, stream: Paced) {
        self.inbox.lock().push(stream);
        self.inbox.any.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.inbox.closed.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Inbox {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Paced>> {
        // A list of streams is whole between any two of its changes.
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<Paced> {
        if self.any.swap(false, Ordering::AcqRel) {
            std::mem::take(&mut *self.lock())
        } else {
            Vec::new()
        }
    }
}

/// Streams by place, and places by the time of their next write.
#[derive(Debug, Default)]
struct Calendar {
    streams: Vec<Option<Paced>>,
    free: Vec<usize>,
    due: BinaryHeap<Reverse<(Nanos, usize)>>,
}

impl Calendar {
    fn add(&mut self, stream: Paced) {
        let due = stream.due;
        let place = self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            self.streams.len() - 1
        });
        if let Some(slot) = self.streams.get_mut(place) {
            *slot = Some(stream);
            self.due.push(Reverse((due, place)));
        }
    }

    /// Gives the earliest stream its turn when it is due; otherwise when that will be.
    fn step(&mut self, now: Nanos) -> Result<(), Option<Nanos>> {
        let mut first = self.due.peek_mut().ok_or(None)?;
        let Reverse((due, place)) = *first;
        if due > now {
            return Err(Some(due));
        }
        let slot = self.streams.get_mut(place);
        let turn = slot
            .and_then(|slot| slot.as_mut().map(|stream| stream.turn(now)))
            .unwrap_or(Turn::Gone);
        let ended = match turn {
            Turn::At(next) => {
                *first = Reverse((next, place));
                return Ok(());
            }
            Turn::Done => Ok(()),
            Turn::Gone => Err(CutStream),
        };
        PeekMut::pop(first);
        self.free.push(place);
        if let Some(mut stream) = self.streams.get_mut(place).and_then(Option::take) {
            if ended.is_ok() {
                stream.ledger.finish();
            }
            // The connection may be gone already.
            drop(stream.end.send(ended));
        }
        Ok(())
    }
}

fn run(inbox: &Inbox, clock: Clock) {
    let mut calendar = Calendar::default();
    while !inbox.closed.load(Ordering::Acquire) {
        for stream in inbox.take() {
            calendar.add(stream);
        }
        let now = clock.now();
        match calendar.step(now) {
            Ok(()) => {}
            // Whoever adds a stream wakes the thread, also when it does so just before the sleep.
            Err(None) => thread::park(),
            Err(Some(due)) => thread::park_timeout(Duration::from(Nanos(due.0 - now.0))),
        }
    }
}
