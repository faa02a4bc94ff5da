//! How each server names the settings that matter.

/// The options of one server. Several names of one setting stand together; underscores are written
/// as hyphens, since servers take both.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) kv_type: &'static [&'static str],
    pub(super) max_sequences: &'static [&'static str],
    pub(super) context: &'static [&'static str],
    pub(super) max_batched_tokens: &'static [&'static str],
    pub(super) kv_tokens: &'static [&'static str],
    pub(super) memory_fraction: &'static [&'static str],
    pub(super) tensor_parallel: &'static [&'static str],
    pub(super) pipeline_parallel: &'static [&'static str],
    pub(super) data_parallel: &'static [&'static str],
    pub(super) expert_parallel: &'static [&'static str],
    pub(super) shares_experts: &'static [&'static str],
    pub(super) quantization: &'static [&'static str],
    pub(super) dtype: &'static [&'static str],
    pub(super) prefix_cache_on: &'static [&'static str],
    pub(super) prefix_cache_off: &'static [&'static str],
    /// How many prefixes are kept; with none there is no cache.
    pub(super) prefixes_kept: &'static [&'static str],
    pub(super) max_queue: &'static [&'static str],
    pub(super) flash_attention: &'static [&'static str],
    pub(super) settings_file: &'static [&'static str],
    pub(super) draft_method: &'static [&'static str],
    pub(super) draft_model: &'static [&'static str],
    pub(super) draft_tokens: &'static [&'static str],
    pub(super) accelerator_layers: &'static [&'static str],
}

/// Words that name a server in its program, module or image, the server, and the one whose options
/// it takes. The first that is found decides, so more special ones come first.
pub(super) const SERVERS: [(&str, &str, &str); 23] = [
    ("dynamo.sglang", "dynamo", "sglang"),
    ("dynamo.trtllm", "dynamo", "trtllm"),
    ("ai-dynamo/sglang", "dynamo", "sglang"),
    ("ai-dynamo/tensorrtllm", "dynamo", "trtllm"),
    ("dynamo", "dynamo", "vllm"),
    ("llm-d-inference-sim", "llm-d-sim", "vllm"),
    ("sglang", "sglang", "sglang"),
    ("vllm", "vllm", "vllm"),
    ("llama-server", "llamacpp", "llamacpp"),
    ("llama_cpp", "llamacpp", "llamacpp"),
    ("llama.cpp", "llamacpp", "llamacpp"),
    ("ollama", "ollama", "llamacpp"),
    ("text-generation", "tgi", "tgi"),
    ("trtllm", "trtllm", "trtllm"),
    ("tensorrt-llm", "trtllm", "trtllm"),
    ("lmdeploy", "lmdeploy", "lmdeploy"),
    ("mlx_lm", "mlx-lm", "mlx-lm"),
    ("mlc_llm", "mlc", "mlc"),
    ("mlc-llm", "mlc", "mlc"),
    ("mistralrs", "mistralrs", "mistralrs"),
    ("mistral.rs", "mistralrs", "mistralrs"),
    ("tabbyapi", "tabbyapi", "tabbyapi"),
    ("transformers", "transformers", "transformers"),
];

/// The options of a server; one that is not known here has none.
pub(super) fn of(server: &str) -> Vocabulary {
    match server {
        "vllm" => vllm(),
        "sglang" => sglang(),
        "llamacpp" => llamacpp(),
        "tgi" => tgi(),
        "trtllm" => trtllm(),
        "lmdeploy" => lmdeploy(),
        "mistralrs" => mistralrs(),
        "mlx-lm" => Vocabulary {
            max_sequences: &["--decode-concurrency"],
            max_batched_tokens: &["--prefill-step-size"],
            draft_model: &["--draft-model"],
            draft_tokens: &["--num-draft-tokens"],
            ..Vocabulary::default()
        },
        "mlc" => Vocabulary {
            draft_method: &["--speculative-mode"],
            draft_model: &["--additional-models"],
            ..Vocabulary::default()
        },
        "transformers" => Vocabulary {
            max_batched_tokens: &["--cb-max-batch-tokens"],
            memory_fraction: &["--cb-max-memory-percent"],
            quantization: &["--quantization"],
            dtype: &["--dtype"],
            ..Vocabulary::default()
        },
        _ => Vocabulary::default(),
    }
}

/// `--pa-context-len` is the size of the pool of all requests, not a limit of one.
fn mistralrs() -> Vocabulary {
    Vocabulary {
        kv_type: &["--pa-cache-type"],
        max_sequences: &["--max-seqs"],
        kv_tokens: &["--pa-context-len"],
        max_batched_tokens: &["--max-num-batched-tokens"],
        memory_fraction: &["--pa-memory-fraction", "--pa-gpu-mem-usage"],
        quantization: &["--isq"],
        dtype: &["-d", "--dtype"],
        prefixes_kept: &["--prefix-cache-n"],
        draft_tokens: &["--mtp-n-predict"],
        draft_model: &["--mtp-model"],
        ..Vocabulary::default()
    }
}

