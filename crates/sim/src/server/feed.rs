//! Tokens without an engine, as the engine would hand them out: for answers that do not go straight
//! to a socket, over in-memory connections or with faults.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::time::Sleep;
use tokmark_units::Nanos;

use super::clock::Clock;
use crate::config::Pace;
use crate::model::{Finish, Output, RankStats, RequestId};

/// Counts of the streams that bypass the engine, which a page of metrics has with the engine's.
#[derive(Debug, Default)]
pub(super) struct FeedCounts {
    running: AtomicU32,
    generated: AtomicU64,
    finished: AtomicU64,
}

impl FeedCounts {
    /// A stream begins.
    pub(super) fn begin(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    /// Tokens were sent.
    pub(super) fn generated(&self, tokens: u64) {
        self.generated.fetch_add(tokens, Ordering::Relaxed);
    }

    /// A stream reached its length.
    pub(super) fn finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// A stream is over.
    pub(super) fn end(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds them to a rank's.
    pub(super) fn add_to(&self, rank: &mut RankStats) {
        rank.running += self.running.load(Ordering::Relaxed);
        rank.counters.generation_tokens += self.generated.load(Ordering::Relaxed);
        rank.counters.finished_length += self.finished.load(Ordering::Relaxed);
    }
}

/// One token an output, at once or at a pace.
#[derive(Debug)]
pub(super) struct Feed {
    clock: Clock,
    left: u32,
    /// How the last of them ends the answer.
    finish: Finish,
    first: bool,
    /// When the next token is due and the time between two; `None` when all are due at once.
    pace: Option<(Nanos, Nanos)>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Feed {
    /// So many tokens and their end, for a request that came at `arrival`.
    pub(super) fn new(
        clock: Clock,
        (tokens, finish): (u32, Finish),
        pace: Option<Pace>,
        arrival: Nanos,
    ) -> Self {
        Self {
            clock,
            left: tokens,
            finish,
            first: true,
            pace: pace.map(|pace| (pace.first_at(arrival), Nanos::from(pace.every))),
            sleep: None,
        }
    }

    /// The next output; `None` after the last one.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Output>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let at = match self.pace {
            None => self.clock.now(),
            Some((due, every)) => {
                let clock = self.clock;
                let sleep = self.sleep.get_or_insert_with(|| Box::pin(clock.until(due)));
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
                self.pace = Some((Nanos(due.0.saturating_add(every.0)), every));
                due
            }
        };
        self.left -= 1;
        Poll::Ready(Some(Output {
            id: RequestId(0),
            at,
            tokens: 1,
            first: std::mem::take(&mut self.first),
            finished: (self.left == 0).then_some(self.finish),
            prefill_start: at,
            cached_tokens: 0,
            preemptions: 0,
            rank: 0,
        }))
    }
}
