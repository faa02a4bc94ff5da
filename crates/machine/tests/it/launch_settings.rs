use std::collections::BTreeMap;

use tokmark_machine::{LaunchCommand, settings};
use tokmark_run_format::{LaunchSettings, Speculation};

fn check(line: &str, expected: impl Into<LaunchSettings>) {
    let found = LaunchSettings {
        sources: BTreeMap::new(),
        ..settings(&LaunchCommand::from_text(line))
    };
    assert_eq!(found, expected.into(), "{line}");
}

/// Where each setting of a line stands: those of its arguments, those of its variables.
fn check_sources(line: &str, arguments: &[&str], variables: &[&str]) {
    let found = settings(&LaunchCommand::from_text(line)).sources;
    let of = |source: &str| -> Vec<&str> {
        let all = found.iter().filter(|(_, from)| *from == source);
        all.map(|(name, _)| name.as_str()).collect()
    };
    assert_eq!(of("command line"), arguments, "{line}");
    assert_eq!(of("environment of the process"), variables, "{line}");
    assert_eq!(found.len(), arguments.len() + variables.len(), "{found:?}");
}

fn text(word: &str) -> Option<String> {
    (!word.is_empty()).then(|| word.to_owned())
}

fn of(server: &str) -> LaunchSettings {
    LaunchSettings {
        server: text(server),
        ..LaunchSettings::default()
    }
}

#[test]
fn vllm() {
    check(
        "VLLM_ATTENTION_BACKEND=FLASHINFER HF_TOKEN=hf_abcdefghijklmnopqrst vllm serve o/m \
         --kv-cache-dtype fp8 --max_num_seqs=256 --max-model-len 32k -tp 4 -pp 2 \
         --data-parallel-size 2 --enable-expert-parallel --gpu-memory-utilization 0.92 \
         --quantization awq_marlin --dtype bfloat16 --no-enable-prefix-caching \
         --max-num-batched-tokens 8192 --api-key k1 \\\n \
         --speculative-config '{\"method\": \"eagle3\", \"model\": \"/home/ann/m/draft-eagle\", \"num_speculative_tokens\": 3}'",
        LaunchSettings {
            kv_type: text("fp8"),
            max_sequences: Some(256),
            context: Some(32_000),
            max_batched_tokens: Some(8_192),
            memory_fraction: Some(0.92),
            tensor_parallel: Some(4),
            pipeline_parallel: Some(2),
            data_parallel: Some(2),
            shares_experts: Some(true),
            quantization: text("awq_marlin"),
            dtype: text("bfloat16"),
            prefix_cache: Some(false),
            speculation: Some(Speculation {
                method: text("eagle3"),
                draft_model: text("draft-eagle"),
                draft_tokens: Some(3),
            }),
            environment: vec!["VLLM_ATTENTION_BACKEND=FLASHINFER".to_owned()],
            ..of("vllm")
        },
    );
    check(
        "python3 -m vllm.entrypoints.openai.api_server --model o/m",
        of("vllm"),
    );
    // `auto` and -1 leave the choice to the server; the last of two counts.
    check(
        "vllm serve m --max-model-len auto --max-num-seqs 8 --max-num-seqs 16",
        LaunchSettings {
            max_sequences: Some(16),
            ..of("vllm")
        },
    );
}

#[test]
fn containers_have_an_image_and_options_of_their_own() {
    check(
        "docker run -it --rm --gpus all -p 8000:8000 -v ~/.cache:/root/.cache --ipc=host -m 64g \
         -e CUDA_VISIBLE_DEVICES=0,1 --env \"HUGGING_FACE_HUB_TOKEN=hf_x\" -e NCCL_P2P_DISABLE=1 \
         vllm/vllm-openai:v0.11.0 --model o/m --tensor-parallel-size 2",
        LaunchSettings {
            tensor_parallel: Some(2),
            environment: vec![
                "CUDA_VISIBLE_DEVICES=0,1".to_owned(),
                "NCCL_P2P_DISABLE=1".to_owned(),
            ],
            image: text("vllm/vllm-openai:v0.11.0"),
            ..of("vllm")
        },
    );
    let launch = LaunchCommand::from_text(
        "sudo podman run -d registry.corp.example:5000/llama.cpp:server -c 4096",
    );
    assert_eq!(launch.argv, ["-c", "4096"]);
    assert_eq!(settings(&launch).context, Some(4_096));
}

