//! What a stream has said so far, and which of its frames are events.

use std::borrow::Cow;

use tokmark_units::Nanos;

use super::pattern::{FramePattern, Hit};
use super::{Channel, Failure, FailureClass, FinishReason, Reply, Secrets, Token, TokenSink};
use crate::chunk::{Choice, Chunk, Delta, ErrorBody};
use crate::request::Endpoint;
use crate::sse::SseEvent;

/// Where a frame stands in its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Its closing blank line came.
    Closed,
    /// The body ended before its closing blank line, perhaps in the middle of it.
    Tail,
}

/// Follows one stream, frame by frame.
#[derive(Debug)]
pub(super) struct Progress {
    endpoint: Endpoint,
    /// The reply as far as it is known.
    pub(super) reply: Reply,
    /// The HTTP status of the answer's head.
    pub(super) status: Option<u16>,
    /// `Retry-After` of the answer's head.
    pub(super) retry_after: Option<u64>,
    /// What no message may hold.
    pub(super) secrets: Secrets,
    /// The name of the first event that was passed over.
    pub(super) passed_over: Option<String>,
    /// The highest running token count of a frame with a choice; `None` before the first.
    last_count: Option<u64>,
    /// The mould of the last frame that was read in full.
    pattern: Option<FramePattern>,
    /// Frames read in full since one was of the pattern.
    misses: u32,
}

/// So many frames in a row that are unlike the one before: the server changes something every time,
/// and learning would cost more than it saves.
const MISSES: u32 = 16;

