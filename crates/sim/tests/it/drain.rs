//! The drain against floods and paced streams.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokmark_sim::drain::{DrainConfig, DrainError, drain};
use tokmark_units::Nanos;

use crate::client::chat;
use crate::direct::{flood, listening, pace};

fn drained(address: SocketAddr, path: &str, streams: u32, answers: u64) -> DrainConfig {
    let mut body = chat("Tell me", 50);
    body["stream_options"] = json!({"include_usage": true});
    DrainConfig {
        address,
        path: path.to_owned(),
        body: body.to_string().into_bytes(),
        max_tokens: 50,
        streams,
        duration: Duration::from_mins(1),
        answers: Some(answers),
        nap: None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_drain_counts_what_was_sent() {
    for tokens in [flood(1), flood(16), pace(0, 0)] {
        let (server, address) = listening(|c| c.tokens = tokens);
        let config = drained(address, "/v1/chat/completions", 1, 7);
        let result = tokio::task::spawn_blocking(move || drain(&config));
        let result = result.await.unwrap().unwrap();
        assert_eq!((result.answers, result.tokens), (7, 350));
        // Role, 50 tokens, usage, `[DONE]`.
        assert_eq!(result.events, 7 * 53);
        assert_eq!(result.ttft.count, 7);
        assert!(result.reads >= 7 && result.bytes > 350 * 100);
        let truth = server.truth();
        assert_eq!(truth.requests.len(), 7);
        // The first event is the role, which may arrive before the first token is due, so only the
        // whole is bounded: it spans every request from its arrival to its first token.
        let began = truth.requests.iter().map(|r| r.arrival).min().unwrap();
        let first_tokens = truth.requests.iter().map(|r| r.sent.first.unwrap());
        let wall = Nanos::from(result.wall);
        assert!(wall >= first_tokens.max().unwrap() - began);
        assert!(result.ttft.max > Nanos(0) && result.ttft.max <= wall);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_drain_says_what_it_got_instead_of_a_stream() {
    let (_server, address) = listening(|c| c.tokens = flood(1));
    let config = drained(address, "/nowhere", 1, 1);
    let result = tokio::task::spawn_blocking(move || drain(&config));
    let error = result.await.unwrap().unwrap_err();
    assert!(matches!(&error, DrainError::Refused { line } if line == "HTTP/1.1 404 Not Found"));
}
