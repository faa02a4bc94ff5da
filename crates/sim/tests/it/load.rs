//! What each server tells while it is busy.

use http::Method;
use serde_json::{Value, json};
use tokmark_sim::{Dialect, SimServer};
use tokmark_units::Nanos;

use crate::client::{chat, completion, document, get, open, request, server};

/// A server of two sequences with four requests: two run, two wait. The connections are kept.
async fn busy(dialect: Dialect, ranks: u32) -> (SimServer, Vec<impl Sized>) {
    let server = server(|config| {
        config.dialect = dialect;
        config.natural_output = None;
        config.engine.max_num_seqs = 2;
        config.engine.ranks = ranks;
    });
    let mut kept = Vec::new();
    for number in 0..4 {
        let mut body = completion(&document(number, 20), 400);
        for field in ["ignore_eos", "stream_options"] {
            body.as_object_mut().unwrap().remove(field);
        }
        let mut sender = open(&server).await;
        let request = request(Method::POST, "/v1/completions", body.to_string());
        let response = sender.send_request(request).await.unwrap();
        kept.push((sender, response));
    }
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    (server, kept)
}

/// The page of the metrics and the lines of running and waiting requests.
fn lines(dialect: Dialect) -> Option<(&'static str, [&'static str; 2])> {
    let found = match dialect {
        Dialect::Vllm => (
            "/metrics",
            [
                r#"vllm:num_requests_running{engine="0",model_name="small"} 2.0"#,
                r#"vllm:num_requests_waiting{engine="0",model_name="small"} 2.0"#,
            ],
        ),
        Dialect::SgLang => (
            "/metrics",
            [
                r#"sglang:num_running_reqs{engine_type="unified",model_name="small",moe_ep_rank="0",pp_rank="0",tp_rank="0"} 2.0"#,
                r#"sglang:num_queue_reqs{engine_type="unified",model_name="small",moe_ep_rank="0",pp_rank="0",tp_rank="0"} 2.0"#,
            ],
        ),
        Dialect::LlamaCpp => (
            "/metrics",
            [
                "llamacpp:requests_processing 2",
                "llamacpp:requests_deferred 2",
            ],
        ),
        Dialect::Tgi => ("/metrics", ["tgi_batch_current_size 2", "tgi_queue_size 2"]),
        Dialect::TensorRtLlm => (
            "/prometheus/metrics",
            [
                r#"trtllm_num_requests_running{model_name="small"} 2.0"#,
                r#"trtllm_num_requests_waiting{model_name="small"} 2.0"#,
            ],
        ),
        Dialect::LmDeploy => (
            "/metrics",
            [
                r#"lmdeploy:num_requests_running{engine="0",model_name="small"} 2.0"#,
                r#"lmdeploy:num_requests_waiting{engine="0",model_name="small"} 2.0"#,
            ],
        ),
        Dialect::Dynamo => (
            "/metrics",
            [
                r#"dynamo_frontend_active_requests{model="small"} 4"#,
                r#"dynamo_frontend_stage_requests{model="small",phase="aggregated",stage="dispatch"} 2"#,
            ],
        ),
        Dialect::MistralRs => (
            "/metrics",
            [
                "mistralrs_sequences_running 2",
                "mistralrs_sequences_waiting 2",
            ],
        ),
        Dialect::Ollama
        | Dialect::TabbyApi
        | Dialect::MlxLm
        | Dialect::Transformers
        | Dialect::OpenAi => return None,
    };
    Some(found)
}

#[tokio::test(start_paused = true)]
async fn metrics_count_what_runs_and_what_waits() {
    for dialect in Dialect::ALL {
        let Some((path, wanted)) = lines(*dialect) else {
            let server = server(|config| config.dialect = *dialect);
            assert_eq!(get(&server, "/metrics").await.0, 404, "{dialect}");
            continue;
        };
        let (server, _kept) = busy(*dialect, 1).await;
        let (status, text) = get(&server, path).await;
        assert_eq!(status, 200, "{dialect}");
        for line in wanted {
            assert!(
                text.lines().any(|l| l == line),
                "{dialect}: no {line} in\n{text}"
            );
        }
    }
}

