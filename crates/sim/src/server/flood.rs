//! Streams of a flood over TCP: as many events a write as were asked for, as fast as the client
//! reads them. They write in their connection's own task.

use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::body::CutStream;
use super::ledger::Ledger;
use super::script::{Chunk, Script};
use super::wire::{AfterHead, Wire};

/// Writes that a stream does before it lets others have their turn.
const WRITES_A_TURN: u32 = 32;

/// The body of a flooded answer.
#[derive(Debug)]
pub(super) struct FloodStream {
    wire: Arc<Wire>,
    after_head: AfterHead,
    per_write: NonZeroU32,
    script: Script,
    chunk: Chunk,
    ledger: Ledger,
}

impl FloodStream {
    pub(super) fn new(
        wire: Arc<Wire>,
        per_write: NonZeroU32,
        script: Script,
        ledger: Ledger,
    ) -> Self {
        Self {
            wire,
            after_head: AfterHead::new(),
            per_write,
            script,
            chunk: Chunk::default(),
            ledger,
        }
    }

    /// Ready when all events are written, or cannot be.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), CutStream>> {
        if self.after_head.poll(&self.wire, cx).is_pending() {
            return Poll::Pending;
        }
        let mut writes = 0;
        loop {
            if self.chunk.rest().is_empty() && !self.next_chunk() {
                self.ledger.finish();
                return Poll::Ready(Ok(()));
            }
            match self.wire.try_write(self.chunk.rest()) {
                Ok(written) => self.chunk.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match self.wire.poll_writable(cx) {
                        Poll::Ready(Ok(())) => {}
                        Poll::Ready(Err(_)) => return Poll::Ready(Err(CutStream)),
                        Poll::Pending => return Poll::Pending,
                    }
                }
                Err(_) => return Poll::Ready(Err(CutStream)),
            }
            writes += 1;
            if writes >= WRITES_A_TURN {
                if self.ledger.server_is_dead() {
                    return Poll::Ready(Err(CutStream));
                }
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }

    fn next_chunk(&mut self) -> bool {
        let (script, most) = (&mut self.script, self.per_write.get());
        let mut tokens = 0;
        let now = self.ledger.now();
        self.chunk.fill(|into| {
            for _ in 0..most {
                let Some(more) = script.next(now, into) else {
                    break;
                };
                tokens += more;
            }
        });
        let any = !self.chunk.rest().is_empty();
        if tokens > 0 {
            self.ledger.sent(now, now, tokens);
        }
        any
    }
}
