//! How thorough a run is, and what it keeps when time is short.

use std::time::Duration;

use tokmark_bench::{Progress, Settings};
use tokmark_measure::verify;
use tokmark_run_format::plan::Profile;
use tokmark_run_format::{CellStatus, DecodeCell, Tool};
use tokmark_test_kit::SimBench;
use tokmark_units::Context;

use crate::{CHAT, cell, measure, settings, sim, status};

#[tokio::test(start_paused = true)]
async fn a_thorough_run_measures_each_cell_three_times() {
    let asked = Settings {
        profile: Profile::Rigorous,
        window: Duration::from_secs(3),
        ..settings("0,2k", &[1, 3])
    };
    let (_, outcome) = measure(sim(|_| {}), &asked).await;
    let order: Vec<(u64, u32, u32)> = outcome
        .records
        .iter()
        .filter_map(|record| match record {
            tokmark_run_format::evidence::Record::Cell(cell) => {
                Some((cell.context, cell.requests, cell.pass))
            }
            _ => None,
        })
        .collect();
    // Up, down, up inside each row.
    let row = |context| {
        let places = [(1, 0), (3, 0), (3, 1), (1, 1), (1, 2), (3, 2)];
        places.map(|(requests, pass)| (context, requests, pass))
    };
    assert_eq!(order, [row(0), row(2_048)].concat());
    for cell in &outcome.decode {
        assert_eq!(cell.status, CellStatus::Valid);
        assert_eq!(cell.passes.len(), 3);
        let mut totals: Vec<f64> = cell
            .passes
            .iter()
            .map(|pass| pass.total_tokens_per_s.unwrap())
            .collect();
        let (first, last) = (totals[0], totals[2]);
        totals.sort_by(f64::total_cmp);
        assert_eq!(cell.total_tokens_per_s, Some(totals[1]));
        let spread = (totals[2] - totals[0]) / totals[1];
        assert!((cell.passes_spread.unwrap() - spread).abs() < 1e-12);
        assert!((cell.passes_drift.unwrap() - (last - first) / totals[1]).abs() < 1e-12);
    }
    let mut document = tokmark_run_format::RunDocument::new("test".into(), Tool::default());
    document.decode.clone_from(&outcome.decode);
    let of_cells = |found: &verify::Difference| found.path.starts_with("decode/0/1/");
    let found = verify::run(&document, &outcome.records);
    assert!(!found.iter().any(of_cells), "{found:?}");
    document.decode[0].passes[1].total_tokens_per_s = Some(1.0);
    let found = verify::run(&document, &outcome.records);
    assert!(
        found.iter().any(of_cells),
        "a forged pass is found: {found:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_quick_window_ends_when_its_rate_is_known() {
    let measured = |cell: &DecodeCell| cell.measured_s.unwrap();
    let asked = Settings {
        profile: Profile::Quick,
        window: Duration::from_secs(30),
        ..settings("0", &[1, 4])
    };
    let (_, outcome) = measure(sim(|_| {}), &asked).await;
    for requests in [1, 4] {
        let cell = cell(&outcome, 0, requests);
        assert_eq!(cell.status, CellStatus::Valid);
        assert!((measured(cell) - 10.0).abs() < 1e-9, "{}", measured(cell));
        let half = (cell.ci95_high.unwrap() - cell.ci95_low.unwrap()) / 2.0;
        assert!(half <= 0.02 * cell.total_tokens_per_s.unwrap());
    }
    // Steps that take between nothing and twice their time: not known to 2 % after 20 s.
    let noisy = sim(|config| config.engine.jitter = 0.99);
    let (_, outcome) = measure(noisy, &asked).await;
    assert!((measured(cell(&outcome, 0, 1)) - 30.0).abs() < 1e-9);
    let standard = Settings {
        profile: Profile::Standard,
        ..asked
    };
    let (_, outcome) = measure(sim(|_| {}), &standard).await;
    assert!((measured(cell(&outcome, 0, 1)) - 30.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn when_time_is_short_the_most_wanted_cells_are_kept() {
    let at_most = |seconds| Settings {
        max_time: Some(Duration::from_secs(seconds)),
        ..settings("0,2k,8k", &[1, 4, 16])
    };
    let kept = async |seconds| {
        let asked = at_most(seconds);
        let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
        let (outcome, _) = bench.measure(&asked).await.unwrap();
        let took = bench.session.clock.now().as_secs_f64();
        let valid = outcome
            .decode
            .iter()
            .filter(|c| c.status == CellStatus::Valid);
        let places: Vec<(u64, u32)> = valid.map(|c| (c.context, c.requests)).collect();
        for cell in &outcome.decode {
            let left_out = cell.status == CellStatus::NotPlanned;
            assert!(left_out || cell.status == CellStatus::Valid, "{cell:?}");
            let says_why = cell
                .reason
                .as_deref()
                .unwrap_or_default()
                .contains("do not fit");
            assert_eq!(left_out, says_why, "{:?}", cell.reason);
        }
        (places, took)
    };
    let (places, took) = kept(48).await;
    assert_eq!(
        places,
        [(0, 1), (2_048, 1), (8_192, 1)],
        "one request at each context"
    );
    assert!(took <= 48.0, "{took}");
    let (places, took) = kept(75).await;
    assert!(
        places.contains(&(0, 4)) && places.contains(&(0, 16)),
        "{places:?}"
    );
    assert!(
        places.contains(&(2_048, 1)) && places.contains(&(8_192, 1)),
        "{places:?}"
    );
    assert!(took <= 77.0, "{took}");
    let (places, _) = kept(600).await;
    assert_eq!(places.len(), 9);
}

#[tokio::test(start_paused = true)]
async fn the_time_left_is_known_after_a_third_of_the_run() {
    let asked = Settings {
        prefill_contexts: None,
        contexts: Some(tokmark_units::parse_context_list("0,4k,16k").unwrap()),
        window: Duration::from_secs(6),
        ..settings("0", &[1, 2, 4])
    };
    for profile in [Profile::Standard, Profile::Quick, Profile::Rigorous] {
        let asked = Settings {
            profile,
            ..asked.clone()
        };
        let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
        let (listener, mut events) = tokio::sync::mpsc::unbounded_channel();
        let clock = bench.session.clock;
        let watching = tokio::spawn(async move {
            let mut told = Vec::new();
            while let Some(event) = events.recv().await {
                if let Progress::Left { left, .. } = event {
                    told.push((clock.now().as_secs_f64(), left.as_secs_f64()));
                }
            }
            told
        });
        let mut keep = tokmark_bench::InMemory::default();
        let stop = tokio_util::sync::CancellationToken::new();
        let run = tokmark_bench::Run::new(&bench.session, &asked, "t", &mut keep, &listener, &stop);
        run.measure().await.unwrap();
        let end = clock.now().as_secs_f64();
        drop(listener);
        let told = watching.await.unwrap();
        let late = told
            .iter()
            .filter(|(at, _)| *at >= end / 3.0 && *at < end * 0.95);
        let mut looked = 0;
        for (at, left) in late {
            let truth = end - at;
            assert!(
                (left - truth).abs() <= 0.2 * truth,
                "{profile:?} at {at:.0} of {end:.0} s: {left:.0} s told, {truth:.0} s true"
            );
            looked += 1;
        }
        assert!(looked >= 5, "{looked}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cell_that_failed_is_not_passed_over_again() {
    let asked = Settings {
        profile: Profile::Rigorous,
        window: Duration::from_secs(2),
        contexts: Some(tokmark_units::parse_context_list("0,64k").unwrap()),
        prefill_contexts: Some(vec![Context(2_048)]),
        ..settings("0", &[1])
    };
    let (_, outcome) = measure(sim(|_| {}), &asked).await;
    assert_eq!(status(&outcome, 65_536, 1), CellStatus::OverLength);
    assert!(cell(&outcome, 65_536, 1).passes.is_empty());
    assert_eq!(cell(&outcome, 0, 1).passes.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_plan_tells_what_will_run_and_how_long_it_takes() {
    let asked = Settings {
        prefill_contexts: None,
        ..settings("0,4k,64k", &[1, 4, 64])
    };
    let bench = SimBench::start(sim(|_| {}), CHAT).await.unwrap();
    let before = bench.server.truth().requests.len();
    let plan = tokmark_bench::forecast(&bench.session, &asked);
    assert_eq!(
        bench.server.truth().requests.len(),
        before,
        "nothing is sent"
    );
    let began = bench.session.clock.now();
    let (outcome, _) = bench.measure(&asked).await.unwrap();
    let took = bench
        .session
        .clock
        .now()
        .saturating_sub(began)
        .as_secs_f64();
    for (planned, cell) in plan.cells.iter().zip(&outcome.decode) {
        assert_eq!(
            (planned.context, planned.requests),
            (cell.context, cell.requests)
        );
        let left_out = planned.left_out.as_ref().map(|gone| gone.status);
        let expect = (cell.status != CellStatus::Valid).then_some(cell.status);
        assert_eq!(left_out, expect, "{} x {}", cell.context, cell.requests);
    }
    assert_eq!(plan.running(), 5);
    assert_eq!(plan.documents, [(4_096, 4)]);
    let total = plan.total.as_secs_f64();
    assert!(
        (total - took).abs() < 0.25 * took,
        "{total} s told, {took} s true"
    );
    let thrice = Settings {
        profile: Profile::Rigorous,
        ..asked.clone()
    };
    let windows = |settings| tokmark_bench::forecast(&bench.session, settings).windows.0;
    assert_eq!(windows(&thrice), 3 * windows(&asked));
    let short = Settings {
        max_time: Some(Duration::from_secs(40)),
        ..asked
    };
    let plan = tokmark_bench::forecast(&bench.session, &short);
    let kept = plan.cells.iter().filter(|cell| cell.left_out.is_none());
    let kept: Vec<(u64, u32)> = kept.map(|cell| (cell.context, cell.requests)).collect();
    assert_eq!(kept, [(0, 1), (0, 4), (4_096, 1)]);
    assert!(plan.total.as_secs_f64() <= 40.0);
}
