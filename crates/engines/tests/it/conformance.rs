//! What every adapter must do, checked by one function on each adapter's fixtures.

use tokmark_engines::{Abort, Endpoint, TokenizeKind, Tri, identify};

use crate::fake::{Fake, llamacpp, vllm};

struct Expected {
    word: &'static str,
    version: &'static str,
    model: &'static str,
    served_name: &'static str,
    max_length: u64,
    budget: (u64, u64, u32),
    kv_type: Option<&'static str>,
    quantization: Option<&'static str>,
    max_sequences: Option<u32>,
    running: f64,
    waiting: f64,
    output_tokens: f64,
    engines: u32,
    chat_tokens: u64,
    prompt_tokens: u64,
    tokenize: TokenizeKind,
    continuous_usage: Tri,
    timings: Tri,
    token_ids: Tri,
}

async fn conforms(fake: Fake, expected: Expected) {
    let (control, heard) = fake.start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, expected.word);
    assert_eq!(server.engine.version.as_deref(), Some(expected.version));
    assert_eq!(server.engine.max_length, Some(expected.max_length));
    assert_eq!(server.engine.kv_type.as_deref(), expected.kv_type);
    assert_eq!(server.engine.quantization.as_deref(), expected.quantization);
    assert_eq!(server.engine.max_sequences, expected.max_sequences);
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!(
        (budget.tokens, budget.tokens_per_rank, budget.ranks),
        expected.budget
    );
    assert!(!budget.source.is_empty());
    assert_eq!(server.abort(), Abort::CloseConnection);

    let model = server.choose_model(None).unwrap();
    assert_eq!(model.name, expected.model);
    assert_eq!(model.served_name, expected.served_name);

    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!(gauges.running, Some(expected.running));
    assert_eq!(gauges.waiting, Some(expected.waiting));
    assert_eq!(gauges.output_tokens, Some(expected.output_tokens));
    assert_eq!(gauges.engines, expected.engines);
    assert!(gauges.notes.is_empty(), "{:?}", gauges.notes);

    let count = |endpoint| server.count_tokens(&control, &model, endpoint, "text");
    assert_eq!(count(Endpoint::Chat).await.unwrap(), expected.chat_tokens);
    assert_eq!(
        count(Endpoint::Completions).await.unwrap(),
        expected.prompt_tokens
    );

    let learned = server
        .probe_fields(&control, &model, Endpoint::Chat)
        .await
        .unwrap();
    assert_eq!(learned.tokenize, expected.tokenize);
    assert_eq!(learned.ignore_eos, Tri::Yes);
    assert_eq!(learned.stream_usage, Tri::Yes);
    assert_eq!(learned.continuous_usage, expected.continuous_usage);
    assert_eq!(learned.timings_per_token, expected.timings);
    assert_eq!(learned.return_token_ids, expected.token_ids);
    assert!(learned.dropped_fields.is_empty());
    assert!(learned.notes.is_empty(), "{:?}", learned.notes);
    let accepts = &server.engine.accepts;
    assert_eq!(accepts.continuous_usage, Some(true));
    assert_eq!(accepts.metrics, Some(true));
    assert_eq!(accepts.tokenize, Some(true));
    assert_eq!(heard.connections(), 1, "one connection is kept alive");
}

#[tokio::test(start_paused = true)]
async fn vllm_conforms() {
    let expected = Expected {
        word: "vllm",
        version: "0.32.0",
        model: "Dolphin-14B-AWQ",
        served_name: "bench",
        max_length: 32_768,
        budget: (400_000, 200_000, 2),
        kv_type: Some("fp8"),
        quantization: None,
        max_sequences: None,
        running: 21.0,
        waiting: 3.0,
        output_tokens: 4_000.0,
        engines: 2,
        chat_tokens: 40,
        prompt_tokens: 12,
        tokenize: TokenizeKind::VllmMessages,
        continuous_usage: Tri::Yes,
        timings: Tri::No,
        token_ids: Tri::Yes,
    };
    conforms(vllm(), expected).await;
}

#[tokio::test(start_paused = true)]
async fn llamacpp_conforms() {
    let expected = Expected {
        word: "llamacpp",
        version: "b11434-0a1b2c3",
        model: "dolphin",
        served_name: "dolphin",
        max_length: 8_192,
        budget: (8_192, 8_192, 1),
        kv_type: None,
        quantization: Some("Q4_K - Medium"),
        max_sequences: Some(4),
        running: 4.0,
        waiting: 2.0,
        output_tokens: 1_000.0,
        engines: 1,
        chat_tokens: 41,
        prompt_tokens: 13,
        tokenize: TokenizeKind::LlamaCppTemplateThenTokenize,
        continuous_usage: Tri::No,
        timings: Tri::Yes,
        token_ids: Tri::No,
    };
    conforms(llamacpp(), expected).await;
}
