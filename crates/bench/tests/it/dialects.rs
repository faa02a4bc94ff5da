//! Whole small matrices against every dialect, and what a person is told to change.

use tokmark_run_format::CellStatus;
use tokmark_sim::{Dialect, SimConfig};

use crate::{cell, evidence, measure, settings, sim, status};

/// Two requests at once, on a server of this dialect.
fn two_at_once(dialect: Dialect) -> SimConfig {
    sim(|config| {
        config.dialect = dialect;
        config.engine.max_num_seqs = 2;
    })
}

async fn conforms(dialect: Dialect) {
    let asked = settings("0,2k", &[1, 2, 4, 8]);
    let (bench, outcome) = measure(two_at_once(dialect), &asked).await;
    assert_eq!(bench.session.server.engine.name, dialect.name());
    assert_eq!(outcome.probes.admission_limit, Some(2), "{dialect}");
    let truth = bench.server.truth();
    for context in [0, 2_048] {
        for requests in [1, 2] {
            let cell = cell(&outcome, context, requests);
            let place = format!("{dialect} {context} x {requests}");
            assert_eq!(cell.status, CellStatus::Valid, "{place}: {:?}", cell.reason);
            let window = evidence(&outcome, context, requests).window.unwrap();
            let sent: u64 = truth
                .requests
                .iter()
                .flat_map(|request| &request.emissions)
                .filter(|emission| window.contains(emission.at.0))
                .map(|emission| u64::from(emission.tokens))
                .sum();
            let counted = cell.output_tokens.unwrap();
            // Servers that count nothing while they run are estimated within 1 %.
            let off = counted.abs_diff(sent);
            assert!(off * 100 <= sent, "{place}: {counted} for {sent}");
            if let Some(tokens) = cell.prompt_tokens.filter(|_| context > 0) {
                let off = tokens.abs_diff(context);
                assert!(off * 50 <= context, "{place}: {tokens} prompt tokens");
            }
        }
        let queued = cell(&outcome, context, 4);
        assert_eq!(queued.status, CellStatus::Queued, "{dialect} {context}");
        let active = queued.average_active_requests.unwrap();
        assert!((active - 2.0).abs() < 0.3, "{dialect} {context}: {active}");
        let over = status(&outcome, context, 8);
        assert_eq!(over, CellStatus::OverAdmission, "{dialect} {context}");
    }
    let hints: Vec<&str> = outcome
        .notes
        .iter()
        .filter(|note| note.code == "hint_more_requests")
        .map(|note| note.text.as_str())
        .collect();
    let expected = usize::from(dialect != Dialect::OpenAi);
    assert_eq!(hints.len(), expected, "{dialect}: {hints:?}");
}

macro_rules! conforming {
    ($($name:ident: $dialect:ident),* $(,)?) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            conforms(Dialect::$dialect).await;
        })*

        #[test]
        fn every_dialect_is_measured() {
            let measured = [$(Dialect::$dialect),*];
            for dialect in Dialect::ALL {
                assert!(measured.contains(dialect), "{dialect}");
            }
        }
    };
}

conforming! {
    a_vllm: Vllm,
    an_sglang: SgLang,
    a_llamacpp: LlamaCpp,
    an_ollama: Ollama,
    a_tgi: Tgi,
    a_tensorrt_llm: TensorRtLlm,
    an_lmdeploy: LmDeploy,
    a_tabbyapi: TabbyApi,
    an_mlx_lm: MlxLm,
    a_dynamo: Dynamo,
    a_mistralrs: MistralRs,
    a_transformers_serve: Transformers,
    a_plain_openai_server: OpenAi,
}

/// A server that works on one request after the other, and shows no sign of its queue: one request
/// is a number, two are a queue, and what to change is said in the server's own word.
#[tokio::test(start_paused = true)]
async fn one_request_at_a_time() {
    for (dialect, word) in [
        (Dialect::MlxLm, "`--decode-concurrency`"),
        (Dialect::Ollama, "`OLLAMA_NUM_PARALLEL`"),
        (Dialect::LlamaCpp, "`--parallel`"),
        (Dialect::Transformers, "`--continuous-batching`"),
    ] {
        let single = sim(|config| {
            config.dialect = dialect;
            config.engine.max_num_seqs = 1;
        });
        let (_bench, outcome) = measure(single, &settings("0", &[1, 2, 4])).await;
        assert_eq!(outcome.probes.admission_limit, Some(1), "{dialect}");
        assert_eq!(status(&outcome, 0, 1), CellStatus::Valid, "{dialect}");
        assert_eq!(status(&outcome, 0, 2), CellStatus::Queued, "{dialect}");
        let over = status(&outcome, 0, 4);
        assert_eq!(over, CellStatus::OverAdmission, "{dialect}");
        let told = outcome.notes.iter().any(|note| note.text.contains(word));
        assert!(told, "{dialect}: {:?}", outcome.notes);
    }
}

/// Slots that split the context: what is too long for one of them is not run, and `-c` is named.
#[tokio::test(start_paused = true)]
async fn slots_that_are_too_short() {
    let split = sim(|config| {
        config.dialect = Dialect::LlamaCpp;
        config.engine.max_model_len = 4_096;
        config.engine.max_num_seqs = 4;
    });
    let (_bench, outcome) = measure(split, &settings("2k,8k", &[1, 2])).await;
    assert_eq!(status(&outcome, 2_048, 1), CellStatus::Valid);
    assert_eq!(status(&outcome, 8_192, 1), CellStatus::OverLength);
    let hint = outcome
        .notes
        .iter()
        .find(|note| note.code == "hint_longer_context")
        .unwrap();
    assert!(hint.text.contains("`-c`"), "{}", hint.text);
}

/// Ranks are chosen by a field of the body here: every document stays on the rank that has it.
#[tokio::test(start_paused = true)]
async fn sglangs_ranks_are_chosen_by_a_field() {
    let ranks = sim(|config| {
        config.dialect = Dialect::SgLang;
        config.engine.ranks = 2;
    });
    let (bench, outcome) = measure(ranks, &settings("4k", &[4])).await;
    let cell = cell(&outcome, 4_096, 4);
    assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
    assert!(
        cell.warm_fraction.unwrap() > 0.95,
        "{:?}",
        cell.warm_fraction
    );
    let budget = bench.session.server.engine.kv_budget.clone().unwrap();
    assert_eq!(budget.ranks, 2);
}
