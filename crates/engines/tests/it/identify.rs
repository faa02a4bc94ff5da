use http::Method;
use tokmark_engines::{Dialect, IdentifyError, identify};

use crate::fake::{Fake, Reply, fixture, llamacpp, vllm};

async fn failure(fake: Fake) -> IdentifyError {
    let (control, _) = fake.start();
    identify(&control, None).await.expect_err("no server here")
}

async fn dialect(fake: Fake) -> Dialect {
    let (control, _) = fake.start();
    identify(&control, None).await.unwrap().dialect
}

fn models(owner: &str) -> Reply {
    Reply::json(format!(
        r#"{{"object":"list","data":[{{"id":"m","object":"model","owned_by":"{owner}"}}]}}"#
    ))
}

#[tokio::test(start_paused = true)]
async fn everything_can_be_awaited_from_any_thread() {
    let (control, _) = vllm().start();
    let task = tokio::spawn(async move {
        let mut server = identify(&control, None).await.unwrap();
        let model = server.choose_model(None).unwrap();
        let endpoint = tokmark_engines::Endpoint::Chat;
        server
            .probe_fields(&control, &model, endpoint)
            .await
            .unwrap();
        server
            .count_tokens(&control, &model, endpoint, "x")
            .await
            .unwrap();
        server.gauges(&control).await.unwrap().running
    });
    assert_eq!(task.await.unwrap(), Some(21.0));
}

#[tokio::test(start_paused = true)]
async fn each_kind_is_recognised_by_more_than_one_sign() {
    let list = |fake: Fake| fake.get("/v1/models", models("someone"));
    assert_eq!(dialect(vllm()).await, Dialect::Vllm);
    assert_eq!(dialect(llamacpp()).await, Dialect::LlamaCpp);
    // A proxy hides everything but the list.
    assert_eq!(
        dialect(Fake::new().get("/v1/models", models("vllm"))).await,
        Dialect::Vllm
    );
    assert_eq!(
        dialect(Fake::new().get("/v1/models", models("llamacpp"))).await,
        Dialect::LlamaCpp
    );
    // A proxy rewrites the list.
    let metrics = Reply::text(fixture("vllm/metrics.txt"));
    assert_eq!(
        dialect(list(Fake::new()).get("/metrics", metrics)).await,
        Dialect::Vllm
    );
    assert_eq!(
        dialect(list(Fake::new().server_header("llama.cpp"))).await,
        Dialect::LlamaCpp
    );
    // Everything else.
    assert_eq!(dialect(list(Fake::new())).await, Dialect::OpenAi);
}

#[tokio::test(start_paused = true)]
async fn probes_tolerate_every_kind_of_refusal() {
    for status in [401, 403, 404, 405, 500, 501, 503] {
        let fake = Fake::new()
            .get("/v1/models", models("vllm"))
            .get("/version", Reply::html(status, "<html>no</html>"))
            .get("/metrics", Reply::new(status, "text/plain", "no"))
            .get("/server_info", Reply::new(status, "text/plain", "no"));
        let (control, _) = fake.start();
        let server = identify(&control, None).await.unwrap();
        assert_eq!(server.dialect, Dialect::Vllm);
        assert_eq!(server.engine.version, None);
        assert_eq!(server.engine.kv_budget, None);
        assert_eq!(server.engine.accepts.metrics, Some(false));
    }
    // A web application answers every route with its page.
    let page = Reply::html(200, "<!doctype html><div id=root>");
    let fake = Fake::new()
        .get("/v1/models", models("x"))
        .get("/version", page.clone())
        .get("/metrics", page);
    assert_eq!(dialect(fake).await, Dialect::OpenAi);
}

#[tokio::test(start_paused = true)]
async fn a_hint_is_believed_and_a_wrong_word_gets_a_suggestion() {
    let (control, _) = Fake::new().get("/v1/models", models("x")).start();
    let server = identify(&control, Some("llamacpp")).await.unwrap();
    assert_eq!(server.engine.name, "llamacpp");
    let error = identify(&control, Some("vlm")).await.unwrap_err();
    for dialect in Dialect::ALL {
        let word = format!("`{}`", dialect.word());
        assert!(error.to_string().contains(&word), "{word} in {error}");
        assert_eq!(Dialect::parse(dialect.word()).unwrap(), dialect);
    }
    for (word, meant) in [
        ("llama.cpp", Dialect::LlamaCpp),
        ("TRTLLM", Dialect::TensorRtLlm),
        ("mistral.rs", Dialect::MistralRs),
        ("mlx", Dialect::MlxLm),
    ] {
        assert_eq!(Dialect::parse(word).unwrap(), meant);
    }
    assert_eq!(error.hint(), "`--engine vllm`");
}

