//! What a server's generation routes accept, as data.

/// What happens to requests that are longer than the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Fit {
    /// Prompt and output together must fit.
    Refuse,
    /// The prompt must fit, and the output ends at the length.
    Cap,
    /// The prompt loses its beginning without a word.
    Truncate,
}

/// Which model's name a request may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Naming {
    /// A served one; others are not found.
    Served,
    /// Any, and the answer repeats it; what it says when none is given, if not the served one.
    Echo {
        /// The name that stands for none.
        unsaid: Option<&'static str>,
    },
    /// Any, and the answer says the served one.
    Ignore,
}

/// What `stream_options` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum UsageRule {
    /// Nothing.
    Ignored,
    /// `include_usage` asks for the usage at the end.
    Last,
    /// `continuous_usage_stats` beside it asks for running usage.
    Running,
    /// `continuous_usage_stats` works alone, too.
    RunningAlone,
    /// Both are true unless denied, once the object is there.
    RunningUnlessDenied,
}

/// What zero output tokens mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Zero {
    /// An error.
    Refused,
    /// One token all the same.
    One,
}

/// What is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one independent habit of a server, named where it is set"
)]
pub(in crate::server) struct Accepts {
    /// Names of the greatest output length of chats, the strongest first.
    pub(in crate::server) chat_limits: &'static [&'static str],
    /// The same of completions.
    pub(in crate::server) text_limits: &'static [&'static str],
    /// Output of a chat that does not say how long it may be; what the length leaves when `None`.
    pub(in crate::server) chat_tokens: Option<u32>,
    /// The same of completions.
    pub(in crate::server) text_tokens: Option<u32>,
    pub(in crate::server) zero: Zero,
    /// Whether a length of -1 stands for none.
    pub(in crate::server) minus_one_is_none: bool,
    /// Whether an output longer than the model is refused by itself.
    pub(in crate::server) checks_output: bool,
    pub(in crate::server) fit: Fit,
    pub(in crate::server) ignore_eos: bool,
    /// The name of the least output length, where there is one.
    pub(in crate::server) min_tokens: Option<&'static str>,
    pub(in crate::server) naming: Naming,
    pub(in crate::server) usage: UsageRule,
    /// Whether `stream_options` without a stream is an error.
    pub(in crate::server) options_need_stream: bool,
    /// The flag that asks for token ids, where there is one.
    pub(in crate::server) token_ids: Option<&'static str>,
    /// Whether a prompt may be token ids.
    pub(in crate::server) id_prompts: bool,
    /// Whether `timings_per_token` works.
    pub(in crate::server) timings: bool,
    /// Whether a body may choose the data-parallel rank, and by which field.
    pub(in crate::server) rank_field: Option<&'static str>,
    /// Whether a header may choose it, and which.
    pub(in crate::server) rank_header: Option<&'static str>,
    /// The fields there are, where any other is refused.
    pub(in crate::server) only: Option<&'static [&'static str]>,
}

impl Accepts {
    /// The bare OpenAI interface.
    pub(in crate::server) const OPENAI: Self = Self {
        chat_limits: &["max_completion_tokens", "max_tokens"],
        text_limits: &["max_tokens"],
        chat_tokens: None,
        text_tokens: Some(16),
        zero: Zero::Refused,
        minus_one_is_none: false,
        checks_output: true,
        fit: Fit::Refuse,
        ignore_eos: false,
        min_tokens: None,
        naming: Naming::Served,
        usage: UsageRule::Last,
        options_need_stream: true,
        token_ids: None,
        id_prompts: true,
        timings: false,
        rank_field: None,
        rank_header: None,
        only: None,
    };
}
