//! The servers that are known, in the order in which they are recognised.

pub(crate) mod llamacpp;
pub(crate) mod openai;
pub(crate) mod vllm;

use crate::capability::{Abort, Capabilities};
use crate::error::{IdentifyError, nearest};
use crate::identify::FirstLook;

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// vLLM, and what answers as it does.
    Vllm,
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// Any server with OpenAI's routes.
    OpenAi,
}

impl Dialect {
    /// Every kind, in the order of recognition; the one that takes anything comes last.
    pub const ALL: [Self; 3] = [Self::Vllm, Self::LlamaCpp, Self::OpenAi];

    /// The word in run documents and options.
    pub fn word(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llamacpp",
            Self::OpenAi => "openai",
        }
    }

    /// The kind that a word names.
    pub fn parse(word: &str) -> Result<Self, IdentifyError> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.word().eq_ignore_ascii_case(word))
            .ok_or_else(|| IdentifyError::UnknownDialect {
                wanted: word.to_owned(),
                known: Self::ALL.map(|dialect| dialect.word().to_owned()).to_vec(),
                nearest: nearest(word, Self::ALL.into_iter().map(Self::word)).map(str::to_owned),
            })
    }

    /// The kind that the first answers speak for.
    pub fn recognise(look: &FirstLook) -> Self {
        Self::ALL
            .into_iter()
            .find(|dialect| match dialect {
                Self::Vllm => vllm::recognises(look),
                Self::LlamaCpp => llamacpp::recognises(look),
                Self::OpenAi => true,
            })
            .unwrap_or(Self::OpenAi)
    }

    /// What this kind is known to accept, before anything was tried.
    pub fn capabilities(self) -> Capabilities {
        match self {
            Self::Vllm => vllm::capabilities(),
            Self::LlamaCpp => llamacpp::capabilities(),
            Self::OpenAi => Capabilities::default(),
        }
    }

    /// What ends a request.
    pub fn abort(self) -> Abort {
        match self {
            Self::Vllm | Self::LlamaCpp => Abort::CloseConnection,
            Self::OpenAi => Abort::CloseConnectionUnverified,
        }
    }
}