/// Every sample belongs to the family that was opened last, and no family is opened twice.
#[tokio::test(start_paused = true)]
async fn families_are_whole() {
    for dialect in Dialect::ALL {
        let Some((path, _)) = lines(*dialect) else {
            continue;
        };
        let (server, _kept) = busy(*dialect, 2).await;
        let (_, text) = get(&server, path).await;
        let mut seen = std::collections::HashSet::new();
        let mut family = String::new();
        let mut samples = std::collections::HashSet::new();
        for line in text.lines() {
            if let Some(opened) = line.strip_prefix("# TYPE ") {
                family = opened.split(' ').next().unwrap().to_owned();
                assert!(seen.insert(family.clone()), "{dialect}: {family} twice");
            } else if !line.starts_with('#') {
                assert!(line.starts_with(&family), "{dialect}: {line} in {family}");
                let (name, value) = line.rsplit_once(' ').unwrap();
                assert!(value.parse::<f64>().is_ok(), "{dialect}: {line}");
                assert!(samples.insert(name.to_owned()), "{dialect}: {name} twice");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ranks_have_their_labels_where_the_server_has_ranks() {
    let check = async |dialect: Dialect, label: &str| {
        let (server, _kept) = busy(dialect, 2).await;
        let (_, text) = get(&server, "/metrics").await;
        for rank in 0..2 {
            let label = format!("{label}=\"{rank}\"");
            assert!(text.contains(&label), "{dialect}: no {label}");
        }
    };
    check(Dialect::Vllm, "engine").await;
    check(Dialect::SgLang, "dp_rank").await;
    check(Dialect::LmDeploy, "engine").await;
    check(Dialect::Dynamo, "dp_rank").await;
    let (server, _kept) = busy(Dialect::SgLang, 1).await;
    assert!(!get(&server, "/metrics").await.1.contains("dp_rank"));
}

#[tokio::test(start_paused = true)]
async fn llamacpp_shows_its_slots() {
    let (server, _kept) = busy(Dialect::LlamaCpp, 1).await;
    let (_, text) = get(&server, "/slots").await;
    let slots: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(slots.as_array().unwrap().len(), 2);
    let slot = &slots[0];
    assert_eq!(slot["is_processing"], true);
    let decoded = slot["next_token"][0]["n_decoded"].as_u64().unwrap();
    assert!((10..40).contains(&decoded), "{decoded}");
    assert_eq!(slot["next_token"][0]["n_remain"], 400 - decoded);
    assert_eq!(slot["n_prompt_tokens"], 20 + decoded);
    assert_eq!(slot["n_prompt_tokens_processed"], 20);
    let idle = server_of(Dialect::LlamaCpp);
    let (_, text) = get(&idle, "/slots").await;
    let expect = json!({"id": 0, "n_ctx": 8_192, "speculative": false, "is_processing": false});
    let slots: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&slots[0], slots.as_array().unwrap().len()), (&expect, 8));
}

fn server_of(dialect: Dialect) -> SimServer {
    server(|config| config.dialect = dialect)
}

#[tokio::test(start_paused = true)]
async fn loads_without_metrics() {
    let (server, _kept) = busy(Dialect::SgLang, 1).await;
    let (_, text) = get(&server, "/v1/loads").await;
    let loads: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(loads["loads"][0]["num_running_reqs"], 2);
    assert_eq!(loads["loads"][0]["num_waiting_reqs"], 2);
    assert_eq!(loads["loads"][0]["max_total_num_tokens"], 16_384);
    let (server, _kept) = busy(Dialect::TensorRtLlm, 1).await;
    let (_, text) = get(&server, "/metrics").await;
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows[0]["numActiveRequests"], 2);
    assert_eq!(rows[0]["numQueuedRequests"], 2);
}

/// Where the KV budget can be read, it is the engine's.
#[tokio::test(start_paused = true)]
async fn capacity_is_told_where_the_server_tells_it() {
    let check = async |dialect: Dialect, path: &str, at: &str, expect: u64| {
        let (_, text) = get(&server_of(dialect), path).await;
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            told.pointer(at).and_then(Value::as_u64),
            Some(expect),
            "{dialect}: {text}"
        );
    };
    check(
        Dialect::SgLang,
        "/get_server_info",
        "/max_total_num_tokens",
        16_384,
    )
    .await;
    check(
        Dialect::LlamaCpp,
        "/props",
        "/default_generation_settings/n_ctx",
        8_192,
    )
    .await;
    check(Dialect::LlamaCpp, "/props", "/total_slots", 8).await;
    check(
        Dialect::Ollama,
        "/api/ps",
        "/models/0/context_length",
        8_192,
    )
    .await;
    check(Dialect::Tgi, "/info", "/max_total_tokens", 8_192).await;
    check(
        Dialect::TabbyApi,
        "/v1/model",
        "/parameters/cache_size",
        16_384,
    )
    .await;
    check(Dialect::TabbyApi, "/props", "/total_slots", 8).await;
    check(
        Dialect::Dynamo,
        "/v1/models",
        "/data/0/context_window",
        8_192,
    )
    .await;
    let lines = [
        (Dialect::Tgi, "/metrics", "tgi_batch_max_total_tokens 16384"),
        (
            Dialect::TensorRtLlm,
            "/prometheus/metrics",
            r#"trtllm_kv_cache_tokens_per_block{model_name="small"} 16.0"#,
        ),
        (
            Dialect::Dynamo,
            "/metrics",
            r#"dynamo_frontend_model_total_kv_blocks{model="small"} 1024"#,
        ),
        (
            Dialect::MistralRs,
            "/metrics",
            "mistralrs_sequences_capacity 8",
        ),
    ];
    for (dialect, path, line) in lines {
        let (_, text) = get(&server_of(dialect), path).await;
        assert!(text.lines().any(|l| l == line), "{dialect}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rank_can_be_asked_for_in_the_body() {
    let server = server(|config| {
        config.dialect = Dialect::SgLang;
        config.engine.ranks = 2;
    });
    let mut body = chat("Hi", 2);
    body["data_parallel_rank"] = json!(1);
    crate::client::stream(&server, "/v1/chat/completions", &body).await;
    let truth = server.truth().requests[0].clone();
    assert_eq!(truth.rank, 1);
    assert!(truth.first_token.unwrap() > Nanos::ZERO);
}
