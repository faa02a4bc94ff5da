//! What a request asks, its body, and which member a refusal names.

mod body;
mod refusal;

pub use refusal::refused_field;

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

/// The endpoints that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Endpoint {
    /// `/v1/chat/completions`.
    #[default]
    Chat,
    /// `/v1/completions`.
    Completions,
}

/// A word that names no endpoint that can be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Known, but its events are of another kind (case B013).
    #[error("the Responses API cannot be measured; use `chat` or `completions`")]
    Responses,
    /// No such endpoint.
    #[error("`{0}` is not an endpoint; use `chat` or `completions`")]
    Unknown(String),
}

impl Endpoint {
    /// Its path below the server's base address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Completions => "/v1/completions",
        }
    }

    /// The word on the command line and in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(word: &str) -> Result<Self, EndpointError> {
        match word {
            "chat" => Ok(Self::Chat),
            "completions" => Ok(Self::Completions),
            "responses" => Err(EndpointError::Responses),
            other => Err(EndpointError::Unknown(other.to_owned())),
        }
    }
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message of the person.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
        }
    }
}

/// What the model is to go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// A chat, sent as `messages`.
    Messages(Vec<Message>),
    /// Plain text, sent as `prompt`; the chat endpoint gets it as one user message.
    Text(String),
    /// Token ids, sent as `prompt`; for the completions endpoint of servers that take them.
    TokenIds(Vec<u32>),
}

impl Prompt {
    /// A chat of one message of the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::Messages(vec![Message::user(text)])
    }
}

/// The name under which the output limit is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LimitField {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl LimitField {
    /// The member's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How tokens are drawn; what is `None` is left to the server.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// `temperature`.
    pub temperature: Option<f64>,
    /// `top_p`.
    pub top_p: Option<f64>,
    /// `seed`.
    pub seed: Option<u64>,
}

/// Everything that a measured request asks. It always asks for a stream.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a member of the body that is sent or not, independent of the others"
)]
#[derive(Debug, Clone, PartialEq)]
pub struct RequestSpec {
    /// Where it goes.
    pub endpoint: Endpoint,
    /// The served model's name.
    pub model: String,
    /// What the model is to go on from.
    pub prompt: Prompt,
    /// The most tokens to generate; always sent.
    pub max_tokens: u64,
    /// The name under which that limit is sent.
    pub limit_field: LimitField,
    /// How tokens are drawn.
    pub sampling: Sampling,
    /// Whether generation goes on behind the end-of-sequence token.
    pub ignore_eos: bool,
    /// The least tokens to generate.
    pub min_tokens: Option<u64>,
    /// Whether usage is asked for at the end of the stream.
    pub include_usage: bool,
    /// Whether usage is asked for with every chunk; asks for [`include_usage`](Self::include_usage)
    /// too, without which vLLM refuses it.
    pub continuous_usage: bool,
    /// Whether llama.cpp's timings are asked for with every chunk.
    pub timings_per_token: bool,
    /// Whether token ids are asked for with every chunk.
    pub return_token_ids: bool,
    /// Further members; one with the name of a member above takes its place.
    pub extra: Map<String, Value>,
}

impl RequestSpec {
    /// A request without any optional member.
    pub fn new(
        endpoint: Endpoint,
        model: impl Into<String>,
        prompt: Prompt,
        max_tokens: u64,
    ) -> Self {
        Self {
            endpoint,
            model: model.into(),
            prompt,
            max_tokens,
            limit_field: LimitField::default(),
            sampling: Sampling::default(),
            ignore_eos: false,
            min_tokens: None,
            include_usage: false,
            continuous_usage: false,
            timings_per_token: false,
            return_token_ids: false,
            extra: Map::new(),
        }
    }
}
