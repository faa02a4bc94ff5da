//! Facts that a launch command states.

/// What the command of a vLLM server says about model and server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    /// `owner/name` of the model; never a local path.
    pub(crate) repository: Option<String>,
    /// `--max-model-len`.
    pub(crate) max_length: Option<u64>,
    /// `--max-num-seqs`.
    pub(crate) max_sequences: Option<u32>,
    /// `--kv-cache-dtype`.
    pub(crate) kv_type: Option<String>,
    /// Every option with its value, in order.
    pub(crate) flags: Vec<String>,
}

/// Reads the line that starts a vLLM server (`vllm serve MODEL …`); comments are passed over.
/// Another command states nothing that this reads.
pub(crate) fn read(command: &str) -> Launch {
    let joined = command.replace("\\\n", " ");
    joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| line.split_once("vllm serve "))
        .map(|(_, arguments)| vllm(arguments))
        .unwrap_or_default()
}

fn vllm(arguments: &str) -> Launch {
    let mut launch = Launch::default();
    let mut words = arguments.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            if launch.repository.is_none() && launch.flags.is_empty() {
                launch.repository = repository(word);
            }
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, words.next_if(|next| !next.starts_with("--"))),
        };
        launch.note(name, value);
    }
    launch
}

impl Launch {
    fn note(&mut self, name: &str, value: Option<&str>) {
        match name {
            "--max-model-len" => self.max_length = value.and_then(|value| value.parse().ok()),
            "--max-num-seqs" => self.max_sequences = value.and_then(|value| value.parse().ok()),
            "--kv-cache-dtype" => self.kv_type = value.map(str::to_owned),
            _ => {}
        }
        self.flags.push(match value {
            Some(value) => format!("{name} {value}"),
            None => name.to_owned(),
        });
    }
}

/// `owner/name`, and nothing that looks like a path.
pub(crate) fn repository(word: &str) -> Option<String> {
    let (owner, name) = word.split_once('/')?;
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    (plain(owner) && plain(name)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_vllm() {
        let command = "# first words: vllm serve x/y\nvllm serve owner/model-awq \
                       --max-model-len 4096 --max-num-seqs=16 --enable-prefix-caching \
                       --kv-cache-dtype fp8";
        let launch = read(command);
        assert_eq!(launch.repository.as_deref(), Some("owner/model-awq"));
        assert_eq!(launch.max_length, Some(4_096));
        assert_eq!(launch.max_sequences, Some(16));
        assert_eq!(launch.kv_type.as_deref(), Some("fp8"));
        assert_eq!(
            launch.flags,
            [
                "--max-model-len 4096",
                "--max-num-seqs 16",
                "--enable-prefix-caching",
                "--kv-cache-dtype fp8"
            ]
        );
    }

    #[test]
    fn a_local_path_is_no_repository() {
        for path in ["/models/x", "./models/x", "../x", "models/a/b", "model"] {
            assert_eq!(
                read(&format!("vllm serve {path}")).repository,
                None,
                "{path}"
            );
        }
        assert_eq!(read("llama-server -m a/b"), Launch::default());
    }
}
