//! One answer, from its head to its end: token events with times, usage, finish or failure.

use std::fmt;

use tokmark_units::Nanos;

use crate::chunk::{self, Chunk, Timings, Usage};
use crate::failure;
use crate::sse::{SseEvent, SseSplitter};

pub use crate::failure::{Failure, FailureClass};
pub use crate::request::Endpoint;

/// Which part of an answer a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The answer.
    Content,
    /// Reasoning before it.
    Reasoning,
    /// A tool call.
    ToolCall,
    /// No text, but the running token count rose.
    Silent,
}

/// An event of methodology section 1: a frame that carries generated text or raises the running
/// token count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEvent {
    /// Arrival of the bytes that completed it.
    pub at: Nanos,
    /// Which part.
    pub channel: Channel,
    /// The text.
    pub text: String,
    /// The request's output tokens so far, by the server's running usage or timings.
    pub completion_tokens: Option<u64>,
    /// Token ids that came with it.
    pub token_ids: Option<u64>,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// The model ended it, or a stop string did.
    Stop,
    /// The output limit.
    Length,
    /// A tool call.
    ToolCalls,
    /// A filter.
    ContentFilter,
    /// A word that is not known.
    Other(String),
}

impl FinishReason {
    fn of(word: &str) -> Self {
        match word {
            "stop" | "eos_token" | "stop_sequence" | "eos" => Self::Stop,
            "length" | "max_tokens" => Self::Length,
            "tool_calls" | "function_call" => Self::ToolCalls,
            "content_filter" => Self::ContentFilter,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Endings that mean an error on the server (case B037).
    fn is_error(&self) -> bool {
        matches!(self, Self::Other(word) if ["error", "abort", "aborted", "cancelled"].contains(&word.as_str()))
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::Other(word) => word,
        })
    }
}

/// How a body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// As HTTP says it should.
    Complete,
    /// The connection closed first.
    Cut,
    /// The connection was reset.
    Reset,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Why it ended.
    pub finish: Option<FinishReason>,
    /// When the finish arrived.
    pub finish_at: Option<Nanos>,
    /// The server's counts.
    pub usage: Option<Usage>,
    /// llama.cpp's timings.
    pub timings: Option<Timings>,
    /// Whether it came as a stream; else it has no event times (cases B029, B035).
    pub streamed: bool,
    /// Whether `[DONE]` came.
    pub ended_with_done: bool,
    /// Comment lines.
    pub comments: u64,
    /// The content encoding, when there was one: somebody may have buffered (case B034).
    pub encoded: Option<String>,
    /// Whether any token came, by events or usage.
    pub any_token: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unknown,
    Stream,
    Json,
    Refused(u16),
    Strange,
}

/// Most bytes of an answer that is not a stream.
const LARGEST_BODY: usize = 8 << 20;

/// Reads one answer as it arrives.
#[derive(Debug)]
pub struct ReplyReader {
    kind: Kind,
    splitter: SseSplitter,
    state: State,
    body: Vec<u8>,
    retry_after: Option<u64>,
    content_type: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    reply: Reply,
    running: u64,
    /// Whether the first event came with a running count; a count that appears later is a total.
    counted: Option<bool>,
    done: bool,
    bad_frame: Option<String>,
}

impl ReplyReader {
    /// Before the head has arrived. Both endpoints answer in shapes that are told apart by
    /// themselves; the parameter keeps the door open for others.
    pub fn new(_endpoint: Endpoint) -> Self {
        Self {
            kind: Kind::Unknown,
            splitter: SseSplitter::new(),
            state: State::default(),
            body: Vec::new(),
            retry_after: None,
            content_type: None,
        }
    }

    /// Takes the head.
    pub fn head(
        &mut self,
        status: u16,
        content_type: Option<&str>,
        content_encoding: Option<&str>,
        retry_after: Option<u64>,
    ) {
        let kind = content_type.unwrap_or_default().to_ascii_lowercase();
        self.kind = match status {
            200..300 if kind.starts_with("text/event-stream") => Kind::Stream,
            200..300 if kind.starts_with("application/json") => Kind::Json,
            200..300 if kind.starts_with("text/html") => Kind::Strange,
            // Servers without a content type, or with text/plain, may still stream.
            200..300 => Kind::Unknown,
            other => Kind::Refused(other),
        };
        self.state.reply.encoded = content_encoding
            .filter(|encoding| !encoding.eq_ignore_ascii_case("identity"))
            .map(str::to_owned);
        self.retry_after = retry_after;
        self.content_type = content_type.map(str::to_owned);
    }

