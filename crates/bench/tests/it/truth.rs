use tokmark_bench::{Facts, Settings, assemble};
use tokmark_measure::verify;
use tokmark_run_format::{CellStatus, Hardware, RunDocument, Tool};
use tokmark_sim::Truth;
use tokmark_units::{Nanos, Timestamp, float};

use crate::{CHAT, cell, evidence, measure, settings, sim, status};

/// Tokens that the server handed out in a window, by its own record.
fn sent_in(truth: &Truth, start_ns: u64, end_ns: u64) -> u64 {
    truth
        .requests
        .iter()
        .flat_map(|request| &request.emissions)
        .filter(|emission| (start_ns..end_ns).contains(&emission.at.0))
        .map(|emission| u64::from(emission.tokens))
        .sum()
}

#[tokio::test(start_paused = true)]
async fn every_cell_is_exactly_the_truth() {
    let asked = settings("0,2k,8k", &[1, 4, 16]);
    let (bench, outcome) = measure(sim(|_| {}), &asked).await;
    let truth = bench.server.truth();
    assert_eq!(outcome.decode.len(), 9);
    for cell in &outcome.decode {
        let place = (cell.context, cell.requests);
        assert_eq!(
            cell.status,
            CellStatus::Valid,
            "{place:?}: {:?}",
            cell.reason
        );
        let evidence = evidence(&outcome, cell.context, cell.requests);
        let window = evidence.window.unwrap();
        let sent = sent_in(&truth, window.start_ns, window.end_ns);
        assert_eq!(cell.output_tokens, Some(sent), "{place:?}");
        let total = float::from_u64(sent) / 8.0;
        assert!(
            (cell.total_tokens_per_s.unwrap() - total).abs() < 1e-9,
            "{place:?}"
        );
        let sum: u64 = cell.stream_tokens.iter().sum();
        assert_eq!(sum, sent, "the streams' sum is the total at {place:?}");
        assert_eq!(
            cell.average_active_requests,
            Some(f64::from(cell.requests)),
            "{place:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn first_tokens_and_prefill_are_exactly_the_truth() {
    let asked = Settings {
        prefill_contexts: Some(vec![tokmark_units::Context(4_096)]),
        ..settings("0,2k", &[1, 4])
    };
    let (bench, outcome) = measure(sim(|_| {}), &asked).await;
    let truth = bench.server.truth();
    let first_token = |sent_ns: u64| {
        let request = truth.requests.iter().find(|r| r.arrival == Nanos(sent_ns));
        request.unwrap().emissions[0].at.0 - sent_ns
    };
    for row in &outcome.prefill {
        assert!(!row.samples.is_empty(), "{row:?}");
        for sample in &row.samples {
            // The server counts the prompt exactly as long as it was asked for.
            assert_eq!(sample.prompt_tokens, row.context);
        }
    }
    let mut checked = 0;
    for record in &outcome.records {
        if let tokmark_run_format::evidence::Record::Prefill(sample) = record {
            let request = &sample.request;
            assert_eq!(request.ttft_ns(), Some(first_token(request.sent_ns)));
            checked += 1;
        }
    }
    assert!(checked >= 6, "{checked}");
    for (context, requests) in [(0, 1), (2_048, 4)] {
        let evidence = evidence(&outcome, context, requests);
        let first: Vec<_> = evidence.streams.iter().filter(|r| r.attempt == 0).collect();
        assert_eq!(first.len(), usize::try_from(requests).unwrap());
        for request in &first {
            // Several requests arrive in the same moment: they are told apart by their first event.
            let sent_now = truth
                .requests
                .iter()
                .filter(|r| r.arrival.0 == request.sent_ns);
            let mut firsts = sent_now.map(|r| r.emissions[0].at.0);
            assert!(
                firsts.any(|at| at == request.events[0].at_ns),
                "{request:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn prompts_have_the_length_that_was_asked_for() {
    let (_bench, outcome) = measure(sim(|_| {}), &settings("2k,8k", &[1, 4])).await;
    for cell in &outcome.decode {
        assert_eq!(cell.prompt_tokens, Some(cell.context));
    }
}

#[tokio::test(start_paused = true)]
async fn a_prefill_of_200_s_delays_the_window_and_costs_nothing() {
    let slow = sim(|config| {
        // 8K tokens at 25 ms each: 200 s.
        config.engine.cost.prefill = tokmark_sim::model::NanosPerToken(25_000_000.0);
        config.engine.prefix_cache = false;
    });
    let (bench, outcome) = measure(slow, &settings("8k", &[1, 2])).await;
    assert_eq!(outcome.prefix_cache, Some(false));
    for requests in [1, 2] {
        let cell = cell(&outcome, 8_192, requests);
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        let evidence = evidence(&outcome, 8_192, requests);
        let window = evidence.window.unwrap();
        let latest_first = evidence
            .streams
            .iter()
            .map(|r| r.events[0].at_ns)
            .max()
            .unwrap();
        assert!(
            window.start_ns >= latest_first,
            "no window before all decode"
        );
        assert!(latest_first - evidence.launch_ns > Nanos::from_secs(200).0);
        let sent = sent_in(&bench.server.truth(), window.start_ns, window.end_ns);
        assert_eq!(cell.output_tokens, Some(sent));
    }
}

#[tokio::test(start_paused = true)]
async fn the_evidence_gives_the_document_again() {
    let asked = settings("0,2k", &[1, 4]);
    let (bench, outcome) = measure(sim(|_| {}), &asked).await;
    let facts = Facts {
        id: "test".into(),
        tool: Tool::default(),
        started: Timestamp::from_unix_millis(0).unwrap(),
        finished: Timestamp::from_unix_millis(1).unwrap(),
        hardware: Hardware::default(),
        launch_command: None,
        flags: Vec::new(),
        note: None,
        declared: tokmark_bench::Declared::default(),
    };
    let document = assemble::document(&bench.session, &asked, &outcome, facts);
    // Through the files, as `tokmark verify` reads them.
    let text = tokmark_run_format::write_document(&document).unwrap();
    let document: RunDocument = tokmark_run_format::read_document(&text).unwrap();
    let packed = tokmark_bench::output::pack("test", "0.1.0", &outcome.records).unwrap();
    let records = tokmark_run_format::wire::read(packed.as_slice(), 1 << 30).unwrap();
    let differences = verify::run(&document, &records);
    let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{told:#?}");
    let mut forged = document;
    forged.decode[0].total_tokens_per_s = forged.decode[0].total_tokens_per_s.map(|r| r * 1.001);
    assert!(
        !verify::run(&forged, &records).is_empty(),
        "a forged headline is found"
    );
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_measures_the_same() {
    let asked = settings("0", &[1, 4]);
    let (_a, first) = measure(sim(|_| {}), &asked).await;
    let (_b, second) = measure(sim(|_| {}), &asked).await;
    // Requests of one moment may reach the server in any order; what it computes is the same.
    for (a, b) in first.decode.iter().zip(&second.decode) {
        assert_eq!(a.stream_tokens, b.stream_tokens);
        assert_eq!(a.total_tokens_per_s, b.total_tokens_per_s);
        assert_eq!(a.ttft_ms, b.ttft_ms);
    }
    assert_eq!(status(&first, 0, 4), CellStatus::Valid);
    assert_eq!(asked.endpoint, CHAT);
}
