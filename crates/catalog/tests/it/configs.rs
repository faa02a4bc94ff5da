//! Hugging Face configurations: the shape and the parameters that follow from them.

use serde_json::{Value, json};
use tokmark_catalog::read::{ReadError, read_config};
use tokmark_catalog::spec::CacheShape;
use tokmark_catalog::{KvCache, ModelSpec, WeightFormat};

use crate::model;

pub(crate) fn read(config: &Value) -> ModelSpec {
    read_config(config.to_string().as_bytes(), None).unwrap()
}

fn refused(config: &Value) -> ReadError {
    read_config(config.to_string().as_bytes(), None).unwrap_err()
}

/// The shape of the configuration is that of the catalog's row, and so are the parameters within
/// `tolerance`: both were written down independently.
fn check(config: &Value, id: &str, tolerance: f64) {
    let spec = read(config);
    let row = model(id);
    let known = row.spec(WeightFormat::F16).unwrap();
    assert_eq!(spec.blocks, known.blocks, "{id}");
    assert_eq!(spec.hidden, known.hidden, "{id}");
    assert_eq!(spec.vocabulary, known.vocabulary, "{id}");
    assert_eq!(spec.tied_embeddings, known.tied_embeddings, "{id}");
    assert_eq!(spec.recurrent, known.recurrent, "{id}");
    assert_eq!(spec.experts, known.experts, "{id}");
    let sorted = |spec: &ModelSpec| {
        let mut groups: Vec<String> = spec.attention.iter().map(|g| format!("{g:?}")).collect();
        groups.sort();
        groups
    };
    assert_eq!(sorted(&spec), sorted(&known), "{id}");
    let ratio = spec.parameters() / known.parameters();
    assert!(
        (ratio - 1.0).abs() < tolerance,
        "{id}: {} B",
        spec.parameters() / 1e9
    );
    assert_eq!(
        Some(spec.kv_bytes_per_token(KvCache::F16)),
        Some(known.kv_bytes_per_token(KvCache::F16)),
        "{id}"
    );
}

#[test]
fn dense_with_grouped_queries() {
    let config = json!({
        "model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728,
        "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 151_936, "max_position_embeddings": 40_960,
        "tie_word_embeddings": true, "sliding_window": null, "use_sliding_window": false,
        "max_window_layers": 36, "torch_dtype": "bfloat16"
    });
    check(&config, "Qwen/Qwen3-4B", 0.002);
}

#[test]
fn routed_experts() {
    let config = json!({
        "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "num_hidden_layers": 48,
        "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
        "vocab_size": 151_936, "tie_word_embeddings": false
    });
    check(&config, "Qwen/Qwen3-Coder-30B-A3B-Instruct", 0.001);
    let spec = read(&config);
    assert!((spec.active_parameters() / 3.35e9 - 1.0).abs() < 0.005);
}

#[test]
fn latent_attention_with_dense_layers_first() {
    let config = json!({
        "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18_432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
        "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "vocab_size": 129_280, "num_nextn_predict_layers": 1,
        "tie_word_embeddings": false
    });
    check(&config, "deepseek-ai/DeepSeek-V3.1", 0.002);
    let sparse = json!({"index_topk": 2048, "index_head_dim": 128, "index_n_heads": 64});
    check(
        &merged(&config, &sparse),
        "deepseek-ai/DeepSeek-V3.2",
        0.003,
    );
}

/// The shape in which K2.5 is published, with the language model inside.
#[test]
fn a_nested_configuration() {
    let config = json!({
        "model_type": "kimi_k25", "tie_word_embeddings": false, "dtype": "bfloat16",
        "vision_config": {"hidden_size": 1152},
        "text_config": {
            "model_type": "kimi_k2", "hidden_size": 7168, "intermediate_size": 18_432,
            "moe_intermediate_size": 2048, "n_routed_experts": 384, "n_shared_experts": 1,
            "num_experts_per_tok": 8, "first_k_dense_replace": 1, "moe_layer_freq": 1,
            "num_hidden_layers": 61, "num_attention_heads": 64, "num_key_value_heads": 64,
            "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 163_840
        }
    });
    check(&config, "moonshotai/Kimi-K2.5", 0.001);
}

