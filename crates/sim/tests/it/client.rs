//! A small HTTP client over the server's in-memory connections, which stamps every event.

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokmark_sim::model::{
    EngineConfig, FrontEnd, NanosPerPair, NanosPerSequence, NanosPerToken, StepCost,
};
use tokmark_sim::{SimConfig, SimServer};
use tokmark_units::Nanos;

/// Whole milliseconds, the grain of tokio's timer: 10 ms a step, 1 ms a prompt token, nothing else.
pub(crate) fn engine() -> EngineConfig {
    EngineConfig {
        max_model_len: 8_192,
        max_num_seqs: 8,
        num_blocks: 1_024,
        front_end: FrontEnd {
            fixed: Nanos::from_millis(2),
            per_token: NanosPerToken(0.0),
        },
        cost: StepCost {
            fixed: Nanos::from_millis(10),
            sequence: NanosPerSequence(0.0),
            state: NanosPerSequence(0.0),
            kv_read: NanosPerToken(0.0),
            kv_depth: NanosPerToken(0.0),
            experts: None,
            prefill: NanosPerToken(1_000_000.0),
            prefill_attention: NanosPerPair(0.0),
            draft: NanosPerToken(0.0),
        },
        ..EngineConfig::default()
    }
}

pub(crate) fn config() -> SimConfig {
    SimConfig {
        engine: engine(),
        ..SimConfig::default()
    }
}

/// A server in its default state but for one change.
pub(crate) fn server(change: impl FnOnce(&mut SimConfig)) -> SimServer {
    let mut config = config();
    change(&mut config);
    SimServer::start(config).unwrap()
}

/// A text of exactly `tokens` tokens that shares nothing with that of another seed.
pub(crate) fn document(seed: u32, tokens: usize) -> String {
    format!("d{seed}{}", " word".repeat(tokens - 1))
}

/// A streamed completion of `prompt` with a fixed length and running usage.
pub(crate) fn completion(prompt: &str, max_tokens: u32) -> Value {
    json!({
        "model": "small",
        "prompt": prompt,
        "max_tokens": max_tokens,
        "ignore_eos": true,
        "stream": true,
        "stream_options": {"include_usage": true, "continuous_usage_stats": true},
    })
}

pub(crate) fn chat(content: &str, max_tokens: u32) -> Value {
    let mut body = completion("", max_tokens);
    body.as_object_mut().unwrap().remove("prompt");
    body["messages"] = json!([{"role": "user", "content": content}]);
    body
}

pub(crate) async fn open(server: &SimServer) -> http1::SendRequest<Full<Bytes>> {
    let io = TokioIo::new(server.connect());
    let (sender, connection) = http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    sender
}

pub(crate) fn request(method: Method, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .uri(path)
        .header("host", "sim")
        .body(Full::new(body.into()))
        .unwrap()
}

pub(crate) async fn send(server: &SimServer, request: Request<Full<Bytes>>) -> Response<Incoming> {
    open(server).await.send_request(request).await.unwrap()
}

/// Sends and reads the whole answer.
pub(crate) async fn whole(
    server: &SimServer,
    request: Request<Full<Bytes>>,
) -> (StatusCode, String) {
    let response = send(server, request).await;
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

pub(crate) async fn get(server: &SimServer, path: &str) -> (StatusCode, String) {
    whole(server, request(Method::GET, path, "")).await
}

pub(crate) async fn post(server: &SimServer, path: &str, body: &Value) -> (StatusCode, Value) {
    let (status, text) = whole(server, request(Method::POST, path, body.to_string())).await;
    let json = serde_json::from_str(&text).unwrap_or(Value::String(text));
    (status, json)
}

/// One event: when its bytes were read, in ms from the request's sending, and its data.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) ms: u64,
    pub(crate) data: String,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or(Value::Null)
    }

    /// The text of any channel.
    pub(crate) fn text(&self) -> String {
        let json = self.json();
        let choice = &json["choices"][0];
        let texts = [
            &choice["text"],
            &choice["delta"]["content"],
            &choice["delta"]["reasoning_content"],
        ];
        texts.iter().filter_map(|text| text.as_str()).collect()
    }
}

/// What came of a stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    pub(crate) events: Vec<Event>,
    /// All bytes as they came.
    pub(crate) raw: String,
    /// Frames that ended within a character.
    pub(crate) parted: usize,
    /// Whether the body ended in an orderly way.
    pub(crate) complete: bool,
}

impl Stream {
    /// Events with text: their times.
    pub(crate) fn token_ms(&self) -> Vec<u64> {
        let with_text = self.events.iter().filter(|event| !event.text().is_empty());
        with_text.map(|event| event.ms).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.events.iter().map(Event::text).collect()
    }

    /// The last usage that was sent.
    pub(crate) fn usage(&self) -> Value {
        let usages = self
            .events
            .iter()
            .rev()
            .map(|event| event.json()["usage"].clone());
        usages
            .into_iter()
            .find(|usage| !usage.is_null())
            .unwrap_or(Value::Null)
    }

    pub(crate) fn done(&self) -> bool {
        self.events
            .last()
            .is_some_and(|event| event.data == "[DONE]")
    }
}

#[expect(clippy::disallowed_methods, reason = "the paused clock of a test")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Reads a response's events until its end.
pub(crate) async fn read(start: Instant, response: Response<Incoming>) -> Stream {
    let mut body = response.into_body();
    let mut stream = Stream {
        complete: true,
        ..Stream::default()
    };
    let mut pending = String::new();
    let mut parted = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            stream.complete = false;
            break;
        };
        let bytes = frame.into_data().unwrap();
        parted.extend_from_slice(&bytes);
        // A character may come in two frames.
        let Ok(text) = std::str::from_utf8(&parted) else {
            stream.parted += 1;
            continue;
        };
        stream.raw.push_str(text);
        // An event's bytes come together, so that no line end is cut in two.
        pending.push_str(&text.replace("\r\n", "\n"));
        parted.clear();
        while let Some((block, rest)) = pending.split_once("\n\n") {
            if let Some(data) = block.strip_prefix("data:").map(str::trim_start) {
                stream.events.push(Event {
                    ms: u64::try_from(start.elapsed().as_millis()).unwrap(),
                    data: data.to_owned(),
                });
            }
            pending = rest.to_owned();
        }
    }
    stream
}

/// Sends a streamed request on a connection of its own and reads it to its end.
pub(crate) async fn stream(server: &SimServer, path: &str, body: &Value) -> Stream {
    let mut sender = open(server).await;
    let start = now();
    let response = sender
        .send_request(request(Method::POST, path, body.to_string()))
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    read(start, response).await
}

pub(crate) async fn complete(server: &SimServer, prompt: &str, max_tokens: u32) -> Stream {
    stream(server, "/v1/completions", &completion(prompt, max_tokens)).await
}

/// The value of one line of `/metrics`; `line` is the name with its labels.
pub(crate) async fn metric(server: &SimServer, line: &str) -> f64 {
    let (status, text) = get(server, "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    let found = text
        .lines()
        .find_map(|l| l.strip_prefix(line)?.strip_prefix(' '));
    found
        .unwrap_or_else(|| panic!("no {line} in\n{text}"))
        .parse()
        .unwrap()
}

pub(crate) async fn gauge(server: &SimServer, name: &str) -> f64 {
    metric(
        server,
        &format!("vllm:{name}{{engine=\"0\",model_name=\"small\"}}"),
    )
    .await
}
