//! What streams and whole answers say: shapes, counts, texts, determinism.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::Method;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokmark_sim::text::LoopRule;
use tokmark_sim::tokenizer::Tokenizer;
use tokmark_sim::{Dialect, SimConfig, SimServer, TokenSource};

use crate::client::{
    Event, Stream, chat, complete, completion, config, document, get, now, post, read, request,
    server, stream,
};

#[tokio::test(start_paused = true)]
async fn a_chat_stream_has_the_events_of_vllm() {
    let server = server(|_| {});
    let stream = stream(
        &server,
        "/v1/chat/completions",
        &chat("Write about a dog", 3),
    )
    .await;
    let objects: Vec<_> = stream.events.iter().map(Event::json).collect();
    assert_eq!(objects.len(), 1 + 3 + 1 + 1);
    assert_eq!(
        objects[0]["choices"][0]["delta"],
        json!({"role": "assistant", "content": ""})
    );
    assert_eq!(objects[0]["usage"]["completion_tokens"], 0);
    // The role comes with the first token and not before.
    assert_eq!(stream.events[0].ms, stream.events[1].ms);
    assert_eq!(objects[3]["choices"][0]["finish_reason"], "length");
    assert_eq!(objects[3]["choices"][0]["stop_reason"], Value::Null);
    assert_eq!(objects[4]["choices"], json!([]));
    let expect = json!({"prompt_tokens": 12, "total_tokens": 15, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 0}});
    assert_eq!(objects[4]["usage"], expect);
    assert!(
        objects[4]["system_fingerprint"]
            .as_str()
            .unwrap()
            .starts_with("vllm-0.32.0-")
    );
    assert!(stream.done() && stream.complete);
    let id = objects[0]["id"].as_str().unwrap();
    assert_eq!((&id[..9], id.len()), ("chatcmpl-", 25));
    assert!(objects[..5].iter().all(|object| object["id"] == id));
    assert_eq!(server.truth().requests[0].id, id);
}

#[tokio::test(start_paused = true)]
async fn plain_streams_have_no_usage() {
    let server = server(|_| {});
    let mut body = completion("One two", 3);
    body.as_object_mut().unwrap().remove("stream_options");
    let plain = stream(&server, "/v1/completions", &body).await;
    assert_eq!(plain.events.len(), 3 + 1);
    assert_eq!(plain.usage(), Value::Null);
    assert!(plain.events[2].json()["system_fingerprint"].is_string());
    body["stream_options"] = json!({"include_usage": true});
    let last = stream(&server, "/v1/completions", &body).await;
    assert!(last.events[2].json()["usage"].is_null());
    assert_eq!(last.usage()["completion_tokens"], 3);
}

#[tokio::test(start_paused = true)]
async fn the_text_has_as_many_tokens_as_usage_says() {
    let server = server(|_| {});
    let stream = complete(&server, "Tell me", 300).await;
    let tokenizer = Tokenizer::new(server.config().model.vocabulary);
    assert_eq!(tokenizer.count(&stream.text()), 300);
    let (_, counted) = post(&server, "/tokenize", &json!({"prompt": stream.text()})).await;
    assert_eq!(counted["count"], 300);
}

#[tokio::test(start_paused = true)]
async fn token_ids_come_when_asked_for() {
    let server = server(|_| {});
    let mut body = completion("One two three", 3);
    body["return_token_ids"] = json!(true);
    let with_ids = stream(&server, "/v1/completions", &body).await;
    let tokenizer = Tokenizer::new(server.config().model.vocabulary);
    let choice = |at: usize| with_ids.events[at].json()["choices"][0].clone();
    assert_eq!(
        choice(0)["prompt_token_ids"],
        json!(tokenizer.encode("One two three"))
    );
    assert_eq!(choice(1)["prompt_token_ids"], Value::Null);
    let ids: Vec<_> = (0..3)
        .map(|at| choice(at)["token_ids"][0].clone())
        .collect();
    assert_eq!(json!(ids), json!(tokenizer.encode(&with_ids.text())));
    // The same prompt as token ids is the same prompt.
    body["prompt"] = choice(0)["prompt_token_ids"].clone();
    let again = stream(&server, "/v1/completions", &body).await;
    assert_eq!(again.usage()["prompt_tokens"], 3);
}

