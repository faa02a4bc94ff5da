//! Variables of the environment that can change a server's speed.

use crate::redact::redact_arguments;

/// Beginnings of names that belong to servers, compute libraries and their accelerators.
const BEGINNINGS: [&str; 27] = [
    "CUDA_",
    "DYN_",
    "FLASHINFER_",
    "FLASH_ATTENTION_",
    "GGML_",
    "GPU_",
    "HIP_",
    "HSA_",
    "KMP_",
    "LLAMA_ARG_",
    "LMDEPLOY_",
    "MIOPEN_",
    "MKL_",
    "NCCL_",
    "NVIDIA_",
    "OLLAMA_",
    "OMP_",
    "ONEAPI_",
    "PYTORCH_",
    "RCCL_",
    "ROCR_",
    "SGLANG_",
    "TORCH_",
    "TRITON_",
    "TRTLLM_",
    "VLLM_",
    "ZE_",
];

/// Whole names.
const NAMES: [&str; 17] = [
    "CUDA_MEMORY_FRACTION",
    "DTYPE",
    "KV_CACHE_DTYPE",
    "LD_PRELOAD",
    "MAX_BATCH_PREFILL_TOKENS",
    "MAX_BATCH_SIZE",
    "MAX_BATCH_TOTAL_TOKENS",
    "MAX_CONCURRENT_REQUESTS",
    "MAX_INPUT_TOKENS",
    "MAX_TOTAL_TOKENS",
    "NUM_SHARD",
    "PREFIX_CACHING",
    "QUANTIZE",
    "SHARDED",
    "SPECULATE",
    "TRT_LLM_DISABLE_LOAD_WEIGHTS_IN_PARALLEL",
    "USE_FLASH_ATTENTION",
];

/// Names that images and tools set everywhere and that say nothing about speed.
const LEFT_OUT: [&str; 9] = [
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VERSION",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_PRODUCT_NAME",
    "NVIDIA_REQUIRE_CUDA",
    "OLLAMA_HOST",
    "OLLAMA_MODELS",
    "OLLAMA_ORIGINS",
];

/// What may be shown of an environment, sorted by name. An entry of which anything had to be
/// hidden is left out as a whole: what is hidden cannot be compared.
pub(super) fn kept(entries: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = entries
        .into_iter()
        .filter(|entry| {
            entry
                .split_once('=')
                .is_some_and(|(name, value)| is_wanted(name) && !value.is_empty())
        })
        .flat_map(|entry| redact_arguments(&[entry]))
        .filter(|entry| !entry.contains("***"))
        .collect();
    kept.sort();
    kept.dedup();
    kept
}

fn is_wanted(name: &str) -> bool {
    let is_known = NAMES.contains(&name)
        || BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning));
    is_known && !LEFT_OUT.contains(&name)
}
