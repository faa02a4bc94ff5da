//! Which servers listen on this machine, as far as ports and command lines tell.

use crate::dialect::Dialect;

impl Dialect {
    /// The port that it listens on unless told otherwise.
    pub fn usual_port(self) -> Option<u16> {
        match self {
            Self::Vllm
            | Self::Dynamo
            | Self::LlmDSim
            | Self::TensorRtLlm
            | Self::Mlc
            | Self::Transformers => Some(8000),
            Self::LlamaCpp | Self::MlxLm => Some(8080),
            Self::SgLang => Some(30_000),
            Self::Ollama => Some(11_434),
            Self::LmStudio | Self::MistralRs => Some(1234),
            Self::Tgi => Some(3000),
            Self::LmDeploy => Some(23_333),
            Self::TabbyApi => Some(5000),
            Self::OpenAi => None,
        }
    }

    /// Every port at which some server listens unless told otherwise, each once.
    pub fn usual_ports() -> Vec<u16> {
        let mut ports: Vec<u16> = Self::ALL.into_iter().filter_map(Self::usual_port).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// The server that a command line starts, or whose worker bears such a title; a simulated one is
    /// what it stands for.
    pub fn of_command(arguments: &[String]) -> Option<Self> {
        let words = program(arguments);
        let has = |name: &str| words.iter().any(|word| word == name);
        if has("tokmark") && has("sim") {
            return Some(simulated(arguments));
        }
        Self::of_program(arguments)
    }

    /// The same without what stands for another: only then do options that are not given mean what
    /// they mean to that server.
    pub(crate) fn of_program(arguments: &[String]) -> Option<Self> {
        let words = program(arguments);
        let has = |name: &str| words.iter().any(|word| word == name);
        let begins = |start: &str| words.iter().any(|word| word.starts_with(start));
        let serves = has("serve");
        SIGNS.iter().find_map(|(dialect, sign)| {
            let is_it = match sign {
                Sign::Program(name) => has(name),
                Sign::Serves(name) => has(name) && serves,
                Sign::Begins(start) => begins(start),
            };
            is_it.then_some(*dialect)
        })
    }
}

/// The program, or what an interpreter was given to run; its options come later.
fn program(arguments: &[String]) -> Vec<String> {
    arguments
        .iter()
        .take_while(|argument| !argument.starts_with("--"))
        .take(PROGRAM_WORDS)
        .flat_map(|argument| argument.split_whitespace().take(1))
        .map(|word| base_name(word).to_ascii_lowercase())
        .collect()
}

/// How far into a command line its program may stand: behind an interpreter and its options.
const PROGRAM_WORDS: usize = 6;

enum Sign {
    /// The name of a program or module.
    Program(&'static str),
    /// The same, with the command `serve` behind it.
    Serves(&'static str),
    /// How the name of a module, or a worker's title, begins.
    Begins(&'static str),
}

/// The narrower ones first: Dynamo's frontend stands in front of vLLM's workers.
const SIGNS: &[(Dialect, Sign)] = &[
    (Dialect::Dynamo, Sign::Begins("dynamo.frontend")),
    (Dialect::LlmDSim, Sign::Begins("llm-d-inference-sim")),
    (Dialect::SgLang, Sign::Begins("sglang.launch_server")),
    (Dialect::SgLang, Sign::Begins("sglang::")),
    (Dialect::SgLang, Sign::Serves("sglang")),
    (Dialect::Vllm, Sign::Begins("vllm.entrypoints")),
    (Dialect::Vllm, Sign::Begins("vllm::")),
    (Dialect::Vllm, Sign::Serves("vllm")),
    (Dialect::Ollama, Sign::Program("ollama")),
    (Dialect::LmStudio, Sign::Begins("lm-studio")),
    (Dialect::LmStudio, Sign::Begins("lmstudio")),
    (Dialect::LmStudio, Sign::Begins(".lmstudio")),
    (Dialect::LlamaCpp, Sign::Begins("llama-server")),
    (Dialect::Tgi, Sign::Begins("text-generation-router")),
    (Dialect::Tgi, Sign::Begins("text-generation-launcher")),
    (Dialect::TensorRtLlm, Sign::Program("trtllm-serve")),
    (Dialect::LmDeploy, Sign::Serves("lmdeploy")),
    (Dialect::MlxLm, Sign::Begins("mlx_lm")),
    (Dialect::Mlc, Sign::Begins("mlc_llm")),
    (Dialect::MistralRs, Sign::Begins("mistralrs")),
    (Dialect::Transformers, Sign::Serves("transformers")),
];

/// The dialect that a simulated server was started with.
fn simulated(arguments: &[String]) -> Dialect {
    let asked = crate::launch::value(arguments, &["--dialect"]);
    let named = asked.and_then(|word| Dialect::parse(word).ok());
    named.unwrap_or(Dialect::Vllm)
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_of_every_known_kind() {
        let check = |line: &str, expect: Option<Dialect>| {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            assert_eq!(Dialect::of_command(&arguments), expect, "{line}");
        };
        let python = "/opt/env/bin/python3 -u";
        check(
            &format!("{python} /opt/env/bin/vllm serve m --port 8000"),
            Some(Dialect::Vllm),
        );
        check(
            &format!("{python} -m vllm.entrypoints.openai.api_server --model m"),
            Some(Dialect::Vllm),
        );
        check("VLLM::APIServer_0", Some(Dialect::Vllm));
        check(
            &format!("{python} -m sglang.launch_server --model-path m"),
            Some(Dialect::SgLang),
        );
        check("sglang::scheduler_TP0", Some(Dialect::SgLang));
        check("/usr/bin/llama-server -m x.gguf", Some(Dialect::LlamaCpp));
        check("/usr/local/bin/ollama serve", Some(Dialect::Ollama));
        check("text-generation-router --port 80", Some(Dialect::Tgi));
        check(
            &format!("{python} /opt/env/bin/trtllm-serve m"),
            Some(Dialect::TensorRtLlm),
        );
        check("lmdeploy serve api_server m", Some(Dialect::LmDeploy));
        check(
            &format!("{python} -m mlx_lm server --model m"),
            Some(Dialect::MlxLm),
        );
        check("mlx_lm.server --model m", Some(Dialect::MlxLm));
        check(
            &format!("{python} /opt/env/bin/transformers serve --port 8000 m"),
            Some(Dialect::Transformers),
        );
        check("mlc_llm serve m --mode server", Some(Dialect::Mlc));
        check(
            &format!("{python} -m dynamo.frontend --http-port 8000"),
            Some(Dialect::Dynamo),
        );
        check("mistralrs serve -m m", Some(Dialect::MistralRs));
        check("/app/llm-d-inference-sim --model m", Some(Dialect::LlmDSim));
        check(
            "/opt/lm-studio/lm-studio --type=utility",
            Some(Dialect::LmStudio),
        );
        check("target/debug/tokmark sim --port 0", Some(Dialect::Vllm));
        check(
            "tokmark sim --dialect ollama --port 0",
            Some(Dialect::Ollama),
        );
        check("tokmark run localhost:8000", None);
        check("vim vllm", None);
        check("nginx: worker process", None);
        check("", None);
    }

    #[test]
    fn every_usual_port_is_there_once() {
        assert_eq!(
            Dialect::usual_ports(),
            [1234, 3000, 5000, 8000, 8080, 11_434, 23_333, 30_000]
        );
    }
}
