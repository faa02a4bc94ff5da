//! Every dialect, read by the client's own reader: the tokens and the usage are the truth's.

use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokmark_openai_stream::reply::{BodyEnd, FinishReason, Reply, ReplyReader, TokenEvent};
use tokmark_openai_stream::request::Endpoint;
use tokmark_sim::tokenizer::Tokenizer;
use tokmark_sim::{Dialect, SimServer};
use tokmark_units::Nanos;

use crate::client::{document, get, post, request, send, server};

/// What the usage of a dialect tells at the end of a stream that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Nothing.
    Nothing,
    /// Prompt and completion tokens.
    Counts,
    /// These, and how many prompt tokens were cached.
    Cached,
}

/// Chat and completions of each dialect.
fn told(dialect: Dialect) -> (Told, Told) {
    match dialect {
        Dialect::Vllm
        | Dialect::OpenAi
        | Dialect::SgLang
        | Dialect::LlamaCpp
        | Dialect::TensorRtLlm
        | Dialect::LmDeploy
        | Dialect::MlxLm
        | Dialect::Dynamo => (Told::Cached, Told::Cached),
        Dialect::Ollama | Dialect::Tgi | Dialect::TabbyApi | Dialect::Transformers => {
            (Told::Counts, Told::Counts)
        }
        Dialect::MistralRs => (Told::Counts, Told::Nothing),
    }
}

fn speaking(dialect: Dialect) -> SimServer {
    server(|config| {
        config.dialect = dialect;
        // So that answers have the length that is asked for although not every server has a field
        // for that.
        config.natural_output = None;
    })
}

/// Reads a stream as the benchmark does.
async fn read(
    server: &SimServer,
    endpoint: Endpoint,
    path: &str,
    body: &Value,
) -> (Reply, Vec<TokenEvent>) {
    let response = send(server, request(Method::POST, path, body.to_string())).await;
    let mut reader = ReplyReader::new(endpoint);
    let kind = response.headers().get("content-type");
    let kind = kind.map(|kind| kind.to_str().unwrap().to_owned());
    reader.head(response.status().as_u16(), kind.as_deref(), None, None);
    let mut events = Vec::new();
    let mut body = response.into_body();
    let mut at = 0;
    while let Some(frame) = body.frame().await {
        at += 1;
        reader.push(Nanos(at), &frame.unwrap().into_data().unwrap(), &mut events);
    }
    let reply = reader.finish(Nanos(at), BodyEnd::Complete, &mut events);
    (reply, events)
}

fn body(endpoint: Endpoint, prompt: &str, tokens: u32) -> Value {
    let mut body = json!({
        "model": "small",
        "max_tokens": tokens,
        "stream": true,
        "stream_options": {"include_usage": true, "continuous_usage_stats": false},
    });
    match endpoint {
        Endpoint::Chat => body["messages"] = json!([{"role": "user", "content": prompt}]),
        Endpoint::Completions => body["prompt"] = json!(prompt),
    }
    body
}

