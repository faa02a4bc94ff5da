//! The adapters against answers that real servers gave, where those recordings are at hand.

use std::path::PathBuf;

use http::Method;
use tokmark_engines::{Endpoint, Tri, identify};

use crate::fake::{Fake, Reply};

/// A recorded answer as `(status, headers, body)`, from the text that `curl -i` wrote.
fn recorded(engine: &str, name: &str) -> Option<Reply> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    let text = std::fs::read_to_string(folder.join(engine).join(format!("{name}.txt"))).ok()?;
    let text = text.replace("\r\n", "\n");
    let text = text.split("\n# curl exit").next()?;
    let start = text.find("HTTP/1.1 ")?;
    let (head, body) = text[start..].split_once("\n\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    let kind = if head.to_lowercase().contains("text/event-stream") {
        "text/event-stream"
    } else if head.to_lowercase().contains("application/json") {
        "application/json"
    } else {
        "text/plain"
    };
    Some(Reply::new(status, kind, body))
}

fn replay(engine: &str, header: &'static str) -> Option<Fake> {
    let routes = [
        ("/v1/models", "GET_v1_models"),
        ("/version", "GET_version"),
        ("/metrics", "GET_metrics"),
        ("/props", "GET_props"),
        ("/slots", "GET_slots"),
        ("/server_info", "GET_server_info"),
        ("/openapi.json", "GET_openapi.json"),
        ("/v1/chat/completions", "err_wrong_method"),
    ];
    let mut fake = Fake::new().server_header(header);
    for (path, name) in routes {
        fake = fake.get(path, recorded(engine, name)?);
    }
    let tokenize = recorded(engine, "POST_tokenize_chat")?;
    let template = recorded(engine, "POST_apply_template")?;
    let stream = recorded(engine, "chat_stream_usage_cont")?;
    let refused = recorded(engine, "err_missing_messages")?;
    Some(
        fake.post("/tokenize", tokenize)
            .post("/apply-template", template)
            .route(Method::POST, Endpoint::Chat.path(), move |body| {
                if body.get("messages").is_some() {
                    stream.clone()
                } else {
                    refused.clone()
                }
            }),
    )
}

#[tokio::test(start_paused = true)]
async fn a_real_vllm() {
    let Some(fake) = replay("vllm", "uvicorn") else {
        eprintln!("skipped: no recorded answers here");
        return;
    };
    let (control, _) = fake.start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, "vllm");
    assert_eq!(server.engine.version.as_deref(), Some("0.32.0"));
    assert_eq!(server.engine.max_length, Some(8_192));
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!((budget.tokens, budget.block_tokens), (524_288, 128));
    assert!(server.notes().is_empty(), "{:?}", server.notes());
    let model = server.choose_model(None).unwrap();
    assert_eq!(model.served_name, "tiny");
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.engines), (Some(0.0), 1));
    assert!(gauges.notes.is_empty(), "{:?}", gauges.notes);
    let count = server.count_tokens(&control, &model, Endpoint::Chat, "Hello");
    assert_eq!(count.await.unwrap(), 44);
    let learned = server
        .probe_fields(&control, &model, Endpoint::Chat)
        .await
        .unwrap();
    assert_eq!(learned.continuous_usage, Tri::Yes);
}

#[tokio::test(start_paused = true)]
async fn a_real_vllm_under_load() {
    let Some(busy) = recorded("vllm", "queue_metrics_under_load") else {
        eprintln!("skipped: no recorded answers here");
        return;
    };
    // Several scrapes follow one another in this recording; the last one is taken.
    let text = format!("HTTP/1.1 200 OK\n\n{}", busy.body);
    let scrapes: Vec<&str> = text.split("# t=").collect();
    let body = scrapes
        .iter()
        .rev()
        .find(|text| text.contains("} 4.0"))
        .unwrap();
    let body = body.split_once('\n').unwrap().1;
    let Some(fake) = replay("vllm", "uvicorn") else {
        return;
    };
    let (control, _) = fake.get("/metrics", Reply::text(body)).start();
    let server = identify(&control, None).await.unwrap();
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(4.0), Some(8.0)));
    assert!(gauges.kv_use_max.unwrap() > 0.1);
}