#[test]
fn gated_delta_net_with_attention_in_one_layer_of_four() {
    let kinds: Vec<&str> = (0..60)
        .map(|layer| {
            if layer % 4 == 3 {
                "full_attention"
            } else {
                "linear_attention"
            }
        })
        .collect();
    let config = json!({
        "model_type": "qwen3_5_moe", "tie_word_embeddings": false,
        "text_config": {
            "model_type": "qwen3_5_moe_text", "attn_output_gate": true, "head_dim": 256,
            "hidden_size": 4096, "layer_types": kinds, "linear_conv_kernel_dim": 4,
            "linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 64,
            "linear_value_head_dim": 128, "moe_intermediate_size": 1024, "num_attention_heads": 32,
            "num_experts": 512, "num_experts_per_tok": 10, "num_hidden_layers": 60,
            "num_key_value_heads": 2, "shared_expert_intermediate_size": 1024, "vocab_size": 248_320
        }
    });
    check(&config, "Qwen/Qwen3.5-397B-A17B", 0.003);
    let mut by_interval = config.clone();
    by_interval["text_config"]["layer_types"] = Value::Null;
    by_interval["text_config"]["full_attention_interval"] = json!(4);
    assert_eq!(read(&by_interval), read(&config));
}

#[test]
fn a_dense_hybrid() {
    let config = json!({
        "model_type": "qwen3_5", "text_config": {
            "model_type": "qwen3_5_text", "attn_output_gate": true, "head_dim": 256,
            "hidden_size": 2560, "intermediate_size": 9216, "full_attention_interval": 4,
            "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
            "linear_num_value_heads": 32, "linear_value_head_dim": 128, "num_attention_heads": 16,
            "num_hidden_layers": 32, "num_key_value_heads": 4, "vocab_size": 248_320,
            "tie_word_embeddings": true
        }
    });
    check(&config, "Qwen/Qwen3.5-4B", 0.01);
}

#[test]
fn blocks_that_hold_one_thing_each() {
    let config = json!({
        "model_type": "nemotron_h", "hidden_size": 2688, "intermediate_size": 1856,
        "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
        "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128,
        "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8,
        "conv_kernel": 4, "n_routed_experts": 128, "num_experts_per_tok": 6,
        "moe_intermediate_size": 1856, "moe_shared_expert_intermediate_size": 3712,
        "n_shared_experts": 1, "mlp_hidden_act": "relu2", "vocab_size": 131_072,
        "tie_word_embeddings": false
    });
    check(&config, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 0.003);
}

#[test]
fn sliding_windows_in_every_second_layer() {
    let kinds: Vec<&str> = (0..24)
        .map(|layer| {
            if layer % 2 == 0 {
                "sliding_attention"
            } else {
                "full_attention"
            }
        })
        .collect();
    let config = json!({
        "model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
        "num_local_experts": 32, "num_experts_per_tok": 4, "experts_per_token": 4,
        "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8,
        "head_dim": 64, "sliding_window": 128, "layer_types": kinds, "vocab_size": 201_088,
        "tie_word_embeddings": false
    });
    check(&config, "openai/gpt-oss-20b", 0.003);
}

#[test]
fn sliding_windows_in_five_layers_of_six() {
    let config = json!({
        "model_type": "gemma3", "text_config": {
            "model_type": "gemma3_text", "hidden_size": 3840, "intermediate_size": 15_360,
            "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 8,
            "head_dim": 256, "sliding_window": 1024, "sliding_window_pattern": 6,
            "vocab_size": 262_144
        }
    });
    check(&config, "google/gemma-3-12b-it", 0.04);
}

/// Full layers with heads of their own, a dense part beside the experts.
#[test]
fn global_heads_of_their_own() {
    let kinds: Vec<&str> = (0..30)
        .map(|layer| {
            if layer % 6 == 5 {
                "full_attention"
            } else {
                "sliding_attention"
            }
        })
        .collect();
    let config = json!({
        "model_type": "gemma4", "text_config": {
            "model_type": "gemma4_text", "hidden_size": 2816, "intermediate_size": 2112,
            "moe_intermediate_size": 704, "num_experts": 128, "top_k_experts": 8,
            "num_hidden_layers": 30, "num_attention_heads": 16, "num_key_value_heads": 8,
            "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 2,
            "sliding_window": 1024, "layer_types": kinds, "vocab_size": 262_144,
            "tie_word_embeddings": true
        }
    });
    check(&config, "google/gemma-4-26B-A4B-it", 0.04);
}

#[test]
fn chunked_attention_and_a_shared_expert() {
    let config = json!({
        "model_type": "llama4", "text_config": {
            "model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
            "intermediate_size_mlp": 16_384, "num_local_experts": 16, "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 1, "attention_chunk_size": 8192,
            "num_hidden_layers": 48, "num_attention_heads": 40, "num_key_value_heads": 8,
            "head_dim": 128, "vocab_size": 202_048, "tie_word_embeddings": false
        }
    });
    check(&config, "meta-llama/Llama-4-Scout-17B-16E-Instruct", 0.01);
}