#[tokio::test(start_paused = true)]
async fn whole_answers_agree_with_streams() {
    let server = server(|_| {});
    for (path, body) in [
        ("/v1/completions", completion("Tell me", 20)),
        ("/v1/chat/completions", chat("Tell me", 20)),
    ] {
        let mut body = body;
        body["temperature"] = json!(0);
        let streamed = stream(&server, path, &body).await;
        body["stream"] = json!(false);
        body.as_object_mut().unwrap().remove("stream_options");
        let (status, answer) = post(&server, path, &body).await;
        assert_eq!(status, 200);
        let choice = &answer["choices"][0];
        let text = choice["text"]
            .as_str()
            .or(choice["message"]["content"].as_str());
        assert_eq!(text.unwrap(), streamed.text());
        assert_eq!(choice["finish_reason"], "length");
        assert_eq!(answer["usage"]["completion_tokens"], 20);
    }
    let truth = server.truth();
    assert_eq!(truth.requests[1].tokens(), 20);
    let sent = truth.requests[1].emissions[0].at;
    assert!(truth.requests[1].emissions.iter().all(|e| e.at == sent));
}

#[tokio::test(start_paused = true)]
async fn the_second_request_finds_the_first_ones_prefix() {
    let server = server(|_| {});
    let shared = document(1, 1_000);
    let first = complete(&server, &format!("{shared} one"), 2).await;
    let second = complete(&server, &format!("{shared} two"), 2).await;
    assert_eq!(first.usage()["prompt_tokens_details"]["cached_tokens"], 0);
    assert_eq!(
        second.usage()["prompt_tokens_details"]["cached_tokens"],
        992
    );
    // 2 + 10 ms and the 9 tokens that are not cached.
    assert_eq!(second.token_ms()[0], 21);
    assert_eq!(server.truth().requests[1].cached_tokens, 992);
}

#[tokio::test(start_paused = true)]
async fn cached_tokens_can_be_left_to_the_counters() {
    let server = server(|c| c.prompt_tokens_details = false);
    let stream = complete(&server, &document(1, 40), 2).await;
    assert!(stream.usage().get("prompt_tokens_details").is_none());
    let mut body = completion("x", 2);
    body["stream"] = json!(false);
    body.as_object_mut().unwrap().remove("stream_options");
    let (_, whole) = post(&server, "/v1/completions", &body).await;
    assert_eq!(whole["usage"]["prompt_tokens_details"], Value::Null);
    assert!(whole["usage"].get("prompt_tokens_details").is_some());
}

#[tokio::test(start_paused = true)]
async fn answers_end_by_themselves_unless_told_not_to() {
    let server = server(|c| c.natural_output = Some(50));
    let mut lengths = Vec::new();
    for seed in 0..40 {
        let mut body = completion("Tell me", 2_000);
        body["ignore_eos"] = json!(false);
        body["seed"] = json!(seed);
        let stream = stream(&server, "/v1/completions", &body).await;
        let last = stream.events[stream.events.len() - 3].json();
        assert_eq!(last["choices"][0]["finish_reason"], "stop");
        assert_eq!(last["choices"][0]["text"], "", "the end token has no text");
        lengths.push(stream.usage()["completion_tokens"].as_u64().unwrap());
        assert_eq!(
            stream.token_ms().len() + 1,
            usize::try_from(lengths[lengths.len() - 1]).unwrap()
        );
    }
    let mean = lengths.iter().sum::<u64>() / 40;
    assert!((35..70).contains(&mean), "{lengths:?}");
    let mut body = completion("Tell me", 2_000);
    body["ignore_eos"] = json!(false);
    body["min_tokens"] = json!(600);
    assert_eq!(
        stream(&server, "/v1/completions", &body).await.usage()["completion_tokens"],
        600
    );
    let mut body = completion("Tell me", 4);
    body["ignore_eos"] = json!(false);
    let short = stream(&server, "/v1/completions", &body).await;
    assert_eq!(
        short.events[3].json()["choices"][0]["finish_reason"],
        "length"
    );
}

#[tokio::test(start_paused = true)]
async fn same_seed_same_bytes() {
    let play = async |seed: u64| {
        let server = server(|c| {
            c.engine.seed = seed;
            c.engine.jitter = 0.3;
        });
        let prompts: Vec<_> = (0..3).map(|number| document(number, 50)).collect();
        let streams =
            futures_util::future::join_all(prompts.iter().map(|p| complete(&server, p, 40))).await;
        let raw: Vec<_> = streams.into_iter().map(|s| s.raw).collect();
        (raw, server.truth().to_json())
    };
    let one = play(5).await;
    assert_eq!(one, play(5).await);
    let other = play(6).await;
    assert_ne!(one.0, other.0);
    assert_ne!(one.1, other.1);
}

