//! The servers that runs are made on.

use crate::unknown::UnknownWord;

/// A server of language models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// llama.cpp's `llama-server`.
    LlamaCpp,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// Hugging Face's Text Generation Inference.
    Tgi,
    /// NVIDIA's TensorRT-LLM.
    TensorRtLlm,
    /// LMDeploy.
    Lmdeploy,
    /// TabbyAPI, which serves `ExLlama`.
    TabbyApi,
    /// mlx-lm, on Apple's chips.
    MlxLm,
    /// MLC LLM.
    MlcLlm,
    /// NVIDIA Dynamo, in front of other engines.
    Dynamo,
    /// mistral.rs.
    MistralRs,
    /// `transformers serve`.
    Transformers,
}

struct Row {
    engine: Engine,
    id: &'static str,
    name: &'static str,
    aliases: &'static [&'static str],
}

const ROWS: [Row; 14] = [
    row(Engine::Vllm, "vllm", "vLLM", &[]),
    row(Engine::Sglang, "sglang", "SGLang", &["sgl"]),
    row(
        Engine::LlamaCpp,
        "llamacpp",
        "llama.cpp",
        &["llama-server", "llama-cpp", "llama_cpp", "llama"],
    ),
    row(Engine::Ollama, "ollama", "Ollama", &[]),
    row(Engine::LmStudio, "lmstudio", "LM Studio", &["lm-studio"]),
    row(
        Engine::Tgi,
        "tgi",
        "Text Generation Inference",
        &["text-generation-inference", "text-generation-router"],
    ),
    row(
        Engine::TensorRtLlm,
        "tensorrt-llm",
        "TensorRT-LLM",
        &["trtllm", "trt-llm", "trtllm-serve", "tensorrt_llm"],
    ),
    row(Engine::Lmdeploy, "lmdeploy", "LMDeploy", &["turbomind"]),
    row(
        Engine::TabbyApi,
        "tabbyapi",
        "TabbyAPI",
        &["exllama", "exllamav2", "exllamav3"],
    ),
    row(Engine::MlxLm, "mlx-lm", "mlx-lm", &["mlx", "mlx_lm"]),
    row(Engine::MlcLlm, "mlc-llm", "MLC LLM", &["mlc", "mlc_llm"]),
    row(Engine::Dynamo, "dynamo", "NVIDIA Dynamo", &[]),
    row(
        Engine::MistralRs,
        "mistralrs",
        "mistral.rs",
        &["mistralrs-server"],
    ),
    row(
        Engine::Transformers,
        "transformers",
        "transformers serve",
        &["transformers-serve"],
    ),
];

const fn row(
    engine: Engine,
    id: &'static str,
    name: &'static str,
    aliases: &'static [&'static str],
) -> Row {
    Row {
        engine,
        id,
        name,
        aliases,
    }
}

impl Engine {
    /// Every engine, in the order in which lists show them.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.into_iter().map(|row| row.engine)
    }

    /// The word in documents and options.
    pub fn id(self) -> &'static str {
        self.row().map_or("", |row| row.id)
    }

    /// The name as its makers write it.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// The engine that an id, a name or another of its names means, whatever their case.
    pub fn parse(word: &str) -> Result<Self, UnknownWord> {
        let word = word.trim();
        let is = |known: &str| known.eq_ignore_ascii_case(word);
        ROWS.into_iter()
            .find(|row| is(row.id) || is(row.name) || row.aliases.iter().any(|alias| is(alias)))
            .map(|row| row.engine)
            .ok_or_else(|| UnknownWord::new(word, "engine", ROWS.map(|row| row.id)))
    }

    fn row(self) -> Option<Row> {
        ROWS.into_iter().find(|row| row.engine == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_names() {
        for engine in Engine::all() {
            assert_eq!(Engine::parse(engine.id()), Ok(engine));
            assert_eq!(Engine::parse(&engine.name().to_uppercase()), Ok(engine));
        }
        assert_eq!(Engine::parse("llama-server"), Ok(Engine::LlamaCpp));
        assert_eq!(Engine::parse("trtllm-serve"), Ok(Engine::TensorRtLlm));
    }

    #[test]
    fn names_of_engines_are_distinct() {
        let mut words: Vec<String> = ROWS
            .into_iter()
            .flat_map(|row| {
                let names = [row.id, row.name].into_iter().map(str::to_lowercase);
                let mut own: Vec<String> = names
                    .chain(row.aliases.iter().map(|a| (*a).to_owned()))
                    .collect();
                own.sort();
                own.dedup();
                own
            })
            .collect();
        let count = words.len();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn a_mistyped_engine_gets_a_proposal() {
        assert_eq!(
            Engine::parse("vlm").unwrap_err().to_string(),
            "`vlm` is no known engine; did you mean `vllm`"
        );
    }
}
