//! What a stream that bypasses the engine tells of itself.
//!
//! The record is locked twice a stream and not once an event: at the first token and at the end.

use std::sync::Arc;

use tokmark_units::Nanos;

use super::shared::Shared;
use super::ticket::Ticket;
use super::truth::{Emission, Ending, Sent, Slot};

/// Counts one stream.
#[derive(Debug)]
pub(super) struct Ledger {
    shared: Arc<Shared>,
    slot: Slot,
    ticket: Ticket,
    sent: Sent,
    emissions: Vec<Emission>,
}

impl Ledger {
    pub(super) fn new(shared: Arc<Shared>, answer: &str, slot: Slot) -> Self {
        Self {
            ticket: Ticket::new(Arc::clone(&shared), None, answer, slot),
            shared,
            slot,
            sent: Sent::default(),
            emissions: Vec::new(),
        }
    }

    pub(super) fn now(&self) -> Nanos {
        self.shared.clock.now()
    }

    pub(super) fn server_is_dead(&self) -> bool {
        self.ticket.server_is_dead()
    }

    /// One event that was due at `due` is handed to the socket at `at`.
    pub(super) fn sent(&mut self, at: Nanos, due: Nanos, tokens: u32) {
        let emission = Emission {
            at,
            produced: due,
            tokens,
        };
        self.shared.lateness.record(emission.lateness());
        self.shared.feeds.generated(u64::from(tokens));
        let first = self.sent.first.is_none();
        self.sent.add(&emission);
        if self.shared.config.keep_events {
            self.emissions.push(emission);
        }
        if first {
            self.shared.recorder.begun(self.slot, due, self.sent);
        }
    }

    /// All events are sent.
    pub(super) fn finish(&mut self) {
        self.record();
        self.ticket.finish(Ending::Length);
    }

    fn record(&mut self) {
        let emissions = std::mem::take(&mut self.emissions);
        self.shared.recorder.sent(self.slot, self.sent, emissions);
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        if !self.emissions.is_empty() || !self.ticket.has_ended() {
            self.record();
        }
    }
}
