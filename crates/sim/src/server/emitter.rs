//! Turns the engine's outputs into events of a stream, with the faults that were asked for.

use std::collections::VecDeque;

use bytes::Bytes;

use super::script::TEXT_MARK;
use super::shape::{
    Chunk, ChunkKind, Chunks, Delta, Framing, Head, Shape, Speech, Step, Tally, Times, Wishes,
};
use super::{garble, usage};
use crate::faults::{BreakOffKind, RequestFaults};
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

/// Where the text of an answer comes from.
#[derive(Debug)]
enum Text {
    Written(Box<Writer>),
    /// Every token is this mark, which a prepared event replaces.
    Marked,
}

/// The text of one answer, cut into the parts that events carry.
#[derive(Debug)]
pub(super) struct Answer {
    text: Text,
    reasoning: Option<Reasoning>,
    /// Whether some letters are to be ones of two bytes.
    accents: bool,
    written: u32,
}

impl Answer {
    /// An answer in this text; completions have no reasoning.
    pub(super) fn new(
        writer: Writer,
        reasoning: Option<Reasoning>,
        speech: Speech,
        faults: &RequestFaults,
    ) -> Self {
        let field = reasoning.map_or(ReasoningField::ReasoningContent, |style| style.field);
        let first = faults.reasoning.map(|tokens| Reasoning { tokens, field });
        Self {
            text: Text::Written(Box::new(writer)),
            reasoning: first.or(reasoning).filter(|_| speech == Speech::Chat),
            accents: faults.framing.split_utf8,
            written: 0,
        }
    }

