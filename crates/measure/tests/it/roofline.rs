//! Shares of the roofline, each worked by hand; and of the example pages.

use std::fs;
use std::path::PathBuf;

use tokmark_catalog::Catalog;
use tokmark_import::import;
use tokmark_measure::roofline::{Limits, Share, Subject, fill, inputs, kv_bytes_per_token};
use tokmark_run_format::roofline::{
    RooflineArithmetic, RooflineAttention, RooflineMachine, RooflineModel, RooflinePart,
    RooflineRates, RooflineRouting,
};
use tokmark_run_format::{
    CellStatus, DecodeCell, LaunchSettings, PrefillRow, PrefillStatus, Roofline, RooflineBound,
    RunDocument, Tool,
};
use tokmark_units::float;

use crate::build::close;

/// 4 GB of linear layers and 1 GB of head; 32 layers of 8 heads with 128 elements of key and value
/// each: 32 · 8 · 256 · 2 = 131,072 bytes a token in 16 bits.
fn model() -> RooflineModel {
    RooflineModel {
        kv_type: "f16".to_owned(),
        kv_bytes_per_token: 131_072.0,
        dense: RooflinePart {
            parameters: 4e9,
            bytes: 4e9,
            arithmetic: RooflineArithmetic::Fp8,
        },
        head: RooflinePart {
            parameters: 0.5e9,
            bytes: 1e9,
            arithmetic: RooflineArithmetic::Fp16,
        },
        attention: vec![RooflineAttention {
            layers: 32,
            query_heads: 32,
            kv_heads: Some(8),
            key_dim: 128,
            value_dim: 128,
            ..RooflineAttention::default()
        }],
        ..RooflineModel::default()
    }
}

/// 1,000 GB/s, and arithmetic that nobody knows.
fn machine() -> RooflineMachine {
    RooflineMachine {
        name: "card".to_owned(),
        count: 1,
        bandwidth_gb_s: 1_000.0,
        ..RooflineMachine::default()
    }
}

fn run() -> RunDocument {
    let mut run = RunDocument::new("run".to_owned(), Tool::default());
    run.roofline = Some(Roofline {
        machine: Some(machine()),
        model: Some(model()),
        ..Roofline::default()
    });
    run
}

/// Two streams of 10,000 tokens each.
fn cell(rate: f64) -> DecodeCell {
    DecodeCell {
        total_tokens_per_s: Some(rate),
        mean_depth: Some(10_000.0),
        average_active_requests: Some(2.0),
        ..DecodeCell::without_numbers(8_192, 2, CellStatus::Valid, None)
    }
}

fn share(run: &RunDocument, cell: &DecodeCell) -> Option<Share> {
    Limits::of(run)?.decode(cell)
}

fn check(run: &RunDocument, cell: &DecodeCell, seconds: f64, tokens: f64, bound: RooflineBound) {
    let found = share(run, cell).unwrap();
    close(found.tokens_per_s, tokens / seconds);
    close(
        found.share,
        cell.total_tokens_per_s.unwrap() * seconds / tokens,
    );
    assert_eq!(found.bound, bound);
}

/// 5 GB of weights and 2 · 10,000 · 131,072 bytes of cache: 7.62144 ms at 1,000 GB/s.
const STEP_S: f64 = 7.62144e-3;

#[test]
fn a_step_reads_weights_once_and_each_cache() {
    close(kv_bytes_per_token(&model()).unwrap(), 131_072.0);
    // 2 / 7.62144 ms = 262.4 tok/s, of which 131.2 are half.
    check(&run(), &cell(131.2), STEP_S, 2.0, RooflineBound::Memory);
    let half = share(&run(), &cell(131.208_8)).unwrap();
    assert!((half.share - 0.5).abs() < 1e-5, "{half:?}");
}

#[test]
fn accelerators_that_share_layers_read_together() {
    let mut run = run();
    run.roofline
        .as_mut()
        .unwrap()
        .machine
        .as_mut()
        .unwrap()
        .count = 2;
    check(&run, &cell(300.0), STEP_S / 2.0, 2.0, RooflineBound::Memory);
}

#[test]
fn a_shared_document_is_read_once() {
    let mut run = run();
    run.plan.shared_context = true;
    check(&run, &cell(300.0), 6.31072e-3, 2.0, RooflineBound::Memory);
}

#[test]
fn streams_that_wait_do_not_count() {
    let mut queued = cell(131.2);
    queued.requests = 8;
    check(&run(), &queued, STEP_S, 2.0, RooflineBound::Memory);
    // Without the client's count the requests of the cell stand for it.
    queued.average_active_requests = None;
    let seconds = 5e-3 + 8.0 * 1.31072e-3;
    check(&run(), &queued, seconds, 8.0, RooflineBound::Memory);
}