#[tokio::test(start_paused = true)]
async fn a_seed_in_the_request_repeats_the_answer_and_none_does_not() {
    let server = server(|_| {});
    let ask = async |change: fn(&mut Value)| {
        let mut body = completion("Tell me", 30);
        change(&mut body);
        stream(&server, "/v1/completions", &body).await.text()
    };
    let seeded = |body: &mut Value| body["seed"] = json!(11);
    assert_eq!(ask(seeded).await, ask(seeded).await);
    assert_ne!(
        ask(seeded).await,
        ask(|body| body["seed"] = json!(12)).await
    );
    assert_ne!(ask(|_| {}).await, ask(|_| {}).await);
    let greedy = |body: &mut Value| body["temperature"] = json!(0.0);
    assert_eq!(ask(greedy).await, ask(greedy).await);
    let both = |body: &mut Value| {
        body["temperature"] = json!(0.0);
        body["seed"] = json!(11);
    };
    assert_eq!(ask(both).await, ask(greedy).await, "greedy needs no seed");
}

#[tokio::test(start_paused = true)]
async fn loops_only_where_the_rule_says() {
    let server = server(|c| {
        c.text.loops = Some(LoopRule {
            prompt_tokens: 100..=200,
            after_tokens: 20,
            share: 1.0,
        });
    });
    let repeats = |text: &str| {
        let sentences: Vec<_> = text.split(". ").collect();
        sentences
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .count()
    };
    assert!(repeats(&complete(&server, &document(1, 150), 400).await.text()) > 10);
    assert_eq!(
        repeats(&complete(&server, &document(1, 50), 400).await.text()),
        0
    );
}

#[tokio::test(start_paused = true)]
async fn the_bare_dialect_ignores_what_it_does_not_know() {
    let server = server(|c| {
        c.dialect = Dialect::OpenAi;
        c.natural_output = Some(20);
    });
    let stream = stream(&server, "/v1/chat/completions", &chat("Tell me", 2_000)).await;
    let objects: Vec<_> = stream.events.iter().map(Event::json).collect();
    let count = objects.len();
    assert!(
        objects[..count - 2].iter().all(|o| o["usage"].is_null()),
        "no running usage"
    );
    assert_eq!(objects[count - 3]["choices"][0]["delta"], json!({}));
    assert_eq!(objects[count - 3]["choices"][0]["finish_reason"], "stop");
    assert_eq!(objects[count - 2]["choices"], json!([]));
    assert!(
        objects[count - 2]["usage"]["completion_tokens"]
            .as_u64()
            .unwrap()
            <= 100
    );
    assert!(stream.done());
    for path in ["/metrics", "/version", "/tokenize", "/health"] {
        assert_eq!(get(&server, path).await.0, 404, "{path}");
    }
    let (_, models) = get(&server, "/v1/models").await;
    assert!(
        !models.contains("vllm") && !models.contains("max_model_len"),
        "{models}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_flood_fills_every_write_and_stops_at_its_length() {
    let mut config = config();
    config.tokens = TokenSource::Flood(8.try_into().unwrap());
    let (writes, stream) = writes(config, &completion("x", 100)).await;
    // 100 tokens, usage, `[DONE]`; the end of the body is a write of its own.
    let expect = [vec![8; 12], vec![6, 0]].concat();
    assert_eq!(writes, expect);
    assert_eq!(stream.usage()["completion_tokens"], 100);
    assert_eq!(stream.events[0].json()["usage"]["completion_tokens"], 1);
    assert_eq!(stream.events[101].ms, 0);
}

/// Counts the writes of the server's side of a connection.
struct Counted {
    io: DuplexStream,
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buf)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = &written {
            self.writes.lock().unwrap().push(bytes[..*count].to_vec());
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

/// Events in each of the server's writes, and what a client reads.
async fn writes(config: SimConfig, body: &Value) -> (Vec<usize>, Stream) {
    let server = SimServer::start(config).unwrap();
    let (client, io) = tokio::io::duplex(1 << 20);
    let writes = Arc::new(Mutex::new(Vec::new()));
    server.attach(Counted {
        io,
        writes: Arc::clone(&writes),
    });
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client))
        .await
        .unwrap();
    tokio::spawn(connection);
    let path = match body.get("messages") {
        Some(_) => "/v1/chat/completions",
        None => "/v1/completions",
    };
    let start = now();
    let response = sender
        .send_request(request(Method::POST, path, body.to_string()))
        .await
        .unwrap();
    let stream = read(start, response).await;
    let events = |write: &Vec<u8>| String::from_utf8_lossy(write).matches("data: ").count();
    let writes = writes.lock().unwrap().iter().map(events).collect();
    (writes, stream)
}

#[tokio::test(start_paused = true)]
async fn every_event_is_a_write_of_its_own() {
    // Steps below the timer's grain: several events are due at once.
    let mut config = config();
    config.engine.cost.fixed = tokmark_units::Nanos(100_000);
    let (writes, _) = writes(config, &chat("Write", 40)).await;
    // Head; role, 40 tokens, usage, `[DONE]`; end of the body.
    assert_eq!(writes, [vec![0], vec![1; 1 + 40 + 1 + 1], vec![0]].concat());
}
