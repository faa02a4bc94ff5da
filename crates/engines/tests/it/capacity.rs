use tokmark_engines::{Server, identify};

use crate::fake::{Fake, Reply, fixture, llamacpp, vllm};

async fn server(fake: Fake) -> Server {
    let (control, _) = fake.start();
    identify(&control, None).await.unwrap()
}

fn with_cache(labels: &[&str]) -> Fake {
    let lines: Vec<String> = labels
        .iter()
        .map(|labels| format!("vllm:cache_config_info{{{labels}}} 1.0"))
        .collect();
    let lines = lines.join("\n");
    let running = "vllm:num_requests_running{engine=\"0\",model_name=\"bench\"} 0\n";
    vllm().get("/metrics", Reply::text(format!("{running}{lines}")))
}

#[tokio::test(start_paused = true)]
async fn b076_capacity_is_summed_and_a_request_has_one_share() {
    let server = server(vllm()).await;
    let budget = server.engine.kv_budget.unwrap();
    assert_eq!((budget.tokens, budget.tokens_per_rank), (400_000, 200_000));
    assert_eq!((budget.ranks, budget.block_tokens), (2, 16));
    assert_eq!(budget.source, "metrics kv_cache_size_tokens");
    assert_eq!(server.engine.prefix_cache, Some(true));
    let uneven = with_cache(&[
        r#"engine="0",kv_cache_size_tokens="1000",block_size="16""#,
        r#"engine="1",kv_cache_size_tokens="900",block_size="16""#,
    ]);
    let budget = self::server(uneven).await.engine.kv_budget.unwrap();
    assert_eq!((budget.tokens, budget.tokens_per_rank), (1_900, 900));
}

#[tokio::test(start_paused = true)]
async fn b077_hybrid_cache_groups() {
    let labels = r#"engine="0",kv_cache_size_tokens="1,310,720",kv_cache_max_concurrency="40.00",num_gpu_blocks="20000",block_size="16""#;
    let server = server(with_cache(&[labels])).await;
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 1_310_720);
    let notes = server.notes().join("\n");
    assert!(notes.contains("hybrid cache groups"), "{notes}");
    assert!(
        notes.contains("1,310,720") && notes.contains("319,984"),
        "{notes}"
    );
}

#[tokio::test(start_paused = true)]
async fn b077_sources_that_disagree_are_both_shown() {
    let labels = r#"kv_cache_size_tokens="640000",kv_cache_max_concurrency="40.00",num_gpu_blocks="40000",block_size="16""#;
    let server = server(with_cache(&[labels])).await;
    let notes = server.notes().join("\n");
    assert!(
        notes.contains("640,000") && notes.contains("1,310,720"),
        "{notes}"
    );
    assert!(!notes.contains("hybrid"), "{notes}");
}

#[tokio::test(start_paused = true)]
async fn figures_that_agree_need_no_note() {
    // The reserved block alone is 2.5 % of this cache.
    let labels = r#"kv_cache_size_tokens="5120",kv_cache_max_concurrency="0.15625",num_gpu_blocks="40",block_size="128""#;
    let server = server(with_cache(&[labels])).await;
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 5_120);
    assert!(server.notes().is_empty(), "{:?}", server.notes());
}