#[test]
fn sglang() {
    check(
        "python -m sglang.launch_server --model-path o/m --tp 2 --dp-size 2 --ep-size 4 \
         --context-length 131072 --mem-fraction-static 0.85 --max-running-requests 64 \
         --max-total-tokens 400000 --kv-cache-dtype fp8_e5m2 --disable-radix-cache \
         --chunked-prefill-size 4096 --speculative-algorithm EAGLE \
         --speculative-draft-model-path o/draft --speculative-num-draft-tokens 4",
        LaunchSettings {
            kv_type: text("fp8_e5m2"),
            max_sequences: Some(64),
            context: Some(131_072),
            max_batched_tokens: Some(4_096),
            kv_tokens: Some(400_000),
            memory_fraction: Some(0.85),
            tensor_parallel: Some(2),
            data_parallel: Some(2),
            expert_parallel: Some(4),
            prefix_cache: Some(false),
            speculation: Some(Speculation {
                method: text("EAGLE"),
                draft_model: text("o/draft"),
                draft_tokens: Some(4),
            }),
            ..of("sglang")
        },
    );
}

#[test]
fn llamacpp() {
    check(
        "./build/bin/llama-server -m /home/ann/models/q.gguf -c 131072 -np 8 -ctk q8_0 -ctv q8_0 \
         -ngl 99 -ub 1024 -md ~/d.gguf --draft-max 16",
        LaunchSettings {
            kv_type: text("q8_0"),
            max_sequences: Some(8),
            context: Some(131_072),
            max_batched_tokens: Some(1_024),
            accelerator_layers: text("99"),
            speculation: Some(Speculation {
                method: None,
                draft_model: text("d.gguf"),
                draft_tokens: Some(16),
            }),
            ..of("llamacpp")
        },
    );
    check(
        "LLAMA_ARG_CTX_SIZE=8192 LLAMA_ARG_N_PARALLEL=4 llama-server -ctk q4_0 -np -1",
        LaunchSettings {
            kv_type: text("q4_0/f16"),
            context: Some(8_192),
            environment: vec![
                "LLAMA_ARG_CTX_SIZE=8192".to_owned(),
                "LLAMA_ARG_N_PARALLEL=4".to_owned(),
            ],
            ..of("llamacpp")
        },
    );
}

#[test]
fn the_others() {
    check(
        "OLLAMA_NUM_PARALLEL=4 OLLAMA_KV_CACHE_TYPE=q8_0 OLLAMA_CONTEXT_LENGTH=32768 \
         OLLAMA_FLASH_ATTENTION=1 OLLAMA_MAX_QUEUE=64 OLLAMA_HOST=10.0.0.7 ollama serve",
        LaunchSettings {
            kv_type: text("q8_0"),
            max_sequences: Some(4),
            context: Some(32_768),
            max_queue: Some(64),
            flash_attention: Some(true),
            environment: vec![
                "OLLAMA_CONTEXT_LENGTH=32768".to_owned(),
                "OLLAMA_FLASH_ATTENTION=1".to_owned(),
                "OLLAMA_KV_CACHE_TYPE=q8_0".to_owned(),
                "OLLAMA_MAX_QUEUE=64".to_owned(),
                "OLLAMA_NUM_PARALLEL=4".to_owned(),
            ],
            ..of("ollama")
        },
    );
    check(
        "QUANTIZE=awq PREFIX_CACHING=0 text-generation-launcher --num-shard 2 --max-total-tokens 8192 --speculate 3",
        LaunchSettings {
            context: Some(8_192),
            tensor_parallel: Some(2),
            quantization: text("awq"),
            prefix_cache: Some(false),
            speculation: Some(Speculation {
                draft_tokens: Some(3),
                ..Speculation::default()
            }),
            environment: vec!["PREFIX_CACHING=0".to_owned(), "QUANTIZE=awq".to_owned()],
            ..of("tgi")
        },
    );
    check(
        "trtllm-serve serve o/m --max_batch_size 128 --max_seq_len 16384 --tp_size 8 --ep_size 8 \
         --kv_cache_free_gpu_memory_fraction 0.9 --extra_llm_api_options /root/cfg/extra.yaml",
        LaunchSettings {
            max_sequences: Some(128),
            context: Some(16_384),
            memory_fraction: Some(0.9),
            tensor_parallel: Some(8),
            expert_parallel: Some(8),
            settings_file: text("extra.yaml"),
            ..of("trtllm")
        },
    );
}

