//! Streams that bypass the engine: their bytes over TCP, where they go straight to the socket,
//! against those of in-memory connections, where the HTTP library writes them; their times; the
//! record of them; the drain.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokmark_sim::server::Ending;
use tokmark_sim::tokenizer::Tokenizer;
use tokmark_sim::{Dialect, Fault, Pace, SimConfig, SimServer, TokenSource};
use tokmark_units::Nanos;

use crate::client::{Event, Stream, chat, completion, gauge, get, metric, server, stream};

pub(crate) fn pace(first_ms: u64, every_ms: u64) -> TokenSource {
    TokenSource::Pace(Pace {
        first: Duration::from_millis(first_ms),
        every: Duration::from_millis(every_ms),
    })
}

pub(crate) fn flood(events: u32) -> TokenSource {
    TokenSource::Flood(events.try_into().unwrap())
}

/// Serves on a port of the loopback.
pub(crate) fn listening(change: impl FnOnce(&mut SimConfig)) -> (Arc<SimServer>, SocketAddr) {
    let server = Arc::new(server(change));
    let listener = tokmark_sim::listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let serving = Arc::clone(&server);
    tokio::spawn(async move { serving.serve(listener, std::future::pending()).await });
    (server, address)
}

fn post(path: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nhost: sim\r\ncontent-length: {length}\r\n\r\n{body}")
}

fn path_of(body: &Value) -> &'static str {
    match body.get("messages") {
        Some(_) => "/v1/chat/completions",
        None => "/v1/completions",
    }
}

type Socket = BufReader<TcpStream>;

async fn connect(address: SocketAddr) -> Socket {
    BufReader::new(TcpStream::connect(address).await.unwrap())
}

/// The chunks of a chunked answer, and the rest of the connection's bytes stay unread.
async fn chunks(socket: &mut Socket) -> Vec<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(socket.read_u8().await.unwrap());
    }
    let head = String::from_utf8(bytes).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("transfer-encoding: chunked\r\n"), "{head}");
    let mut chunks = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(socket.read_u8().await.unwrap());
        }
        let digits = std::str::from_utf8(&line[..line.len() - 2]).unwrap();
        let mut chunk = vec![0; usize::from_str_radix(digits, 16).unwrap() + 2];
        socket.read_exact(&mut chunk).await.unwrap();
        let data = String::from_utf8(chunk).unwrap();
        let data = data.strip_suffix("\r\n").unwrap();
        if data.is_empty() {
            return chunks;
        }
        chunks.push(data.to_owned());
    }
}

fn events(chunks: &[String]) -> Stream {
    let raw = chunks.concat();
    let lines = raw.replace("\r\n", "\n");
    let blocks = lines.strip_suffix("\n\n").unwrap().split("\n\n");
    let blocks = blocks.filter(|block| !block.starts_with(':'));
    let events = blocks.map(|block| Event {
        ms: 0,
        data: block.strip_prefix("data: ").unwrap().to_owned(),
    });
    Stream {
        events: events.collect(),
        raw: raw.clone(),
        complete: true,
        parted: 0,
    }
}

/// An event without what differs between two answers: text, id, times.
fn blank(event: &Event) -> Value {
    let mut json = event.json();
    if let Some(fields) = json.as_object_mut() {
        fields.remove("id");
        fields.remove("created");
    }
    for place in ["/choices/0/text", "/choices/0/delta/content"] {
        if let Some(text) = json.pointer_mut(place).filter(|text| *text != "") {
            *text = json!("…");
        }
    }
    for place in ["/usage", "/timings"] {
        if let Some(Value::Object(figures)) = json.pointer_mut(place) {
            figures.retain(|_, figure| !figure.is_f64());
        }
    }
    json
}

#[tokio::test]
async fn tcp_has_the_events_that_the_http_library_writes() {
    for dialect in Dialect::ALL {
        // The way to the socket is the same for all; the other servers only try their shapes.
        let all = [flood(16), flood(1), pace(0, 0)];
        let (ways, lengths) = match dialect {
            Dialect::Vllm | Dialect::OpenAi => (&all[..], &[1, 2, 3, 40][..]),
            _ => (&all[..1], &[1, 20][..]),
        };
        for tokens in ways.iter().copied() {
            let (server, address) = listening(|c| {
                c.dialect = *dialect;
                c.tokens = tokens;
            });
            let mut socket = connect(address).await;
            for max_tokens in lengths {
                for mut body in [chat("Tell me", *max_tokens), completion("x", *max_tokens)] {
                    if *dialect == Dialect::Transformers {
                        // It refuses what it does not know.
                        body.as_object_mut().unwrap().remove("ignore_eos");
                    }
                    for options in [
                        json!({}),
                        json!({"include_usage": true}),
                        body["stream_options"].clone(),
                    ] {
                        body["stream_options"] = options;
                        check_against_memory(&server, &mut socket, &body).await;
                    }
                }
            }
        }
    }
}

