//! Faults of answers: what their chunks look like, how long they are, what usage says.

use serde_json::json;
use tokmark_sim::{Fault, SimServer};

use crate::client::{
    Stream, chat, complete, completion, config, document, metric, post, server, stream,
};

fn faulty(words: &str) -> SimServer {
    let mut config = config();
    config.faults.add_words(words).unwrap();
    SimServer::start(config).unwrap()
}

async fn chatted(server: &SimServer, max_tokens: u32) -> Stream {
    stream(server, "/v1/chat/completions", &chat("Hi", max_tokens)).await
}

/// The same request to a server without faults.
async fn sound(max_tokens: u32) -> Stream {
    chatted(&server(|_| {}), max_tokens).await
}

#[tokio::test(start_paused = true)]
async fn a_role_chunk_comes_long_before_the_first_token() {
    let server = faulty("role-chunk");
    // 100 prompt tokens at 1 ms.
    let body = chat(&document(1, 100), 3);
    let stream = stream(&server, "/v1/chat/completions", &body).await;
    let first = &stream.events[0];
    assert_eq!(
        first.json()["choices"][0]["delta"],
        json!({"role": "assistant", "content": ""})
    );
    assert!(first.ms <= 1, "{}", first.ms);
    assert!(stream.token_ms()[0] > 100);
    let roles = stream
        .events
        .iter()
        .filter(|event| event.json()["choices"][0]["delta"]["role"] == "assistant");
    assert_eq!(roles.count(), 1);
    assert_eq!(stream.token_ms().len(), 3);
    let bare = complete(&server, &document(1, 100), 3).await;
    assert_eq!(bare.events[0].text(), "");
    assert_eq!(bare.token_ms().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn reasoning_comes_first() {
    let stream = chatted(&faulty("reasoning-first:1:4"), 6).await;
    let deltas: Vec<_> = stream
        .events
        .iter()
        .filter(|event| !event.text().is_empty())
        .map(|event| event.json()["choices"][0]["delta"].clone())
        .collect();
    let reasoned: Vec<_> = deltas
        .iter()
        .map(|delta| delta["reasoning_content"].is_string())
        .collect();
    assert_eq!(reasoned, [true, true, true, true, false, false]);
    assert_eq!(stream.text(), sound(6).await.text());
}

#[tokio::test(start_paused = true)]
async fn several_tokens_wait_for_the_last_of_them() {
    let server = faulty("several-tokens:1:4");
    let stream = complete(&server, &document(1, 10), 10).await;
    // Tokens are produced at 22, 32, ... ms.
    assert_eq!(stream.token_ms(), [52, 92, 112]);
    let usages: Vec<_> = stream
        .events
        .iter()
        .filter(|event| !event.text().is_empty())
        .map(|event| event.json()["usage"]["completion_tokens"].clone())
        .collect();
    assert_eq!(usages, [4, 8, 10]);
    let emissions = &server.truth().requests[0].emissions;
    assert_eq!(emissions.len(), 10);
    assert!(emissions[0].at > emissions[0].produced && emissions[0].at == emissions[3].at);
}

#[tokio::test(start_paused = true)]
async fn lines_may_end_with_crlf_and_have_no_space() {
    let sound = sound(5).await;
    let crlf = chatted(&faulty("crlf"), 5).await;
    assert_eq!(crlf.raw, sound.raw.replace('\n', "\r\n"));
    let tight = chatted(&faulty("no-space"), 5).await;
    assert_eq!(tight.raw, sound.raw.replace("data: ", "data:"));
    let mut both = config();
    for words in ["crlf", "no-space", "keep-alive:1:100"] {
        both.faults.add_words(words).unwrap();
    }
    let both = chatted(&SimServer::start(both).unwrap(), 5).await;
    assert!(
        both.raw.starts_with(": still here\r\n\r\ndata:{"),
        "{}",
        both.raw
    );
}

#[tokio::test(start_paused = true)]
async fn characters_are_parted_and_their_tokens_are_counted_as_before() {
    let server = faulty("split-utf8");
    let stream = chatted(&server, 40).await;
    assert!(stream.parted > 20, "{}", stream.parted);
    assert!(stream.text().contains('é') && !stream.text().contains('e'));
    assert_eq!(stream.usage()["completion_tokens"], 40);
    assert_eq!(stream.token_ms().len(), 40);
    let body = json!({"model": "small", "prompt": stream.text()});
    let (_, counted) = post(&server, "/tokenize", &body).await;
    assert_eq!(counted["count"], 40);
    assert_eq!(sound(40).await.parted, 0);
}

#[tokio::test(start_paused = true)]
async fn usage_is_absent_null_or_everywhere() {
    let absent = chatted(&faulty("usage-absent"), 5).await;
    assert!(
        absent.done() && !absent.raw.contains("usage"),
        "{}",
        absent.raw
    );
    let null = chatted(&faulty("usage-null"), 5).await;
    assert_eq!(
        null.raw.matches(r#""usage":null"#).count(),
        null.events.len() - 1
    );
    assert!(null.done() && null.usage().is_null());
    let mut body = chat("Hi", 5);
    body.as_object_mut().unwrap().remove("stream_options");
    let everywhere = faulty("usage-continuous");
    let everywhere = stream(&everywhere, "/v1/chat/completions", &body).await;
    let told: Vec<_> = everywhere
        .events
        .iter()
        .filter(|event| !event.text().is_empty())
        .map(|event| event.json()["usage"]["completion_tokens"].clone())
        .collect();
    assert_eq!(told, [1, 2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn whole_answers_lose_their_usage_too() {
    let mut body = chat("Hi", 5);
    let fields = body.as_object_mut().unwrap();
    fields.remove("stream");
    fields.remove("stream_options");
    for (words, expect) in [
        ("usage-absent", None),
        ("usage-null", Some(json!(null))),
        ("crlf", Some(json!(5))),
    ] {
        let (status, answer) = post(&faulty(words), "/v1/chat/completions", &body).await;
        assert_eq!(status, 200);
        let usage = answer.get("usage").map(|usage| {
            let told = usage.get("completion_tokens");
            told.unwrap_or(usage).clone()
        });
        assert_eq!(usage, expect, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn usage_may_be_wrong_and_the_truth_is_not() {
    let server = faulty("wrong-usage:1:150");
    let stream = complete(&server, &document(1, 10), 10).await;
    assert_eq!(stream.token_ms().len(), 10);
    assert_eq!(stream.usage()["completion_tokens"], 15);
    assert_eq!(stream.usage()["prompt_tokens"], 10);
    assert_eq!(server.truth().requests[0].tokens(), 10);
}

#[tokio::test(start_paused = true)]
async fn answers_end_early_whatever_was_asked_for() {
    let server = faulty("early-end:1:7");
    // `ignore_eos` was asked for.
    let stream = complete(&server, &document(1, 10), 50).await;
    assert_eq!(stream.usage()["completion_tokens"], 7);
    assert!(stream.raw.contains(r#""finish_reason":"stop""#));
    let short = complete(&server, &document(1, 10), 3).await;
    assert_eq!(short.usage()["completion_tokens"], 3);
    assert!(short.raw.contains(r#""finish_reason":"length""#));
}

#[tokio::test(start_paused = true)]
async fn an_answer_loops() {
    let stream = complete(&faulty("loop:1:20"), &document(1, 10), 400).await;
    let text = stream.text();
    let last = text.rsplit(". ").nth(1).unwrap();
    assert!(text.matches(last).count() > 10, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_cut_without_a_word() {
    let server = faulty("truncated-prompt:1:32");
    let long = complete(&server, &document(1, 100), 3).await;
    assert_eq!(long.usage()["prompt_tokens"], 32);
    // 2 ms, then 10 ms and 1 ms for each of 32 tokens.
    assert_eq!(long.token_ms()[0], 44);
    let short = complete(&server, &document(2, 20), 3).await;
    assert_eq!(short.usage()["prompt_tokens"], 20);
    let prompts = r#"vllm:prompt_tokens_total{engine="0",model_name="small"}"#;
    assert!((metric(&server, prompts).await - 52.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn a_rate_hits_a_share_of_the_requests_and_always_the_same_ones() {
    async fn hit(seed: u64) -> Vec<bool> {
        let server = server(|c| {
            c.faults.seed = seed;
            let end = Fault::EarlyEnd { after_tokens: 1 };
            c.faults.add_to(end, tokmark_sim::Hits::Share(0.5));
        });
        let mut hit = Vec::new();
        for _ in 0..20 {
            let stream = stream(&server, "/v1/completions", &completion("x", 2)).await;
            hit.push(stream.usage()["completion_tokens"] == 1);
        }
        hit
    }
    let once = hit(3).await;
    assert_eq!(once, hit(3).await);
    assert_ne!(once, hit(4).await);
    let count = once.iter().filter(|hit| **hit).count();
    assert!((5..=15).contains(&count), "{once:?}");
}
