//! The suite that every adapter passes: what it reads of its server's recorded answers, and, where
//! the simulator speaks its server's dialect, that what it says holds.

use tokmark_engines::{Dialect, Endpoint, identify};

use crate::simulated;
use crate::told::{self, Load, Told};

fn near(found: Option<f64>, expect: Option<f64>, what: &str) {
    let same = match (found, expect) {
        (Some(found), Some(expect)) => (found - expect).abs() < 1e-9,
        (found, expect) => found == expect,
    };
    assert!(same, "{what}: {found:?} where {expect:?} is expected");
}

async fn tells(row: Told) {
    let word = row.word;
    let (control, heard) = row.server().start();
    let mut server = identify(&control, None).await.unwrap();
    assert_eq!(server.engine.name, word);
    let launch: Vec<String> = row.launch.split_whitespace().map(str::to_owned).collect();
    server.learn_from_launch(&launch);
    let model = server.choose_model(None).unwrap();
    assert_eq!(model.served_name, row.served_name, "{word}");
    let engine = &server.engine;
    assert_eq!(engine.version.as_deref(), row.version, "{word}");
    assert_eq!(engine.max_length, row.max_length, "{word}");
    assert_eq!(engine.kv_type.as_deref(), row.kv_type, "{word}");
    assert_eq!(engine.quantization.as_deref(), row.quantization, "{word}");
    assert_eq!(engine.max_sequences, row.max_sequences, "{word}");
    let budget = engine.kv_budget.as_ref();
    let found = budget.map(|all| (all.tokens, all.tokens_per_rank, all.ranks));
    let expect = row.budget.map(|(all, each, ranks, _)| (all, each, ranks));
    assert_eq!(found, expect, "{word}");
    if let Some((_, _, _, source)) = row.budget {
        let told = &budget.unwrap().source;
        assert!(told.contains(source), "{word}: {told}");
    }
    let notes = server.notes().join("\n");
    assert!(notes.contains(row.says), "{word}: {notes}");
    let asks = |option: &str| notes.contains(option);
    assert_eq!(
        row.max_length.is_none(),
        asks("--max-length"),
        "{word}: {notes}"
    );
    let knows_budget = row
        .budget
        .is_some_and(|(.., source)| source != "lower bound");
    assert_eq!(!knows_budget, asks("--kv-budget"), "{word}: {notes}");

    let gauges = server.gauges(&control).await.unwrap();
    assert_eq!(engine.accepts.metrics, Some(row.gauges.is_some()), "{word}");
    let expect = row.gauges.unwrap_or(Load {
        running: f64::NAN,
        ..Load::default()
    });
    if expect.running.is_nan() {
        assert_eq!((gauges.running, gauges.waiting), (None, None), "{word}");
        assert_eq!(gauges.notes.len(), 1, "{word} says why: {:?}", gauges.notes);
    } else {
        near(gauges.running, Some(expect.running), word);
        near(gauges.waiting, Some(expect.waiting), word);
    }
    near(gauges.preemptions, expect.preemptions, word);
    near(gauges.kv_use_max, expect.kv_use_max, word);
    near(
        gauges.prefix_hits,
        expect.prefix.map(|(hits, _)| hits),
        word,
    );
    near(
        gauges.prefix_queries,
        expect.prefix.map(|(_, all)| all),
        word,
    );
    near(gauges.output_tokens, expect.output_tokens, word);
    near(gauges.drafted, expect.speculation.map(|(all, _)| all), word);
    near(gauges.accepted, expect.speculation.map(|(_, ok)| ok), word);
    assert_eq!(gauges.engines, expect.engines, "{word}");
    assert_eq!(
        heard.connections(),
        1,
        "{word}: one connection is kept alive"
    );
}