    /// Usage that has arrived so far.
    pub fn usage_so_far(&self) -> Option<Usage> {
        self.state.reply.usage
    }

    /// llama.cpp's timings so far.
    pub fn timings_so_far(&self) -> Option<Timings> {
        self.state.reply.timings
    }

    /// Takes bytes of the body.
    pub fn push(&mut self, at: Nanos, bytes: &[u8], out: &mut Vec<TokenEvent>) {
        if self.kind == Kind::Unknown {
            self.body.extend_from_slice(bytes);
            self.kind = guess(&self.body);
            if self.kind != Kind::Stream {
                return;
            }
            let begun = std::mem::take(&mut self.body);
            return self.stream(at, &begun, out);
        }
        if self.kind == Kind::Stream {
            self.stream(at, bytes, out);
        } else if self.body.len() < LARGEST_BODY {
            self.body.extend_from_slice(bytes);
        }
    }

    fn stream(&mut self, at: Nanos, bytes: &[u8], out: &mut Vec<TokenEvent>) {
        self.state.reply.streamed = true;
        let state = &mut self.state;
        let pushed = self
            .splitter
            .push(bytes, |event| state.event(at, event, out));
        if let Err(error) = pushed {
            self.state
                .fail(Failure::new(FailureClass::Protocol, &error.to_string()));
        }
    }

    /// Ends the answer.
    pub fn finish(mut self, at: Nanos, end: BodyEnd, out: &mut Vec<TokenEvent>) -> Reply {
        if self.kind == Kind::Unknown {
            self.kind = if self.body.is_empty() {
                Kind::Stream
            } else {
                Kind::Strange
            };
        }
        match self.kind {
            Kind::Stream => self.end_stream(at, end, out),
            Kind::Json => self.end_json(end),
            Kind::Refused(status) => {
                let refused = failure::of_status(status, &self.body, self.retry_after);
                self.state.fail(refused);
            }
            Kind::Strange | Kind::Unknown => {
                let text = String::from_utf8_lossy(&self.body);
                let kind = self.content_type.as_deref().unwrap_or("no content type");
                let words = format!("not an event stream ({kind}): {text}");
                self.state
                    .fail(Failure::new(FailureClass::Protocol, &words));
            }
        }
        self.state.reply
    }

    fn end_stream(&mut self, at: Nanos, end: BodyEnd, out: &mut Vec<TokenEvent>) {
        let splitter = std::mem::take(&mut self.splitter);
        self.state.reply.comments = splitter.comments();
        let state = &mut self.state;
        splitter.finish(|event| state.event(at, event, out));
        state.reply.ended_with_done = state.done;
        let reply = &state.reply;
        let ended = state.done || reply.finish.is_some();
        if reply.failure.is_some() {
            return;
        }
        if let Some(finish) = reply.finish.as_ref().filter(|finish| finish.is_error()) {
            let words = format!("finish_reason: {finish}");
            return state.fail(Failure::new(FailureClass::ErrorInStream, &words));
        }
        if !ended {
            let words = match (&state.bad_frame, end) {
                (Some(frame), _) => {
                    format!("the stream broke at a frame that is not JSON: {frame}")
                }
                (None, BodyEnd::Reset) => "the connection was reset inside the answer".to_owned(),
                _ => "the stream ended without a finish".to_owned(),
            };
            return state.fail(Failure::new(FailureClass::CutStream, &words));
        }
        if !reply.any_token && reply.finish.is_none() {
            state.fail(Failure::new(
                FailureClass::EmptyStream,
                "the stream held no token",
            ));
        }
    }

    fn end_json(&mut self, end: BodyEnd) {
        if end != BodyEnd::Complete {
            let words = "the answer was cut";
            return self
                .state
                .fail(Failure::new(FailureClass::CutStream, words));
        }
        match chunk::decode(&self.body) {
            Ok(chunk) => self.state.whole(&chunk),
            Err(_) => {
                let text = String::from_utf8_lossy(&self.body);
                let words = format!("not JSON: {text}");
                self.state
                    .fail(Failure::new(FailureClass::Protocol, &words));
            }
        }
    }
}

