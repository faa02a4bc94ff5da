//! Turns the engine's outputs into events of a stream, with the faults that were asked for.

use std::collections::VecDeque;

use bytes::Bytes;

use super::ask::UsageWish;
use super::chunk::{Delta, Extras, Head, Route, Tally};
use super::error;
use crate::dialect::Dialect;
use crate::faults::{StreamFault, StreamFaultKind};
use crate::model::{Finish, Output};
use crate::text::{Reasoning, ReasoningField, Writer};
use crate::tokenizer::{END, TokenId};
use tokmark_units::Nanos;

/// Bytes for one write, and the tokens in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) bytes: Bytes,
    /// When each group of tokens was produced, and how many they are.
    pub(super) produced: Vec<(Nanos, u32)>,
}

/// What a stream does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// Send this.
    Frame(Frame),
    /// The answer is complete.
    Done(Finish),
    /// A fault: the server gives the request up, but what it has written so far is sent.
    GiveUp,
    /// A fault: the connection breaks.
    Cut,
    /// A fault: nothing follows, and the connection stays.
    Stall,
}

/// The text of one answer, cut into the parts that events carry.
#[derive(Debug)]
pub(super) struct Answer {
    writer: Writer,
    reasoning: Option<Reasoning>,
    written: u32,
}

impl Answer {
    /// An answer in this text; completions have no reasoning.
    pub(super) fn new(writer: Writer, reasoning: Option<Reasoning>, route: Route) -> Self {
        Self {
            writer,
            reasoning: reasoning.filter(|_| route == Route::Chat),
            written: 0,
        }
    }

    /// The text of the next tokens. The end token has none.
    pub(super) fn take(&mut self, tokens: u32, finish: Option<Finish>) -> Delta {
        let mut delta = Delta::default();
        let mut thought = String::new();
        let textless = u32::from(finish == Some(Finish::Stop)).min(tokens);
        for _ in 0..tokens - textless {
            let thinks = self.reasoning.is_some_and(|r| self.written < r.tokens);
            let into = if thinks {
                &mut thought
            } else {
                &mut delta.content
            };
            let id = self.writer.write(into);
            delta.ids.push(id);
            self.written = self.written.saturating_add(1);
        }
        if textless > 0 {
            delta.ids.push(END);
        }
        if let (Some(reasoning), false) = (self.reasoning, thought.is_empty()) {
            match reasoning.field {
                ReasoningField::ReasoningContent => delta.reasoning_content = Some(thought),
                ReasoningField::Reasoning => delta.reasoning = Some(thought),
                ReasoningField::Both => {
                    delta.reasoning = Some(thought.clone());
                    delta.reasoning_content = Some(thought);
                }
                ReasoningField::Hidden => {}
            }
        }
        delta
    }
}

/// What the client asked to be told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    pub(super) usage: UsageWish,
    pub(super) token_ids: bool,
    /// Whether the server tells how much of the prompt was cached.
    pub(super) cached_tokens: bool,
}

/// Faults of one stream.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StreamFaults {
    pub(super) fault: Option<StreamFault>,
    pub(super) buffer_events: Option<u32>,
    pub(super) comment_every: Option<u32>,
}

/// Writes one stream.
#[derive(Debug)]
pub(super) struct Emitter {
    head: Head,
    answer: Answer,
    wishes: Wishes,
    faults: StreamFaults,
    prompt: Vec<TokenId>,
    prompt_tokens: u32,
    completion: u32,
    events: u32,
    held: Vec<Frame>,
    ended: bool,
}

impl Emitter {
    /// A stream's writer. `prompt` is kept only for clients that want token ids.
    pub(super) fn new(
        head: Head,
        answer: Answer,
        wishes: Wishes,
        faults: StreamFaults,
        prompt: Vec<TokenId>,
    ) -> Self {
        let prompt_tokens = u32::try_from(prompt.len()).unwrap_or(u32::MAX);
        Self {
            head,
            answer,
            wishes,
            faults,
            prompt: if wishes.token_ids { prompt } else { Vec::new() },
            prompt_tokens,
            completion: 0,
            events: 0,
            held: Vec::new(),
            ended: false,
        }
    }