fn vllm() -> Vocabulary {
    Vocabulary {
        kv_type: &["--kv-cache-dtype"],
        max_sequences: &["--max-num-seqs"],
        context: &["--max-model-len"],
        max_batched_tokens: &["--max-num-batched-tokens"],
        memory_fraction: &["--gpu-memory-utilization"],
        tensor_parallel: &["-tp", "--tensor-parallel-size"],
        pipeline_parallel: &["-pp", "--pipeline-parallel-size"],
        data_parallel: &["-dp", "--data-parallel-size"],
        shares_experts: &["-ep", "--enable-expert-parallel"],
        max_queue: &["--max-num-queued-reqs"],
        quantization: &["-q", "--quantization"],
        dtype: &["--dtype"],
        prefix_cache_on: &["--enable-prefix-caching"],
        prefix_cache_off: &["--no-enable-prefix-caching"],
        settings_file: &["--config"],
        draft_model: &["--speculative-model"],
        draft_tokens: &["--num-speculative-tokens"],
        ..Vocabulary::default()
    }
}

fn sglang() -> Vocabulary {
    Vocabulary {
        kv_type: &["--kv-cache-dtype"],
        max_sequences: &["--max-running-requests"],
        context: &["--context-length"],
        max_batched_tokens: &["--chunked-prefill-size"],
        kv_tokens: &["--max-total-tokens"],
        memory_fraction: &["--mem-fraction-static"],
        tensor_parallel: &["--tp", "--tp-size", "--tensor-parallel-size"],
        pipeline_parallel: &["--pp", "--pp-size", "--pipeline-parallel-size"],
        data_parallel: &["--dp", "--dp-size", "--data-parallel-size"],
        expert_parallel: &["--ep", "--ep-size", "--expert-parallel-size"],
        max_queue: &["--max-queued-requests"],
        quantization: &["--quantization"],
        dtype: &["--dtype"],
        prefix_cache_off: &["--disable-radix-cache"],
        settings_file: &["--config"],
        draft_method: &["--speculative-algorithm"],
        draft_model: &[
            "--speculative-draft-model-path",
            "--speculative-draft-model",
        ],
        draft_tokens: &["--speculative-num-draft-tokens"],
        ..Vocabulary::default()
    }
}

fn llamacpp() -> Vocabulary {
    Vocabulary {
        max_sequences: &["-np", "--parallel"],
        context: &["-c", "--ctx-size"],
        max_batched_tokens: &["-ub", "--ubatch-size"],
        flash_attention: &["-fa", "--flash-attn"],
        prefix_cache_on: &["--cache-prompt"],
        prefix_cache_off: &["--no-cache-prompt"],
        draft_method: &["--spec-type"],
        draft_model: &["-md", "--model-draft", "--spec-draft-model"],
        draft_tokens: &["--draft", "--draft-n", "--draft-max", "--spec-draft-n-max"],
        accelerator_layers: &["-ngl", "--gpu-layers", "--n-gpu-layers"],
        ..Vocabulary::default()
    }
}

fn tgi() -> Vocabulary {
    Vocabulary {
        kv_type: &["--kv-cache-dtype"],
        max_sequences: &["--max-batch-size"],
        context: &["--max-total-tokens"],
        max_batched_tokens: &["--max-batch-prefill-tokens"],
        kv_tokens: &["--max-batch-total-tokens"],
        memory_fraction: &["--cuda-memory-fraction"],
        tensor_parallel: &["--num-shard"],
        quantization: &["--quantize"],
        dtype: &["--dtype"],
        draft_tokens: &["--speculate"],
        ..Vocabulary::default()
    }
}

fn trtllm() -> Vocabulary {
    Vocabulary {
        kv_type: &["--kv-cache-dtype"],
        max_sequences: &["--max-batch-size"],
        context: &["--max-seq-len"],
        max_batched_tokens: &["--max-num-tokens"],
        memory_fraction: &[
            "--kv-cache-free-gpu-memory-fraction",
            "--free-gpu-memory-fraction",
        ],
        tensor_parallel: &["--tp-size"],
        pipeline_parallel: &["--pp-size"],
        expert_parallel: &["--ep-size"],
        settings_file: &["--extra-llm-api-options", "--config"],
        ..Vocabulary::default()
    }
}

fn lmdeploy() -> Vocabulary {
    Vocabulary {
        max_sequences: &["--max-batch-size"],
        context: &["--session-len"],
        max_batched_tokens: &["--max-prefill-token-num"],
        memory_fraction: &["--cache-max-entry-count"],
        tensor_parallel: &["--tp"],
        data_parallel: &["--dp"],
        expert_parallel: &["--ep"],
        quantization: &["--model-format"],
        dtype: &["--dtype"],
        prefix_cache_on: &["--enable-prefix-caching"],
        draft_method: &["--speculative-algorithm"],
        draft_model: &["--speculative-draft-model"],
        draft_tokens: &["--speculative-num-draft-tokens"],
        ..Vocabulary::default()
    }
}
