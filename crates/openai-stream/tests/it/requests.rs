//! Bodies of requests.

use serde_json::{Map, Value, json};
use tokmark_openai_stream::request::{Endpoint, Message, Prompt, RequestSpec, Role, Sampling};

fn spec(endpoint: Endpoint) -> RequestSpec {
    RequestSpec::new(endpoint, "tiny", Prompt::Text("Hello".to_owned()), 64)
}

/// A request with every optional member.
pub(crate) fn full(endpoint: Endpoint) -> RequestSpec {
    let mut spec = spec(endpoint);
    spec.sampling = Sampling {
        temperature: Some(0.7),
        top_p: Some(0.95),
        seed: Some(42),
    };
    spec.ignore_eos = true;
    spec.min_tokens = Some(64);
    spec.include_usage = true;
    spec.continuous_usage = true;
    spec.timings_per_token = true;
    spec.return_token_ids = true;
    spec.extra.insert("cache_prompt".to_owned(), json!(true));
    spec
}

fn body(spec: &RequestSpec) -> Value {
    serde_json::from_slice(&spec.body()).unwrap()
}

#[test]
fn the_least_that_is_sent() {
    let text = String::from_utf8(spec(Endpoint::Completions).body()).unwrap();
    assert_eq!(
        text,
        r#"{"model":"tiny","prompt":"Hello","max_tokens":64,"stream":true}"#
    );
}

#[test]
fn everything_that_can_be_sent() {
    let expect = json!({
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 64,
        "temperature": 0.7,
        "top_p": 0.95,
        "seed": 42,
        "stream": true,
        "stream_options": {"include_usage": true, "continuous_usage_stats": true},
        "ignore_eos": true,
        "min_tokens": 64,
        "timings_per_token": true,
        "return_token_ids": true,
        "cache_prompt": true,
    });
    assert_eq!(body(&full(Endpoint::Chat)), expect);
}

#[test]
fn prompts_of_every_kind() {
    let mut chat = spec(Endpoint::Chat);
    let system = Message {
        role: Role::System,
        content: "Be \"brief\".".to_owned(),
    };
    chat.prompt = Prompt::Messages(vec![system, Message::user("Hi\n")]);
    assert_eq!(
        body(&chat)["messages"],
        json!([{"role": "system", "content": "Be \"brief\"."}, {"role": "user", "content": "Hi\n"}])
    );
    let mut ids = spec(Endpoint::Completions);
    ids.prompt = Prompt::TokenIds(vec![300, 400]);
    assert_eq!(body(&ids)["prompt"], json!([300, 400]));
    assert_eq!(
        Prompt::user("x"),
        Prompt::Messages(vec![Message::user("x")])
    );
}

#[test]
fn continuous_usage_brings_the_final_one_along() {
    let mut spec = spec(Endpoint::Chat);
    spec.continuous_usage = true;
    let expect = json!({"include_usage": true, "continuous_usage_stats": true});
    assert_eq!(body(&spec)["stream_options"], expect);
    spec.continuous_usage = false;
    spec.include_usage = true;
    assert_eq!(
        body(&spec)["stream_options"],
        json!({"include_usage": true})
    );
}

/// JSON keeps the last of two equal members, or none; an extra one must not be the second.
#[test]
fn extra_members_take_the_place_of_our_own() {
    let mut spec = full(Endpoint::Chat);
    spec.extra = Map::from_iter([
        ("temperature".to_owned(), json!(0)),
        ("stream_options".to_owned(), json!({"include_usage": false})),
    ]);
    let text = String::from_utf8(spec.body()).unwrap();
    assert_eq!(text.matches("\"temperature\"").count(), 1, "{text}");
    assert_eq!(body(&spec)["temperature"], json!(0));
    assert_eq!(
        body(&spec)["stream_options"],
        json!({"include_usage": false})
    );
}

#[test]
fn what_is_no_number_is_left_to_the_server() {
    let mut spec = spec(Endpoint::Chat);
    spec.sampling.temperature = Some(f64::NAN);
    spec.sampling.top_p = Some(f64::INFINITY);
    let body = body(&spec);
    assert!(body.get("temperature").is_none() && body.get("top_p").is_none());
}

#[test]
fn endpoints_by_their_words() {
    for endpoint in [Endpoint::Chat, Endpoint::Completions] {
        assert_eq!(endpoint.to_string().parse(), Ok(endpoint));
    }
    assert_eq!(Endpoint::Chat.path(), "/v1/chat/completions");
    assert_eq!(Endpoint::Completions.path(), "/v1/completions");
    let error = "chats".parse::<Endpoint>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`chats` is not an endpoint; use `chat` or `completions`"
    );
}
