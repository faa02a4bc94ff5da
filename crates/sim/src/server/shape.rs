//! What the answers of one route look like, and what they are made from.

use std::fmt::Debug;

use serde_json::{Map, Value};
use tokmark_units::Nanos;

use super::error::{ApiError, Refused};
use super::json::{self, Object};
use crate::model::{Finish, Output};
use crate::tokenizer::TokenId;

/// The members of a request body.
pub(super) type Fields = Map<String, Value>;

/// What a route's prompts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// Messages, put together by the chat template.
    Chat,
    /// Plain text, or token ids.
    Text,
}

/// How chunks are put into the body of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events with line feeds.
    Events,
    /// Server-sent events with carriage returns before the line feeds.
    EventsCrlf,
    /// One JSON object a line.
    Lines,
}

impl Framing {
    /// What stands before and behind a chunk.
    fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Events => ("data: ", "\n\n"),
            Self::EventsCrlf => ("data: ", "\r\n\r\n"),
            Self::Lines => ("", "\n"),
        }
    }

    /// The bytes of a chunk in the body.
    pub(super) fn frame(self, chunk: &Chunk) -> Vec<u8> {
        let (before, behind) = self.around();
        let before = match chunk.kind {
            ChunkKind::Comment => ": ",
            ChunkKind::Tokens | ChunkKind::Aside => before,
        };
        [before.as_bytes(), &chunk.bytes, behind.as_bytes()].concat()
    }
}

/// The shape of one generation route: how its requests are read and its answers written.
pub(super) trait Shape: Debug + Sync {
    /// What its prompts are.
    fn speech(&self) -> Speech;

    /// How its streams are framed.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// The `content-type` of its streams.
    fn stream_type(&self) -> &'static str {
        "text/event-stream; charset=utf-8"
    }

    /// Whether chunks repeat the text so far, so that it is kept.
    fn repeats(&self) -> bool {
        false
    }

    /// Translates a body of the server's own into the names that OpenAI's routes use.
    fn fields(&self, fields: Fields) -> Result<Fields, ApiError> {
        Ok(fields)
    }

    /// Writes what is sent for tokens: the opening with the first of them, the end with the last.
    fn step(&self, head: &Head, step: &Step<'_>, chunks: &mut Chunks);

    /// Writes what is sent when the engine fails in the middle of an answer; nothing where the
    /// connection just breaks.
    fn failure(&self, head: &Head, chunks: &mut Chunks);

    /// Writes a refusal into a stream that has already begun with HTTP 200; false where refusals
    /// have a status of their own.
    fn refusal(&self, _error: &ApiError, _chunks: &mut Chunks) -> bool {
        false
    }

    /// An error in this route's own words, where they are not the server's.
    fn error(&self, _error: &ApiError) -> Option<Refused> {
        None
    }

    /// Headers of a whole answer.
    fn headers(&self, _step: &Step<'_>) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Writes a whole answer; its text is the step's.
    fn whole(&self, head: &Head, step: &Step<'_>, out: &mut Object<'_>);
}

/// What is the same in every chunk of an answer.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) id: String,
    /// Second of the answer's beginning, since 1970.
    pub(super) created: u64,
    pub(super) model: String,
    /// What the server calls its build.
    pub(super) fingerprint: String,
}

/// The text of one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Delta {
    /// Answer text.
    pub(super) content: String,
    /// Text under the name `reasoning`.
    pub(super) reasoning: Option<String>,
    /// Text under the name `reasoning_content`.
    pub(super) reasoning_content: Option<String>,
    /// The tokens, for those who asked for them.
    pub(super) ids: Vec<TokenId>,
}

impl Delta {
    /// The reasoning, for servers that have one name for it.
    pub(super) fn thought(&self) -> Option<&str> {
        let named = self.reasoning_content.as_ref().or(self.reasoning.as_ref());
        named.map(String::as_str)
    }

    /// Whether it has no text at all.
    pub(super) fn is_silent(&self) -> bool {
        self.content.is_empty() && self.thought().is_none()
    }

    /// The answer text, unless there is reasoning instead of it.
    pub(super) fn said(&self) -> Option<&str> {
        let bare = self.thought().is_some() && self.content.is_empty();
        (!bare).then_some(self.content.as_str())
    }
}

/// Token counts of an answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) prompt: u32,
    pub(super) completion: u32,
    /// Prompt tokens that were found in the prefix cache.
    pub(super) cached: u32,
}

impl Tally {
    /// Prompt and completion together.
    pub(super) fn total(self) -> u32 {
        self.prompt.saturating_add(self.completion)
    }
}

