//! Bodies of requests, and what to leave out when a server refuses a field.

use serde_json::{Map, Value, json};

/// Which route a request goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Endpoint {
    /// `/v1/chat/completions`.
    #[default]
    Chat,
    /// `/v1/completions`.
    Completions,
}

/// A message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    /// For chat.
    Messages(Vec<Message>),
    /// For completions.
    Text(String),
    /// For completions on servers that take ids.
    TokenIds(Vec<u32>),
}

impl Prompt {
    /// A chat of one user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self::Messages(vec![Message {
            role: "user".to_owned(),
            content: text.into(),
        }])
    }
}

/// The field that limits the output (case B070).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitField {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl LimitField {
    fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// Sampling, always explicit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sampling {
    /// Temperature; `None` leaves the field out.
    pub temperature: Option<f64>,
    /// Nucleus share.
    pub top_p: Option<f64>,
    /// Seed.
    pub seed: Option<u64>,
}

/// Everything of a streaming request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestSpec {
    /// Route.
    pub endpoint: Endpoint,
    /// Served model.
    pub model: String,
    /// What is asked.
    pub prompt: Prompt,
    /// Most output tokens.
    pub max_tokens: u64,
    /// The limit's name.
    pub limit_field: LimitField,
    /// Sampling.
    pub sampling: Sampling,
    /// Write on after the end token.
    pub ignore_eos: bool,
    /// Least output tokens.
    pub min_tokens: Option<u64>,
    /// Usage in a last frame.
    pub include_usage: bool,
    /// Usage on every frame; needs `include_usage`.
    pub continuous_usage: bool,
    /// llama.cpp's timings on every frame.
    pub timings_per_token: bool,
    /// Token ids on every frame.
    pub return_token_ids: bool,
    /// Fields of one server only.
    pub extra: Map<String, Value>,
}

impl RequestSpec {
    /// A request with nothing optional in it.
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

    /// The JSON body.
    pub fn body(&self) -> Vec<u8> {
        // Serialising a `Value` into memory cannot fail.
        serde_json::to_vec(&self.value()).unwrap_or_default()
    }

    fn value(&self) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), self.model.clone().into());
        match &self.prompt {
            Prompt::Messages(messages) => {
                let list: Vec<Value> = messages
                    .iter()
                    .map(|m| json!({ "role": m.role, "content": m.content }))
                    .collect();
                body.insert("messages".into(), list.into());
            }
            Prompt::Text(text) => {
                body.insert("prompt".into(), text.clone().into());
            }
            Prompt::TokenIds(ids) => {
                body.insert("prompt".into(), ids.clone().into());
            }
        }
        body.insert("stream".into(), true.into());
        body.insert(self.limit_field.name().into(), self.max_tokens.into());
        self.optional(&mut body);
        body.extend(self.extra.clone());
        body.into()
    }

    fn optional(&self, body: &mut Map<String, Value>) {
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        put("temperature", self.sampling.temperature.map(Value::from));
        put("top_p", self.sampling.top_p.map(Value::from));
        put("seed", self.sampling.seed.map(Value::from));
        put("ignore_eos", self.ignore_eos.then(|| true.into()));
        put("min_tokens", self.min_tokens.map(Value::from));
        put(
            "timings_per_token",
            self.timings_per_token.then(|| true.into()),
        );
        put(
            "return_token_ids",
            self.return_token_ids.then(|| true.into()),
        );
        let options = match (self.include_usage, self.continuous_usage) {
            (false, _) => None,
            (true, false) => Some(json!({ "include_usage": true })),
            (true, true) => Some(json!({ "include_usage": true, "continuous_usage_stats": true })),
        };
        put("stream_options", options);
    }
}
