//! Names of models as servers, files and people write them.

use tokmark_catalog::{Match, Model};

use crate::CATALOG;

fn ids(found: &Match<'static, Model>) -> Vec<&'static str> {
    found
        .candidates()
        .into_iter()
        .map(|row| row.id.as_str())
        .collect()
}

fn check(name: &str, expect: &str) {
    let found = CATALOG.find_model(name);
    assert_eq!(
        found.found().map(|row| row.id.as_str()),
        Some(expect),
        "{name}: {:?}",
        ids(&found)
    );
}

fn check_open(name: &str, expect: &[&str]) {
    let found = CATALOG.find_model(name);
    assert!(found.found().is_none(), "{name}: {:?}", ids(&found));
    assert_eq!(ids(&found), expect, "{name}");
}

#[test]
fn every_row_is_found_by_its_own_names() {
    for row in CATALOG.models() {
        let lower = row.id.to_lowercase();
        for name in [row.id.as_str(), &lower, row.name()]
            .into_iter()
            .chain(row.aliases.iter().map(String::as_str))
        {
            check(name, &row.id);
        }
    }
}

#[test]
fn served_names_and_files_are_found() {
    check("qwen3-4b", "Qwen/Qwen3-4B");
    check(
        "AIDXteam/Qwen3-Coder-30B-A3B-Instruct-AWQ",
        "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    );
    check("unsloth/Qwen3.6-27B-MTP-GGUF", "Qwen/Qwen3.6-27B");
    check("/models/Qwen3.6-27B-UD-Q4_K_XL.gguf", "Qwen/Qwen3.6-27B");
    check("nvidia/Qwen3.6-35B-A3B-NVFP4", "Qwen/Qwen3.6-35B-A3B");
    check(
        "palmfuture/Qwen3.6-35B-A3B-GPTQ-Int4",
        "Qwen/Qwen3.6-35B-A3B",
    );
    check(
        "bartowski/nvidia_Nemotron-Cascade-2-30B-A3B-GGUF",
        "nvidia/Nemotron-Cascade-2-30B-A3B",
    );
    check(
        "NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4",
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    );
    check(
        "Meta-Llama-3.1-8B-Instruct",
        "meta-llama/Llama-3.1-8B-Instruct",
    );
    check(
        "meta-llama_Llama-3.1-8B-Instruct-Q4_K_M.gguf",
        "meta-llama/Llama-3.1-8B-Instruct",
    );
    check("llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct");
    check(
        "deepseek-r1:14b",
        "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
    );
    check(
        "cyankiwi/gemma-4-26B-A4B-it-AWQ-4bit",
        "google/gemma-4-26B-A4B-it",
    );
    check("mlx-community/Qwen3-30B-A3B-4bit", "Qwen/Qwen3-30B-A3B");
    check("gpt-oss-20b-MXFP4.gguf", "openai/gpt-oss-20b");
    check("qwen3:30b-a3b", "Qwen/Qwen3-30B-A3B");
}

#[test]
fn another_checkpoint_is_not_the_row() {
    check_open("Qwen/Qwen3-30B-A3B-Thinking-2507", &["Qwen/Qwen3-30B-A3B"]);
    check_open(
        "AEON-7/Qwen3.6-27B-AEON-Ultimate-Uncensored-NVFP4",
        &["Qwen/Qwen3.6-27B"],
    );
    check_open(
        "meta-llama/Llama-3.1-8B",
        &["meta-llama/Llama-3.1-8B-Instruct"],
    );
    check_open("microsoft/Phi-4-mini-reasoning", &["microsoft/phi-4"]);
    check_open("LiquidAI/LFM2-350M", &[]);
    check_open("meta-llama/Meta-Llama-3-8B-Instruct", &[]);
    check_open("google/gemma-3n-E4B-it", &[]);
    check_open("", &[]);
    check_open("gguf", &[]);
    check_open("person/completely-unknown-9b", &[]);
}

#[test]
fn an_unknown_name_gets_what_is_written_like_it() {
    assert_eq!(
        CATALOG.models_like("qwen/Qwen3-4C").first(),
        Some(&"Qwen/Qwen3-4B")
    );
    assert_eq!(CATALOG.hardware_like("RTX 309").first(), Some(&"RTX 3090"));
    assert!(CATALOG.hardware_like("abacus").is_empty());
    assert!(CATALOG.models_like("").is_empty());
}
