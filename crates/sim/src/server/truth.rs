//! What really happened: the figures that a measurement of this server is checked against.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokmark_units::Nanos;

use crate::histogram::Spread;
use crate::model::{Finish, Output};

/// Tokens handed to a connection in one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// When the bytes were handed to the connection, on the server's clock.
    pub at: Nanos,
    /// When the engine produced the tokens; never later than `at`.
    pub produced: Nanos,
    /// How many tokens.
    pub tokens: u32,
}

impl Emission {
    /// From when the tokens were due to when they were handed over.
    pub fn lateness(&self) -> Nanos {
        Nanos(self.at.0.saturating_sub(self.produced.0))
    }
}

/// What was handed to a connection so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Tokens.
    pub tokens: u64,
    /// When the first of them was handed over.
    pub first: Option<Nanos>,
    /// When the last of them was.
    pub last: Option<Nanos>,
}

impl Sent {
    pub(super) fn add(&mut self, emission: &Emission) {
        self.tokens += u64::from(emission.tokens);
        self.first.get_or_insert(emission.at);
        self.last = Some(emission.at);
    }
}

/// How a request came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The model ended by itself.
    Stop,
    /// It reached its length.
    Length,
    /// It was aborted by another request.
    Aborted,
    /// The client went away.
    Cancelled,
    /// The server broke it off: a configured fault, or its death.
    Fault,
}

impl From<Finish> for Ending {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Stop => Self::Stop,
            Finish::Length => Self::Length,
            Finish::Abort => Self::Aborted,
        }
    }
}

/// One generation request. Times are on the server's clock, from its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestTruth {
    /// The id in the answer, such as `chatcmpl-…`.
    pub id: String,
    /// Prompt tokens.
    pub prompt_tokens: u32,
    /// Most tokens that it could have generated.
    pub max_tokens: u32,
    /// When the whole request had been read.
    pub arrival: Nanos,
    /// When its first prompt token was put into a step.
    pub prefill_start: Option<Nanos>,
    /// When the engine produced its first token.
    pub first_token: Option<Nanos>,
    /// What was handed to the connection. Of a stream that bypasses the engine only its first token
    /// is known before its end.
    pub sent: Sent,
    /// Every event with tokens, where the server keeps them.
    pub emissions: Vec<Emission>,
    /// Prompt tokens found in the prefix cache.
    pub cached_tokens: u32,
    /// How often it lost its cache and started again.
    pub preemptions: u32,
    /// The rank that ran it.
    pub rank: u32,
    /// How and when it ended; `None` while it runs.
    pub ended: Option<(Ending, Nanos)>,
}

impl RequestTruth {
    /// Tokens handed to the connection.
    pub fn tokens(&self) -> u64 {
        self.sent.tokens
    }
}

/// Every generation request since the server's start, in the order of arrival.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Truth {
    /// False when the server was told to keep nothing.
    pub kept: bool,
    /// Requests that came after the record was full.
    pub not_kept: u64,
    /// From when events were due, by the engine or by their pace, to when they were handed over.
    pub lateness: Spread,
    /// The requests.
    pub requests: Vec<RequestTruth>,
}

#[derive(Serialize)]
struct TruthFile<'a> {
    kept: bool,
    not_kept: u64,
    lateness: Spread,
    requests: Vec<RequestRow<'a>>,
}

#[derive(Serialize)]
struct RequestRow<'a> {
    id: &'a str,
    prompt_tokens: u32,
    max_tokens: u32,
    cached_tokens: u32,
    preemptions: u32,
    rank: u32,
    arrival_ns: u64,
    prefill_start_ns: Option<u64>,
    first_token_ns: Option<u64>,
    ending: Option<Ending>,
    ended_ns: Option<u64>,
    tokens: u64,
    first_sent_ns: Option<u64>,
    last_sent_ns: Option<u64>,
    /// One row an event: sent, produced (both in ns), tokens.
    emissions: Vec<(u64, u64, u32)>,
}