#[tokio::test(start_paused = true)]
async fn every_adapter_reads_what_its_server_tells() {
    let rows = told::all();
    for dialect in Dialect::ALL {
        let has_row = rows.iter().any(|row| row.word == dialect.word());
        assert!(has_row, "{} is in no row of the suite", dialect.word());
    }
    for row in rows {
        tells(row).await;
    }
}

/// A key that is missing, a proxy's login page, a server that is starting: no adapter takes any of
/// them for an answer, and none fails because of it.
#[tokio::test(start_paused = true)]
async fn every_adapter_tolerates_routes_that_are_refused() {
    use crate::fake::{Fake, Reply};
    for dialect in Dialect::ALL {
        for reply in [
            Reply::html(200, "<!doctype html><p>Sign in"),
            Reply::new(401, "application/json", r#"{"detail":"no"}"#),
            Reply::new(403, "text/plain", "no"),
            Reply::new(404, "text/plain", "no"),
            Reply::new(405, "text/plain", "no"),
            Reply::new(501, "text/plain", "no"),
            Reply::new(500, "text/plain", "no"),
            Reply::json("null"),
            Reply::json("[]"),
            Reply::json(r#"{"version":3,"data":{},"models":7,"loads":{}}"#),
        ] {
            // llama.cpp shows its list to everybody: there a key that is missing is told at once.
            let is_key = dialect == Dialect::LlamaCpp && reply.status == 401;
            let mut fake = Fake::new();
            for path in ROUTES {
                fake = fake.get(path, reply.clone()).post(path, reply.clone());
            }
            let list = Reply::json(r#"{"data":[{"id":"m","owned_by":"x"}]}"#);
            let (control, _) = fake.get("/v1/models", list).start();
            let found = identify(&control, Some(dialect.word())).await;
            if is_key {
                assert!(found.is_err());
                continue;
            }
            let mut server = found.unwrap();
            let model = server.choose_model(None).unwrap();
            server.read_capacity(&control).await.unwrap();
            assert_eq!(server.engine.kv_budget, None, "{dialect:?}");
            assert_eq!(server.engine.max_sequences, None, "{dialect:?}");
            if let Ok(gauges) = server.gauges(&control).await {
                assert_eq!(gauges.running, None, "{dialect:?}");
            }
            let count = server.count_tokens(&control, &model, Endpoint::Chat, "x");
            assert!(count.await.is_err(), "{dialect:?}");
        }
    }
}

/// Every route that an adapter asks.
const ROUTES: [&str; 31] = [
    "/version",
    "/openapi.json",
    "/metrics",
    "/prometheus/metrics",
    "/server_info",
    "/get_server_info",
    "/v1/loads",
    "/v1/capacity",
    "/props",
    "/slots",
    "/info",
    "/is_sleeping",
    "/.well-known/serviceinfo",
    "/v1/model",
    "/v1/system/info",
    "/api/version",
    "/api/ps",
    "/api/show",
    "/api/v0/models",
    "/api/v1/models",
    "/busy_threshold",
    "/admin/config",
    "/tokenize",
    "/chat_tokenize",
    "/apply-template",
    "/v1/encode",
    "/v1/token/encode",
    "/v1/messages/count_tokens",
    "/flush_cache",
    "/clear_kv_blocks",
    "/reset_prefix_cache",
];

/// Each adapter against its server's dialect of the simulator.
#[tokio::test(start_paused = true)]
async fn what_every_adapter_says_holds() {
    let rows = simulated::all();
    for dialect in tokmark_sim::Dialect::ALL {
        let has_row = rows.iter().any(|row| row.dialect == *dialect);
        assert!(has_row, "{dialect} is in no row of the suite");
    }
    for row in rows {
        simulated::identity_and_limits(&row).await;
        simulated::counts_agree_with_usage(&row).await;
        simulated::lengths_are_fixed(&row).await;
        simulated::load_is_seen_and_leaving_frees_the_slots(&row).await;
        simulated::the_cache_is_emptied(&row).await;
        simulated::errors_have_their_class(&row).await;
    }
}
