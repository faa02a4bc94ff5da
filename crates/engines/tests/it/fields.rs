use http::Method;
use serde_json::Value;
use tokmark_engines::{
    Capabilities, Endpoint, FieldsError, LimitField, TokenizeKind, Tri, identify,
};

use crate::fake::{Fake, Reply, fixture, llamacpp, vllm};

const CHAT: &str = "/v1/chat/completions";

fn unknown_server() -> Fake {
    Fake::new().get("/v1/models", Reply::json(r#"{"data":[{"id":"m"}]}"#))
}

fn refusal(status: u16, text: &str) -> Reply {
    let body = serde_json::json!({ "error": { "message": text } });
    Reply::new(status, "application/json", body.to_string())
}

fn plain_stream() -> Reply {
    Reply::events(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"OK\"}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n\
         data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n\
         data: [DONE]\n\n",
    )
}

/// A server that refuses a request for its first unwelcome field, in the words that are given.
fn picky(unwelcome: &'static [&'static str], say: fn(&str) -> Reply) -> Fake {
    unknown_server().route(Method::POST, CHAT, move |body| {
        let text = body.to_string();
        let found = unwelcome
            .iter()
            .find(|field| text.contains(&format!("\"{field}\":")));
        found.map_or_else(plain_stream, |field| say(field))
    })
}

async fn probe(fake: Fake) -> (Result<Capabilities, FieldsError>, Vec<Value>) {
    let (control, heard) = fake.start();
    let mut server = identify(&control, None).await.unwrap();
    let model = server.choose_model(None).unwrap();
    let learned = server
        .probe_fields(&control, &model, Endpoint::Chat)
        .await
        .cloned();
    let bodies = heard
        .asked()
        .into_iter()
        .filter(|asked| asked.path == CHAT)
        .map(|asked| asked.body)
        .collect();
    (learned, bodies)
}

#[tokio::test(start_paused = true)]
async fn b010_d_refused_stream_options_are_dropped_once() {
    let fake = picky(&["stream_options"], |field| {
        refusal(400, &format!("unknown field {field}"))
    });
    let (learned, bodies) = probe(fake).await;
    let learned = learned.unwrap();
    assert_eq!(learned.dropped_fields, ["stream_options"]);
    assert_eq!(bodies.len(), 2, "one retry");
    assert!(bodies[1].get("stream_options").is_none());
    assert_eq!(bodies[1]["ignore_eos"], true, "the rest stays");
    assert_eq!(learned.continuous_usage, Tri::No);
    assert!(learned.refuses("stream_options") && !learned.refuses("seed"));
}

#[tokio::test(start_paused = true)]
async fn b010_only_the_narrow_option_goes_when_only_it_is_named() {
    let fake = picky(&["continuous_usage_stats"], |_| {
        refusal(
            422,
            "stream_options.continuous_usage_stats: extra inputs are not permitted",
        )
    });
    let (learned, bodies) = probe(fake).await;
    let learned = learned.unwrap();
    assert_eq!(learned.dropped_fields, ["continuous_usage_stats"]);
    let options = &bodies.last().unwrap()["stream_options"];
    assert_eq!(options["include_usage"], true);
    assert!(options.get("continuous_usage_stats").is_none());
    assert_eq!(learned.stream_usage, Tri::Yes);
}

#[tokio::test(start_paused = true)]
async fn b068_a_refused_ignore_eos_is_dropped_and_said() {
    let fake = picky(&["ignore_eos"], |_| {
        refusal(400, "Unrecognized request argument supplied: ignore_eos")
    });
    let (learned, bodies) = probe(fake).await;
    let learned = learned.unwrap();
    assert_eq!(learned.dropped_fields, ["ignore_eos"]);
    assert_eq!(learned.ignore_eos, Tri::No);
    assert_eq!(bodies.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b068_several_fields_go_one_at_a_time() {
    let fake = picky(
        &["return_token_ids", "ignore_eos", "timings_per_token"],
        |_| {
            Reply::new(
                422,
                "application/json",
                r#"{"detail":"Unexpected fields: {'return_token_ids', 'ignore_eos', 'timings_per_token'}"}"#,
            )
        },
    );
    let (learned, bodies) = probe(fake).await;
    let mut dropped = learned.unwrap().dropped_fields;
    dropped.sort();
    assert_eq!(
        dropped,
        ["ignore_eos", "return_token_ids", "timings_per_token"]
    );
    assert_eq!(bodies.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn b068_a_refusal_without_a_name_is_isolated() {
    let fake = picky(&["seed", "ignore_eos"], |_| refusal(400, "bad request"));
    let (learned, _) = probe(fake).await;
    let learned = learned.unwrap();
    assert_eq!(learned.dropped_fields, ["seed", "ignore_eos"]);
    assert_eq!(learned.stream_usage, Tri::Yes, "what is welcome was kept");
}

#[tokio::test(start_paused = true)]
async fn b068_an_accepted_ignore_eos_without_effect_is_noticed() {
    let stop = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"OK\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n";
    let (learned, _) = probe(vllm().post(CHAT, Reply::events(stop))).await;
    let learned = learned.unwrap();
    assert_eq!(learned.ignore_eos, Tri::No);
    assert!(learned.notes.join("").contains("no effect"));
}

#[tokio::test(start_paused = true)]
async fn b070_a_the_limit_gets_its_other_name() {
    let fake = picky(&["max_tokens"], |_| {
        refusal(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. \
             Use 'max_completion_tokens' instead.",
        )
    });
    let (learned, bodies) = probe(fake).await;
    let learned = learned.unwrap();
    assert_eq!(learned.limit_field, LimitField::MaxCompletionTokens);
    assert_eq!(learned.dropped_fields, ["max_tokens"]);
    assert_eq!(bodies.len(), 2, "one switch");
    assert_eq!(bodies[1]["max_completion_tokens"], 4);
    assert!(bodies[1].get("max_tokens").is_none(), "never both");
}

#[tokio::test(start_paused = true)]
async fn b070_b_a_server_that_knows_neither_name_ends_the_probe() {
    let fake = picky(&["max_tokens", "max_completion_tokens"], |field| {
        refusal(422, &format!("the field {field} is unknown"))
    });
    let (learned, bodies) = probe(fake).await;
    let error = learned.unwrap_err();
    assert!(
        matches!(error, FieldsError::Refused { status: 422, .. }),
        "{error}"
    );
    assert!(bodies.len() <= 3, "{} requests", bodies.len());
}

#[tokio::test(start_paused = true)]
async fn b070_c_an_ignored_limit_is_noted() {
    let long = fixture("vllm/chat_stream.txt").replace("tokens\":4}", "tokens\":5000}");
    let (learned, _) = probe(vllm().post(CHAT, Reply::events(long))).await;
    let notes = learned.unwrap().notes.join("\n");
    assert!(notes.contains("5000 tokens came for 4 asked"), "{notes}");
}

#[tokio::test(start_paused = true)]
async fn b029_a_an_answer_that_is_not_streamed_is_noted() {
    let whole = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"content":"OK"},"finish_reason":"length"}],"usage":{"prompt_tokens":40,"completion_tokens":4}}"#;
    let (learned, _) = probe(vllm().post(CHAT, Reply::json(whole))).await;
    let learned = learned.unwrap();
    assert_eq!(learned.stream_usage, Tri::No);
    assert!(learned.notes.join("").contains("one JSON object"));
    let page = Reply::html(200, "<html>Sign in</html>");
    let (error, _) = probe(vllm().post(CHAT, page)).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "`/v1/chat/completions` answers no event stream but `<html>Sign in</html>`"
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_a_successful_stream_is_a_refusal() {
    let fake = picky(&["return_token_ids"], |field| {
        Reply::events(format!(
            "data: {{\"error\":{{\"message\":\"unknown {field}\"}}}}\n\n"
        ))
    });
    let (learned, _) = probe(fake).await;
    assert_eq!(learned.unwrap().dropped_fields, ["return_token_ids"]);
}

#[tokio::test(start_paused = true)]
async fn other_failures_end_the_probe_at_once() {
    for status in [401, 403, 404, 429, 500, 503] {
        let (error, bodies) = probe(vllm().post(CHAT, refusal(status, "ignore_eos"))).await;
        match error.unwrap_err() {
            FieldsError::Unauthorized { .. } => assert!(status < 404),
            FieldsError::Refused { .. } => assert!(status >= 404),
            other => panic!("{other}"),
        }
        assert_eq!(bodies.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_field_brings_is_seen_and_not_assumed() {
    // An old server takes every field and brings nothing.
    let (learned, bodies) = probe(vllm().post(CHAT, plain_stream())).await;
    let learned = learned.unwrap();
    assert_eq!(bodies.len(), 1);
    assert_eq!(learned.continuous_usage, Tri::No);
    assert_eq!(learned.return_token_ids, Tri::No);
    // All tokens in one event tell nothing about running counts.
    let one = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"OK. It is\"},\"finish_reason\":\"length\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"completion_tokens\":4}}\n\n";
    let (learned, _) = probe(vllm().post(CHAT, Reply::events(one))).await;
    let learned = learned.unwrap();
    assert_eq!(
        learned.continuous_usage,
        Tri::Yes,
        "as is known of this kind"
    );
    assert_eq!(learned.return_token_ids, Tri::Unknown);
    // A usage of zero beside text is a placeholder.
    let zero = fixture("vllm/chat_stream.txt")
        .replace("tokens\":1}", "tokens\":0}")
        .replace("tokens\":3}", "tokens\":0}");
    let (learned, _) = probe(vllm().post(CHAT, Reply::events(zero))).await;
    assert_eq!(learned.unwrap().continuous_usage, Tri::No);
}

#[tokio::test(start_paused = true)]
async fn each_kind_is_asked_for_what_it_may_have() {
    let (_, bodies) = probe(vllm()).await;
    assert_eq!(bodies[0]["stream_options"]["continuous_usage_stats"], true);
    assert_eq!(bodies[0]["return_token_ids"], true);
    assert!(bodies[0].get("id_slot").is_none() && bodies[0].get("timings_per_token").is_none());
    let (learned, bodies) = probe(llamacpp()).await;
    assert_eq!(bodies[0]["timings_per_token"], true);
    assert_eq!(bodies[0]["id_slot"], 0);
    assert!(bodies[0].get("return_token_ids").is_none());
    let learned = learned.unwrap();
    assert!(learned.slot_pinning && learned.cache_prompt_field);
    assert_eq!(learned.cached_tokens, Tri::Yes);
    assert_eq!(learned.rank_header, None);
}

#[tokio::test(start_paused = true)]
async fn a_token_count_is_believed_when_usage_agrees() {
    let counting = |count: u64| {
        unknown_server()
            .post(CHAT, plain_stream())
            .post("/tokenize", Reply::json(format!(r#"{{"count":{count}}}"#)))
    };
    let (learned, _) = probe(counting(9)).await;
    assert_eq!(learned.unwrap().tokenize, TokenizeKind::VllmMessages);
    let (learned, _) = probe(counting(5)).await;
    assert_eq!(learned.unwrap().tokenize, TokenizeKind::None);
    let wrong = vllm().post("/tokenize", Reply::json(r#"{"count":37}"#));
    let learned = probe(wrong).await.0.unwrap();
    assert_eq!(learned.tokenize, TokenizeKind::VllmMessages);
    assert!(learned.notes[0].contains("counts 37") && learned.notes[0].contains("says 40"));
    let hidden = vllm().post("/tokenize", Reply::new(404, "application/json", "{}"));
    let learned = probe(hidden).await.0.unwrap();
    assert_eq!(learned.tokenize, TokenizeKind::None);
    assert!(learned.notes[0].contains("404"));
}

#[tokio::test(start_paused = true)]
async fn counting_is_refused_where_it_is_not_possible() {
    let (control, heard) = unknown_server().start();
    let mut server = identify(&control, None).await.unwrap();
    let model = server.choose_model(None).unwrap();
    let before = heard.asked().len();
    let error = server
        .count_tokens(&control, &model, Endpoint::Chat, "x")
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the server does not count prompt tokens");
    assert_eq!(heard.asked().len(), before);
}