    /// Appends what the stream does about tokens that the engine produced.
    pub(super) fn output(&mut self, output: &Output, items: &mut VecDeque<Item>) {
        if self.ended || self.break_off(items) {
            return;
        }
        if output.first && self.head.route == Route::Chat {
            let role = self.head.role(self.extras(true));
            self.push(&role, Vec::new(), items);
        }
        let bare = self.head.dialect == Dialect::OpenAi;
        self.completion = self.completion.saturating_add(output.tokens);
        let delta = self.answer.take(output.tokens, output.finished);
        let first = self.head.route == Route::Completion && output.first;
        let extras = Extras {
            finish: output.finished.filter(|_| !bare),
            last: output.finished.is_some() && self.wishes.usage == UsageWish::Nowhere && !bare,
            ..self.extras(first)
        };
        let event = self.head.event(&delta, extras);
        self.push(&event, vec![(output.at, output.tokens)], items);
        self.comment(items);
        if let Some(finish) = output.finished {
            self.end(finish, output.cached_tokens, bare, items);
        }
    }

    fn end(&mut self, finish: Finish, cached: u32, bare: bool, items: &mut VecDeque<Item>) {
        if bare {
            let chunk = self
                .head
                .finish(finish, self.wishes.usage == UsageWish::Nowhere);
            self.push(&chunk, Vec::new(), items);
        }
        if self.wishes.usage != UsageWish::Nowhere {
            let tally = Tally {
                cached: self.wishes.cached_tokens.then_some(cached),
                ..self.tally()
            };
            let chunk = self.head.usage(tally);
            self.push(&chunk, Vec::new(), items);
        }
        self.push("[DONE]", Vec::new(), items);
        self.flush(items);
        items.push_back(Item::Done(finish));
        self.ended = true;
    }

    /// Breaks the stream off when its time has come.
    fn break_off(&mut self, items: &mut VecDeque<Item>) -> bool {
        let Some(fault) = self
            .faults
            .fault
            .filter(|fault| self.completion >= fault.after_tokens)
        else {
            return false;
        };
        self.ended = true;
        match fault.kind {
            StreamFaultKind::Error => {
                let error = error::in_stream().to_string();
                self.push(&error, Vec::new(), items);
                self.push("[DONE]", Vec::new(), items);
                self.flush(items);
                items.push_back(Item::GiveUp);
            }
            StreamFaultKind::Cut => {
                self.flush(items);
                items.push_back(Item::Cut);
            }
            StreamFaultKind::Stall => {
                self.flush(items);
                items.push_back(Item::Stall);
            }
        }
        true
    }

    fn tally(&self) -> Tally {
        Tally {
            prompt: self.prompt_tokens,
            completion: self.completion,
            cached: None,
        }
    }

    fn extras(&self, prompt: bool) -> Extras<'_> {
        Extras {
            usage: (self.wishes.usage == UsageWish::Every).then(|| self.tally()),
            token_ids: self.wishes.token_ids,
            prompt_ids: (prompt && self.wishes.token_ids).then_some(self.prompt.as_slice()),
            ..Extras::default()
        }
    }

    fn comment(&mut self, items: &mut VecDeque<Item>) {
        self.events = self.events.wrapping_add(1);
        let Some(every) = self.faults.comment_every.filter(|every| *every > 0) else {
            return;
        };
        if self.events.is_multiple_of(every) {
            let bytes = Bytes::from_static(b": still here\n\n");
            let frame = Frame {
                bytes,
                produced: Vec::new(),
            };
            self.hand_on(frame, items);
        }
    }

    fn push(&mut self, data: &str, produced: Vec<(Nanos, u32)>, items: &mut VecDeque<Item>) {
        let bytes = Bytes::from(["data: ", data, "\n\n"].concat());
        self.hand_on(Frame { bytes, produced }, items);
    }

    fn hand_on(&mut self, frame: Frame, items: &mut VecDeque<Item>) {
        let Some(most) = self.faults.buffer_events else {
            items.push_back(Item::Frame(frame));
            return;
        };
        self.held.push(frame);
        if self.held.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            self.flush(items);
        }
    }

    /// Sends what was held back in one write.
    fn flush(&mut self, items: &mut VecDeque<Item>) {
        if self.held.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        let mut produced = Vec::new();
        for frame in self.held.drain(..) {
            bytes.extend_from_slice(&frame.bytes);
            produced.extend(frame.produced);
        }
        items.push_back(Item::Frame(Frame {
            bytes: Bytes::from(bytes),
            produced,
        }));
    }
}