#[test]
fn mixtral_takes_the_width_from_the_dense_field() {
    let config = json!({
        "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14_336,
        "num_local_experts": 8, "num_experts_per_tok": 2, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32_000,
        "sliding_window": null, "tie_word_embeddings": false
    });
    check(&config, "mistralai/Mixtral-8x7B-Instruct-v0.1", 0.002);
}

#[test]
fn short_convolutions_and_dense_layers_first() {
    let kinds: Vec<&str> = (0..24)
        .map(|layer| {
            if [2, 6, 10, 14, 18, 21].contains(&layer) {
                "full_attention"
            } else {
                "conv"
            }
        })
        .collect();
    let config = json!({
        "model_type": "lfm2_moe", "hidden_size": 2048, "intermediate_size": 7168,
        "moe_intermediate_size": 1792, "num_experts": 32, "num_experts_per_tok": 4,
        "num_dense_layers": 2, "conv_L_cache": 3, "layer_types": kinds, "num_hidden_layers": 24,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 65_536
    });
    check(&config, "LiquidAI/LFM2-8B-A1B", 0.03);
}

#[test]
fn keys_and_values_of_different_size() {
    let pattern: Vec<u8> = (0..48)
        .map(|layer| u8::from(!(layer == 0 || layer % 6 == 5)))
        .collect();
    let config = json!({
        "model_type": "mimo_v2_flash", "hidden_size": 4096, "intermediate_size": 16_384,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_experts_per_tok": 8,
        "moe_layer_freq": std::iter::once(0).chain(std::iter::repeat_n(1, 47)).collect::<Vec<u8>>(),
        "num_hidden_layers": 48, "num_attention_heads": 64, "num_key_value_heads": 4,
        "head_dim": 192, "v_head_dim": 128, "swa_num_attention_heads": 64,
        "swa_num_key_value_heads": 8, "swa_head_dim": 192, "swa_v_head_dim": 128,
        "sliding_window": 128, "hybrid_layer_pattern": pattern, "vocab_size": 152_576,
        "tie_word_embeddings": false
    });
    let spec = read(&config);
    check(&config, "XiaomiMiMo/MiMo-V2-Flash", 0.01);
    let full = spec
        .attention
        .iter()
        .find(|group| group.window_tokens.is_none())
        .unwrap();
    let expect = CacheShape::Heads {
        kv_heads: 4,
        key_dim: 192,
        value_dim: 128,
    };
    assert_eq!(full.cache, expect);
}

/// Blocks without attention, with KV heads and widths of their own.
#[test]
fn a_pruned_model() {
    let block = |attention: Value, ffn: Value| json!({"attention": attention, "ffn": ffn});
    let config = json!({
        "model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64,
        "num_hidden_layers": 3, "vocab_size": 128_256, "intermediate_size": null,
        "block_configs": [
            block(json!({"no_op": false, "n_heads_in_group": 8}), json!({"ffn_mult": 5.25})),
            block(json!({"no_op": true}), json!({"ffn_mult": 1.3125})),
            block(json!({"n_heads_in_group": 16}), json!({"no_op": true})),
        ]
    });
    let spec = read(&config);
    let kv: Vec<CacheShape> = spec.attention.iter().map(|group| group.cache).collect();
    let heads = |kv_heads| CacheShape::Heads {
        kv_heads,
        key_dim: 128,
        value_dim: 128,
    };
    assert_eq!(kv, [heads(8), heads(4)]);
    // 8192 · 5.25 · 2/3 = 28,672 as in Llama-3-70B; 7,168 for a quarter.
    let attention = |kv: f64| 2.0 * 8192.0 * 8192.0 + 2.0 * 8192.0 * kv * 128.0;
    let expect = attention(8.0) + attention(4.0) + 3.0 * 8192.0 * (28_672.0 + 7_168.0);
    assert!((spec.weights.dense.parameters - expect).abs() < 1.0);
}

#[test]
fn mamba_without_attention() {
    let config = json!({
        "model_type": "mamba", "hidden_size": 2560, "state_size": 16, "intermediate_size": 5120,
        "conv_kernel": 4, "time_step_rank": 160, "num_hidden_layers": 64, "vocab_size": 50_280,
        "tie_word_embeddings": true
    });
    let spec = read(&config);
    assert_eq!(spec.attention, []);
    assert_eq!(spec.recurrent[0].layers, 64);
    // 2.77 B parameters, as its authors state.
    assert!(
        (spec.parameters() / 2.77e9 - 1.0).abs() < 0.005,
        "{}",
        spec.parameters()
    );
    assert!((spec.state_bytes() - 64.0 * (5120.0 * 16.0 * 4.0 + 5120.0 * 3.0 * 2.0)).abs() < 1.0);
}

