//! Whose HTTP interface the simulated server speaks.

use std::fmt;

/// A server's HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// vLLM 0.32.
    #[default]
    Vllm,
    /// The bare OpenAI interface: models and the two completion routes, nothing beside.
    OpenAi,
}

/// Dialects that tokmark knows by name and that the simulator does not speak.
const NOT_YET: &[&str] = &[
    "sglang",
    "llamacpp",
    "ollama",
    "tgi",
    "tensorrt-llm",
    "lmdeploy",
    "tabbyapi",
    "mlx-lm",
    "dynamo",
    "mistralrs",
];

/// A dialect's name that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// The server is known, but not simulated.
    #[error(
        "the simulator does not speak `{name}` yet; it speaks {}",
        Dialect::list()
    )]
    NotYet {
        /// What was typed.
        name: String,
    },
    /// No such server.
    #[error("`{name}` is not a dialect; the simulator speaks {}", Dialect::list())]
    Unknown {
        /// What was typed.
        name: String,
    },
}

impl Dialect {
    /// Every dialect that can be simulated.
    pub const ALL: &[Self] = &[Self::Vllm, Self::OpenAi];

    /// The word used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::OpenAi => "openai",
        }
    }

    /// The dialect of a word.
    pub fn parse(name: &str) -> Result<Self, DialectError> {
        let found = Self::ALL.iter().find(|dialect| dialect.name() == name);
        found.copied().ok_or_else(|| {
            let name = name.to_owned();
            if NOT_YET.contains(&name.as_str()) {
                DialectError::NotYet { name }
            } else {
                DialectError::Unknown { name }
            }
        })
    }

    fn list() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|d| format!("`{d}`")).collect();
        names.join(" and ")
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
        let check = |name: &str, expect: &str| {
            assert_eq!(Dialect::parse(name).unwrap_err().to_string(), expect);
        };
        check(
            "sglang",
            "the simulator does not speak `sglang` yet; it speaks `vllm` and `openai`",
        );
        check(
            "vlm",
            "`vlm` is not a dialect; the simulator speaks `vllm` and `openai`",
        );
    }
}
