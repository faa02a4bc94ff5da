use tokmark_machine::{LaunchCommand, settings};
use tokmark_run_format::{LaunchSettings, Speculation};

fn check(line: &str, expected: impl Into<LaunchSettings>) {
    let found = settings(&LaunchCommand::from_text(line));
    assert_eq!(found, expected.into(), "{line}");
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
        "OLLAMA_NUM_PARALLEL=4 OLLAMA_KV_CACHE_TYPE=q8_0 OLLAMA_CONTEXT_LENGTH=32768 OLLAMA_HOST=10.0.0.7 ollama serve",
        LaunchSettings {
            kv_type: text("q8_0"),
            max_sequences: Some(4),
            context: Some(32_768),
            environment: vec![
                "OLLAMA_CONTEXT_LENGTH=32768".to_owned(),
                "OLLAMA_KV_CACHE_TYPE=q8_0".to_owned(),
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
        "mistralrs serve -m o/m --max-seqs 32 --pa-cache-type f8e4m3 --isq q4k",
        LaunchSettings {
            kv_type: text("f8e4m3"),
            max_sequences: Some(32),
            quantization: text("q4k"),
            ..of("mistralrs")
        },
    );
    check(
        "mlx_lm.server --model o/m --draft-model o/d --num-draft-tokens 3",
        LaunchSettings {
            speculation: Some(Speculation {
                method: None,
                draft_model: text("o/d"),
                draft_tokens: Some(3),
            }),
            ..of("mlx-lm")
        },
    );
    check("my-server --max-num-seqs 4", LaunchSettings::default());
    check("", LaunchSettings::default());
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