impl Progress {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            reply: Reply::default(),
            status: None,
            retry_after: None,
            secrets: Secrets::default(),
            passed_over: None,
            last_count: None,
            pattern: None,
            misses: 0,
        }
    }

    /// The endpoint that answers.
    pub(super) fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// Keeps the first failure; what follows it is often its consequence.
    pub(super) fn fail(&mut self, mut failure: Failure) {
        failure.status = failure.status.or(self.status);
        self.reply.failure.get_or_insert(failure);
    }

    /// Fails with words of our own.
    pub(super) fn fail_as(&mut self, class: FailureClass, words: &str) {
        self.fail(Failure::new(class, None, &self.secrets.redact(words)));
    }

    /// Fails with the server's error.
    pub(super) fn fail_with(&mut self, error: &ErrorBody<'_>) {
        let failure = Failure::in_stream(error, self.retry_after, &self.secrets);
        self.fail(failure);
    }

    fn protocol(&mut self, words: &str) {
        self.fail_as(FailureClass::Protocol, words);
    }

    /// Takes one server-sent event in.
    pub(super) fn event(
        &mut self,
        at: Nanos,
        event: SseEvent<'_>,
        place: Place,
        out: &mut impl TokenSink,
    ) {
        let data = event.data.trim_ascii();
        if self.reply.ended_with_done || data.is_empty() {
            return;
        }
        match event.event {
            None | Some("message") => {}
            Some("error") => return self.error_event(data),
            Some(name) if name.starts_with("response.") => return self.responses_api(),
            // Agent progress, annotations: never the answer's text.
            Some(name) => {
                self.passed_over.get_or_insert_with(|| name.to_owned());
                return;
            }
        }
        if data == b"[DONE]" {
            self.reply.ended_with_done = true;
            return;
        }
        if let Some(pattern) = &self.pattern
            && let Some(hit) = pattern.read(data)
        {
            let (channel, token_ids) = (pattern.channel, pattern.token_ids);
            return self.hit(at, channel, token_ids, &hit, out);
        }
        match Chunk::parse(data) {
            Ok(Some(chunk)) => self.chunk(at, &chunk, data, out),
            Ok(None) => self.protocol(&unreadable(data, "not a JSON object")),
            Err(error) => self.unparsed(at, data, place, &error, out),
        }
    }

    /// A frame that is not JSON. Bytes that are not UTF-8 cost the character, not the frame; a cut
    /// tail is judged by the stream's end.
    fn unparsed(
        &mut self,
        at: Nanos,
        data: &[u8],
        place: Place,
        error: &serde_json::Error,
        out: &mut impl TokenSink,
    ) {
        if let Cow::Owned(text) = String::from_utf8_lossy(data)
            && let Ok(Some(chunk)) = Chunk::parse(text.as_bytes())
        {
            self.chunk(at, &chunk, text.as_bytes(), out);
        } else if place == Place::Closed {
            self.protocol(&unreadable(data, &error.to_string()));
        }
    }

    /// An event that is named `error` is one whatever its data look like.
    fn error_event(&mut self, data: &[u8]) {
        let text = String::from_utf8_lossy(data);
        let chunk = Chunk::parse(data).ok().flatten();
        let error = chunk.and_then(|chunk| chunk.failure());
        let error = error.unwrap_or_else(|| ErrorBody {
            message: Some(text),
            ..ErrorBody::default()
        });
        self.fail_with(&error);
    }

    fn responses_api(&mut self) {
        self.protocol("a stream of the Responses API; only chat and completions can be read");
    }

    /// Takes one frame's object in.
    fn chunk(&mut self, at: Nanos, chunk: &Chunk<'_>, data: &[u8], out: &mut impl TokenSink) {
        if chunk
            .kind
            .as_deref()
            .is_some_and(|kind| kind.starts_with("response."))
        {
            return self.responses_api();
        }
        if let Some(error) = chunk.failure() {
            return self.fail_with(&error);
        }
        self.facts(chunk);
        let Some(choice) = &chunk.choices.first else {
            // Usage, ping and filter frames have no choice and never move the last-token time
            // (cases B010, B011, B032).
            return;
        };
        let (channel, text) = Pieces::of_frame(choice, self.endpoint).join();
        if let Some(token) = self.token(at, choice, (channel, &text), running_count(chunk)) {
            self.reply.events += 1;
            out.token(token);
            self.learn(data, chunk, channel, &text);
        }
        self.ending(at, choice);
    }

    /// Remembers the mould of an event's frame.
    fn learn(&mut self, data: &[u8], chunk: &Chunk<'_>, channel: Channel, text: &str) {
        self.misses = self.misses.saturating_add(1);
        let ends =
            chunk.choices.first.as_ref().is_some_and(|choice| {
                choice.finish_reason.is_some() || choice.stop_reason.is_some()
            });
        if ends || text.is_empty() || chunk.timings.is_some() || self.misses > MISSES {
            return;
        }
        self.pattern = FramePattern::learn(data, chunk, channel, text);
    }

    /// Takes a frame of the known pattern in: as [`Self::chunk`] would.
    fn hit(
        &mut self,
        at: Nanos,
        channel: Channel,
        token_ids: Option<u64>,
        hit: &Hit<'_>,
        out: &mut impl TokenSink,
    ) {
        self.misses = 0;
        if let Some(usage) = hit.usage {
            self.reply.usage = Some(usage.or(self.reply.usage.unwrap_or_default()));
        }
        if let Some(count) = hit.count {
            self.last_count = Some(self.last_count.unwrap_or(0).max(count));
        }
        self.reply.events += 1;
        out.token(Token {
            at,
            channel,
            text: hit.text,
            completion_tokens: hit.count,
            token_ids,
        });
    }

    /// What a frame says about the request rather than about new text.
    pub(super) fn facts(&mut self, chunk: &Chunk<'_>) {
        let reply = &mut self.reply;
        if let Some(usage) = chunk.usage.filter(|usage| !usage.is_empty()) {
            reply.usage = Some(usage.or(reply.usage.unwrap_or_default()));
        }
        reply.timings = chunk.timings.or(reply.timings);
        if reply.model.is_none() {
            reply.model = chunk.model().map(str::to_owned);
        }
        if reply.system_fingerprint.is_none() {
            reply.system_fingerprint = chunk.system_fingerprint.as_deref().map(str::to_owned);
        }
    }

    /// Takes note of a finish reason.
    pub(super) fn ending(&mut self, at: Nanos, choice: &Choice<'_>) {
        if let Some(word) = &choice.finish_reason
            && self.reply.finish.is_none()
        {
            self.reply.finish = Some(FinishReason::parse(&self.secrets.redact(word)));
            self.reply.finish_at = Some(at);
            self.reply.stop_reason = choice.stop_reason.as_deref().map(str::to_owned);
        }
    }

    /// The event that a frame is, if it is one (methodology section 1): it carries text, or it
    /// raises the running count, or token ids came without text.
    ///
    /// The first count of a stream that comes with the finish reason is its total, not a running
    /// count: alone it is no event, and behind uncounted events it says nothing about this one, so
    /// that a usage with the finish reason and one behind it give the same numbers (case B010).
    fn token<'a>(
        &mut self,
        at: Nanos,
        choice: &Choice<'_>,
        (channel, text): (Channel, &'a str),
        count: Option<u64>,
    ) -> Option<Token<'a>> {
        let is_total = self.last_count.is_none() && choice.finish_reason.is_some();
        let raised = count.is_some_and(|count| count > self.last_count.unwrap_or(0));
        if let Some(count) = count {
            self.last_count = Some(self.last_count.unwrap_or(0).max(count));
        }
        let token_ids = choice.ids();
        if channel == Channel::Silent && (is_total || !raised) && token_ids.unwrap_or(0) == 0 {
            return None;
        }
        // The total of a reply of one frame is this frame's count as well.
        let uncounted = is_total && (channel == Channel::Silent || self.reply.events > 0);
        Some(Token {
            at,
            channel,
            text,
            completion_tokens: count.filter(|_| !uncounted),
            token_ids,
        })
    }
}