/// Two tokens: 2 · 2 · 4e9 operations of linear layers, 2 · 2 · 0.5e9 of the head, and
/// 2 · 2 · 32 · 32 · 256 · 10,000 of attention: 28.48576e9, at 1 TFLOP/s 28.48576 ms.
#[test]
fn slow_arithmetic_sets_the_limit() {
    let mut run = run();
    let machine = run.roofline.as_mut().unwrap().machine.as_mut().unwrap();
    machine.rates.fp16_tflops = Some(1.0);
    check(&run, &cell(35.0), 28.48576e-3, 2.0, RooflineBound::Compute);
    // The linear layers may use 8-bit floats, and so may attention; the head may not.
    let machine = run.roofline.as_mut().unwrap().machine.as_mut().unwrap();
    machine.rates.fp8_tflops = Some(2.0);
    let seconds = (16e9 + 10.48576e9) / 2e12 + 2e9 / 1e12;
    check(&run, &cell(35.0), seconds, 2.0, RooflineBound::Compute);
}

/// 128 experts of which a token takes 8: two tokens touch 128 · (1 - (15/16)²) = 15.5.
#[test]
fn a_step_reads_the_experts_that_it_needs() {
    let mut run = run();
    let model = run.roofline.as_mut().unwrap().model.as_mut().unwrap();
    model.experts = RooflinePart {
        parameters: 32e9,
        bytes: 16e9,
        arithmetic: RooflineArithmetic::Fp16,
    };
    model.routing = Some(RooflineRouting {
        layers: 32,
        experts: 128,
        per_token: 8,
    });
    let seconds = STEP_S + 16e-3 * 15.5 / 128.0;
    check(&run, &cell(150.0), seconds, 2.0, RooflineBound::Memory);
}

#[test]
fn a_step_of_a_server_that_drafts_gives_what_was_accepted() {
    let mut run = run();
    run.roofline.as_mut().unwrap().draft_tokens = Some(3);
    let mut drafting = cell(500.0);
    // Acceptance is not known: a step counts one token, and the share is above 1.
    check(&run, &drafting, STEP_S, 2.0, RooflineBound::Memory);
    assert!(share(&run, &drafting).unwrap().share > 1.9, "not clipped");
    // Half of three: 2.5 tokens a step and stream, of weights that are read once all the same.
    drafting.speculative_acceptance = Some(0.5);
    check(&run, &drafting, STEP_S, 5.0, RooflineBound::Memory);
    // The longest draft is not known.
    run.roofline.as_mut().unwrap().draft_tokens = None;
    check(&run, &drafting, STEP_S, 2.0, RooflineBound::Memory);
}

/// 1,000 tokens: 2 · 4e9 · 1,000 operations, the head's 1e9 once, and attention's
/// 2 · 32 · 32 · 256 · 1,000² / 2, at 100 TFLOP/s 82.63144 ms.
#[test]
fn a_prompt_is_bound_by_arithmetic() {
    let mut run = run();
    let row = PrefillRow {
        prompt_tokens: Some(1_000),
        prompt_tokens_per_s: Some(6_000.0),
        ..PrefillRow::without_samples(1_024, PrefillStatus::Valid, None)
    };
    // The memory alone limits no prompt.
    assert_eq!(Limits::of(&run).unwrap().prefill(&row), None);
    let machine = run.roofline.as_mut().unwrap().machine.as_mut().unwrap();
    machine.rates = RooflineRates {
        fp16_tflops: Some(100.0),
        ..RooflineRates::default()
    };
    let limits = Limits::of(&run).unwrap();
    let found = limits.prefill(&row).unwrap();
    close(found.tokens_per_s, 1_000.0 / 82.63144e-3);
    close(found.share, 6_000.0 * 82.63144e-6);
    assert_eq!(found.bound, RooflineBound::Compute);
    let cached = PrefillRow {
        status: PrefillStatus::PartlyCached,
        ..row
    };
    assert_eq!(limits.prefill(&cached), None);
}

