//! `quantization_config`: which part of a model is stored how.

use serde_json::{Value, json};
use tokmark_catalog::ModelSpec;
use tokmark_catalog::read::read_config;

use crate::configs::{merged, read};

fn base() -> Value {
    json!({
        "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
        "mlp_only_layers": [0], "num_hidden_layers": 4, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 10_000,
        "tie_word_embeddings": false, "torch_dtype": "bfloat16"
    })
}

fn quantized(config: &Value) -> ModelSpec {
    read(&merged(&base(), &json!({"quantization_config": config})))
}

/// Bits a parameter of dense part, experts, head and embedding.
fn bits(spec: &ModelSpec) -> [f64; 4] {
    let weights = &spec.weights;
    [
        weights.dense,
        weights.experts,
        weights.head,
        weights.embedding,
    ]
    .map(|part| (part.bits_per_weight().unwrap() * 1000.0).round() / 1000.0)
}

/// The dense part holds routers of 16 bits besides: a share of it, so the bits are a little higher.
fn check(config: &Value, name: &str, dense: f64, rest: [f64; 3]) {
    let spec = quantized(config);
    let [given, experts, head, embedding] = bits(&spec);
    assert!((dense..dense + 0.25).contains(&given), "{config}: {given}");
    assert_eq!([experts, head, embedding], rest, "{config}");
    assert_eq!(spec.quantization.as_deref(), Some(name));
}

#[test]
fn without_quantization_everything_has_16_bits() {
    assert_eq!(bits(&read(&base())), [16.0; 4]);
    let wide = merged(&base(), &json!({"torch_dtype": "float32"}));
    assert_eq!(bits(&read(&wide)), [32.0; 4]);
}

#[test]
fn methods_cost_what_their_layout_says() {
    let awq = json!({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true});
    check(&awq, "awq", 4.156, [4.156, 16.0, 16.0]);
    let gptq = json!({"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": true});
    check(&gptq, "gptq", 4.625, [4.625, 16.0, 16.0]);
    let with_head = merged(&gptq, &json!({"lm_head": true}));
    check(&with_head, "gptq", 4.625, [4.625, 4.625, 16.0]);
    let auto = json!({"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": true});
    check(&auto, "auto-round", 4.125, [4.125, 16.0, 16.0]);
    let fp8 = json!({"quant_method": "fp8", "weight_block_size": [128, 128]});
    check(&fp8, "fp8", 8.002, [8.002, 16.0, 16.0]);
    let nf4 = json!({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true});
    check(&nf4, "bitsandbytes", 4.126, [4.127, 16.0, 16.0]);
    let eight = json!({"quant_method": "bitsandbytes", "load_in_8bit": true});
    check(&eight, "bitsandbytes", 8.0, [8.0, 16.0, 16.0]);
    let exl = json!({"quant_method": "exl3", "bits": 3.5, "head_bits": 6});
    check(&exl, "exl3", 3.5, [3.5, 6.0, 16.0]);
    let modelopt =
        json!({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]});
    check(&modelopt, "modelopt", 4.5, [4.5, 16.0, 16.0]);
}

#[test]
fn mxfp4_converts_the_experts_only() {
    let config = json!({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]});
    check(&config, "mxfp4", 16.0, [4.25, 16.0, 16.0]);
}

/// The list of a published checkpoint: attention, shared experts and dense layers stay.
#[test]
fn compressed_tensors_with_expressions() {
    let config = json!({
        "quant_method": "compressed-tensors", "format": "pack-quantized",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": {
            "num_bits": 4, "group_size": 32, "strategy": "group", "symmetric": true, "type": "int"
        }}},
        "ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"]
    });
    check(&config, "compressed-tensors", 16.0, [4.5, 16.0, 16.0]);
}

#[test]
fn compressed_tensors_with_a_group_for_each_target() {
    let config = json!({
        "quant_method": "compressed-tensors",
        "config_groups": {
            "rest": {"targets": ["Linear"], "weights": {"num_bits": 8, "strategy": "channel", "type": "float"}},
            "experts": {"targets": ["re:.*experts.*"], "weights": {"num_bits": 4, "group_size": 16, "type": "float"}}
        },
        "ignore": ["lm_head"]
    });
    check(&config, "compressed-tensors", 8.0, [4.5, 16.0, 16.0]);
}

#[test]
fn a_list_in_a_file_of_its_own() {
    let beside = json!({
        "producer": {"name": "modelopt"},
        "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16,
            "exclude_modules": ["model.layers.0*", "model.layers.1.self_attn*", "lm_head"]}
    });
    let bytes = (base().to_string(), beside.to_string());
    let spec = read_config(bytes.0.as_bytes(), Some(bytes.1.as_bytes())).unwrap();
    assert_eq!(spec.quantization.as_deref(), Some("modelopt NVFP4"));
    // Block 0 (attention and a dense part of 6,144) and attention of block 1 have 16 bits.
    let attention = 2048.0 * 128.0 * (32.0 + 4.0 + 4.0 + 32.0);
    let kept = 2.0 * attention + 3.0 * 2048.0 * 6144.0 + 3.0 * 2048.0 * 128.0;
    let converted = 2.0 * attention;
    let expect = kept * 2.0 + converted * 4.5 / 8.0;
    assert!((spec.weights.dense.bytes - expect).abs() < 1.0);
}

#[test]
fn an_algorithm_for_each_module() {
    let config = json!({
        "quant_method": "modelopt", "quant_algo": "MIXED_PRECISION",
        "quantized_layers": {
            "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
            "model.layers.1.mlp.experts": {"quant_algo": "NVFP4"}
        }
    });
    let spec = quantized(&config);
    let experts = spec.weights.experts;
    // One of three layers of experts has 4.5 bits, the others were not converted.
    assert!((experts.bits_per_weight().unwrap() - (4.5 + 32.0) / 3.0).abs() < 1e-9);
    let q = 2048.0 * 4096.0;
    let expect = spec.weights.dense.parameters * 2.0 - q;
    assert!((spec.weights.dense.bytes - expect).abs() < 1.0);
}

#[test]
fn mlx_converts_the_tables_too() {
    let config = merged(
        &base(),
        &json!({"quantization": {"group_size": 64, "bits": 4,
        "lm_head": {"group_size": 64, "bits": 8}, "model.layers.0": false}}),
    );
    let spec = read(&config);
    assert_eq!(spec.weights.embedding.bits_per_weight(), Some(4.5));
    assert_eq!(spec.weights.head.bits_per_weight(), Some(8.5));
    assert_eq!(spec.weights.experts.bits_per_weight(), Some(4.5));
}

#[test]
fn an_unknown_method_is_an_error() {
    let refused = |config: Value| {
        let config = merged(&base(), &json!({"quantization_config": config}));
        read_config(config.to_string().as_bytes(), None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(json!({"quant_method": "magic"})),
        "the quantization method `magic` is not known"
    );
    assert_eq!(refused(json!({})), "`quant_method` is missing");
    assert_eq!(refused(json!({"quant_method": "awq"})), "`bits` is missing");
    assert_eq!(
        refused(json!({"quant_method": "awq", "bits": 4000})),
        "bits is 4000, more than 16"
    );
    assert_eq!(
        refused(json!({"quant_method": "modelopt", "quant_algo": "FP3"})),
        "the quantization algorithm `FP3` is not known"
    );
}
