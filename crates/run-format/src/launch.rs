//! What a launch command says about speed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings read from the server's arguments and environment, in one vocabulary for all servers.
/// `null` was not given, so that the server's default holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LaunchSettings {
    /// The server that the command starts: `vllm`, `sglang`, `llamacpp`, …
    pub server: Option<String>,
    /// Type of the KV cache; `keys/values` when the two differ.
    pub kv_type: Option<String>,
    /// Most sequences at once.
    pub max_sequences: Option<u32>,
    /// Most tokens of one request, prompt and output; of all slots together with llama.cpp.
    pub context: Option<u64>,
    /// Most tokens of one step.
    pub max_batched_tokens: Option<u64>,
    /// Tokens that the KV cache was told to hold.
    pub kv_tokens: Option<u64>,
    /// Share of the accelerator's memory that the server may take.
    pub memory_fraction: Option<f64>,
    /// Accelerators that share each layer.
    pub tensor_parallel: Option<u32>,
    /// Accelerators that share the layers one after another.
    pub pipeline_parallel: Option<u32>,
    /// Copies of the model.
    pub data_parallel: Option<u32>,
    /// Accelerators that share the experts; with vLLM's switch the number is the server's.
    pub expert_parallel: Option<u32>,
    /// Whether experts are shared at all, when only that was said.
    pub shares_experts: Option<bool>,
    /// Most requests that wait before the next one is refused.
    pub max_queue: Option<u64>,
    /// Whether attention is computed without its whole matrix in memory, when that was chosen.
    pub flash_attention: Option<bool>,
    /// Weight quantization.
    pub quantization: Option<String>,
    /// Type of weights and activations.
    pub dtype: Option<String>,
    /// Speculative decoding.
    pub speculation: Option<Speculation>,
    /// Whether prompts are kept for later requests.
    pub prefix_cache: Option<bool>,
    /// Layers on the accelerator (llama.cpp).
    pub accelerator_layers: Option<String>,
    /// A file with more settings, which was not read.
    pub settings_file: Option<String>,
    /// Variables of the environment that can change speed, `NAME=value`, without secrets.
    pub environment: Vec<String>,
    /// The container's image.
    pub image: Option<String>,
    /// Where each of the settings was found, by its name here: [`COMMAND_LINE`] or
    /// [`ENVIRONMENT`].
    pub sources: BTreeMap<String, String>,
}

/// The source of a setting that stands among the server's arguments.
pub const COMMAND_LINE: &str = "command line";
/// The source of a setting that stands in the environment of its process.
pub const ENVIRONMENT: &str = "environment of the process";

impl LaunchSettings {
    /// Whether a setting was found in the environment.
    pub fn is_from_environment(&self, setting: &str) -> bool {
        self.sources
            .get(setting)
            .is_some_and(|source| source == ENVIRONMENT)
    }
}

/// How the server speculates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Speculation {
    /// The method, for example `eagle3`, `ngram` or `draft`.
    pub method: Option<String>,
    /// The draft model; never a local path.
    pub draft_model: Option<String>,
    /// Tokens drafted at once.
    pub draft_tokens: Option<u32>,
}