async fn check_against_memory(server: &SimServer, socket: &mut Socket, body: &Value) {
    let request = post(path_of(body), body);
    socket.write_all(request.as_bytes()).await.unwrap();
    let chunks = chunks(socket).await;
    let got = events(&chunks);
    let expect = stream(server, path_of(body), body).await;
    let context = format!(
        "{} {:?} {body}",
        server.config().dialect,
        server.config().tokens
    );
    let blanked = |stream: &Stream| stream.events.iter().map(blank).collect::<Vec<_>>();
    assert_eq!(blanked(&got), blanked(&expect), "{context}");
    let has_mark = |stream: &Stream| stream.events.last().unwrap().data == "[DONE]";
    assert_eq!(has_mark(&got), has_mark(&expect), "{context}");
    let max_tokens = usize::try_from(body["max_tokens"].as_u64().unwrap()).unwrap();
    let tokenizer = Tokenizer::new(server.config().model.vocabulary);
    assert_eq!(
        tokenizer.count(&got.text()),
        max_tokens,
        "{context}: {}",
        got.text()
    );
    let per_chunk = match server.config().tokens {
        TokenSource::Flood(events) => usize::try_from(events.get()).unwrap(),
        _ => 1,
    };
    // Comments count here, too.
    let ends = |text: &str| text.replace("\r\n", "\n").matches("\n\n").count();
    let counts = chunks.iter().map(|chunk| ends(chunk));
    let mut rest = ends(&got.raw);
    for count in counts {
        assert_eq!(count, rest.min(per_chunk), "{context}");
        rest -= count;
    }
    assert_eq!(rest, 0);
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    for tokens in [flood(4), pace(0, 0)] {
        let (server, address) = listening(|c| c.tokens = tokens);
        let mut socket = connect(address).await;
        let mut texts = Vec::new();
        for _ in 0..3 {
            let request = post("/v1/completions", &completion("x", 300));
            socket.write_all(request.as_bytes()).await.unwrap();
            texts.push(events(&chunks(&mut socket).await).text());
        }
        assert!(texts[0] != texts[1] && texts[1] != texts[2]);
        let request = b"GET /health HTTP/1.1\r\nhost: sim\r\n\r\n";
        socket.write_all(request).await.unwrap();
        let mut answer = [0; 15];
        socket.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        let truth = server.truth();
        assert_eq!(truth.requests.len(), 3);
        assert_eq!(
            truth.lateness.count,
            if tokens == pace(0, 0) { 900 } else { 225 }
        );
        for request in &truth.requests {
            assert_eq!(request.ended.unwrap().0, Ending::Length);
            assert_eq!((request.tokens(), request.max_tokens), (300, 300));
            assert_eq!(request.sent.first, Some(request.emissions[0].at));
            assert_eq!(request.sent.last, request.emissions.last().map(|e| e.at));
            let tokens: u32 = request.emissions.iter().map(|e| e.tokens).sum();
            assert_eq!(tokens, 300);
        }
    }
}

#[tokio::test]
async fn events_are_kept_only_when_asked_for() {
    let (server, address) = listening(|c| {
        c.tokens = flood(8);
        c.keep_events = false;
    });
    let mut socket = connect(address).await;
    let request = post("/v1/completions", &completion("x", 64));
    socket.write_all(request.as_bytes()).await.unwrap();
    chunks(&mut socket).await;
    let request = &server.truth().requests[0];
    assert_eq!(request.tokens(), 64);
    assert!(request.emissions.is_empty());
    assert!(request.arrival <= request.first_token.unwrap());
    assert!(request.sent.first <= request.sent.last);
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_stream() {
    for tokens in [flood(4), pace(0, 1)] {
        let (server, address) = listening(|c| {
            c.tokens = tokens;
            c.engine.max_model_len = 1_000_000;
            c.engine.num_blocks = 100_000;
        });
        let mut socket = connect(address).await;
        let request = post("/v1/completions", &completion("x", 900_000));
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut some = [0; 300];
        socket.read_exact(&mut some).await.unwrap();
        assert!((gauge(&server, "num_requests_running").await - 1.0).abs() < 1e-9);
        drop(socket);
        while server.truth().requests[0].ended.is_none() {
            tokio::task::yield_now().await;
        }
        let request = &server.truth().requests[0];
        assert_eq!(request.ended.unwrap().0, Ending::Cancelled);
        assert!(request.tokens() < 900_000 && request.tokens() > 0);
        assert!(gauge(&server, "num_requests_running").await.abs() < 1e-9);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pace_is_kept_and_counted() {
    let server = server(|c| c.tokens = pace(100, 5));
    let one = stream(&server, "/v1/chat/completions", &chat("Tell me", 40)).await;
    let expect: Vec<_> = (0..40).map(|token| 100 + 5 * token).collect();
    assert_eq!(one.token_ms(), expect);
    let truth = server.truth();
    assert_eq!(
        (truth.lateness.count, truth.lateness.max),
        (40, Nanos::ZERO)
    );
    let request = &truth.requests[0];
    let first = request.first_token.unwrap();
    assert_eq!(first - request.arrival, Nanos::from_millis(100));
    let labels = r#"{engine="0",model_name="small"}"#;
    let generated = metric(&server, &format!("vllm:generation_tokens_total{labels}")).await;
    assert!((generated - 40.0).abs() < 1e-9);
    let (_, text) = get(&server, "/truth").await;
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["lateness"]["count"], 40);
}

#[tokio::test]
async fn faults_hold_without_the_engine_too() {
    let (server, address) = listening(|c| {
        c.tokens = flood(1);
        c.faults.add(Fault::ErrorInStream { after_tokens: 5 });
    });
    let mut socket = connect(address).await;
    let request = post("/v1/completions", &completion("x", 64));
    socket.write_all(request.as_bytes()).await.unwrap();
    let stream = events(&chunks(&mut socket).await);
    assert_eq!(stream.events.len(), 5 + 2);
    assert!(stream.events[5].json()["error"].is_object());
    assert_eq!(server.truth().requests[0].ended.unwrap().0, Ending::Fault);
}
