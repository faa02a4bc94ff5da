//! What the server tells of itself: models, version, tokens, metrics, truth.

use http::Method;
use serde_json::{Value, json};
use tokmark_sim::Preset;

use crate::client::{complete, completion, document, get, metric, post, request, server, whole};

#[tokio::test(start_paused = true)]
async fn models_version_and_health() {
    let server = server(|c| c.model.aliases = vec!["other".to_owned()]);
    let (status, text) = get(&server, "/v1/models").await;
    assert_eq!(status, 200);
    let models: Value = serde_json::from_str(&text).unwrap();
    let card = &models["data"][0];
    assert_eq!(card["id"], "small");
    assert_eq!(card["owned_by"], "vllm");
    assert_eq!(card["root"], "tokmark/sim-small");
    assert_eq!(card["max_model_len"], 8_192);
    assert_eq!(models["data"][1]["id"], "other");
    assert_eq!(get(&server, "/version").await.1, r#"{"version":"0.32.0"}"#);
    for path in ["/health", "/ping"] {
        assert_eq!(
            get(&server, path).await,
            (http::StatusCode::OK, String::new())
        );
    }
    let response = crate::client::send(&server, request(Method::GET, "/version", "")).await;
    assert_eq!(response.headers()["server"], "uvicorn");
    assert!(
        response.headers().get("date").is_none(),
        "real time would make bytes differ"
    );
}

#[tokio::test(start_paused = true)]
async fn presets_serve_what_they_were_launched_with() {
    let server = tokmark_sim::SimServer::start(Preset::Qwen3Coder.config()).unwrap();
    let (_, text) = get(&server, "/v1/models").await;
    let models: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(models["data"][0]["id"], "bench");
    assert_eq!(models["data"][0]["max_model_len"], 147_456);
    assert_eq!(
        models["data"][0]["root"],
        "cyankiwi/Qwen3-Coder-30B-A3B-Instruct-AWQ-4bit"
    );
}

#[tokio::test(start_paused = true)]
async fn tokenize_counts_what_requests_will_count() {
    let server = server(|_| {});
    let messages = json!([{"role": "user", "content": "How fast is it?"}]);
    let (_, counted) = post(
        &server,
        "/tokenize",
        &json!({"model": "small", "messages": messages}),
    )
    .await;
    assert_eq!(counted["count"], 5 + 5 + 3);
    assert_eq!(counted["max_model_len"], 8_192);
    assert_eq!(counted["tokens"].as_array().unwrap().len(), 13);
    assert_eq!(counted["token_strs"], Value::Null);
    let mut body = completion("", 1);
    body["messages"] = messages;
    let (_, usage) = {
        body["stream"] = json!(false);
        body.as_object_mut().unwrap().remove("stream_options");
        post(&server, "/v1/chat/completions", &body).await
    };
    assert_eq!(usage["usage"]["prompt_tokens"], 13);
    let (status, _) = post(
        &server,
        "/tokenize",
        &json!({"model": "nope", "prompt": "x"}),
    )
    .await;
    assert_eq!(status, 404);
}

#[tokio::test(start_paused = true)]
async fn counters_and_histograms_count() {
    let server = server(|_| {});
    complete(&server, &document(1, 100), 4).await;
    complete(&server, &document(1, 100), 4).await;
    let labels = r#"{engine="0",model_name="small"}"#;
    for (name, expect) in [
        ("prompt_tokens_total", 200.0),
        ("generation_tokens_total", 8.0),
        ("prefix_cache_queries_total", 200.0),
        ("prefix_cache_hits_total", 96.0),
        ("prompt_tokens_cached_total", 96.0),
        ("num_requests_running", 0.0),
        ("num_preemptions_total", 0.0),
        ("time_to_first_token_seconds_count", 2.0),
        ("inter_token_latency_seconds_count", 6.0),
    ] {
        let value = metric(&server, &format!("vllm:{name}{labels}")).await;
        assert!((value - expect).abs() < 1e-9, "{name}: {value}");
    }
    let sum = metric(
        &server,
        &format!("vllm:time_to_first_token_seconds_sum{labels}"),
    )
    .await;
    assert!((sum - (0.112 + 0.016)).abs() < 0.003, "{sum}");
    let lines = [
        (
            r#"vllm:request_success_total{engine="0",finished_reason="length",model_name="small"}"#,
            2.0,
        ),
        (
            r#"vllm:request_success_total{engine="0",finished_reason="stop",model_name="small"}"#,
            0.0,
        ),
        (
            r#"vllm:prompt_tokens_by_source_total{engine="0",model_name="small",source="local_cache_hit"}"#,
            96.0,
        ),
        (
            r#"vllm:num_requests_waiting_by_reason{engine="0",model_name="small",reason="capacity"}"#,
            0.0,
        ),
        (
            r#"vllm:inter_token_latency_seconds_bucket{engine="0",le="0.01",model_name="small"}"#,
            6.0,
        ),
        (
            r#"vllm:inter_token_latency_seconds_bucket{engine="0",le="+Inf",model_name="small"}"#,
            6.0,
        ),
    ];
    for (line, expect) in lines {
        let value = metric(&server, line).await;
        assert!((value - expect).abs() < 1e-9, "{line}: {value}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_cache_tells_its_size_for_each_rank() {
    let server = server(|c| c.engine.ranks = 2);
    let (_, text) = get(&server, "/metrics").await;
    for rank in ["0", "1"] {
        let line = text
            .lines()
            .find(|l| {
                l.starts_with("vllm:cache_config_info{")
                    && l.contains(&format!("engine=\"{rank}\""))
            })
            .unwrap();
        for label in [
            r#"block_size="16""#,
            r#"num_gpu_blocks="1024""#,
            r#"kv_cache_size_tokens="16384""#,
            r#"kv_cache_max_concurrency="2.0""#,
            r#"enable_prefix_caching="True""#,
            r#"cache_dtype="auto""#,
        ] {
            assert!(line.contains(label), "{label} in {line}");
        }
        assert!(line.ends_with("} 1.0"));
    }
    // Every family has a type, and every sample a family.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split('{').next().unwrap();
        let family = ["_bucket", "_count", "_sum"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);
        assert!(text.contains(&format!("# TYPE {family} ")), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rank_can_be_asked_for() {
    let server = server(|c| c.engine.ranks = 3);
    for (asked, status) in [("2", 200), ("3", 400), ("x", 400)] {
        let mut body = completion("Tell me", 2);
        body["stream"] = json!(false);
        body.as_object_mut().unwrap().remove("stream_options");
        let mut request = request(Method::POST, "/v1/completions", body.to_string());
        request
            .headers_mut()
            .insert("X-data-parallel-rank", asked.parse().unwrap());
        assert_eq!(whole(&server, request).await.0, status, "{asked}");
    }
    assert_eq!(server.truth().requests[0].rank, 2);
    let line = r#"vllm:generation_tokens_total{engine="2",model_name="small"}"#;
    assert!((metric(&server, line).await - 2.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn truth_is_served_and_can_be_left_out() {
    let server = server(|_| {});
    complete(&server, &document(1, 10), 2).await;
    let (_, text) = get(&server, "/sim/truth").await;
    assert_eq!(text, server.truth().to_json());
    assert_eq!(text, get(&server, "/truth").await.1);
    let truth: Value = serde_json::from_str(&text).unwrap();
    let row = &truth["requests"][0];
    assert_eq!(truth["kept"], true);
    assert_eq!(row["prompt_tokens"], 10);
    assert_eq!(row["ending"], "length");
    assert_eq!(row["emissions"].as_array().unwrap().len(), 2);
    assert_eq!(row["emissions"][0][2], 1);
    let sent = |at: usize| &row["emissions"][at][0];
    assert_eq!(
        (&row["first_sent_ns"], &row["last_sent_ns"]),
        (sent(0), sent(1))
    );
    assert_eq!(row["tokens"], 2);

    let silent = crate::client::server(|c| c.keep_truth = false);
    complete(&silent, &document(1, 10), 2).await;
    assert_eq!(
        get(&silent, "/sim/truth").await.1,
        r#"{"kept":false,"not_kept":0,"lateness":{"count":2,"p50_ns":0,"p99_ns":0,"max_ns":0},"requests":[]}"#
    );
}
