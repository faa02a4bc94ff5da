//! Whose HTTP interface the simulated server speaks.

use std::fmt;

/// A server's HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// vLLM 0.32.
    #[default]
    Vllm,
    /// `SGLang` 0.5.23.
    SgLang,
    /// llama.cpp's `llama-server`, build b11434.
    LlamaCpp,
    /// Ollama 0.33.
    Ollama,
    /// Text Generation Inference 3.3.7.
    Tgi,
    /// TensorRT-LLM's `trtllm-serve` 1.2.
    TensorRtLlm,
    /// LMDeploy 0.16.
    LmDeploy,
    /// TabbyAPI of August 2026.
    TabbyApi,
    /// mlx-lm 0.32.
    MlxLm,
    /// NVIDIA Dynamo's frontend 1.7.
    Dynamo,
    /// mistral.rs 0.9.2.
    MistralRs,
    /// `transformers serve` 5.19.
    Transformers,
    /// The bare OpenAI interface: models and the two completion routes, nothing beside.
    OpenAi,
}

/// A word that is no dialect's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a dialect; the simulator speaks {}", Dialect::list())]
pub struct DialectError {
    /// What was typed.
    pub name: String,
}

impl Dialect {
    /// Every dialect, the plain one last.
    pub const ALL: &[Self] = &[
        Self::Vllm,
        Self::SgLang,
        Self::LlamaCpp,
        Self::Ollama,
        Self::Tgi,
        Self::TensorRtLlm,
        Self::LmDeploy,
        Self::TabbyApi,
        Self::MlxLm,
        Self::Dynamo,
        Self::MistralRs,
        Self::Transformers,
        Self::OpenAi,
    ];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::SgLang => "sglang",
            Self::LlamaCpp => "llamacpp",
            Self::Ollama => "ollama",
            Self::Tgi => "tgi",
            Self::TensorRtLlm => "tensorrt-llm",
            Self::LmDeploy => "lmdeploy",
            Self::TabbyApi => "tabbyapi",
            Self::MlxLm => "mlx-lm",
            Self::Dynamo => "dynamo",
            Self::MistralRs => "mistralrs",
            Self::Transformers => "transformers",
            Self::OpenAi => "openai",
        }
    }

    /// The dialect of a word.
    pub fn parse(name: &str) -> Result<Self, DialectError> {
        let found = Self::ALL.iter().find(|dialect| dialect.name() == name);
        found.copied().ok_or_else(|| DialectError {
            name: name.to_owned(),
        })
    }

    fn list() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|d| format!("`{d}`")).collect();
        names.join(", ")
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_others_say_what_exists() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::parse(dialect.name()), Ok(*dialect));
        }
        let error = Dialect::parse("vlm").unwrap_err().to_string();
        let start = "`vlm` is not a dialect; the simulator speaks `vllm`, `";
        assert!(error.starts_with(start), "{error}");
        for dialect in Dialect::ALL {
            assert!(error.contains(&format!("`{dialect}`")), "{error}");
        }
    }
}
