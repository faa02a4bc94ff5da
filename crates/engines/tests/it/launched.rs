//! What a server's launch adds to what it tells over HTTP, in words that all servers share.

use std::collections::BTreeMap;

use tokmark_engines::{Dialect, Server, identify};
use tokmark_run_format::LaunchSettings;
use tokmark_run_format::launch::ENVIRONMENT;

use crate::fake::{Fake, Reply, recorded};
use crate::told;

async fn server(fake: Fake) -> Server {
    let (control, _) = fake.start();
    identify(&control, None).await.unwrap()
}

fn launched() -> LaunchSettings {
    LaunchSettings {
        kv_type: Some("kv".to_owned()),
        quantization: Some("bits".to_owned()),
        max_sequences: Some(3),
        data_parallel: Some(2),
        context: Some(12_345),
        kv_tokens: Some(1_000),
        prefix_cache: Some(false),
        image: Some("image:tag".to_owned()),
        ..LaunchSettings::default()
    }
}

/// Every kind of server gets from its launch what it does not tell, and keeps what it tells.
#[tokio::test(start_paused = true)]
async fn a_launch_fills_what_a_server_does_not_tell() {
    for row in told::all() {
        let mut server = server(row.server()).await;
        let before = server.engine.clone();
        server.learn_from_settings(launched());
        let (after, word) = (server.engine.clone(), row.word);
        let or = |told: Option<String>, launched: &str| told.or_else(|| Some(launched.to_owned()));
        assert_eq!(after.kv_type, or(before.kv_type, "kv"), "{word}");
        let quantization = or(before.quantization, "bits");
        assert_eq!(after.quantization, quantization, "{word}");
        let sequences = before.max_sequences.or(Some(6));
        assert_eq!(after.max_sequences, sequences, "{word}: of both copies");
        // llama.cpp's context is that of all slots together, and it tells one slot's.
        let length = before.max_length.or(Some(12_345));
        assert_eq!(after.max_length, length, "{word}");
        assert_eq!(after.prefix_cache, before.prefix_cache.or(Some(false)));
        assert_eq!(after.build, or(before.build, "image:tag"), "{word}");
        let budget = after.kv_budget.clone().unwrap();
        match before.kv_budget {
            Some(told) => assert_eq!(budget, told, "{word}"),
            // Ollama's follows from its context and sequences.
            None if server.dialect == Dialect::Ollama => {}
            None => {
                assert_eq!((budget.tokens, budget.ranks), (2_000, 2), "{word}");
                assert_eq!(budget.source, "launch: tokens of the KV cache", "{word}");
                let notes = server.notes().join("\n");
                assert!(!notes.contains("--kv-budget"), "{word}: {notes}");
            }
        }
    }
}

fn ollama(context: u64) -> LaunchSettings {
    let sources = ["context", "max_sequences", "kv_type"];
    let sources = sources.map(|name| (name.to_owned(), ENVIRONMENT.to_owned()));
    LaunchSettings {
        max_sequences: Some(4),
        context: Some(context),
        kv_type: Some("q8_0".to_owned()),
        sources: BTreeMap::from(sources),
        ..LaunchSettings::default()
    }
}

#[tokio::test(start_paused = true)]
async fn ollamas_limits_come_from_its_environment() {
    let unloaded = || recorded("ollama").get("/api/ps", Reply::json(r#"{"models":[]}"#));
    let check = async |fake: Fake, context: u64, tokens: u64, source: &str| {
        let mut server = server(fake).await;
        server.learn_from_settings(ollama(context));
        let engine = &server.engine;
        assert_eq!(engine.max_sequences, Some(4));
        assert_eq!(engine.kv_type.as_deref(), Some("q8_0"));
        let budget = engine.kv_budget.as_ref().unwrap();
        assert_eq!((budget.tokens, budget.source.as_str()), (tokens, source));
        assert_eq!(engine.max_length, Some(tokens / 4));
        let notes = server.notes().join("\n");
        assert!(!notes.contains("--max-sequences"), "{notes}");
    };
    let both = "environment of the process: OLLAMA_CONTEXT_LENGTH x OLLAMA_NUM_PARALLEL";
    check(unloaded(), 8_192, 32_768, both).await;
    // A loaded model has what there was room for, whatever was asked.
    let loaded = "api/ps context_length x OLLAMA_NUM_PARALLEL, environment of the process";
    check(recorded("ollama"), 8_192, 16_384, loaded).await;
    check(recorded("ollama"), 4_096, 16_384, both).await;
}

/// Families that Ollama runs one request at a time, whatever its environment says.
#[tokio::test(start_paused = true)]
async fn some_models_run_alone_on_ollama() {
    let check = async |family: &str, expect: u32| {
        let shown = format!(r#"{{"details":{{"family":"{family}"}}}}"#);
        let fake = recorded("ollama").post("/api/show", Reply::json(shown));
        let mut server = server(fake).await;
        server.learn_from_settings(ollama(4_096));
        assert_eq!(server.engine.max_sequences, Some(expect), "{family}");
    };
    check("llama", 4).await;
    check("qwen3vlmoe", 1).await;
    check("nemotron_h_moe", 1).await;
}