/// Streams twice with a shared prefix and holds the second answer against the truth.
async fn check(dialect: Dialect, endpoint: Endpoint, told: Told) {
    const TOKENS: u32 = 37;
    let server = speaking(dialect);
    let name = format!("{dialect} {endpoint:?}");
    let path = match endpoint {
        Endpoint::Chat => "/v1/chat/completions",
        Endpoint::Completions => "/v1/completions",
    };
    let shared = document(1, 200);
    for last in ["one", "two"] {
        let body = body(endpoint, &format!("{shared} {last}"), TOKENS);
        let (reply, events) = read(&server, endpoint, path, &body).await;
        assert_eq!(reply.failure, None, "{name}");
        assert_eq!(reply.finish, Some(FinishReason::Length), "{name}");
        let silent = dialect == Dialect::Transformers;
        assert_eq!(reply.ended_with_done, !silent, "{name}");
        let text: String = events.iter().map(|event| event.text.as_str()).collect();
        let tokenizer = Tokenizer::new(server.config().model.vocabulary);
        assert_eq!(
            tokenizer.count(&text),
            usize::try_from(TOKENS).unwrap(),
            "{name}"
        );
        let truth = server.truth().requests.last().unwrap().clone();
        assert_eq!(truth.tokens(), u64::from(TOKENS), "{name}");
        assert_eq!(events.len(), truth.emissions.len(), "{name}");
        let usage = reply.usage.unwrap_or_default();
        let counts = (usage.prompt_tokens, usage.completion_tokens);
        let truly = (
            Some(u64::from(truth.prompt_tokens)),
            Some(u64::from(TOKENS)),
        );
        let cached = Some(u64::from(truth.cached_tokens));
        match told {
            Told::Nothing => assert_eq!(reply.usage, None, "{name}"),
            Told::Counts => {
                assert_eq!((counts, usage.cached_tokens), (truly, None), "{name}");
            }
            Told::Cached => {
                assert_eq!((counts, usage.cached_tokens), (truly, cached), "{name}");
            }
        }
        assert_eq!(truth.cached_tokens > 0, last == "two", "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn streams_bring_the_tokens_and_the_usage_of_the_truth() {
    for dialect in Dialect::ALL {
        let (chat, text) = told(*dialect);
        check(*dialect, Endpoint::Chat, chat).await;
        check(*dialect, Endpoint::Completions, text).await;
    }
}

#[tokio::test(start_paused = true)]
async fn whole_answers_count_as_the_truth_does() {
    for dialect in Dialect::ALL {
        let server = speaking(*dialect);
        for (endpoint, path) in [
            (Endpoint::Chat, "/v1/chat/completions"),
            (Endpoint::Completions, "/v1/completions"),
        ] {
            let mut body = body(endpoint, &document(1, 20), 9);
            body["stream"] = json!(false);
            body.as_object_mut().unwrap().remove("stream_options");
            let (status, answer) = post(&server, path, &body).await;
            assert_eq!(status, 200, "{dialect}: {answer}");
            let truth = server.truth().requests.last().unwrap().clone();
            let usage = &answer["usage"];
            assert_eq!(usage["prompt_tokens"], truth.prompt_tokens, "{dialect}");
            assert_eq!(usage["completion_tokens"], 9, "{dialect}");
            assert_eq!(usage["total_tokens"], truth.prompt_tokens + 9, "{dialect}");
            let choice = &answer["choices"][0];
            assert_eq!(choice["finish_reason"], "length", "{dialect}");
            let text = choice["text"]
                .as_str()
                .or(choice["message"]["content"].as_str());
            let tokenizer = Tokenizer::new(server.config().model.vocabulary);
            assert_eq!(tokenizer.count(text.unwrap()), 9, "{dialect}: {answer}");
        }
    }
}

/// Every server's own count of a text, where it has one: the path, the body, and where in the
/// answer the count or the list of tokens is.
fn counter(dialect: Dialect, text: &str) -> Option<(&'static str, Value, &'static str)> {
    match dialect {
        Dialect::Vllm | Dialect::Dynamo => Some(("/tokenize", json!({"prompt": text}), "/tokens")),
        Dialect::SgLang => Some(("/v1/tokenize", json!({"prompt": text}), "/tokens")),
        Dialect::LlamaCpp => Some(("/tokenize", json!({"content": text}), "/tokens")),
        Dialect::Tgi => Some(("/tokenize", json!({"inputs": text}), "")),
        Dialect::LmDeploy => Some(("/v1/encode", json!({"input": text}), "/input_ids")),
        Dialect::TabbyApi => Some(("/v1/token/encode", json!({"text": text}), "/tokens")),
        Dialect::Ollama
        | Dialect::TensorRtLlm
        | Dialect::MlxLm
        | Dialect::MistralRs
        | Dialect::Transformers
        | Dialect::OpenAi => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_tokenizer_counts_what_it_generated() {
    for dialect in Dialect::ALL {
        let server = speaking(*dialect);
        let body = body(Endpoint::Completions, "Tell me", 120);
        let (_, events) = read(&server, Endpoint::Completions, "/v1/completions", &body).await;
        let text: String = events.iter().map(|event| event.text.as_str()).collect();
        let Some((path, body, at)) = counter(*dialect, &text) else {
            continue;
        };
        let (status, answer) = post(&server, path, &body).await;
        assert_eq!(status, 200, "{dialect}: {answer}");
        let tokens = answer.pointer(at).and_then(Value::as_array).map(Vec::len);
        assert_eq!(tokens, Some(120), "{dialect}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_dialect_lists_its_model() {
    for dialect in Dialect::ALL {
        let server = speaking(*dialect);
        let (status, text) = get(&server, "/v1/models").await;
        assert_eq!(status, 200, "{dialect}");
        let list: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(list["object"], "list", "{dialect}");
        let ids = list["data"].as_array().unwrap();
        // It lists what lies in a cache folder.
        if *dialect == Dialect::Transformers {
            assert!(ids.is_empty(), "{text}");
            continue;
        }
        assert!(
            ids.iter().any(|card| card["id"] == "small"),
            "{dialect}: {text}"
        );
    }
}

/// The benchmark's adapters know three servers by name; the rest are plain to them.
#[tokio::test(start_paused = true)]
async fn the_adapters_know_whom_they_speak_to() {
    for dialect in Dialect::ALL {
        let config = tokmark_sim::SimConfig {
            dialect: *dialect,
            ..crate::client::config()
        };
        let bench = tokmark_test_kit::SimBench::start(config, Endpoint::Chat).await;
        let bench = bench.unwrap_or_else(|error| panic!("{dialect}: {error}"));
        let engine = &bench.session.server.engine;
        assert_eq!(engine.name, dialect.name());
        if *dialect == Dialect::LlamaCpp {
            assert_eq!(engine.max_sequences, Some(8));
            assert_eq!(engine.max_length, Some(8_192));
            assert!(engine.version.as_deref().unwrap().starts_with("b11434-"));
        }
    }
}