#[test]
fn more_of_them() {
    check(
        "lmdeploy serve api_server o/m --tp 2 --quant-policy 8 --session-len 32768 --model-format awq --enable-prefix-caching",
        LaunchSettings {
            kv_type: text("int8"),
            context: Some(32_768),
            tensor_parallel: Some(2),
            quantization: text("awq"),
            prefix_cache: Some(true),
            ..of("lmdeploy")
        },
    );
    check(
        "mistralrs serve -m o/m --max-seqs 32 --pa-cache-type f8e4m3 --isq q4k --pa-context-len \
         65536 --max-num-batched-tokens 4096 --prefix-cache-n 0 --mtp --mtp-model o/d \
         --mtp-n-predict 2",
        LaunchSettings {
            kv_type: text("f8e4m3"),
            max_sequences: Some(32),
            kv_tokens: Some(65_536),
            max_batched_tokens: Some(4_096),
            quantization: text("q4k"),
            prefix_cache: Some(false),
            speculation: Some(Speculation {
                method: text("mtp"),
                draft_model: text("o/d"),
                draft_tokens: Some(2),
            }),
            ..of("mistralrs")
        },
    );
    check(
        "mlx_lm.server --model o/m --draft-model o/d --num-draft-tokens 3 --decode-concurrency 16 \
         --prefill-step-size 1024",
        LaunchSettings {
            max_sequences: Some(16),
            max_batched_tokens: Some(1_024),
            speculation: Some(Speculation {
                method: None,
                draft_model: text("o/d"),
                draft_tokens: Some(3),
            }),
            ..of("mlx-lm")
        },
    );
    check(
        "python3 /opt/bin/transformers serve o/m --dtype bfloat16 --cb-max-batch-tokens 512",
        LaunchSettings {
            max_batched_tokens: Some(512),
            dtype: text("bfloat16"),
            ..of("transformers")
        },
    );
    check("my-server --max-num-seqs 4", LaunchSettings::default());
    check("", LaunchSettings::default());
}

