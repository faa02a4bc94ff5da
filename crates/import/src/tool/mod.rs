//! One file per tool: how its file is recognised, what its fields mean, and what is taken.

pub(crate) mod sglang_bench;
pub(crate) mod vllm_bench;
