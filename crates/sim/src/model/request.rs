//! What goes into the engine and what comes out.

use std::sync::Arc;

use tokmark_units::Nanos;

use crate::text::Writer;
use crate::tokenizer::TokenId;

/// A request's number in its engine, counted from 0 in the order of submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// Why a request came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It reached the most tokens that were asked for, or that the model's length leaves.
    Length,
    /// The model ended by itself; its last token is the end token, which has no text.
    Stop,
    /// Somebody else ended it.
    Abort,
}

/// One request, its answer's length decided beforehand.
#[derive(Debug, Clone)]
pub struct Request {
    /// The prompt's tokens.
    pub prompt: Arc<[TokenId]>,
    /// Tokens to generate, the end token included when `finish` is [`Finish::Stop`].
    pub output_tokens: u32,
    /// How the request ends after that many tokens.
    pub finish: Finish,
    /// Writes the answer; the engine uses it for the content of the cached blocks.
    pub writer: Writer,
    /// The data-parallel rank asked for; `None` leaves the choice to the engine.
    pub rank: Option<u32>,
    /// Requests with different salts share no cached block.
    pub cache_salt: u64,
}

/// Why a request was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The prompt has no token.
    #[error("the prompt has no token")]
    EmptyPrompt,
    /// No token is to be generated.
    #[error("no output token was asked for")]
    NoOutput,
    /// Prompt and output together are longer than the model's length.
    #[error(
        "{prompt} prompt tokens and {output} output tokens exceed the length of {max_model_len}"
    )]
    TooLong {
        /// Prompt tokens.
        prompt: u32,
        /// Output tokens asked for.
        output: u32,
        /// The model's length.
        max_model_len: u32,
    },
    /// There is no such data-parallel rank.
    #[error("there is no data-parallel rank {rank}; the ranks are 0 to {last}")]
    NoSuchRank {
        /// The rank asked for.
        rank: u32,
        /// The greatest rank there is.
        last: u32,
    },
}

/// Tokens that a step gave to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Whose they are.
    pub id: RequestId,
    /// When the step ended.
    pub at: Nanos,
    /// How many: one, or more with speculative decoding.
    pub tokens: u32,
    /// Whether they are the request's first.
    pub first: bool,
    /// How the request ended, with its last tokens.
    pub finished: Option<Finish>,
    /// When the request's first prompt token was put into a step.
    pub prefill_start: Nanos,
    /// Prompt tokens found in the prefix cache at the first admission.
    pub cached_tokens: u32,
    /// How often the request has lost its cache and started again.
    pub preemptions: u32,
    /// The rank that runs it.
    pub rank: u32,
}