#[test]
fn the_rest_of_them() {
    check(
        "mlc_llm serve HF://o/m-q4f16_1-MLC --mode server --overrides \
         \"max_num_sequence=32;max_total_seq_length=131072;context_window_size=8192;\
         prefill_chunk_size=2048;tensor_parallel_shards=2\" --speculative-mode eagle \
         --additional-models o/d",
        LaunchSettings {
            max_sequences: Some(32),
            kv_tokens: Some(131_072),
            context: Some(8_192),
            max_batched_tokens: Some(2_048),
            tensor_parallel: Some(2),
            speculation: Some(Speculation {
                method: text("eagle"),
                draft_model: text("o/d"),
                draft_tokens: None,
            }),
            ..of("mlc")
        },
    );
    // Dynamo's workers take their engine's own options.
    check(
        "python3 -m dynamo.vllm --model o/m --max-num-seqs 128 --kv-cache-dtype fp8",
        LaunchSettings {
            kv_type: text("fp8"),
            max_sequences: Some(128),
            ..of("dynamo")
        },
    );
    check(
        "python3 -m dynamo.sglang --model-path o/m --max-running-requests 48 --tp 4",
        LaunchSettings {
            max_sequences: Some(48),
            tensor_parallel: Some(4),
            ..of("dynamo")
        },
    );
    check("python3 -m dynamo.frontend --http-port 8000", of("dynamo"));
    check(
        "llm-d-inference-sim --model m --max-num-seqs 5 --max-model-len 4096",
        LaunchSettings {
            max_sequences: Some(5),
            context: Some(4_096),
            ..of("llm-d-sim")
        },
    );
    check(
        "docker run -p 5000:5000 ghcr.io/theroyallab/tabbyapi:latest",
        LaunchSettings {
            image: text("ghcr.io/theroyallab/tabbyapi:latest"),
            ..of("tabbyapi")
        },
    );
}

#[test]
fn queues_and_flash_attention() {
    let queue = |line: &str, expect: u64| {
        let found = settings(&LaunchCommand::from_text(line));
        assert_eq!(found.max_queue, Some(expect), "{line}");
    };
    queue("vllm serve m --max-num-queued-reqs 32", 32);
    queue("python -m sglang.launch_server --max-queued-requests=9", 9);
    let flash = |line: &str, on: Option<bool>, kv_type: &str| {
        let found = settings(&LaunchCommand::from_text(line));
        assert_eq!(found.flash_attention, on, "{line}");
        assert_eq!(found.kv_type, text(kv_type), "{line}");
    };
    flash(
        "llama-server -fa on -ctk q8_0 -ctv q8_0",
        Some(true),
        "q8_0",
    );
    flash("llama-server --flash-attn auto", None, "");
    flash("LLAMA_ARG_FLASH_ATTN=off llama-server", Some(false), "");
    // Without it a quantized cache is not used, and a plain one is.
    let quantized = "OLLAMA_KV_CACHE_TYPE=q4_0 ollama serve";
    flash(quantized, None, "q4_0");
    flash(
        &format!("OLLAMA_FLASH_ATTENTION=0 {quantized}"),
        Some(false),
        "",
    );
    let plain = "OLLAMA_FLASH_ATTENTION=false OLLAMA_KV_CACHE_TYPE=f16 ollama serve";
    flash(plain, Some(false), "f16");
}

#[test]
fn every_setting_has_its_source() {
    check_sources(
        "vllm serve m --max-num-seqs 4 -tp 2",
        &["max_sequences", "tensor_parallel"],
        &[],
    );
    check_sources(
        "OLLAMA_NUM_PARALLEL=4 OLLAMA_CONTEXT_LENGTH=8192 ollama serve",
        &[],
        &["context", "max_sequences"],
    );
    // What is given in both ways is the arguments'.
    check_sources(
        "LLAMA_ARG_CTX_SIZE=8192 LLAMA_ARG_N_PARALLEL=4 llama-server -c 4096",
        &["context"],
        &["max_sequences"],
    );
    check_sources(
        "QUANTIZE=awq text-generation-launcher --num-shard 2",
        &["tensor_parallel"],
        &["quantization"],
    );
    check_sources("vllm serve m", &[], &[]);
}

#[test]
fn a_typed_command_has_no_secret() {
    let launch = LaunchCommand::from_text(
        "VLLM_API_KEY=sk-abcdefghij VLLM_HOST_IP=10.0.0.5 OLLAMA_ORIGINS=http://ann.example vllm serve /home/ann/m --api-key secret1 # for ann",
    );
    let text = format!("{launch:?}");
    for word in ["sk-abc", "secret1", "/home/ann", "10.0.0.5", "ann.example"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert_eq!(launch.environment, Vec::<String>::new());
    assert_eq!(launch.argv, ["vllm", "serve", "~/m", "--api-key", "***"]);
}