    /// An answer whose tokens are all [`TEXT_MARK`].
    pub(super) fn marked() -> Self {
        Self {
            text: Text::Marked,
            reasoning: None,
            accents: false,
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
            let id = match &mut self.text {
                Text::Written(writer) => writer.write(into),
                Text::Marked => {
                    into.push_str(TEXT_MARK);
                    END
                }
            };
            delta.ids.push(id);
            self.written = self.written.saturating_add(1);
        }
        if textless > 0 {
            delta.ids.push(END);
        }
        if self.accents {
            thought = accented(&thought);
            delta.content = accented(&delta.content);
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

/// What a stream has to know of its request.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) wishes: Wishes,
    pub(super) prompt: Vec<TokenId>,
    /// When the whole request had been read.
    pub(super) arrival: Nanos,
}

/// Vowels become letters of two bytes. Pieces are cut by characters, so a text keeps its number of
/// tokens.
fn accented(text: &str) -> String {
    let accent = |letter| match letter {
        'a' => 'ä',
        'e' => 'é',
        'i' => 'ï',
        'o' => 'ö',
        'u' => 'ü',
        other => other,
    };
    text.chars().map(accent).collect()
}

/// Writes one stream.
#[derive(Debug)]
pub(super) struct Emitter {
    head: Head,
    shape: &'static dyn Shape,
    answer: Answer,
    wishes: Wishes,
    faults: RequestFaults,
    prompt: Vec<TokenId>,
    tally: Tally,
    times: Times,
    /// The text so far, where the shape repeats it.
    so_far: String,
    /// Tokens whose text no chunk has carried yet.
    unsent: Vec<(Nanos, u32)>,
    /// Tokens that no step has been given yet.
    waiting: u32,
    /// Whether the answer's first tokens are among them.
    first: bool,
    /// Whether its opening was sent before them.
    opened: bool,
    events: u32,
    held: Vec<Frame>,
    ended: bool,
}

impl Emitter {
    /// A stream's writer. The prompt is kept only for clients that want token ids.
    pub(super) fn new(
        head: Head,
        shape: &'static dyn Shape,
        answer: Answer,
        faults: RequestFaults,
        asked: Asked,
    ) -> Self {
        let Asked {
            mut wishes,
            prompt,
            arrival,
        } = asked;
        wishes.usage = usage::wish(faults.usage, wishes.usage);
        let prompt_tokens = u32::try_from(prompt.len()).unwrap_or(u32::MAX);
        Self {
            head,
            shape,
            answer,
            wishes,
            faults,
            prompt: if wishes.token_ids { prompt } else { Vec::new() },
            tally: Tally {
                prompt: prompt_tokens,
                ..Tally::default()
            },
            times: Times {
                arrival,
                ..Times::default()
            },
            so_far: String::new(),
            unsent: Vec::new(),
            waiting: 0,
            first: false,
            opened: false,
            events: 0,
            held: Vec::new(),
            ended: false,
        }
    }

    /// Goes on as if it had written so many tokens.
    pub(super) fn go_on_after(&mut self, completion: u32) {
        self.tally.completion = completion;
    }

    /// Appends what the stream says as soon as the request is taken.
    pub(super) fn open(&mut self, items: &mut VecDeque<Item>) {
        if self.faults.keep_alive.is_some() {
            self.comment(items);
        }
        if !self.faults.role_chunk {
            return;
        }
        // What a shape opens with stands in its first chunk, of itself or with the first text.
        let mut chunks = Chunks::default();
        self.step(&Delta::default(), true, None, &mut chunks);
        chunks.0.truncate(1);
        self.opened = !chunks.0.is_empty();
        for chunk in chunks.0 {
            self.push(chunk, Vec::new(), items);
        }
    }

    /// Appends what the stream does about tokens that the engine produced.
    pub(super) fn output(&mut self, output: &Output, items: &mut VecDeque<Item>) {
        if self.ended || self.break_off(items) {
            return;
        }
        self.count(output);
        self.waiting = self.waiting.saturating_add(output.tokens);
        self.first |= output.first;
        if output.tokens > 0 {
            self.unsent.push((output.at, output.tokens));
        }
        let enough = self.faults.per_event.unwrap_or(1);
        if self.waiting < enough && output.finished.is_none() {
            return;
        }
        let delta = self
            .answer
            .take(std::mem::take(&mut self.waiting), output.finished);
        if self.shape.repeats() {
            self.so_far.push_str(&delta.content);
        }
        let mut chunks = Chunks::default();
        let first = std::mem::take(&mut self.first) && !self.opened;
        self.step(&delta, first, output.finished, &mut chunks);
        self.send(chunks, items);
        if let Some(finish) = output.finished {
            self.flush(items);
            items.push_back(Item::Done(finish));
            self.ended = true;
        }
    }

    fn step(&self, delta: &Delta, first: bool, finish: Option<Finish>, chunks: &mut Chunks) {
        let step = Step {
            delta,
            first,
            finish,
            tally: Tally {
                completion: self.faults.told(self.tally.completion),
                ..self.tally
            },
            wishes: self.wishes,
            times: self.times,
            prompt_ids: &self.prompt,
            so_far: &self.so_far,
        };
        self.shape.step(&self.head, &step, chunks);
    }

    fn count(&mut self, output: &Output) {
        self.tally.completion = self.tally.completion.saturating_add(output.tokens);
        self.tally.cached = output.cached_tokens;
        self.times.take(output);
    }

    /// Frames chunks. Tokens go with the chunk that carries them, else with the next one.
    fn send(&mut self, chunks: Chunks, items: &mut VecDeque<Item>) {
        let has_tokens = |chunk: &Chunk| chunk.kind == ChunkKind::Tokens;
        let carried = chunks.0.iter().any(has_tokens);
        for chunk in chunks.0 {
            let produced = if has_tokens(&chunk) || !carried {
                std::mem::take(&mut self.unsent)
            } else {
                Vec::new()
            };
            let due = has_tokens(&chunk);
            self.push(chunk, produced, items);
            if due {
                self.comment_if_due(items);
            }
        }
    }

    /// Breaks the stream off when its time has come.
    fn break_off(&mut self, items: &mut VecDeque<Item>) -> bool {
        let Some(fault) = self
            .faults
            .break_off
            .filter(|fault| self.tally.completion - self.waiting >= fault.after_tokens)
        else {
            return false;
        };
        self.ended = true;
        match fault.kind {
            BreakOffKind::Error => {
                let mut chunks = Chunks::default();
                self.shape.failure(&self.head, &mut chunks);
                let silent = chunks.0.is_empty();
                self.send(chunks, items);
                self.flush(items);
                items.push_back(if silent { Item::Cut } else { Item::GiveUp });
            }
            BreakOffKind::Cut => {
                self.flush(items);
                items.push_back(Item::Cut);
            }
            BreakOffKind::Stall => {
                self.flush(items);
                items.push_back(Item::Stall);
            }
        }
        true
    }

    fn comment_if_due(&mut self, items: &mut VecDeque<Item>) {
        self.events = self.events.wrapping_add(1);
        let every = self.faults.keep_alive.filter(|every| *every > 0);
        if every.is_some_and(|every| self.events.is_multiple_of(every)) {
            self.comment(items);
        }
    }

    fn comment(&mut self, items: &mut VecDeque<Item>) {
        if self.shape.framing() == Framing::Lines {
            // A line of JSON has no comments.
            return;
        }
        let mut chunks = Chunks::default();
        chunks.comment("still here".to_owned());
        for chunk in chunks.0 {
            self.push(chunk, Vec::new(), items);
        }
    }

    fn push(&mut self, mut chunk: Chunk, produced: Vec<(Nanos, u32)>, items: &mut VecDeque<Item>) {
        if let Some(fault) = self.faults.usage
            && chunk.kind != ChunkKind::Comment
            && !usage::mend(fault, &mut chunk.bytes)
        {
            return;
        }
        let framing = self.faults.framing;
        let mut bytes = Bytes::from(garble::frame(self.shape.framing(), &chunk, framing));
        if let Some(at) = garble::cut(&bytes, framing) {
            let head = Frame {
                bytes: bytes.split_to(at),
                produced: Vec::new(),
            };
            self.hand_on(head, items);
        }
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