impl Truth {
    /// The truth as one JSON document; times are whole nanoseconds since the server's start.
    pub fn to_json(&self) -> String {
        let requests = self.requests.iter().map(|request| RequestRow {
            id: &request.id,
            prompt_tokens: request.prompt_tokens,
            max_tokens: request.max_tokens,
            cached_tokens: request.cached_tokens,
            preemptions: request.preemptions,
            rank: request.rank,
            arrival_ns: request.arrival.0,
            prefill_start_ns: request.prefill_start.map(|at| at.0),
            first_token_ns: request.first_token.map(|at| at.0),
            ending: request.ended.map(|(ending, _)| ending),
            ended_ns: request.ended.map(|(_, at)| at.0),
            tokens: request.sent.tokens,
            first_sent_ns: request.sent.first.map(|at| at.0),
            last_sent_ns: request.sent.last.map(|at| at.0),
            emissions: request
                .emissions
                .iter()
                .map(|e| (e.at.0, e.produced.0, e.tokens))
                .collect(),
        });
        let file = TruthFile {
            kept: self.kept,
            not_kept: self.not_kept,
            lateness: self.lateness,
            requests: requests.collect(),
        };
        serde_json::to_string(&file).unwrap_or_default()
    }
}

/// A request's place in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot(Option<usize>);

/// Requests that are recorded; about 200 MiB without their events.
const MOST_REQUESTS: usize = 1 << 20;

/// Collects the truth while the server runs.
#[derive(Debug)]
pub(super) struct Recorder {
    kept: bool,
    /// Whether every emission is kept, and not only first, last and count.
    events: bool,
    not_kept: AtomicU64,
    requests: Mutex<Vec<RequestTruth>>,
}

impl Recorder {
    pub(super) fn new(kept: bool, events: bool) -> Self {
        Self {
            kept,
            events,
            not_kept: AtomicU64::new(0),
            requests: Mutex::new(Vec::new()),
        }
    }

    pub(super) fn open(&self, request: RequestTruth) -> Slot {
        if !self.kept {
            return Slot(None);
        }
        let mut requests = self.lock();
        if requests.len() >= MOST_REQUESTS {
            self.not_kept.fetch_add(1, Ordering::Relaxed);
            return Slot(None);
        }
        requests.push(request);
        Slot(requests.len().checked_sub(1))
    }

    /// What the engine tells with every output.
    pub(super) fn produced(&self, slot: Slot, output: &Output) {
        self.with(slot, |request| {
            request.prefill_start = Some(output.prefill_start);
            if output.tokens > 0 {
                request.first_token.get_or_insert(output.at);
            }
            request.cached_tokens = output.cached_tokens;
            request.preemptions = output.preemptions;
            request.rank = output.rank;
        });
    }

    pub(super) fn emitted(&self, slot: Slot, emissions: &[Emission]) {
        self.with(slot, |request| {
            for emission in emissions {
                request.sent.add(emission);
            }
            if self.events {
                request.emissions.extend_from_slice(emissions);
            }
        });
    }

    /// A stream that bypasses the engine sent its first token, which was due at `due`.
    pub(super) fn begun(&self, slot: Slot, due: Nanos, sent: Sent) {
        self.with(slot, |request| {
            request.first_token = Some(due);
            request.sent = sent;
        });
    }

    /// All that a stream that bypasses the engine sent.
    pub(super) fn sent(&self, slot: Slot, sent: Sent, emissions: Vec<Emission>) {
        self.with(slot, |request| {
            request.sent = sent;
            request.emissions = emissions;
        });
    }

    /// The first ending counts.
    pub(super) fn end(&self, slot: Slot, ending: Ending, at: Nanos) {
        self.with(slot, |request| {
            request.ended.get_or_insert((ending, at));
        });
    }

    pub(super) fn truth(&self, lateness: Spread) -> Truth {
        Truth {
            kept: self.kept,
            not_kept: self.not_kept.load(Ordering::Relaxed),
            lateness,
            requests: self.lock().clone(),
        }
    }

    fn with(&self, slot: Slot, change: impl FnOnce(&mut RequestTruth)) {
        let Some(at) = slot.0 else { return };
        if let Some(request) = self.lock().get_mut(at) {
            change(request);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RequestTruth>> {
        // A panic elsewhere leaves whole rows behind, so the record stays usable.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
