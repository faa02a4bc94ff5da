//! What the reader and the adapters make of what is particular to a server.

use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokmark_openai_stream::reply::{BodyEnd, Channel, Reply, ReplyReader, TokenEvent};
use tokmark_openai_stream::request::Endpoint;
use tokmark_sim::text::{Reasoning, ReasoningField};
use tokmark_sim::{Dialect, SimServer};
use tokmark_units::Nanos;

use crate::client::{document, post, request, send, server};

async fn ask(server: &SimServer, body: &Value) -> (Reply, Vec<TokenEvent>, String) {
    let request = request(Method::POST, "/v1/chat/completions", body.to_string());
    let response = send(server, request).await;
    let mut reader = ReplyReader::new(Endpoint::Chat);
    let kind = response.headers()["content-type"].to_str().unwrap();
    reader.head(response.status().as_u16(), Some(kind), None, None);
    let mut events = Vec::new();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    reader.push(Nanos(1), &bytes, &mut events);
    let reply = reader.finish(Nanos(1), BodyEnd::Complete, &mut events);
    (reply, events, String::from_utf8(bytes.to_vec()).unwrap())
}

fn streamed(content: &str, tokens: u32) -> Value {
    json!({
        "messages": [{"role": "user", "content": content}],
        "max_tokens": tokens,
        "stream": true,
    })
}

#[tokio::test(start_paused = true)]
async fn llamacpp_counts_every_event_by_its_timings() {
    let server = server(|config| {
        config.dialect = Dialect::LlamaCpp;
        config.natural_output = None;
    });
    let mut body = streamed(&document(1, 40), 20);
    ask(&server, &body).await;
    body["timings_per_token"] = json!(true);
    let (reply, events, _) = ask(&server, &body).await;
    let counts: Vec<_> = events.iter().map(|event| event.completion_tokens).collect();
    assert_eq!(counts, (1..=20).map(Some).collect::<Vec<_>>());
    let truth = server.truth().requests[1].clone();
    let timings = reply.timings.unwrap();
    assert_eq!(timings.cache_n, Some(u64::from(truth.cached_tokens)));
    // Three blocks, of which the last one is computed again for its last token.
    assert_eq!(timings.cache_n, Some(32));
    let computed = truth.prompt_tokens - truth.cached_tokens;
    assert_eq!(timings.prompt_n, Some(u64::from(computed)));
    let decode = truth.emissions[19]
        .produced
        .saturating_sub(truth.first_token.unwrap());
    let told = timings.predicted_ms.unwrap();
    assert!((told - decode.as_secs_f64() * 1e3).abs() < 1e-9, "{told}");
}

#[tokio::test(start_paused = true)]
async fn llamacpp_counts_a_chat_by_template_and_tokenizer() {
    let server = server(|config| config.dialect = Dialect::LlamaCpp);
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "\nTell me, please:\n\n- how\n- why"},
    ]);
    let (_, answer) = post(&server, "/apply-template", &json!({"messages": messages})).await;
    let body = json!({"content": answer["prompt"], "add_special": true});
    let (_, counted) = post(&server, "/tokenize", &body).await;
    let body = json!({"messages": messages, "max_tokens": 1});
    let (_, answer) = post(&server, "/v1/chat/completions", &body).await;
    let tokens = counted["tokens"].as_array().unwrap().len();
    assert_eq!(answer["usage"]["prompt_tokens"], tokens);
}

/// Reasoning has one of two names, or none at all.
#[tokio::test(start_paused = true)]
async fn reasoning_has_the_servers_name() {
    for dialect in Dialect::ALL {
        let field = match dialect {
            Dialect::Ollama | Dialect::MlxLm => Some("reasoning"),
            Dialect::Tgi => None,
            _ => Some("reasoning_content"),
        };
        let server = server(|config| {
            config.dialect = *dialect;
            config.natural_output = None;
            config.text.reasoning = Some(Reasoning {
                tokens: 5,
                field: ReasoningField::ReasoningContent,
            });
        });
        let (reply, events, raw) = ask(&server, &streamed("Think", 12)).await;
        assert_eq!(reply.failure, None, "{dialect}");
        let thoughts = events
            .iter()
            .filter(|event| event.channel == Channel::Reasoning);
        // A server that sends an empty content beside its thoughts still sends thoughts.
        let expect = if field.is_some() { 5 } else { 0 };
        assert_eq!(thoughts.count(), expect, "{dialect}: {raw}");
        assert_eq!(events.len(), 12, "{dialect}");
        for name in ["reasoning", "reasoning_content"] {
            let has = raw.contains(&format!("\"{name}\":\""));
            let both = *dialect == Dialect::TensorRtLlm && name == "reasoning";
            assert_eq!(has, field == Some(name) || both, "{dialect}: {name}");
        }
    }
}

/// An answer that ends by itself has an end token without text; usage counts it everywhere.
#[tokio::test(start_paused = true)]
async fn the_end_token_is_counted_and_silent() {
    for dialect in Dialect::ALL {
        let server = server(|config| {
            config.dialect = *dialect;
            config.natural_output = Some(20);
        });
        let mut body = streamed("Tell me", 2_000);
        body["stream_options"] = json!({"include_usage": true, "continuous_usage_stats": false});
        let (reply, events, raw) = ask(&server, &body).await;
        assert_eq!(reply.failure, None, "{dialect}");
        let finish = reply.finish.map(|finish| finish.to_string());
        assert_eq!(finish.as_deref(), Some("stop"), "{dialect}: {raw}");
        let truth = server.truth().requests[0].clone();
        let usage = reply.usage.unwrap();
        assert_eq!(usage.completion_tokens, Some(truth.tokens()), "{dialect}");
        let with_text = events.iter().filter(|event| !event.text.is_empty());
        assert_eq!(
            with_text.count() + 1,
            usize::try_from(truth.tokens()).unwrap(),
            "{dialect}"
        );
    }
}
