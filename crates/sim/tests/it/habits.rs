//! Habits of single servers that a client has to know.

use http::Method;
use serde_json::{Value, json};
use tokmark_sim::tokenizer::Tokenizer;
use tokmark_sim::{Dialect, Fault, Hits, SimServer};

use crate::client::{
    Event, Stream, chat, completion, document, get, now, open, post, read, request, send, server,
    whole,
};

fn speaking(dialect: Dialect) -> SimServer {
    server(|config| {
        config.dialect = dialect;
        config.natural_output = None;
    })
}

/// A streamed request without fields that only some servers know.
fn plain(mut body: Value) -> Value {
    for field in ["ignore_eos", "stream_options"] {
        body.as_object_mut().unwrap().remove(field);
    }
    body
}

/// Reads the bytes of a stream, whatever its framing.
async fn raw(server: &SimServer, path: &str, body: &Value) -> (u16, String, String) {
    let response = send(server, request(Method::POST, path, body.to_string())).await;
    let status = response.status().as_u16();
    let kind = response.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let stream: Stream = read(now(), response).await;
    (status, kind, stream.raw)
}

fn json_lines(raw: &str) -> Vec<Value> {
    let lines = raw.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[tokio::test(start_paused = true)]
async fn sglang_flushes_its_cache_only_when_idle() {
    let server = speaking(Dialect::SgLang);
    let prompt = document(1, 100);
    let cached = async || {
        let mut body = plain(completion(&prompt, 2));
        body["stream"] = json!(false);
        let (_, answer) = post(&server, "/v1/completions", &body).await;
        answer["usage"]["prompt_tokens_details"]["cached_tokens"].clone()
    };
    assert_eq!(cached().await, 0);
    assert_eq!(cached().await, 96);
    let mut sender = open(&server).await;
    let running = request(
        Method::POST,
        "/v1/completions",
        plain(completion("x", 200)).to_string(),
    );
    let running = sender.send_request(running).await.unwrap();
    assert_eq!(get(&server, "/flush_cache").await.0, 400);
    assert_eq!(cached().await, 96);
    read(now(), running).await;
    assert_eq!(get(&server, "/flush_cache").await.0, 200);
    assert_eq!(cached().await, 0);
}

#[tokio::test(start_paused = true)]
async fn sglang_aborts_by_id_and_says_so() {
    let server = speaking(Dialect::SgLang);
    let streams = ["one", "two"].map(async |prompt| {
        let body = plain(chat(prompt, 400));
        let request = request(Method::POST, "/v1/chat/completions", body.to_string());
        read(now(), send(&server, request).await).await
    });
    let abort = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let id = server.truth().requests[0].id.clone();
        let (status, _) = post(&server, "/abort_request", &json!({"rid": id})).await;
        assert_eq!(status, 200);
    };
    let [one, two] = streams;
    let (one, two, ()) = tokio::join!(one, two, abort);
    let ends = |stream: &Stream| {
        let finishes = stream.events.iter().filter_map(|event| {
            let finish = event.json()["choices"][0]["finish_reason"].clone();
            finish.as_str().map(str::to_owned)
        });
        finishes.collect::<Vec<_>>()
    };
    assert_eq!(ends(&one), ["abort"]);
    assert!(one.done() && one.complete);
    assert_eq!(ends(&two), ["length"]);
    let truth = server.truth();
    assert!(truth.requests[0].tokens() < 100);
    assert_eq!(truth.requests[1].tokens(), 400);
    let (_, metrics) = get(&server, "/metrics").await;
    let aborted =
        r#"sglang:num_aborted_requests_total{engine_type="unified",model_name="small"} 1.0"#;
    assert!(metrics.contains(aborted), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn sglang_generates_with_the_text_so_far() {
    let server = speaking(Dialect::SgLang);
    let body = json!({
        "text": "Tell me",
        "sampling_params": {"max_new_tokens": 12, "ignore_eos": true},
        "stream": true,
    });
    let stream = crate::client::stream(&server, "/generate", &body).await;
    assert!(stream.done());
    let chunks: Vec<_> = stream.events[..12].iter().map(Event::json).collect();
    let mut before = String::new();
    for (chunk, count) in chunks.iter().zip(1u64..) {
        let text = chunk["text"].as_str().unwrap().to_owned();
        assert!(text.starts_with(&before) && text.len() > before.len());
        assert_eq!(chunk["meta_info"]["completion_tokens"], count);
        before = text;
    }
    let tokenizer = Tokenizer::new(server.config().model.vocabulary);
    assert_eq!(tokenizer.count(&before), 12);
    assert_eq!(chunks[11]["meta_info"]["finish_reason"]["type"], "length");
    assert_eq!(chunks[11]["meta_info"]["id"], server.truth().requests[0].id);
}

#[tokio::test(start_paused = true)]
async fn ollama_streams_lines_and_cuts_long_prompts_silently() {
    let server = speaking(Dialect::Ollama);
    let body = json!({
        "model": "small",
        "messages": [{"role": "user", "content": document(1, 9_000)}],
        "options": {"num_predict": 5},
    });
    let (status, kind, raw) = raw(&server, "/api/chat", &body).await;
    assert_eq!((status, kind.as_str()), (200, "application/x-ndjson"));
    let lines = json_lines(&raw);
    assert_eq!(lines.len(), 6);
    assert!(lines[..5].iter().all(|line| line["done"] == false));
    let last = &lines[5];
    assert_eq!(
        (&last["done"], &last["done_reason"]),
        (&json!(true), &json!("length"))
    );
    assert_eq!(last["eval_count"], 5);
    // 9,008 tokens were sent, and the model is 8,192 long.
    assert_eq!(last["prompt_eval_count"], 8_192 - 5);
    assert_eq!(server.truth().requests[0].prompt_tokens, 8_192 - 5);
    assert!(
        last["eval_duration"].as_u64().unwrap() >= 40_000_000,
        "{last}"
    );
}

#[tokio::test(start_paused = true)]
async fn ollama_words_errors_by_route() {
    let server = speaking(Dialect::Ollama);
    let body = json!({"model": "nope", "prompt": "x"});
    let (status, answer) = post(&server, "/api/generate", &body).await;
    assert_eq!(
        (status.as_u16(), answer),
        (404, json!({"error": "model 'nope' not found"}))
    );
    let (status, answer) = post(&server, "/v1/completions", &body).await;
    assert_eq!(status, 404);
    assert_eq!(answer["error"]["type"], "not_found_error");
    assert_eq!(get(&server, "/").await.1, "Ollama is running");
    let (_, tags) = get(&server, "/api/tags").await;
    assert!(tags.contains(r#""name":"small""#), "{tags}");
}

#[tokio::test(start_paused = true)]
async fn tgi_refuses_inside_the_stream() {
    let server = speaking(Dialect::Tgi);
    let mut body = plain(chat("Hi", 9_000));
    let words = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. \
                 Given: 9 `inputs` tokens and 9000 `max_new_tokens`";
    let (status, kind, raw) = raw(&server, "/v1/chat/completions", &body).await;
    assert_eq!((status, kind.as_str()), (200, "text/event-stream"));
    let error = json!({"error": {"message": words, "http_status_code": 422}});
    assert_eq!(raw, format!("data: {error}\n\ndata: [DONE]\n\n"));
    body["stream"] = json!(false);
    let (status, answer) = post(&server, "/v1/chat/completions", &body).await;
    assert_eq!(status, 422);
    assert_eq!(answer, json!({"error": words, "error_type": "validation"}));
}

#[tokio::test(start_paused = true)]
async fn tgi_tells_figures_in_headers_and_pieces_in_events() {
    let server = speaking(Dialect::Tgi);
    let body = json!({"inputs": "Tell me", "parameters": {"max_new_tokens": 4}});
    let request = |path| request(Method::POST, path, body.to_string());
    let response = send(&server, request("/generate")).await;
    assert_eq!(response.headers()["x-generated-tokens"], "4");
    assert_eq!(response.headers()["x-prompt-tokens"], "2");
    assert_eq!(response.headers()["x-compute-type"], "sim");
    let stream = read(now(), send(&server, request("/generate_stream")).await).await;
    assert_eq!(stream.events.len(), 4);
    let pieces: Vec<_> = stream
        .events
        .iter()
        .map(|e| e.json()["token"]["text"].clone())
        .collect();
    let text: String = pieces.iter().map(|piece| piece.as_str().unwrap()).collect();
    assert_eq!(stream.events[3].json()["generated_text"], text);
    assert_eq!(stream.events[2].json()["generated_text"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn tensorrt_llm_refuses_what_it_does_not_know() {
    let server = speaking(Dialect::TensorRtLlm);
    let mut body = completion("Tell me", 3);
    body["stream_options"] = json!({});
    let stream = crate::client::stream(&server, "/v1/completions", &body).await;
    let counts: Vec<_> = stream.events[..3]
        .iter()
        .map(|event| event.json()["usage"]["completion_tokens"].clone())
        .collect();
    assert_eq!(counts, [1, 2, 3], "an empty object asks for everything");
    body["return_token_ids"] = json!(true);
    let (status, answer) = post(&server, "/v1/completions", &body).await;
    assert_eq!(status, 400);
    assert_eq!(answer["object"], "error");
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("'return_token_ids'"),
        "{answer}"
    );
}

/// Where errors in a stream have no event, the connection breaks; else the event is the server's.
#[tokio::test(start_paused = true)]
async fn errors_in_streams_have_the_servers_shape() {
    let check = async |dialect: Dialect, complete: bool, expect: &str| {
        let server = server(|config| {
            config.dialect = dialect;
            config.faults.add(Fault::ErrorInStream { after_tokens: 2 });
        });
        let body = plain(chat("Tell me", 50));
        let request = request(Method::POST, "/v1/chat/completions", body.to_string());
        let stream = read(now(), send(&server, request).await).await;
        assert_eq!(stream.complete, complete, "{dialect}");
        assert!(stream.raw.contains(expect), "{dialect}: {}", stream.raw);
        let done = stream.raw.contains("[DONE]");
        let silent = [
            Dialect::LlamaCpp,
            Dialect::Ollama,
            Dialect::TensorRtLlm,
            Dialect::TabbyApi,
            Dialect::MlxLm,
            Dialect::Transformers,
        ];
        assert_eq!(done, !silent.contains(&dialect), "{dialect}");
    };
    check(Dialect::Vllm, true, r#"{"error":{"message":"#).await;
    check(Dialect::SgLang, true, r#"{"error":{"message":"#).await;
    check(Dialect::LlamaCpp, true, r#"{"error":{"code":500,"#).await;
    check(Dialect::Ollama, true, r#""delta":{},"finish_reason":null"#).await;
    check(Dialect::Tgi, true, r#""http_status_code":424"#).await;
    check(Dialect::TensorRtLlm, false, "").await;
    check(Dialect::LmDeploy, true, r#""object":"error""#).await;
    check(Dialect::TabbyApi, true, r#""trace":"#).await;
    check(Dialect::MlxLm, false, "").await;
    check(Dialect::Dynamo, true, r#"{"error":"#).await;
    check(Dialect::MistralRs, true, r#""type":"server_error""#).await;
    check(Dialect::Transformers, true, r#"{"error":"the generation"#).await;
}

#[tokio::test(start_paused = true)]
async fn tabbyapi_has_carriage_returns_and_a_header_of_its_own() {
    let server = server(|config| {
        config.dialect = Dialect::TabbyApi;
        config.api_key = Some("secret".to_owned());
    });
    let body = plain(chat("Hi", 3)).to_string();
    let path = "/v1/chat/completions";
    assert_eq!(
        whole(&server, request(Method::POST, path, body.clone()))
            .await
            .0,
        401
    );
    let mut with_key = request(Method::POST, path, body);
    with_key
        .headers_mut()
        .insert("x-api-key", "secret".parse().unwrap());
    let stream = read(now(), send(&server, with_key).await).await;
    assert_eq!(stream.raw.matches("\r\n\r\n").count(), 4);
    assert_eq!(stream.raw.matches('\n').count(), 8);
    assert!(stream.raw.ends_with("data: [DONE]\r\n\r\n"));
}

#[tokio::test(start_paused = true)]
async fn mlx_lm_comments_on_its_prefill() {
    let server = speaking(Dialect::MlxLm);
    let (_, _, text) = raw(&server, "/v1/completions", &plain(completion("One two", 2))).await;
    assert!(text.starts_with(": keepalive 2/2\n\ndata: {"), "{text}");
    let response = send(&server, request(Method::GET, "/v1/models", "")).await;
    assert!(
        response.headers()["server"]
            .to_str()
            .unwrap()
            .starts_with("BaseHTTP/")
    );
    let (_, models) = get(&server, "/v1/models").await;
    assert!(!models.contains("owned_by"), "{models}");
    assert_eq!(get(&server, "/metrics").await.1, "Not Found");
}

#[tokio::test(start_paused = true)]
async fn dynamo_has_a_status_for_overload_and_clears_blocks() {
    let server = server(|config| {
        config.dialect = Dialect::Dynamo;
        let limit = Fault::TooManyRequests { retry_after_s: 1 };
        config.faults.add_to(limit, Hits::first(1));
    });
    let (status, answer) = post(&server, "/v1/completions", &completion("x", 1)).await;
    assert_eq!(status.as_u16(), 529);
    assert_eq!(
        (&answer["type"], &answer["code"]),
        (&json!("Overloaded"), &json!(529))
    );
    let (_, answer) = post(&server, "/clear_kv_blocks", &json!({})).await;
    assert_eq!(answer["failed_workers"], json!([]));
    let (status, answer) = post(&server, "/tokenize", &json!({"prompt": ["a"]})).await;
    assert_eq!(status, 400);
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .starts_with("Validation: "),
        "{answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn mistral_rs_refuses_long_prompts_in_two_ways() {
    let server = speaking(Dialect::MistralRs);
    let mut body = plain(chat(&document(1, 9_000), 5));
    let (status, _, text) = raw(&server, "/v1/chat/completions", &body).await;
    assert_eq!(status, 200);
    assert!(
        text.contains("Prompt sequence length is greater than 8192"),
        "{text}"
    );
    assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
    body["stream"] = json!(false);
    assert_eq!(post(&server, "/v1/chat/completions", &body).await.0, 422);
    let messages = json!({"messages": [{"role": "user", "content": "Hi"}]});
    let (_, counted) = post(&server, "/v1/messages/count_tokens", &messages).await;
    assert_eq!(counted, json!({"input_tokens": 9}));
}
