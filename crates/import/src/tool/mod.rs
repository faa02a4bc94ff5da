//! One file per tool: how its file is recognised, what its fields mean, and what is taken.

pub(crate) mod aiperf;
mod aiperf_load;
pub(crate) mod guidellm;
pub(crate) mod inference_bench;
mod inference_bench_prefill;
pub(crate) mod llama_bench;
mod llama_bench_table;
pub(crate) mod llama_benchy;
pub(crate) mod localscore;
pub(crate) mod sglang_bench;
pub(crate) mod vllm_bench;
