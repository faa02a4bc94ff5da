//! A launch read into the run document's words.

use tokmark_run_format::{LaunchSettings, Speculation};
use tokmark_units::float;

use super::LaunchCommand;
use super::vocabulary::{self, SERVERS, Vocabulary};

/// What a launch says about speed. What it does not say stays `None`.
pub fn settings(launch: &LaunchCommand) -> LaunchSettings {
    let server = server(launch);
    let given = Given {
        arguments: &launch.argv,
        environment: &launch.environment,
        server: server.unwrap_or_default(),
    };
    let words = vocabulary::of(given.server);
    let mut settings = LaunchSettings {
        server: server.map(str::to_owned),
        kv_type: kv_type(&given, &words),
        max_sequences: given.small(words.max_sequences),
        context: given.number(words.context),
        max_batched_tokens: given.number(words.max_batched_tokens),
        kv_tokens: given.number(words.kv_tokens),
        memory_fraction: given.fraction(words.memory_fraction),
        tensor_parallel: given.small(words.tensor_parallel),
        pipeline_parallel: given.small(words.pipeline_parallel),
        data_parallel: given.small(words.data_parallel),
        expert_parallel: given.small(words.expert_parallel),
        shares_experts: given.has(words.shares_experts).then_some(true),
        quantization: given.text(words.quantization),
        dtype: given.text(words.dtype),
        speculation: speculation(&given, &words),
        prefix_cache: prefix_cache(&given, &words),
        accelerator_layers: given.text(words.accelerator_layers),
        settings_file: given.text(words.settings_file).map(|path| file_name(&path)),
        environment: launch.environment.clone(),
        image: launch.image.clone(),
    };
    if given.server == "ollama" {
        let variable = |name: &str| given.variable(name).map(str::to_owned);
        let count = |name: &str| variable(name).and_then(|text| amount(&text));
        settings.kv_type = variable("OLLAMA_KV_CACHE_TYPE").or(settings.kv_type);
        settings.context = count("OLLAMA_CONTEXT_LENGTH").or(settings.context);
        let parallel = count("OLLAMA_NUM_PARALLEL").and_then(|count| u32::try_from(count).ok());
        settings.max_sequences = parallel.or(settings.max_sequences);
    }
    settings
}

/// The server by its program or module, else by its image.
fn server(launch: &LaunchCommand) -> Option<&'static str> {
    // Interpreter, module or script, and a sub-command: what stands before the first option that
    // is not the interpreter's.
    let program = launch.argv.iter().take(4).map(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name.to_ascii_lowercase()
    });
    let image = launch.image.iter().map(|image| image.to_ascii_lowercase());
    program.chain(image).find_map(|word| {
        let names = |(part, _): &&(&str, &str)| word.contains(part);
        SERVERS.iter().find(names).map(|(_, server)| *server)
    })
}

/// Arguments and environment with the ways to ask them.
struct Given<'a> {
    arguments: &'a [String],
    environment: &'a [String],
    server: &'a str,
}

impl Given<'_> {
    /// The value of the last option of one of `names`, else of its variable.
    fn text(&self, names: &[&str]) -> Option<String> {
        let mut found = None;
        let mut rest = self.arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            if names.contains(&spelled(name).as_str()) {
                found = joined.or_else(|| rest.clone().next().cloned());
            }
        }
        found.or_else(|| names.iter().find_map(|name| self.variable_of(name)))
    }

    /// The variable that stands for an option: `LLAMA_ARG_…` and, with TGI, the option's own name
    /// in capitals.
    fn variable_of(&self, name: &str) -> Option<String> {
        let capitals = name
            .strip_prefix("--")?
            .replace('-', "_")
            .to_ascii_uppercase();
        let capitals = match capitals.as_str() {
            "PARALLEL" => "N_PARALLEL".to_owned(),
            "UBATCH_SIZE" => "UBATCH".to_owned(),
            _ => capitals,
        };
        match self.server {
            "llamacpp" | "ollama" => self.variable(&format!("LLAMA_ARG_{capitals}")),
            "tgi" => self.variable(&capitals),
            _ => None,
        }
        .map(str::to_owned)
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.environment
            .iter()
            .find_map(|entry| entry.strip_prefix(name)?.strip_prefix('='))
    }

    fn has(&self, names: &[&str]) -> bool {
        self.arguments
            .iter()
            .any(|argument| names.contains(&spelled(argument).as_str()))
    }

    fn number(&self, names: &[&str]) -> Option<u64> {
        amount(&self.text(names)?)
    }

    fn small(&self, names: &[&str]) -> Option<u32> {
        u32::try_from(self.number(names)?).ok()
    }

    fn fraction(&self, names: &[&str]) -> Option<f64> {
        let value: f64 = self.text(names)?.parse().ok()?;
        (value.is_finite() && (0.0..=1.0).contains(&value)).then_some(value)
    }
}