/// Kimi-Linear, whose makers state 48 B parameters.
#[test]
fn delta_attention_beside_latent_attention() {
    let config = json!({
        "model_type": "kimi_linear", "hidden_size": 2304, "intermediate_size": 9216,
        "moe_intermediate_size": 1024, "num_experts": 256, "num_experts_per_token": 8,
        "num_shared_experts": 1, "first_k_dense_replace": 1, "num_hidden_layers": 27,
        "num_attention_heads": 32, "q_lora_rank": null, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 163_840,
        "linear_attn_config": {
            "full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "num_heads": 32, "head_dim": 128,
            "short_conv_kernel_size": 4
        }
    });
    let spec = read(&config);
    assert_eq!((spec.attention_layers(), spec.recurrent[0].layers), (7, 20));
    assert!(
        (spec.parameters() / 48e9 - 1.0).abs() < 0.04,
        "{}",
        spec.parameters()
    );
    let state = 32.0 * 128.0 * 128.0 * 4.0 + 3.0 * 4096.0 * 3.0 * 2.0;
    assert!((spec.state_bytes() - 20.0 * state).abs() < 1.0);
}

#[test]
fn upper_layers_may_share_a_cache() {
    let kinds: Vec<&str> = (0..10)
        .map(|layer| {
            if layer % 5 == 4 {
                "full_attention"
            } else {
                "sliding_attention"
            }
        })
        .collect();
    let config = json!({
        "model_type": "gemma3n_text", "hidden_size": 2048, "intermediate_size": [8192, 8192],
        "num_hidden_layers": 10, "num_attention_heads": 8, "num_key_value_heads": 2,
        "head_dim": 256, "sliding_window": 512, "layer_types": kinds,
        "num_kv_shared_layers": 5, "vocab_size": 262_400
    });
    // One width a layer: the list is too short for ten layers.
    assert_eq!(
        refused(&config).to_string(),
        "`intermediate_size` is missing"
    );
    let mut config = config;
    config["intermediate_size"] = json!(vec![8192; 10]);
    let spec = read(&config);
    let kept: u32 = spec
        .attention
        .iter()
        .filter(|g| !g.shares_cache)
        .map(|g| g.layers)
        .sum();
    assert_eq!(kept, 5);
    assert!((spec.kv_bytes_per_token(KvCache::F16) - 2048.0).abs() < 1e-9);
    let read = spec.kv_read_bytes(100.0, KvCache::F16);
    assert!((read - 10.0 * 2048.0 * 100.0).abs() < 1e-9);
}

#[test]
fn what_is_not_known_is_an_error() {
    let base = json!({
        "model_type": "x", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 4, "vocab_size": 100
    });
    let check = |change: Value, expect: &str| {
        assert_eq!(refused(&merged(&base, &change)).to_string(), expect);
    };
    assert_eq!(read(&base).attention_layers(), 2);
    check(
        json!({"layer_types": ["full_attention", "wonder"]}),
        "the layer kind `wonder` is not known",
    );
    check(
        json!({"layer_types": ["full_attention"]}),
        "`layer_types` names 1 layers, `num_hidden_layers` is 2",
    );
    check(
        json!({"layer_types": ["mamba", "mamba"]}),
        "the recurrent layer of `x` is not known",
    );
    check(
        json!({"compress_ratios": [4, 128]}),
        "the attention `compress_ratios` is not known",
    );
    check(json!({"hidden_size": null}), "`hidden_size` is missing");
    check(
        json!({"hidden_size": "64"}),
        "`hidden_size` is `\"64\"`, not a whole number",
    );
    check(
        json!({"hidden_size": -1}),
        "`hidden_size` is `-1`, not a whole number",
    );
    check(
        json!({"num_hidden_layers": 100_000}),
        "num_hidden_layers is 100000, more than 2000",
    );
    check(
        json!({"num_attention_heads": 0}),
        "`num_attention_heads` is `0`, not above zero",
    );
    check(
        json!({"num_key_value_heads": 0}),
        "`num_key_value_heads` is `0`, not above zero",
    );
    check(
        json!({"num_experts": 4, "num_experts_per_tok": 8}),
        "a token is sent to 8 of 4 experts",
    );
    check(
        json!({"hybrid_override_pattern": "M?"}),
        "the recurrent layer of `x` is not known",
    );
    check(
        json!({"hybrid_override_pattern": "*?"}),
        "the layer kind `?` is not known",
    );
    check(
        json!({"torch_dtype": "int3"}),
        "the data type `int3` is not known",
    );
    check(
        json!({"text_config": 3}),
        "`text_config` is `3`, not an object",
    );
}

pub(crate) fn merged(base: &Value, change: &Value) -> Value {
    let mut merged = base.clone();
    for (key, value) in change.as_object().unwrap() {
        merged[key] = value.clone();
    }
    merged
}
