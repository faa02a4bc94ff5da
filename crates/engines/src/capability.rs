//! What a server accepts and tells, as far as it is known.

use tokmark_run_format::Accepts;

/// Known to be so, known not to be so, or not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tri {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// Nobody has said or seen.
    #[default]
    Unknown,
}

impl Tri {
    /// The run document's form, where not known is `null`.
    pub fn to_option(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::Unknown => None,
        }
    }

    /// Whether it is worth asking for.
    pub fn is_possible(self) -> bool {
        self != Self::No
    }

    /// What was seen, or else what was known before.
    #[must_use]
    pub fn or(self, before: Self) -> Self {
        match self {
            Self::Unknown => before,
            seen => seen,
        }
    }
}

impl From<bool> for Tri {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}

/// The route that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Endpoint {
    /// `/v1/chat/completions`.
    #[default]
    Chat,
    /// `/v1/completions`.
    Completions,
}

impl Endpoint {
    /// The route's path.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Completions => "/v1/completions",
        }
    }
}

/// How exact prompt lengths are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TokenizeKind {
    /// `POST /tokenize` takes the messages and answers a count.
    VllmMessages,
    /// `POST /apply-template` gives the prompt, `POST /tokenize` its tokens.
    LlamaCppTemplateThenTokenize,
    /// `POST /chat_tokenize` takes a chat, `POST /tokenize` a text, and both list the tokens.
    Tgi,
    /// `POST /v1/encode` counts a text, behind its chat template when asked to.
    LmDeployEncode,
    /// `POST /v1/token/encode` takes a text or messages.
    TabbyEncode,
    /// `POST /v1/messages/count_tokens` counts a chat, and nothing counts a plain text.
    AnthropicCount,
    /// The server does not count prompts.
    #[default]
    None,
}

/// What ends a request on the server when the client has had enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Abort {
    /// Closing the connection stops the generation.
    CloseConnection,
    /// Closing the connection is all that can be done; the server may generate on.
    #[default]
    CloseConnectionUnverified,
}

/// The value of `generation_config` ([`FixedLength::GenerationConfig`]): no token ends an answer,
/// and tokens are drawn rather than the likeliest taken, since it stands in place of the model's own
/// configuration. Temperature and the rest come from the request's own fields.
pub const ENDLESS_GENERATION: &str = r#"{"eos_token_id":-1,"do_sample":true}"#;

/// How an answer is made to have its full length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FixedLength {
    /// `ignore_eos: true`.
    #[default]
    IgnoreEos,
    /// A least length, equal to the greatest, in the field of this name.
    LeastTokens(&'static str),
    /// `ignore_eos` inside `debug_config`, which works on servers that were started for it.
    DebugConfig,
    /// A generation configuration of its own, written as JSON in a string, whose end token is none.
    GenerationConfig,
    /// The server has no such field: answers end where the model ends them.
    Never,
}

/// The name of the field that limits the output (case B070).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitField {
    /// `max_tokens`, which nearly every server takes.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, where the other is refused.
    MaxCompletionTokens,
}

impl LimitField {
    /// The field's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// What a server accepts and tells: known for its kind, corrected by what one tiny request showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Answers have their full length: `ignore_eos` or its equivalent has effect.
    pub ignore_eos: Tri,
    /// What that equivalent is.
    pub fixed_length: FixedLength,
    /// Fields that every request carries because the server's own default would spoil it.
    pub constants: &'static [(&'static str, u64)],
    /// `stream_options.include_usage` is taken and brings usage in the stream.
    pub stream_usage: Tri,
    /// `stream_options.continuous_usage_stats` brings running counts with every event.
    pub continuous_usage: Tri,
    /// `timings_per_token` brings running counts with every event.
    pub timings_per_token: Tri,
    /// `return_token_ids` brings the ids with every event.
    pub return_token_ids: Tri,
    /// Usage says how many prompt tokens came from the cache.
    pub cached_tokens: Tri,
    /// How prompts are counted.
    pub tokenize: TokenizeKind,
    /// A completion's prompt may be token ids.
    pub token_prompts: Tri,
    /// `id_slot` pins a request to a slot.
    pub slot_pinning: bool,
    /// `cache_prompt` is a field of a request.
    pub cache_prompt_field: bool,
    /// The header that pins a request to a data-parallel rank.
    pub rank_header: Option<&'static str>,
    /// The field that pins a request to a data-parallel rank.
    pub rank_field: Option<&'static str>,
    /// The field that limits the output.
    pub limit_field: LimitField,
    /// Fields that were refused, by name, in the order of the refusals.
    pub dropped_fields: Vec<String>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Capabilities {
    /// Whether a field by this name was refused.
    pub fn refuses(&self, field: &str) -> bool {
        self.dropped_fields.iter().any(|dropped| dropped == field)
    }

    /// The run document's form; `metrics` says whether gauges can be read.
    pub fn accepts(&self, metrics: Option<bool>) -> Accepts {
        let timings = self.timings_per_token;
        let continuous = if timings == Tri::Yes {
            timings
        } else {
            self.continuous_usage
        };
        Accepts {
            ignore_eos: self.ignore_eos.to_option(),
            continuous_usage: continuous.to_option(),
            token_ids: self.return_token_ids.to_option(),
            tokenize: Some(self.tokenize != TokenizeKind::None),
            cached_tokens: self.cached_tokens.to_option(),
            metrics,
            dropped_fields: self.dropped_fields.clone(),
        }
    }
}
