//! What single adapters do beyond the conformance suite.

use tokmark_engines::{CacheState, Declared, Dialect, Server, identify};

use crate::fake::{Fake, Reply, fixture, llamacpp, recorded, vllm};

async fn server(fake: Fake) -> Server {
    let (control, _) = fake.start();
    identify(&control, None).await.unwrap()
}

fn arguments(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn stranger() -> Fake {
    let list = r#"{"data":[{"id":"m","owned_by":"someone"}]}"#;
    Fake::new().get("/v1/models", Reply::json(list))
}

/// A proxy has rewritten the list and hides most routes: one of its own is enough.
#[tokio::test(start_paused = true)]
async fn each_kind_is_known_by_a_route_of_its_own() {
    let json = |body: &str| Reply::json(body);
    let told = [
        (
            "/server_info",
            json(r#"{"version":"1","mem_fraction_static":0.8}"#),
            Dialect::SgLang,
        ),
        // vLLM's development route is not SGLang's, nor TabbyAPI's properties llama.cpp's.
        (
            "/server_info",
            json(r#"{"vllm_config":{},"version":"1"}"#),
            Dialect::OpenAi,
        ),
        ("/props", json(r#"{"total_slots":4}"#), Dialect::OpenAi),
        (
            "/props",
            json(r#"{"build_info":"b1-a"}"#),
            Dialect::LlamaCpp,
        ),
        (
            "/info",
            json(r#"{"router":"text-generation-router"}"#),
            Dialect::Tgi,
        ),
        (
            "/prometheus/metrics",
            Reply::text("trtllm_num_requests_running 0\n"),
            Dialect::TensorRtLlm,
        ),
        (
            "/is_sleeping",
            json(r#"{"is_sleeping":false}"#),
            Dialect::LmDeploy,
        ),
        (
            "/.well-known/serviceinfo",
            json(r#"{"software":{"name":"TabbyAPI"}}"#),
            Dialect::TabbyApi,
        ),
        (
            "/v1/system/info",
            json(r#"{"build":{"version":"1","git_revision":"x"}}"#),
            Dialect::MistralRs,
        ),
        (
            "/metrics",
            Reply::text("# NOTE\nengine_decode_time_sum\t1\n"),
            Dialect::Mlc,
        ),
        (
            "/api/v0/models",
            json(r#"{"data":[{"id":"m","state":"loaded","compatibility_type":"gguf"}]}"#),
            Dialect::LmStudio,
        ),
        ("/api/version", json(r#"{"version":"1"}"#), Dialect::Ollama),
        (
            "/openapi.json",
            json(r#"{"paths":{"/load_model":{},"/reset":{},"/v1/chat/completions":{}}}"#),
            Dialect::Transformers,
        ),
        (
            "/busy_threshold",
            json(r#"{"thresholds":[]}"#),
            Dialect::Dynamo,
        ),
    ];
    for (path, reply, expect) in told {
        let found = server(stranger().get(path, reply)).await.dialect;
        assert_eq!(found, expect, "{path}");
    }
}

/// Where a server has several kinds' routes, the facts' order decides.
#[tokio::test(start_paused = true)]
async fn servers_that_imitate_others_are_not_taken_for_them() {
    // SGLang serves Ollama's routes, too.
    let both = recorded("sglang").get("/api/version", Reply::json(r#"{"version":"1"}"#));
    assert_eq!(server(both).await.dialect, Dialect::SgLang);
    // A vLLM whose version a proxy hides is no simulator.
    let hidden = vllm().get("/version", Reply::new(404, "text/plain", ""));
    assert_eq!(server(hidden).await.dialect, Dialect::Vllm);
    // Some other server's models may belong to a library, and another's to this machine.
    let list = |owner: &str| {
        let list = format!(r#"{{"data":[{{"id":"m","owned_by":"{owner}"}}]}}"#);
        Fake::new().get("/v1/models", Reply::json(list))
    };
    assert_eq!(server(list("library")).await.dialect, Dialect::OpenAi);
    assert_eq!(server(list("local")).await.dialect, Dialect::OpenAi);
    assert_eq!(
        server(list("organization_owner")).await.dialect,
        Dialect::OpenAi
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_no_probe_is_not_asked_a_dozen_times() {
    let (control, heard) = stranger().start();
    identify(&control, None).await.unwrap();
    let asked = heard.paths().len();
    assert!(asked <= 16, "{asked}: {:?}", heard.paths());
}

#[tokio::test(start_paused = true)]
async fn tensorrt_llms_draining_list_is_left_alone() {
    let (control, heard) = recorded("tensorrt-llm").start();
    let server = identify(&control, None).await.unwrap();
    server.gauges(&control).await.unwrap();
    assert!(!heard.paths().contains(&"/metrics".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn sglang_without_metrics_and_with_older_routes() {
    let (control, _) = recorded("sglang-without-metrics").start();
    let server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.version.as_deref(), Some("0.5.2"));
    assert_eq!(server.engine.max_sequences, Some(48));
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 90_000);
    assert_eq!(server.engine.quantization, None, "`auto` says nothing");
    assert_eq!(server.engine.accepts.metrics, Some(true));
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(16.0), Some(8.0)));
    assert_eq!(gauges.kv_use_max, Some(0.25));
    assert_eq!(gauges.output_tokens, None, "nothing live to count by");
}

/// As seen with 0.5.23: four requests ran for half a minute while the metrics said that none did.
#[tokio::test(start_paused = true)]
async fn sglangs_loads_are_newer_than_its_gauges() {
    let loads = r#"{"loads":[
        {"dp_rank":0,"num_running_reqs":4,"num_waiting_reqs":2,"token_usage":0.5},
        {"dp_rank":1,"num_running_reqs":3,"num_waiting_reqs":0,"token_usage":0.25}]}"#;
    let server = recorded("sglang").get("/v1/loads", Reply::json(loads));
    let (control, _) = server.start();
    let server = identify(&control, None).await.unwrap();
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(7.0), Some(2.0)));
    assert_eq!(
        (gauges.kv_use_mean, gauges.kv_use_max),
        (Some(0.375), Some(0.5))
    );
    // Counters move with every step and are in the metrics only.
    assert_eq!(gauges.output_tokens, Some(4_000.0));
    assert_eq!(gauges.preemptions, Some(3.0));
    assert_eq!(gauges.engines, 2);
}

#[tokio::test(start_paused = true)]
async fn tgis_gauges_are_absent_until_the_first_request() {
    let fresh = "tgi_batch_max_total_tokens 50000\n";
    let (control, _) = recorded("tgi").get("/metrics", Reply::text(fresh)).start();
    let server = identify(&control, None).await.unwrap();
    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!((gauges.running, gauges.waiting), (Some(0.0), Some(0.0)));
    assert!(server.reserves_output());
    assert!(!server.counts_output_live());
}

#[tokio::test(start_paused = true)]
async fn ollamas_budget_needs_to_be_told_how_many_run_at_once() {
    let (control, _) = recorded("ollama").start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.kv_budget, None);
    assert!(server.queues_silently());
    assert!(
        server
            .advice()
            .more_requests
            .contains("OLLAMA_NUM_PARALLEL")
    );
    server.declare(Declared {
        max_sequences: Some(4),
        ..Declared::default()
    });
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 16_384);
    assert!(!server.notes().join("").contains("--kv-budget"));
    // A second reading keeps what was said.
    server.read_capacity(&control).await.unwrap();
    assert_eq!(server.engine.max_sequences, Some(4));
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 16_384);
    // The arguments of the server that it starts for a model tell as much.
    let mut other = identify(&control, None).await.unwrap();
    other.learn_from_launch(&arguments("llama-server -c 8192 -np 2 -ctk q8_0"));
    assert_eq!(other.engine.kv_budget.as_ref().unwrap().tokens, 8_192);
    assert_eq!(other.engine.kv_type.as_deref(), Some("q8_0"));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_not_loaded_has_no_length_yet() {
    let none = Reply::json(r#"{"models":[]}"#);
    let server = server(recorded("ollama").get("/api/ps", none)).await;
    assert_eq!(server.engine.max_length, None);
    let notes = server.notes().join("\n");
    assert!(notes.contains("not loaded"), "{notes}");
    let idle = fixture("servers/lmstudio.txt");
    let list = idle.lines().find(|line| line.contains("Q4_K_M")).unwrap();
    let list = list.replace(r#""state":"loaded""#, r#""state":"not-loaded""#);
    let idle = recorded("lmstudio")
        .get("/api/v0/models", Reply::json(list))
        .get("/api/v1/models", Reply::new(404, "text/plain", ""));
    let server = self::server(idle).await;
    assert_eq!(server.dialect, Dialect::LmStudio);
    // 131,072 is what the model could have, and not what it gets.
    assert_eq!(server.engine.max_length, None);
}

#[tokio::test(start_paused = true)]
async fn mlx_lm_tells_its_version_with_an_answer() {
    let (control, _) = recorded("mlx-lm").start();
    let mut server = identify(&control, None).await.unwrap();
    let model = server.choose_model(None).unwrap();
    let endpoint = tokmark_engines::Endpoint::Chat;
    server
        .probe_fields(&control, &model, endpoint)
        .await
        .unwrap();
    assert_eq!(server.engine.version.as_deref(), Some("0.32.0"));
    assert_eq!(server.engine.build.as_deref(), Some("mlx 0.30.1"));
    assert_eq!(server.engine.backend.as_deref(), Some("metal"));
    server.learn_from_launch(&arguments("mlx_lm.server --model m --draft-model d"));
    assert_eq!(server.engine.max_sequences, Some(1), "drafts run alone");
}

#[tokio::test(start_paused = true)]
async fn mistral_rs_lists_a_word_that_stands_for_its_model() {
    let mut server = server(recorded("mistralrs")).await;
    assert_eq!(server.models.len(), 1);
    for wanted in [None, Some("default"), Some("acme/dolphin")] {
        let model = server.choose_model(wanted).unwrap();
        assert_eq!(model.served_name, "acme/dolphin", "{wanted:?}");
    }
    assert_eq!(
        server.engine.kv_budget, None,
        "the size of a block is a flag"
    );
    server.learn_from_launch(&arguments("mistralrs serve -m x --pa-block-size 16"));
    let budget = server.engine.kv_budget.clone().unwrap();
    assert_eq!((budget.tokens, budget.block_tokens), (16_000, 16));
    server.learn_from_launch(&arguments("mistralrs serve -m x"));
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 32_000);
    // Several models: the word stays a choice.
    let two = r#"{"data":[{"id":"default","owned_by":"local"},{"id":"a","owned_by":"local"},{"id":"b","owned_by":"local"}]}"#;
    let two = recorded("mistralrs").get("/v1/models", Reply::json(two));
    let mut server = self::server(two).await;
    assert!(server.choose_model(None).is_err());
    assert_eq!(
        server.choose_model(Some("default")).unwrap().served_name,
        "default"
    );
}

/// `transformers serve` lists its cache folder. It serves any model that is asked for, unless it was
/// started for one.
#[tokio::test(start_paused = true)]
async fn transformers_serves_what_it_does_not_list() {
    let cached =
        r#"{"data":[{"id":"acme/a","owned_by":"acme"},{"id":"acme/b","owned_by":"acme"}]}"#;
    let fake = || recorded("transformers").get("/v1/models", Reply::json(cached));
    let mut any = server(fake()).await;
    assert!(any.choose_model(None).is_err());
    for name in ["acme/b", "/models/tiny"] {
        assert_eq!(any.choose_model(Some(name)).unwrap().served_name, name);
    }
    let mut pinned = server(fake()).await;
    pinned.learn_from_launch(&arguments("transformers serve /models/tiny"));
    assert_eq!(pinned.choose_model(None).unwrap().name, "tiny");
    let error = pinned.choose_model(Some("acme/b")).unwrap_err();
    assert!(error.to_string().contains("/models/tiny"), "{error}");
    assert_eq!(pinned.engine.max_sequences, Some(1));
    let mut batching = server(fake()).await;
    batching.learn_from_launch(&arguments("transformers serve m --continuous-batching"));
    assert_eq!(batching.engine.max_sequences, None);
}

/// The port's process may be a proxy's, or a simulator's: what such a command line leaves out says
/// nothing about the server.
#[tokio::test(start_paused = true)]
async fn a_command_line_of_something_else_has_no_defaults() {
    for word in ["mlx-lm", "mlc", "mistralrs", "llamacpp", "transformers"] {
        for line in ["nginx -g daemon", &format!("tokmark sim --dialect {word}")] {
            let fake = match word {
                "llamacpp" => llamacpp(),
                word => recorded(word),
            };
            let mut server = server(fake).await;
            let before = server.engine.clone();
            server.learn_from_launch(&arguments(line));
            assert_eq!(server.engine, before, "{word}: {line}");
        }
    }
    let mut server = server(recorded("mlc")).await;
    server.learn_from_launch(&arguments("mlc_llm serve m --mode interactive"));
    assert_eq!(server.engine.max_sequences, Some(1));
    let overrides = "--overrides max_num_sequence=8;max_total_seq_length=4096";
    server.learn_from_launch(&arguments(&format!("mlc_llm serve m {overrides}")));
    assert_eq!(server.engine.max_sequences, Some(8));
    assert_eq!(server.engine.kv_budget.as_ref().unwrap().tokens, 4_096);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_declares_replaces_what_the_server_says() {
    let mut server = server(vllm()).await;
    server.declare(Declared {
        max_length: Some(4_096),
        max_sequences: Some(7),
    });
    assert_eq!(server.engine.max_length, Some(4_096));
    assert_eq!(server.engine.max_sequences, Some(7));
    server.learn_from_launch(&arguments("vllm serve m --max-num-seqs 64"));
    assert_eq!(server.engine.max_sequences, Some(7));
}

#[tokio::test(start_paused = true)]
async fn vllms_engines_may_report_their_capacity() {
    let report = r#"{"schema_version":1,"engines":[{"dp_rank":0,"max_num_seqs":64,"kv_cache_capacity_tokens":1000},{"dp_rank":1,"max_num_seqs":64,"kv_cache_capacity_tokens":900}]}"#;
    let server = server(vllm().get("/v1/capacity", Reply::json(report))).await;
    assert_eq!(server.engine.max_sequences, Some(128));
    let budget = server.engine.kv_budget.unwrap();
    assert_eq!(budget.tokens, 400_000, "the metrics come first");
}

#[tokio::test(start_paused = true)]
async fn a_cache_is_emptied_or_it_is_said_that_it_was_not() {
    let check = async |fake: Fake, expect: CacheState| {
        let (control, _) = fake.start();
        let server = identify(&control, None).await.unwrap();
        let found = server.reset_cache(&control).await.unwrap();
        assert_eq!(found, expect, "{}", server.engine.name);
    };
    // Only in development mode.
    check(vllm(), CacheState::Unsupported).await;
    let with = |status| vllm().post("/reset_prefix_cache", Reply::new(status, "text/plain", ""));
    check(with(200), CacheState::Emptied).await;
    check(with(403), CacheState::Unsupported).await;
    check(
        recorded("sglang").post("/flush_cache", Reply::new(400, "text/plain", "busy")),
        CacheState::Busy,
    )
    .await;
    // 200, and nobody did it.
    check(recorded("dynamo"), CacheState::Unsupported).await;
    check(recorded("mlc"), CacheState::Emptied).await;
    check(recorded("ollama"), CacheState::Unsupported).await;
}

#[test]
fn every_kind_says_what_can_be_changed() {
    for dialect in Dialect::ALL {
        let nothing = matches!(dialect, Dialect::OpenAi);
        let advice = dialect.advice();
        assert_eq!(advice.more_requests.is_empty(), nothing, "{dialect:?}");
    }
    assert!(Dialect::LlamaCpp.advice().longer_context.contains("`-c`"));
    assert!(
        Dialect::MlxLm
            .advice()
            .more_requests
            .contains("--decode-concurrency")
    );
}
