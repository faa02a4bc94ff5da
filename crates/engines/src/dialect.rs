//! The servers that are known, in the order in which they are recognised.

pub(crate) mod dynamo;
pub(crate) mod llamacpp;
pub(crate) mod llmd;
pub(crate) mod lmdeploy;
pub(crate) mod lmstudio;
pub(crate) mod mistralrs;
pub(crate) mod mlc;
pub(crate) mod mlx;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod sglang;
pub(crate) mod tabbyapi;
pub(crate) mod tensorrt;
pub(crate) mod tgi;
pub(crate) mod transformers;
pub(crate) mod vllm;

use crate::adapter::Adapter;
use crate::advice::Advice;
use crate::error::{IdentifyError, nearest};

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// NVIDIA Dynamo's frontend.
    Dynamo,
    /// llm-d's inference simulator, which imitates vLLM.
    LlmDSim,
    /// vLLM, and what answers as it does.
    Vllm,
    /// `SGLang`.
    SgLang,
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// Text Generation Inference.
    Tgi,
    /// TensorRT-LLM's `trtllm-serve`.
    TensorRtLlm,
    /// `LMDeploy`.
    LmDeploy,
    /// `TabbyAPI`.
    TabbyApi,
    /// mistral.rs.
    MistralRs,
    /// MLC LLM.
    Mlc,
    /// mlx-lm.
    MlxLm,
    /// LM Studio.
    LmStudio,
    /// Ollama.
    Ollama,
    /// Hugging Face's `transformers serve`.
    Transformers,
    /// Any server with OpenAI's routes.
    OpenAi,
}

impl Dialect {
    /// Every kind, in the order of recognition; the one that takes anything comes last.
    pub const ALL: [Self; 16] = [
        Self::Dynamo,
        Self::LlmDSim,
        Self::Vllm,
        Self::SgLang,
        Self::LlamaCpp,
        Self::Tgi,
        Self::TensorRtLlm,
        Self::LmDeploy,
        Self::TabbyApi,
        Self::MistralRs,
        Self::Mlc,
        Self::MlxLm,
        Self::LmStudio,
        Self::Ollama,
        Self::Transformers,
        Self::OpenAi,
    ];

    /// The word in run documents and options.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dynamo => "dynamo",
            Self::LlmDSim => "llm-d-sim",
            Self::Vllm => "vllm",
            Self::SgLang => "sglang",
            Self::LlamaCpp => "llamacpp",
            Self::Tgi => "tgi",
            Self::TensorRtLlm => "tensorrt-llm",
            Self::LmDeploy => "lmdeploy",
            Self::TabbyApi => "tabbyapi",
            Self::MistralRs => "mistralrs",
            Self::Mlc => "mlc",
            Self::MlxLm => "mlx-lm",
            Self::LmStudio => "lmstudio",
            Self::Ollama => "ollama",
            Self::Transformers => "transformers",
            Self::OpenAi => "openai",
        }
    }

    /// Other words that people use for it.
    fn other_words(self) -> &'static [&'static str] {
        match self {
            Self::LlmDSim => &["llm-d", "llm-d-inference-sim"],
            Self::LlamaCpp => &["llama.cpp", "llama-cpp", "llama-server"],
            Self::Tgi => &["text-generation-inference"],
            Self::TensorRtLlm => &["tensorrt", "tensorrtllm", "trtllm", "trt-llm"],
            Self::TabbyApi => &["tabby"],
            Self::MistralRs => &["mistral.rs", "mistral-rs"],
            Self::Mlc => &["mlc-llm"],
            Self::MlxLm => &["mlx", "mlxlm"],
            Self::LmStudio => &["lm-studio"],
            Self::Transformers => &["transformers-serve"],
            _ => &[],
        }
    }

    /// The kind that a word names.
    pub fn parse(word: &str) -> Result<Self, IdentifyError> {
        let means = |dialect: &Self| {
            std::iter::once(dialect.word())
                .chain(dialect.other_words().iter().copied())
                .any(|known| known.eq_ignore_ascii_case(word))
        };
        Self::ALL
            .into_iter()
            .find(means)
            .ok_or_else(|| IdentifyError::UnknownDialect {
                wanted: word.to_owned(),
                known: Self::ALL.map(|dialect| dialect.word().to_owned()).to_vec(),
                nearest: nearest(word, Self::ALL.into_iter().map(Self::word)).map(str::to_owned),
            })
    }

    /// What a person can change about a server of this kind.
    pub fn advice(self) -> Advice {
        self.adapter().habits().advice
    }

    pub(crate) fn adapter(self) -> &'static dyn Adapter {
        match self {
            Self::Dynamo => &dynamo::Dynamo,
            Self::LlmDSim => &llmd::LlmDSim,
            Self::Vllm => &vllm::Vllm,
            Self::SgLang => &sglang::SgLang,
            Self::LlamaCpp => &llamacpp::LlamaCpp,
            Self::Tgi => &tgi::Tgi,
            Self::TensorRtLlm => &tensorrt::TensorRtLlm,
            Self::LmDeploy => &lmdeploy::LmDeploy,
            Self::TabbyApi => &tabbyapi::TabbyApi,
            Self::MistralRs => &mistralrs::MistralRs,
            Self::Mlc => &mlc::Mlc,
            Self::MlxLm => &mlx::MlxLm,
            Self::LmStudio => &lmstudio::LmStudio,
            Self::Ollama => &ollama::Ollama,
            Self::Transformers => &transformers::Transformers,
            Self::OpenAi => &openai::OpenAi,
        }
    }
}