/// Where a stream tells its token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UsageWish {
    /// In every chunk.
    pub(super) every: bool,
    /// At the end, where the server has a place for it.
    pub(super) last: bool,
}

/// What the client asked to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wishes {
    pub(super) usage: UsageWish,
    /// The tokens themselves.
    pub(super) token_ids: bool,
    /// llama.cpp's timings with every chunk.
    pub(super) timings: bool,
    /// Whether the server was started so that usage tells cached tokens.
    pub(super) cached_tokens: bool,
}

/// When things happened to an answer, on the server's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    /// The request had been read.
    pub(super) arrival: Nanos,
    /// Its prefill began.
    pub(super) prefill: Nanos,
    /// Its first token was produced.
    pub(super) first: Nanos,
    /// The newest one.
    pub(super) last: Nanos,
}

impl Times {
    /// Takes the times of an output in.
    pub(super) fn take(&mut self, output: &Output) {
        self.prefill = output.prefill_start;
        self.last = output.at;
        if output.first {
            self.first = output.at;
        }
    }

    /// Waiting before the prefill.
    pub(super) fn queue(self) -> Nanos {
        self.prefill.saturating_sub(self.arrival)
    }

    /// From the prefill's beginning to the first token.
    pub(super) fn prompt(self) -> Nanos {
        self.first.saturating_sub(self.prefill)
    }

    /// From the first token to the newest.
    pub(super) fn decode(self) -> Nanos {
        self.last.saturating_sub(self.first)
    }

    /// From arrival to the newest token.
    pub(super) fn total(self) -> Nanos {
        self.last.saturating_sub(self.arrival)
    }
}

/// Tokens that are to be sent, and all that can be told with them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) delta: &'a Delta,
    /// Whether they are the answer's first.
    pub(super) first: bool,
    /// How the answer ends, with its last tokens.
    pub(super) finish: Option<Finish>,
    /// Counts, these tokens included.
    pub(super) tally: Tally,
    pub(super) wishes: Wishes,
    pub(super) times: Times,
    /// The prompt, kept for those who want token ids.
    pub(super) prompt_ids: &'a [TokenId],
    /// The whole text so far, where [`Shape::repeats`].
    pub(super) so_far: &'a str,
}

impl Step<'_> {
    /// The finish reason in `OpenAI`'s words.
    pub(super) fn finish_word(&self) -> Option<&'static str> {
        self.finish.map(word)
    }

    /// Cached tokens, where usage tells them.
    pub(super) fn told_cached(&self) -> Option<u32> {
        self.wishes.cached_tokens.then_some(self.tally.cached)
    }

    /// These tokens' ids, where they were asked for.
    pub(super) fn asked_ids(&self) -> Option<&[TokenId]> {
        self.wishes.token_ids.then_some(self.delta.ids.as_slice())
    }

    /// The prompt's ids, where they were asked for and this is the first step.
    pub(super) fn asked_prompt(&self) -> Option<&[TokenId]> {
        (self.wishes.token_ids && self.first).then_some(self.prompt_ids)
    }
}

/// A finish reason in `OpenAI`'s words.
pub(super) fn word(finish: Finish) -> &'static str {
    match finish {
        Finish::Length => "length",
        Finish::Stop => "stop",
        Finish::Abort => "abort",
    }
}

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkKind {
    /// The step's tokens are in it.
    Tokens,
    /// Something else.
    Aside,
    /// A comment of the stream, which is no event.
    Comment,
}

/// One chunk, without its framing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    pub(super) kind: ChunkKind,
}

/// Chunks in the order in which they are sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chunks(pub(super) Vec<Chunk>);

impl Chunks {
    /// A chunk with the step's tokens.
    pub(super) fn tokens(&mut self, write: impl FnOnce(&mut Object<'_>)) {
        self.push(ChunkKind::Tokens, write);
    }

    /// A chunk without tokens.
    pub(super) fn aside(&mut self, write: impl FnOnce(&mut Object<'_>)) {
        self.push(ChunkKind::Aside, write);
    }

    fn push(&mut self, kind: ChunkKind, write: impl FnOnce(&mut Object<'_>)) {
        let mut bytes = Vec::with_capacity(256);
        json::object(&mut bytes, write);
        self.0.push(Chunk { bytes, kind });
    }

    /// The end mark of `OpenAI`'s streams.
    pub(super) fn done(&mut self) {
        self.0.push(Chunk {
            bytes: b"[DONE]".to_vec(),
            kind: ChunkKind::Aside,
        });
    }

    /// A comment.
    pub(super) fn comment(&mut self, text: String) {
        self.0.push(Chunk {
            bytes: text.into_bytes(),
            kind: ChunkKind::Comment,
        });
    }
}
