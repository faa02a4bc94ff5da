//! Bodies of requests.

use serde_json::{Map, Value, json};
use tokmark_openai_stream::request::{
    Endpoint, LimitField, Message, Prompt, RequestSpec, Role, Sampling,
};

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
fn refused_members_are_dropped_once() {
    for field in [
        "temperature",
        "top_p",
        "seed",
        "ignore_eos",
        "min_tokens",
        "timings_per_token",
        "return_token_ids",
        "cache_prompt",
    ] {
        let mut spec = full(Endpoint::Chat);
        let before = body(&spec).as_object().unwrap().len();
        assert!(spec.without(field), "{field}");
        let after = body(&spec);
        assert!(after.get(field).is_none(), "{field}");
        assert_eq!(after.as_object().unwrap().len(), before - 1, "{field}");
        assert!(!spec.without(field), "{field} is gone already");
    }
}

#[test]
fn usage_is_dropped_narrow_or_whole() {
    let mut narrow = full(Endpoint::Chat);
    assert!(narrow.without("continuous_usage_stats"));
    assert_eq!(
        body(&narrow)["stream_options"],
        json!({"include_usage": true})
    );
    for field in ["stream_options", "include_usage"] {
        let mut whole = full(Endpoint::Chat);
        assert!(whole.without(field));
        assert!(body(&whole).get("stream_options").is_none());
        assert!(!whole.without(field));
    }
}

#[test]
fn b070_the_limit_changes_its_name_and_back_once() {
    let mut spec = full(Endpoint::Chat);
    assert!(!spec.without("max_completion_tokens"), "it was not sent");
    assert!(spec.without("max_tokens"));
    assert_eq!(spec.limit_field, LimitField::MaxCompletionTokens);
    assert_eq!(body(&spec)["max_completion_tokens"], json!(64));
    assert!(body(&spec).get("max_tokens").is_none());
    assert!(spec.without("max_completion_tokens"));
    assert_eq!(body(&spec)["max_tokens"], json!(64));
    assert!(!spec.without("max_tokens"), "both names were refused");
    // Completions know one name; without a limit they would write on for ever, or 16 tokens.
    assert!(!full(Endpoint::Completions).without("max_tokens"));
}

#[test]
fn what_must_be_sent_stays() {
    for field in [
        "model",
        "messages",
        "prompt",
        "stream",
        "no_such_member",
        "",
    ] {
        let mut spec = full(Endpoint::Chat);
        assert!(!spec.without(field), "{field}");
        assert_eq!(spec, full(Endpoint::Chat));
    }
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