/// The running count that a frame carries.
fn running_count(chunk: &Chunk<'_>) -> Option<u64> {
    let usage = chunk.usage.filter(|usage| !usage.is_empty());
    let counted = usage.and_then(|usage| usage.completion_tokens);
    counted.or_else(|| chunk.timings.and_then(|timings| timings.predicted_n))
}

fn unreadable(data: &[u8], why: &str) -> String {
    format!(
        "an event that cannot be read ({why}): {}",
        String::from_utf8_lossy(data)
    )
}

/// The generated text of one choice, by kind.
#[derive(Default)]
pub(super) struct Pieces<'a> {
    reasoning: Option<&'a str>,
    content: Option<&'a str>,
    tool: Option<Cow<'a, str>>,
}

impl<'a> Pieces<'a> {
    /// Of a streamed frame. The endpoint's own member is read first; the other one only where it
    /// is empty, so that a server which sends both is not counted twice.
    fn of_frame(choice: &'a Choice<'_>, endpoint: Endpoint) -> Self {
        Self::of(choice, choice.delta.as_ref(), endpoint)
    }

    /// Of an answer that was not streamed.
    pub(super) fn of_whole(choice: &'a Choice<'_>, endpoint: Endpoint) -> Self {
        Self::of(choice, choice.message.as_ref(), endpoint)
    }

    fn of(choice: &'a Choice<'_>, delta: Option<&'a Delta<'_>>, endpoint: Endpoint) -> Self {
        let chat = delta.map(|delta| Self {
            reasoning: delta.thinking(),
            content: delta.content.as_deref(),
            tool: delta.tool_text(),
        });
        let chat = chat.unwrap_or_default();
        let plain = Self {
            content: choice.text.as_deref(),
            ..Self::default()
        };
        let (own, other) = match endpoint {
            Endpoint::Chat => (chat, plain),
            Endpoint::Completions => (plain, chat),
        };
        if own.is_empty() { other } else { own }
    }

    fn is_empty(&self) -> bool {
        self.reasoning.is_none() && self.content.is_none() && self.tool.is_none()
    }

    /// The text in the order of generation and the channel that it belongs to: a frame with
    /// thinking and answer counts once, as the first answer (case B002).
    pub(super) fn join(self) -> (Channel, String) {
        let channel = match (self.content, self.reasoning, &self.tool) {
            (Some(_), _, _) => Channel::Content,
            (None, Some(_), _) => Channel::Reasoning,
            (None, None, Some(_)) => Channel::ToolCall,
            (None, None, None) => Channel::Silent,
        };
        let mut text = self.reasoning.unwrap_or_default().to_owned();
        text.push_str(self.content.unwrap_or_default());
        text.push_str(self.tool.as_deref().unwrap_or_default());
        (channel, text)
    }
}
