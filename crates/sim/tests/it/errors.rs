//! Errors in the words of the simulated server.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokmark_sim::{Dialect, SimServer};

use crate::client::{completion, document, get, request, server, whole};

fn chat(more: &Value) -> String {
    let mut body =
        json!({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "stream": true});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body.to_string()
}

/// Compares the fields of the error object; texts need only begin as expected.
async fn check(server: &SimServer, body: String, status: u16, expect: Value) {
    let path = "/v1/chat/completions";
    let (got, text) = whole(server, request(Method::POST, path, body.clone())).await;
    assert_eq!(got, status, "{body}: {text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    for (key, value) in expect.as_object().unwrap() {
        let given = &answer["error"][key];
        let texts = given.as_str().zip(value.as_str());
        let begins = texts.is_some_and(|(given, value)| given.starts_with(value));
        assert!(begins || given == value, "{key} in {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn vllm_says_which_field_is_wrong() {
    let server = server(|_| {});
    check(
        &server,
        chat(&json!({"model": "gpt"})),
        404,
        json!({"message": "The model `gpt` does not exist.", "type": "NotFoundError", "param": "model", "code": 404}),
    )
    .await;
    check(
        &server,
        r#"{"model": "small", "messages": ["#.to_owned(),
        400,
        json!({"message": "1 validation error:\n  {'type': 'json_invalid', 'loc': 'body.", "type": "Bad Request", "code": 400}),
    )
    .await;
    check(
        &server,
        json!({"max_tokens": 4}).to_string(),
        400,
        json!({"message": "1 validation error:\n  {'type': 'missing', 'loc': 'body.messages', 'msg': 'Field required', 'input': '<dict of 1 items>'}", "param": "body.messages"}),
    )
    .await;
    check(
        &server,
        chat(&json!({"max_tokens": "many"})),
        400,
        json!({"message": "1 validation error:\n  {'type': 'int_parsing', 'loc': 'body.max_tokens'", "param": "body.max_tokens"}),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn vllm_says_why_a_request_does_not_fit() {
    let server = server(|_| {});
    check(
        &server,
        chat(&json!({"max_tokens": 0})),
        400,
        json!({"message": "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)", "param": "max_tokens"}),
    )
    .await;
    check(
        &server,
        chat(&json!({"max_tokens": 9_000})),
        400,
        json!({"message": "max_tokens=9000 cannot be greater than max_model_len=8192."}),
    )
    .await;
    check(
        &server,
        chat(&json!({"stream": false, "stream_options": {"include_usage": true}})),
        400,
        json!({"message": "Stream options can only be defined when `stream=True`.", "param": "stream_options"}),
    )
    .await;
    check(
        &server,
        chat(&json!({"min_tokens": 5})),
        400,
        json!({"param": "min_tokens"}),
    )
    .await;
    check(
        &server,
        chat(&json!({"messages": [{"role": "user", "content": document(1, 9_000)}]})),
        400,
        json!({"message": "This model's maximum context length is 8192 tokens. However, your prompt contains at least 8193 input tokens, which exceeds this limit even without any output tokens.", "param": "input_tokens", "type": "BadRequestError"}),
    )
    .await;
    check(
        &server,
        chat(&json!({"max_tokens": 8_190})),
        400,
        json!({"message": "This model's maximum context length is 8192 tokens. However, you requested 8190 output tokens and your prompt contains at least 3 input tokens, for a total of at least 8193 tokens.", "param": "input_tokens"}),
    )
    .await;
    assert!(server.truth().requests.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_unknown_field_is_no_error() {
    let server = server(|_| {});
    let mut body = completion("x", 1);
    body["no_such_field"] = json!(1);
    let (status, _) = whole(
        &server,
        request(Method::POST, "/v1/completions", body.to_string()),
    )
    .await;
    assert_eq!(status, 200);
}

#[tokio::test(start_paused = true)]
async fn routes_and_methods() {
    let server = server(|_| {});
    let not_found = (
        StatusCode::NOT_FOUND,
        r#"{"detail":"Not Found"}"#.to_owned(),
    );
    assert_eq!(get(&server, "/v1/nothing").await, not_found);
    assert_eq!(get(&server, "/props").await, not_found);
    let response = crate::client::send(&server, request(Method::GET, "/v1/completions", "")).await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "POST");
    let (status, _) = whole(&server, request(Method::POST, "/metrics", "")).await;
    assert_eq!(status, 405);
}

#[tokio::test(start_paused = true)]
async fn a_key_guards_v1_only() {
    let server = server(|c| c.api_key = Some("secret".to_owned()));
    let (status, text) = get(&server, "/v1/models").await;
    assert_eq!(
        (status.as_u16(), text.as_str()),
        (401, r#"{"error":"Unauthorized"}"#)
    );
    assert_eq!(get(&server, "/metrics").await.0, 200);
    for (key, status) in [
        ("Bearer secret", 200),
        ("Bearer other", 401),
        ("secret", 401),
    ] {
        let mut request = request(Method::GET, "/v1/models", "");
        request
            .headers_mut()
            .insert("authorization", key.parse().unwrap());
        assert_eq!(whole(&server, request).await.0, status, "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_bare_dialect_has_its_own_errors() {
    let server = server(|c| c.dialect = Dialect::OpenAi);
    let body = chat(&json!({"model": "gpt"}));
    let (status, text) = whole(&server, request(Method::POST, "/v1/chat/completions", body)).await;
    assert_eq!(status, 404);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["error"]["code"], "model_not_found");
    assert_eq!(answer["error"]["type"], "invalid_request_error");
    let body = chat(&json!({"max_tokens": 8_190}));
    let (_, text) = whole(&server, request(Method::POST, "/v1/chat/completions", body)).await;
    assert!(text.contains("context_length_exceeded"), "{text}");
}