#[tokio::test(start_paused = true)]
async fn a_real_llama_server() {
    let Some(fake) = replay("llama-server", "llama.cpp") else {
        eprintln!("skipped: no recorded answers here");
        return;
    };
    let (control, _) = fake.start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, "llamacpp");
    assert!(server.engine.version.as_deref().unwrap().starts_with('b'));
    assert_eq!(server.engine.quantization.as_deref(), Some("F16"));
    assert_eq!(server.engine.max_length, Some(8_192));
    assert_eq!(server.engine.max_sequences, Some(8));
    // This server's own log says that its slots are split.
    let arguments = ["llama-server", "-np", "8"].map(str::to_owned);
    server.learn_from_launch(&arguments);
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 65_536);
    let model = server.choose_model(None).unwrap();
    assert_eq!(model.file.as_deref(), Some("tiny.gguf"));
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!(gauges.running, Some(0.0));
    assert!(gauges.notes.is_empty(), "{:?}", gauges.notes);
    let count = server.count_tokens(&control, &model, Endpoint::Chat, "Hello");
    assert_eq!(count.await.unwrap(), 3);
    // That recording asked for usage counts, which this server has not, and not for timings.
    let learned = server
        .probe_fields(&control, &model, Endpoint::Chat)
        .await
        .unwrap();
    assert_eq!(learned.stream_usage, Tri::Yes);
    assert_eq!(learned.cached_tokens, Tri::Yes);
    assert_eq!(learned.timings_per_token, Tri::No);
}

#[tokio::test(start_paused = true)]
async fn a_real_sglang() {
    let Some(busy) = recorded("sglang", "GET_metrics_under_load") else {
        eprintln!("skipped: no recorded answers here");
        return;
    };
    let loads = recorded("sglang", "GET_v1_loads_under_load").unwrap();
    let fake = replay("sglang", "uvicorn").unwrap();
    let (control, _) = fake.get("/metrics", busy).start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, "sglang");
    assert_eq!(server.engine.version.as_deref(), Some("0.5.23"));
    assert_eq!(server.engine.max_length, Some(4_096));
    assert_eq!(server.engine.max_sequences, Some(16));
    assert_eq!(server.engine.quantization.as_deref(), Some("bfloat16"));
    assert_eq!(server.engine.backend.as_deref(), Some("cpu"));
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!((budget.tokens, budget.ranks), (16_384, 1));
    assert_eq!(server.notes(), Vec::<String>::new());
    let model = server.choose_model(None).unwrap();
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(16.0), Some(8.0)));
    assert_eq!(gauges.output_tokens, Some(3_735.0), "the live counter");
    assert_eq!(gauges.prefix_hits, Some(752.0));
    assert_eq!(gauges.kv_use_max, Some(0.13));
    let count = server.count_tokens(&control, &model, Endpoint::Chat, "Hello");
    assert_eq!(count.await.unwrap(), 44);
    let learned = server
        .probe_fields(&control, &model, Endpoint::Chat)
        .await
        .unwrap();
    assert_eq!(learned.continuous_usage, Tri::Yes);
    // Without metrics the loads of the ranks tell as much.
    let off = Reply::new(404, "application/json", "{}");
    let fake = replay("sglang", "uvicorn").unwrap();
    let (control, _) = fake.get("/metrics", off).get("/v1/loads", loads).start();
    let server = identify(&control, None).await.unwrap();
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(16.0), Some(8.0)));
    assert_eq!(server.engine.accepts.metrics, Some(true));
}

#[tokio::test(start_paused = true)]
async fn a_real_transformers_serve() {
    let Some(transformers) = replay("transformers-serve", "uvicorn") else {
        eprintln!("skipped: no recorded answers here");
        return;
    };
    // Recorded without a cache folder: its list is an error.
    let (control, _) = transformers.start();
    let server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, "transformers");
    assert!(server.models.is_empty());
    assert_eq!(server.engine.accepts.metrics, Some(false));
}
