//! A launch read into the run document's words.

use std::collections::BTreeMap;

use tokmark_run_format::launch::{COMMAND_LINE, ENVIRONMENT};
use tokmark_run_format::{LaunchSettings, Speculation};
use tokmark_units::float;

use super::LaunchCommand;
use super::vocabulary::{self, SERVERS, Vocabulary};

/// What a launch says about speed. What it does not say stays `None`.
pub fn settings(launch: &LaunchCommand) -> LaunchSettings {
    let server = server(launch);
    let of = |environment: &[String]| {
        let (name, words) = server.unwrap_or_default();
        read(&Given {
            arguments: &launch.argv,
            environment,
            server: name,
            words: vocabulary::of(words),
        })
    };
    let all = of(&launch.environment);
    LaunchSettings {
        server: server.map(|(name, _)| name.to_owned()),
        sources: sources(&all, &of(&[])),
        environment: launch.environment.clone(),
        image: launch.image.clone(),
        ..all
    }
}

/// Where each setting stands: what the arguments alone do not give is the environment's.
fn sources(all: &LaunchSettings, by_arguments: &LaunchSettings) -> BTreeMap<String, String> {
    let fields = |settings: &LaunchSettings| match serde_json::to_value(settings) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let alone = fields(by_arguments);
    let source = |name: &String, value: &serde_json::Value| {
        if alone.get(name) == Some(value) {
            COMMAND_LINE
        } else {
            ENVIRONMENT
        }
    };
    fields(all)
        .iter()
        .filter(|(_, value)| !value.is_null() && !value.is_array() && !is_empty_map(value))
        .map(|(name, value)| (name.clone(), source(name, value).to_owned()))
        .collect()
}

fn is_empty_map(value: &serde_json::Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn read(given: &Given<'_>) -> LaunchSettings {
    let words = &given.words;
    let mut settings = LaunchSettings {
        kv_type: kv_type(given),
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
        max_queue: given.number(words.max_queue),
        flash_attention: given
            .text(words.flash_attention)
            .and_then(|text| switch(&text)),
        quantization: given.text(words.quantization),
        dtype: given.text(words.dtype),
        speculation: speculation(given),
        prefix_cache: prefix_cache(given),
        accelerator_layers: given.text(words.accelerator_layers),
        settings_file: given.text(words.settings_file).map(|path| file_name(&path)),
        ..LaunchSettings::default()
    };
    match given.server {
        "ollama" => ollama(given, &mut settings),
        "mlc" => mlc(given, &mut settings),
        _ => {}
    }
    settings
}

/// Ollama has no options: its settings stand in the environment.
fn ollama(given: &Given<'_>, settings: &mut LaunchSettings) {
    let variable = |name: &str| given.variable(name).map(str::to_owned);
    let count = |name: &str| variable(name).and_then(|text| amount(&text));
    // Zero leaves the choice to the server.
    let parallel = count("OLLAMA_NUM_PARALLEL").filter(|count| *count > 0);
    let parallel = parallel.and_then(|count| u32::try_from(count).ok());
    settings.max_sequences = parallel.or(settings.max_sequences);
    let context = count("OLLAMA_CONTEXT_LENGTH").filter(|tokens| *tokens > 0);
    settings.context = context.or(settings.context);
    settings.max_queue = count("OLLAMA_MAX_QUEUE").or(settings.max_queue);
    let flash = variable("OLLAMA_FLASH_ATTENTION").and_then(|text| switch(&text));
    settings.flash_attention = flash.or(settings.flash_attention);
    let kv_type = variable("OLLAMA_KV_CACHE_TYPE").filter(|word| {
        // A quantized cache needs flash attention: without it the choice has no effect.
        settings.flash_attention != Some(false) || matches!(word.as_str(), "f16" | "f32" | "bf16")
    });
    settings.kv_type = kv_type.or(settings.kv_type.take());
}

/// MLC LLM takes most of its settings as one option: `--overrides "name=value;name=value"`.
fn mlc(given: &Given<'_>, settings: &mut LaunchSettings) {
    let overrides = given.text(&["--overrides"]).unwrap_or_default();
    let number = |name: &str| {
        let pairs = overrides.split(';').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(key, _)| key.trim() == name);
        amount(values.next()?.1)
    };
    let small = |name: &str| u32::try_from(number(name)?).ok();
    settings.max_sequences = small("max_num_sequence");
    settings.kv_tokens = number("max_total_seq_length");
    settings.context = number("context_window_size");
    settings.max_batched_tokens = number("prefill_chunk_size");
    settings.tensor_parallel = small("tensor_parallel_shards");
}

/// On or off, in the words that servers take; `auto` is neither.
fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" | "t" | "yes" | "enabled" => Some(true),
        "0" | "off" | "false" | "f" | "no" | "disabled" => Some(false),
        _ => None,
    }
}

/// The server by its program or module, else by its image; and whose options it takes.
fn server(launch: &LaunchCommand) -> Option<(&'static str, &'static str)> {
    // Interpreter, module or script, and a sub-command: what stands before the first option that
    // is not the interpreter's.
    let program = launch.argv.iter().take(4).map(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name.to_ascii_lowercase()
    });
    let image = launch.image.iter().map(|image| image.to_ascii_lowercase());
    program.chain(image).find_map(|word| {
        let names = |(part, ..): &&(&str, &str, &str)| word.contains(part);
        let found = SERVERS.iter().find(names)?;
        Some((found.1, found.2))
    })
}

/// Arguments and environment with the ways to ask them.
struct Given<'a> {
    arguments: &'a [String],
    environment: &'a [String],
    server: &'a str,
    words: Vocabulary,
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

fn kv_type(given: &Given<'_>) -> Option<String> {
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
        _ => given.text(given.words.kv_type),
    }
}

fn prefix_cache(given: &Given<'_>) -> Option<bool> {
    let words = &given.words;
    if given.has(words.prefix_cache_off) {
        return Some(false);
    }
    if given.has(words.prefix_cache_on) {
        return Some(true);
    }
    if let Some(kept) = given.number(words.prefixes_kept) {
        return Some(kept > 0);
    }
    let variable = given.variable("PREFIX_CACHING");
    switch(variable.filter(|_| given.server == "tgi")?)
}

fn speculation(given: &Given<'_>) -> Option<Speculation> {
    let words = &given.words;
    let text = given.text(&["--speculative-config"]);
    let told = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let in_json = |key: &str| told.as_ref().and_then(|told| told.get(key).cloned());
    let word = |key: &str| in_json(key).and_then(|value| value.as_str().map(str::to_owned));
    let tokens = in_json("num_speculative_tokens").and_then(|value| value.as_u64());
    let tokens = tokens.and_then(|tokens| u32::try_from(tokens).ok());
    let found = Speculation {
        method: word("method")
            .or_else(|| given.text(words.draft_method))
            .or_else(|| given.has(&["--mtp"]).then(|| "mtp".to_owned())),
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
