//! Following one answer while it is received: which frames are events, and their counts.
//!
//! This runs where bytes are read and does what the measurement needs there and nothing else: the
//! text is only kept, for others to look at. Results leave in batches, so that a token costs no
//! hand-over of its own.

use tokmark_openai_stream::chunk::{Timings, Usage};
use tokmark_openai_stream::reply::{
    BodyEnd, Channel, Reply, ReplyReader, Secrets, Token, TokenSink,
};
use tokmark_openai_stream::request::Endpoint;
use tokmark_units::Nanos;

use crate::exchange::Head;
use crate::stamp::{Stamp, StampSource};

/// A batch is handed on at the first event behind this time since the last one: often enough for a
/// person who watches, seldom enough to cost nothing.
const HAND_ON_EVERY: Nanos = Nanos::from_millis(100);
/// A batch is handed on when it holds so many events.
const BATCH_EVENTS: usize = 1_024;

/// Who counted the tokens of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSource {
    /// A running usage or running timings.
    Count,
    /// Token ids that came with it.
    Ids,
}

/// One event of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Arrival of the bytes that completed it.
    pub at: Nanos,
    /// Tokens that the server attributes to it, where it says so.
    pub tokens: Option<u32>,
}

/// Events of one answer, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// The events.
    pub events: Vec<Event>,
    /// Their text, joined.
    pub text: String,
    /// Which of the events is the first with answer text rather than reasoning.
    pub first_answer: Option<usize>,
    /// Who counted, where somebody did.
    pub token_source: Option<TokenSource>,
    /// Whether any stamp is the time of a read rather than the kernel's.
    pub read_stamps: bool,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.text.is_empty()
    }
}

/// What is known of an answer that was given up before its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Partial {
    /// The last usage.
    pub usage: Option<Usage>,
    /// llama.cpp's last timings.
    pub timings: Option<Timings>,
    /// How the answer came compressed, if it did.
    pub encoded: Option<String>,
}

/// Follows one answer.
#[derive(Debug)]
pub(crate) struct Answer {
    reader: ReplyReader,
    intake: Intake,
    handed_on: Nanos,
}

/// Where the reader puts events.
#[derive(Debug, Default)]
struct Intake {
    batch: Batch,
    /// Tokens counted so far.
    count: u64,
    /// Whether any event came.
    started: bool,
    answered: bool,
}

impl Answer {
    /// Messages will hold none of `secrets`.
    pub(crate) fn new(endpoint: Endpoint, secrets: Secrets) -> Self {
        Self {
            reader: ReplyReader::new(endpoint).hiding(secrets),
            intake: Intake::default(),
            handed_on: Nanos::ZERO,
        }
    }

    pub(crate) fn head(&mut self, head: &Head) {
        self.reader.head(
            head.status,
            head.content_type.as_deref(),
            head.content_encoding.as_deref(),
            head.retry_after,
        );
        self.reader.location(head.location.as_deref());
    }

    /// Takes bytes in. A batch comes out with the first event, then from time to time.
    pub(crate) fn data(&mut self, bytes: &[u8], stamp: Stamp) -> Option<Batch> {
        let first = !self.intake.started;
        self.reader.push(stamp.at, bytes, &mut self.intake);
        if stamp.source == StampSource::Read {
            self.intake.batch.read_stamps = true;
        }
        let events = self.intake.batch.events.len();
        let is_due = stamp.read_at.saturating_sub(self.handed_on) >= HAND_ON_EVERY;
        let hands_on = events > 0 && (first || is_due || events >= BATCH_EVENTS);
        if !hands_on {
            return None;
        }
        self.handed_on = stamp.read_at;
        self.rest()
    }

    /// What was not handed on yet.
    pub(crate) fn rest(&mut self) -> Option<Batch> {
        let batch = &mut self.intake.batch;
        if batch.is_empty() {
            return None;
        }
        let (events, text) = (batch.events.len(), batch.text.len());
        let batch = std::mem::take(batch);
        // The next batch will be about as large: it grows no more.
        self.intake.batch.events.reserve(events);
        self.intake.batch.text.reserve(text);
        Some(batch)
    }

    /// What is known without the end.
    pub(crate) fn partial(&self) -> Partial {
        Partial {
            usage: self.reader.usage_so_far(),
            timings: self.reader.timings_so_far(),
            encoded: self.reader.encoded().map(str::to_owned),
        }
    }

    /// Ends the answer: the last events and the outcome.
    pub(crate) fn finish(self, at: Nanos, end: BodyEnd) -> (Batch, Reply) {
        let mut intake = self.intake;
        let reply = self.reader.finish(at, end, &mut intake);
        (intake.batch, reply)
    }
}

impl TokenSink for Intake {
    fn token(&mut self, token: Token<'_>) {
        self.started = true;
        let tokens = self.tokens_of(&token);
        let batch = &mut self.batch;
        if !self.answered && token.channel == Channel::Content {
            self.answered = true;
            batch.first_answer = Some(batch.events.len());
        }
        batch.events.push(Event {
            at: token.at,
            tokens,
        });
        batch.text.push_str(token.text);
    }
}

impl Intake {
    /// Tokens of one event by the server's own count (methodology section 4.3.6).
    fn tokens_of(&mut self, token: &Token<'_>) -> Option<u32> {
        let (tokens, source) = match (token.completion_tokens, token.token_ids) {
            (Some(total), _) => {
                let gained = total.saturating_sub(self.count);
                self.count = self.count.max(total);
                (gained, TokenSource::Count)
            }
            (None, Some(ids)) => {
                self.count = self.count.saturating_add(ids);
                (ids, TokenSource::Ids)
            }
            (None, None) => return None,
        };
        self.batch.token_source.get_or_insert(source);
        u32::try_from(tokens).ok()
    }
}