/// What a body without a telling content type is, once its first characters are there.
fn guess(body: &[u8]) -> Kind {
    let begun = body.trim_ascii_start();
    match begun.first() {
        None => Kind::Unknown,
        Some(b'{' | b'[') => Kind::Json,
        Some(b'<') => Kind::Strange,
        Some(b':') => Kind::Stream,
        Some(_) if begun.len() < 6 => Kind::Unknown,
        Some(_)
            if [&b"data:"[..], b"event:", b"id:", b"retry:"]
                .iter()
                .any(|f| begun.starts_with(f)) =>
        {
            Kind::Stream
        }
        Some(_) => Kind::Strange,
    }
}

impl State {
    fn fail(&mut self, failure: Failure) {
        self.reply.failure.get_or_insert(failure);
    }

    fn event(&mut self, at: Nanos, event: SseEvent<'_>, out: &mut Vec<TokenEvent>) {
        let data = event.data.trim_ascii();
        if data == b"[DONE]" {
            self.done = true;
            return;
        }
        if data.is_empty() {
            return;
        }
        match chunk::decode(data) {
            Ok(chunk) => self.chunk(at, chunk, out),
            Err(_) => {
                let text = String::from_utf8_lossy(data);
                self.bad_frame.get_or_insert_with(|| failure::shown(&text));
            }
        }
    }

    fn chunk(&mut self, at: Nanos, chunk: Chunk<'_>, out: &mut Vec<TokenEvent>) {
        if let Some(error) = &chunk.error {
            return self.fail(failure::in_stream(error));
        }
        let running = running_count(&chunk);
        let rose = running.is_some_and(|count| count > self.running);
        let has_text = chunk.has_text();
        // A last frame that only totals up is no token: it must not move the last token's time.
        let totals_up = chunk.finish.is_some() && self.counted != Some(true);
        if has_text || (chunk.has_choice && rose && !totals_up) {
            self.reply.any_token = true;
            let counted = *self.counted.get_or_insert(running.is_some());
            out.push(TokenEvent {
                at,
                channel: channel(&chunk),
                text: text(&chunk),
                completion_tokens: running.filter(|_| counted),
                token_ids: chunk.token_ids,
            });
        }
        if let Some(count) = running {
            self.running = self.running.max(count);
        }
        if let Some(word) = &chunk.finish {
            self.reply.finish = Some(FinishReason::of(word));
            self.reply.finish_at = Some(at);
        }
        self.keep_counts(&chunk);
    }

    fn keep_counts(&mut self, chunk: &Chunk<'_>) {
        if let Some(usage) = chunk.usage {
            let before = self.reply.usage.unwrap_or_default();
            self.reply.usage = Some(Usage {
                prompt_tokens: usage.prompt_tokens.or(before.prompt_tokens),
                completion_tokens: usage.completion_tokens.or(before.completion_tokens),
                cached_tokens: usage.cached_tokens.or(before.cached_tokens),
                reasoning_tokens: usage.reasoning_tokens.or(before.reasoning_tokens),
            });
            self.reply.any_token |= usage.completion_tokens.unwrap_or(0) > 0;
        }
        self.reply.timings = chunk.timings.or(self.reply.timings);
    }

    fn whole(&mut self, chunk: &Chunk<'_>) {
        if let Some(error) = &chunk.error {
            return self.fail(failure::in_stream(error));
        }
        self.keep_counts(chunk);
        self.reply.any_token |= chunk.has_text();
        self.reply.finish = chunk.finish.as_deref().map(FinishReason::of);
        if !chunk.has_choice {
            self.fail(Failure::new(FailureClass::Protocol, "JSON without choices"));
        }
    }
}

/// Output tokens so far: running usage, or llama.cpp's per-token timings.
fn running_count(chunk: &Chunk<'_>) -> Option<u64> {
    let usage = chunk.usage.and_then(|usage| usage.completion_tokens);
    usage.or_else(|| chunk.timings.and_then(|timings| timings.predicted_n))
}

fn channel(chunk: &Chunk<'_>) -> Channel {
    if !chunk.content.is_empty() {
        Channel::Content
    } else if !chunk.reasoning.is_empty() {
        Channel::Reasoning
    } else if !chunk.tool_call.is_empty() {
        Channel::ToolCall
    } else {
        Channel::Silent
    }
}

fn text(chunk: &Chunk<'_>) -> String {
    let mut text = String::with_capacity(chunk.reasoning.len() + chunk.content.len());
    text.push_str(&chunk.reasoning);
    text.push_str(&chunk.content);
    text.push_str(&chunk.tool_call);
    text
}