#[tokio::test(start_paused = true)]
async fn b029_b_a_web_page_is_not_a_server() {
    let page = Reply::html(200, "<html>Sign in</html>");
    let error = failure(Fake::new().get("/v1/models", page)).await;
    assert_eq!(
        error.to_string(),
        "`fake:8000` is not a language-model server: `/v1/models` answers 200 \
         `<html>Sign in</html>`"
    );
    assert!(error.hint().contains("web page"));
    let missing = failure(Fake::new().get("/v1/models", Reply::html(404, "<html>none"))).await;
    assert!(matches!(
        missing,
        IdentifyError::NotAnLlmServer { status: 404, .. }
    ));
    let tls = Reply::html(
        400,
        "<html>The plain HTTP request was sent to HTTPS port</html>",
    );
    let error = failure(Fake::new().get("/v1/models", tls)).await;
    assert!(
        error.hint().contains("https://fake:8000"),
        "{}",
        error.hint()
    );
    let other = Reply::json(r#"{"status":"up"}"#);
    let error = failure(Fake::new().get("/v1/models", other)).await;
    assert!(error.to_string().contains(r#"{"status":"up"}"#));
}

#[tokio::test(start_paused = true)]
async fn b095_a_missing_key_is_said_at_once() {
    for status in [401, 403] {
        let refusal = r#"{"error":{"message":"Invalid API Key"}}"#;
        let (control, heard) = Fake::new()
            .get(
                "/v1/models",
                Reply::new(status, "application/json", refusal),
            )
            .get("/version", Reply::json(r#"{"version":"0.32.0"}"#))
            .start();
        let error = identify(&control, None).await.unwrap_err();
        assert!(error.to_string().starts_with("authentication failed"));
        assert!(error.to_string().contains("Invalid API Key"));
        assert!(error.hint().contains("--api-key"));
        assert_eq!(heard.paths(), ["/v1/models"], "nothing more is sent");
    }
    // llama-server shows its model list to everybody.
    let refusal = Reply::new(401, "application/json", r#"{"error":"Invalid API Key"}"#);
    let error = failure(llamacpp().get("/props", refusal)).await;
    assert!(matches!(
        error,
        IdentifyError::Unauthorized { status: 401, .. }
    ));
    let hidden = Reply::new(403, "text/plain", "no");
    assert_eq!(
        dialect(llamacpp().get("/props", hidden)).await,
        Dialect::LlamaCpp
    );
}

#[tokio::test(start_paused = true)]
async fn states_that_pass_are_told_apart() {
    let loading = r#"{"error":{"message":"Loading model","code":503}}"#;
    let reply = Reply::new(503, "application/json", loading);
    let error = failure(Fake::new().get("/v1/models", reply.clone())).await;
    assert!(matches!(error, IdentifyError::Loading { .. }));
    assert!(error.hint().contains("wait"));
    // llama.cpp may list its model before it is loaded.
    let error = failure(llamacpp().get("/props", reply)).await;
    assert!(matches!(error, IdentifyError::Loading { .. }));
    for status in [429, 502, 504] {
        let error = failure(Fake::new().get("/v1/models", Reply::html(status, "<p>"))).await;
        assert!(matches!(error, IdentifyError::Unavailable { .. }));
    }
    let moved = Reply::new(308, "text/plain", "").header("location", "https://box/v1/models");
    let error = failure(Fake::new().get("/v1/models", moved)).await;
    assert!(error.hint().contains("https://box/v1/models"));
}

#[tokio::test(start_paused = true)]
async fn a_server_without_a_list_is_known_by_its_chat_route() {
    let broken = Reply::new(500, "text/plain", "Internal Server Error");
    let refusal = Reply::new(422, "application/json", r#"{"detail":"model is missing"}"#);
    let (control, _) = Fake::new()
        .get("/v1/models", broken.clone())
        .post("/v1/chat/completions", refusal)
        .start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.dialect, Dialect::OpenAi);
    assert!(matches!(
        server.choose_model(None),
        Err(IdentifyError::NoModels)
    ));
    let model = server.choose_model(Some("owner/name")).unwrap();
    assert_eq!(model.served_name, "owner/name");
    assert!(server.notes().iter().any(|note| note.contains("no list")));
    // Without a chat route it is something else, unless the user knows better.
    let (control, _) = Fake::new().get("/v1/models", broken).start();
    assert!(identify(&control, None).await.is_err());
    assert!(identify(&control, Some("openai")).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_says_why() {
    let (control, _) = Fake::new()
        .route(Method::GET, "/v1/models", |_| {
            Reply::json("x".repeat(9 * 1024 * 1024))
        })
        .start();
    let error = identify(&control, None).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server at `fake:8000` cannot be reached"
    );
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("longer than 8388608 bytes"), "{cause}");
}