#[test]
fn without_what_it_needs_there_is_no_share() {
    let none = |change: fn(&mut RunDocument), cell: &DecodeCell| {
        let mut run = run();
        change(&mut run);
        assert_eq!(share(&run, cell), None);
    };
    let whole = cell(100.0);
    none(|run| run.roofline = None, &whole);
    none(|run| run.roofline.as_mut().unwrap().machine = None, &whole);
    none(|run| run.roofline.as_mut().unwrap().model = None, &whole);
    let word = |run: &mut RunDocument, word: &str| {
        let model = run.roofline.as_mut().unwrap().model.as_mut();
        word.clone_into(&mut model.unwrap().kv_type);
    };
    let mut unknown = run();
    word(&mut unknown, "int3_of_somebody");
    assert_eq!(share(&unknown, &whole), None);
    let with = |change: fn(&mut DecodeCell)| {
        let mut changed = cell(100.0);
        change(&mut changed);
        changed
    };
    let nothing: fn(&mut RunDocument) = |_| {};
    none(nothing, &with(|cell| cell.total_tokens_per_s = None));
    none(nothing, &with(|cell| cell.mean_depth = None));
    none(nothing, &with(|cell| cell.mean_depth = Some(-1.0)));
    none(
        nothing,
        &with(|cell| cell.average_active_requests = Some(0.0)),
    );
}

#[test]
fn shares_that_the_inputs_do_not_give_are_taken_out() {
    let mut run = run();
    run.decode.push(cell(131.2));
    fill(&mut run);
    let filled = run.decode[0].clone();
    assert!((filled.roofline_share.unwrap() - 0.5).abs() < 1e-3);
    assert_eq!(filled.roofline_bound, Some(RooflineBound::Memory));
    run.roofline = None;
    fill(&mut run);
    assert_eq!(run.decode[0], cell(131.2));
}

/// The pages' own relation (facts of their harness): a stream wrote for 30 s behind 0.99 of the
/// nominal context, at most 8,192 tokens.
fn depth(cell: &DecodeCell) -> Option<f64> {
    let rate = cell.per_request_tokens_per_s?;
    Some(0.99 * float::from_u64(cell.context) + 8_192.0_f64.min(30.0 * rate) / 2.0)
}

fn example_pages() -> Vec<RunDocument> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/seeds");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: the example pages are not here");
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort();
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    paths
        .iter()
        .flat_map(|path| import(&text(path)).unwrap())
        .collect()
}

/// A page's run with shares by the catalogue's figures.
fn with_shares(mut run: RunDocument, catalog: &Catalog) -> RunDocument {
    let launch = LaunchSettings {
        server: Some("vllm".to_owned()),
        ..LaunchSettings::default()
    };
    let subject = Subject {
        hardware: &run.hardware,
        engine: &run.engine,
        model: &run.model,
        launch: Some(&launch),
        files: None,
    };
    let roofline = inputs(&subject, catalog);
    assert_eq!(roofline.unknown, [], "{}", run.model.name);
    let machine = roofline.machine.as_ref().unwrap();
    assert_eq!(machine.name, "NVIDIA RTX 3090");
    close(machine.bandwidth_gb_s, 936.2);
    run.roofline = Some(roofline);
    for cell in &mut run.decode {
        cell.mean_depth = depth(cell);
    }
    for row in &mut run.prefill {
        row.prompt_tokens = Some(row.context);
    }
    fill(&mut run);
    run
}

/// Three pages of one 3090: no share is above 1, though their requests read one cached prompt
/// together, which the limit does not count; and every figure has one.
#[test]
fn shares_of_the_example_pages_are_plausible() {
    let catalog = Catalog::bundled().unwrap();
    for run in example_pages() {
        let run = with_shares(run, &catalog);
        let name = run.model.name.to_lowercase();
        for cell in &run.decode {
            let place = (&name, cell.context, cell.requests);
            let share = cell.roofline_share;
            assert_eq!(
                share.is_some(),
                cell.total_tokens_per_s.is_some(),
                "{place:?}"
            );
            let plausible = share.is_none_or(|share| (0.1..1.0).contains(&share));
            assert!(plausible, "{place:?}: {share:?}");
            assert_ne!(
                cell.roofline_bound,
                Some(RooflineBound::Compute),
                "{place:?}"
            );
        }
        for row in &run.prefill {
            let share = row.roofline_share.unwrap();
            assert!(
                (0.05..1.0).contains(&share),
                "{name} {}: {share}",
                row.context
            );
            assert_eq!(row.roofline_bound, Some(RooflineBound::Compute));
        }
        // The apparent efficiency of one request, published for the dense model with all of its time
        // charged to its weights, and for the 30B mixture.
        let expect = if name.contains("deepseek") {
            0.72
        } else if name.contains("coder") {
            0.29
        } else {
            continue;
        };
        let share = run.cell(0, 1).and_then(|cell| cell.roofline_share);
        assert!((share.unwrap() - expect).abs() < 0.03, "{name}: {share:?}");
    }
}