/// Long options with hyphens.
fn spelled(name: &str) -> String {
    if name.starts_with("--") {
        name.replace('_', "-")
    } else {
        name.to_owned()
    }
}

/// A whole number as servers take it: `32768`, `32k` (thousands), `32K` (1,024), `1.5M`. Words and
/// negative numbers leave the choice to the server.
fn amount(text: &str) -> Option<u64> {
    let text = text.trim().replace([',', '_'], "");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..)? {
        "" => 1.0,
        "k" => 1e3,
        "m" => 1e6,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        _ => return None,
    };
    let number: f64 = digits.parse().ok()?;
    let product = number * factor;
    (product.is_finite() && (0.0..1e15).contains(&product)).then(|| float::round_to_u64(product))
}

fn kv_type(given: &Given<'_>, words: &Vocabulary) -> Option<String> {
    match given.server {
        "llamacpp" | "ollama" => {
            let keys = given.text(&["-ctk", "--cache-type-k"]);
            let values = given.text(&["-ctv", "--cache-type-v"]);
            // What is not given is half precision with this server.
            let half = || "f16".to_owned();
            match (keys, values) {
                (None, None) => None,
                (keys, values) => {
                    let (keys, values) = (keys.unwrap_or_else(half), values.unwrap_or_else(half));
                    Some(if keys == values {
                        keys
                    } else {
                        format!("{keys}/{values}")
                    })
                }
            }
        }
        "lmdeploy" => match given.text(&["--quant-policy"])?.as_str() {
            "4" => Some("int4".to_owned()),
            "8" => Some("int8".to_owned()),
            "0" => None,
            other => Some(other.to_owned()),
        },
        _ => given.text(words.kv_type),
    }
}

fn prefix_cache(given: &Given<'_>, words: &Vocabulary) -> Option<bool> {
    if given.has(words.prefix_cache_off) {
        return Some(false);
    }
    if given.has(words.prefix_cache_on) {
        return Some(true);
    }
    match given
        .variable("PREFIX_CACHING")
        .filter(|_| given.server == "tgi")?
    {
        "0" | "false" | "False" => Some(false),
        "1" | "true" | "True" => Some(true),
        _ => None,
    }
}

fn speculation(given: &Given<'_>, words: &Vocabulary) -> Option<Speculation> {
    let text = given.text(&["--speculative-config"]);
    let told = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let in_json = |key: &str| told.as_ref().and_then(|told| told.get(key).cloned());
    let word = |key: &str| in_json(key).and_then(|value| value.as_str().map(str::to_owned));
    let tokens = in_json("num_speculative_tokens").and_then(|value| value.as_u64());
    let tokens = tokens.and_then(|tokens| u32::try_from(tokens).ok());
    let found = Speculation {
        method: word("method").or_else(|| given.text(words.draft_method)),
        draft_model: word("model")
            .or_else(|| given.text(words.draft_model))
            .map(|model| model_name(&model)),
        draft_tokens: tokens
            .or_else(|| given.small(words.draft_tokens))
            .filter(|tokens| *tokens > 0),
    };
    (found != Speculation::default()).then_some(found)
}

/// A repository as it is; of a path the last part.
fn model_name(text: &str) -> String {
    if text.starts_with(['/', '~', '.']) || text.contains('\\') {
        file_name(text)
    } else {
        text.to_owned()
    }
}

fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}