#[tokio::test(start_paused = true)]
async fn older_servers_have_blocks_only() {
    let labels = r#"block_size="16",cache_dtype="auto",num_gpu_blocks="1001",kv_cache_size_tokens="None",enable_prefix_caching="False""#;
    let server = server(with_cache(&[labels])).await;
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!(budget.tokens, 16_000, "one block is reserved");
    assert_eq!(budget.source, "metrics (num_gpu_blocks - 1) x block_size");
    assert_eq!(server.engine.prefix_cache, Some(false));
    assert!(server.notes().join("").contains("computed from blocks"));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_budget_is_absent_and_said() {
    for labels in [
        "engine=\"0\"",
        r#"kv_cache_size_tokens="None",num_gpu_blocks="None",block_size="16""#,
        r#"kv_cache_size_tokens="-1",num_gpu_blocks="0",block_size="16""#,
    ] {
        let server = server(with_cache(&[labels])).await;
        assert_eq!(server.engine.kv_budget, None, "{labels}");
        assert!(server.notes().join("").contains("--kv-budget"));
    }
}

#[tokio::test(start_paused = true)]
async fn development_mode_tells_the_sequence_limit() {
    let info = r#"{"vllm_config":{"model_config":{"quantization":null,"dtype":"torch.bfloat16"},
        "parallel_config":{"data_parallel_size":2},"scheduler_config":{"max_num_seqs":64},
        "device_config":{"device":"cpu"}}}"#;
    let engine = server(vllm().get("/server_info", Reply::json(info)))
        .await
        .engine;
    assert_eq!(engine.max_sequences, Some(128));
    assert_eq!(engine.quantization.as_deref(), Some("bfloat16"));
    assert_eq!(engine.backend.as_deref(), Some("cpu"));
    let engine = server(vllm().get("/version", Reply::json(r#"{"version":"0.9.1+cu128"}"#)))
        .await
        .engine;
    assert_eq!(engine.backend.as_deref(), Some("cuda"));
}

fn arguments(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn the_command_line_fills_what_vllm_does_not_tell() {
    let mut server = server(vllm()).await;
    server.learn_from_launch(&arguments(
        "vllm serve m --max-num-seqs 64 -dp 2 --quantization=awq --kv-cache-dtype int4",
    ));
    assert_eq!(server.engine.max_sequences, Some(128));
    assert_eq!(server.engine.quantization.as_deref(), Some("awq"));
    assert_eq!(
        server.engine.kv_type.as_deref(),
        Some("fp8"),
        "the server itself knows better"
    );
}

#[tokio::test(start_paused = true)]
async fn llamacpp_slots_that_may_share_give_a_lower_bound() {
    let server = server(llamacpp()).await;
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!(budget.tokens, 8_192);
    assert_eq!(
        budget.source,
        "props n_ctx, the lower bound of 8192 to 32768"
    );
    let notes = server.notes().join("\n");
    assert!(notes.contains("between 8,192 and 32,768 tokens"), "{notes}");
    assert_eq!(server.engine.prefix_cache, None);
}

#[tokio::test(start_paused = true)]
async fn llamacpp_layouts_by_command_line() {
    for (line, tokens) in [
        ("llama-server -m x.gguf -c 32768 -np 4", 32_768),
        ("llama-server -m x.gguf -np 4 --no-kv-unified", 32_768),
        ("llama-server -m x.gguf --parallel=4 --kv-unified", 8_192),
        ("llama-server -m x.gguf", 8_192),
        ("llama-server -m x.gguf -np -1", 8_192),
    ] {
        let mut server = server(llamacpp()).await;
        server.learn_from_launch(&arguments(line));
        let budget = server.engine.kv_budget.clone().unwrap();
        assert_eq!(budget.tokens, tokens, "{line}");
        assert!(budget.source.starts_with("command line"), "{line}");
        assert!(server.notes().is_empty(), "{line}: {:?}", server.notes());
    }
    let mut server = server(llamacpp()).await;
    server.learn_from_launch(&arguments(
        "llama-server -hf acme/D-GGUF:Q4 -ctk q8_0 -ctv q8_0",
    ));
    assert_eq!(server.engine.kv_type.as_deref(), Some("q8_0"));
    let model = server.choose_model(None).unwrap();
    assert_eq!(model.repository.as_deref(), Some("acme/D-GGUF"));
}

#[tokio::test(start_paused = true)]
async fn llamacpp_pools_that_are_known() {
    let one = fixture("llamacpp/props.json").replace("\"total_slots\":4", "\"total_slots\":1");
    let server_of_one = server(llamacpp().get("/props", Reply::json(one))).await;
    assert_eq!(
        server_of_one.engine.kv_budget.as_ref().unwrap().tokens,
        8_192
    );
    assert!(server_of_one.notes().is_empty());
    let pool = fixture("llamacpp/models.json").replace("\"n_ctx\":8192", "\"n_ctx\":32768");
    let split = server(llamacpp().get("/v1/models", Reply::json(pool))).await;
    assert_eq!(split.engine.kv_budget.as_ref().unwrap().tokens, 32_768);
}

#[tokio::test(start_paused = true)]
async fn llamacpp_keeps_no_path_of_its_owner() {
    let mut server = server(llamacpp()).await;
    let model = server.choose_model(Some("small")).unwrap();
    assert_eq!(model.file.as_deref(), Some("Dolphin-7B-Q4_K_M.gguf"));
    assert_eq!(model.parameters, Some(7_000_000_000));
    let text = format!("{:?} {model:?}", server.engine);
    assert!(!text.contains("someone"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_llamacpp_router_is_asked_for_the_chosen_model() {
    let props = fixture("llamacpp/props.json");
    let (control, heard) = Fake::new()
        .server_header("llama.cpp")
        .get(
            "/v1/models",
            Reply::json(r#"{"data":[{"id":"a&b"},{"id":"c"}]}"#),
        )
        .get(
            "/props",
            Reply::json(r#"{"role":"router","model_path":"none"}"#),
        )
        .get("/props?model=a%26b", Reply::json(props))
        .get(
            "/metrics?model=a%26b",
            Reply::text(fixture("llamacpp/metrics.txt")),
        )
        .start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.kv_budget, None);
    server.choose_model(Some("a&b")).unwrap();
    server.read_capacity(&control).await.unwrap();
    assert_eq!(server.engine.max_sequences, Some(4));
    assert_eq!(server.gauges(&control).await.unwrap().running, Some(4.0));
    assert!(heard.paths().contains(&"/metrics?model=a%26b".to_owned()));
}
