//! One answer, from its head to its end.
//!
//! [`ReplyReader`] is fed what the connection brings and gives back the events that count
//! (methodology section 1) and, at the end, what became of the request (section 5).

mod failure;
mod finish;
mod pattern;
mod progress;
mod reader;
mod secrets;
mod sniff;

pub use crate::chunk::{Timings, Usage};
pub use failure::{Failure, FailureClass, is_context_error};
pub use finish::FinishReason;
pub use reader::ReplyReader;
pub use secrets::Secrets;

use tokmark_units::Nanos;

/// How the body of an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// As HTTP says a body ends.
    Complete,
    /// The connection closed before the body was complete.
    Cut,
    /// The connection was reset.
    Reset,
}

/// What kind of text an event carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The answer, alone or together with another kind.
    Content,
    /// Thinking text.
    Reasoning,
    /// Name or arguments of a tool call.
    ToolCall,
    /// None: only the token count rose.
    Silent,
}

/// One event: a frame that carries generated text or raises the token count (methodology section
/// 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEvent {
    /// When the bytes that completed it arrived.
    pub at: Nanos,
    /// What kind of text it carries.
    pub channel: Channel,
    /// The generated text; thinking before answer before tool call where a frame holds several.
    pub text: String,
    /// The server's running count of generated tokens up to and including this event: usage, else
    /// llama.cpp's `predicted_n`. `None` where the server does not count event by event, also when
    /// the total happens to come with the last one.
    pub completion_tokens: Option<u64>,
    /// How many token ids came with this event.
    pub token_ids: Option<u64>,
}

/// A [`TokenEvent`] whose text lies where it was read, as long as the call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// See [`TokenEvent::at`].
    pub at: Nanos,
    /// See [`TokenEvent::channel`].
    pub channel: Channel,
    /// See [`TokenEvent::text`].
    pub text: &'a str,
    /// See [`TokenEvent::completion_tokens`].
    pub completion_tokens: Option<u64>,
    /// See [`TokenEvent::token_ids`].
    pub token_ids: Option<u64>,
}

/// Takes the events of an answer as they are read.
pub trait TokenSink {
    /// The next event.
    fn token(&mut self, token: Token<'_>);
}

/// Keeps every event with a text of its own.
impl TokenSink for Vec<TokenEvent> {
    fn token(&mut self, token: Token<'_>) {
        self.push(TokenEvent {
            at: token.at,
            channel: token.channel,
            text: token.text.to_owned(),
            completion_tokens: token.completion_tokens,
            token_ids: token.token_ids,
        });
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Why the generation ended, by the server's word.
    pub finish: Option<FinishReason>,
    /// When the frame with the finish reason arrived.
    pub finish_at: Option<Nanos>,
    /// The stop text or token that was met, where the server names it.
    pub stop_reason: Option<String>,
    /// The last usage, completed with what earlier ones said.
    pub usage: Option<Usage>,
    /// llama.cpp's last timings.
    pub timings: Option<Timings>,
    /// Whether it came as server-sent events. A whole JSON answer has no first-token time and no
    /// gaps (cases B029, B035).
    pub streamed: bool,
    /// Whether the stream said `[DONE]`.
    pub ended_with_done: bool,
    /// Token events so far.
    pub events: u64,
    /// Comment lines of the stream: keep-alives.
    pub comments: u64,
    /// Text of an answer that was not streamed; a stream's text is in its events.
    pub text: String,
    /// The model's name by the answer.
    pub model: Option<String>,
    /// Build and configuration of the server by the answer.
    pub system_fingerprint: Option<String>,
    /// A `content-encoding` other than `identity`: somebody on the way compressed the answer
    /// (case B034).
    pub encoded: Option<String>,
}
