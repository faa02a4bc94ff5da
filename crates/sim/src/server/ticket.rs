//! A generation request's claim on the engine: whoever drops it gives the request up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio_util::sync::CancellationToken;
use tokmark_units::Nanos;

use super::core::Command;
use super::shared::Shared;
use super::truth::{Emission, Ending, Slot};
use crate::model::{Output, RequestId};

/// One request between its acceptance and its end.
#[derive(Debug)]
pub(super) struct Ticket {
    shared: Arc<Shared>,
    /// The engine's number; `None` for streams that bypass the engine.
    id: Option<RequestId>,
    slot: Slot,
    /// The server's life in which the request was taken; `None` when it was taken after its end.
    life: Option<CancellationToken>,
    ended: bool,
}

impl Ticket {
    /// A claim on request `id`, whose answer is called `answer`.
    pub(super) fn new(
        shared: Arc<Shared>,
        id: Option<RequestId>,
        answer: &str,
        slot: Slot,
    ) -> Self {
        shared.active.fetch_add(1, Ordering::Relaxed);
        match id {
            Some(id) => shared.note_live(id, answer),
            None => shared.feeds.begin(),
        }
        Self {
            life: shared.lives.present(),
            shared,
            id,
            slot,
            ended: false,
        }
    }

    pub(super) fn now(&self) -> Nanos {
        self.shared.clock.now()
    }

    /// Whether the life of the server that took this request has ended.
    pub(super) fn server_is_dead(&self) -> bool {
        self.life
            .as_ref()
            .is_none_or(CancellationToken::is_cancelled)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The engine produced tokens.
    pub(super) fn produced(&self, output: &Output) {
        self.shared.recorder.produced(self.slot, output);
    }

    /// Tokens are handed to the connection now.
    pub(super) fn emitted(&self, produced: &[(Nanos, u32)]) {
        if produced.is_empty() {
            return;
        }
        let at = self.now();
        let emissions: Vec<_> = produced
            .iter()
            .map(|(produced, tokens)| Emission {
                at,
                produced: *produced,
                tokens: *tokens,
            })
            .collect();
        // What was held back on purpose is not late; the newest tokens never are held.
        if let Some(newest) = emissions.last() {
            self.shared.lateness.record(newest.lateness());
        }
        self.shared.recorder.emitted(self.slot, &emissions);
        let tokens = emissions.iter().map(|e| u64::from(e.tokens)).sum();
        if self.id.is_none() {
            self.shared.feeds.generated(tokens);
        }
        self.shared.count_emitted(tokens);
    }

    /// The request ended in the engine, and its answer is sent.
    pub(super) fn finish(&mut self, ending: Ending) {
        self.ended = true;
        if self.id.is_none() && ending == Ending::Length {
            self.shared.feeds.finished();
        }
        self.shared.recorder.end(self.slot, ending, self.now());
    }

    /// A fault ends the request before its time.
    pub(super) fn give_up(&mut self) {
        self.finish(Ending::Fault);
        self.cancel();
    }

    fn cancel(&self) {
        if let Some(id) = self.id {
            // Without an engine there is nothing to cancel.
            drop(self.shared.commands.send(Command::Cancel(id)));
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.shared.active.fetch_sub(1, Ordering::Relaxed);
        match self.id {
            Some(id) => self.shared.forget_live(id),
            None => self.shared.feeds.end(),
        }
        if !self.ended {
            let ending = if self.server_is_dead() {
                Ending::Fault
            } else {
                Ending::Cancelled
            };
            self.finish(ending);
            self.cancel();
        }
    }
}
