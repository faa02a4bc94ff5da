//! Documents against their evidence: methodology section 8.

use serde_json::Value;
use tokmark_measure::verify::{Difference, run};
use tokmark_measure::{cell, prefill, roofline};
use tokmark_run_format::evidence::{
    CellEvidence, Event, Header, NotRun, PrefillEvidence, ProbeEvidence, Record, RequestEvidence,
    Scrape,
};
use tokmark_run_format::plan::{Plan, PrefillMode};
use tokmark_run_format::roofline::{RooflineMachine, RooflineModel, RooflinePart, RooflineRates};
use tokmark_run_format::{
    CellStatus, DecodeCell, DeviceKind, DeviceSample, DeviceSeries, PrefillRow, PrefillStatus,
    Roofline, RunDocument, Telemetry, Tool, read_document, wire, write_document,
};

use crate::build::*;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A card that draws the same all the time, read every 20 ms.
fn card(watts: u32, to_ns: u64) -> Telemetry {
    let mut series = DeviceSeries::new(DeviceKind::Accelerator, 0, "card".to_owned(), "nvml");
    for at_ns in (0..=to_ns).step_by(20_000_000) {
        series.push(&DeviceSample {
            at_ns,
            power_mw: Some(watts * 1_000),
            ..DeviceSample::default()
        });
    }
    Telemetry {
        period_ns: 20 * MS,
        devices: vec![series],
        unknown: Vec::new(),
    }
}

fn cells() -> Vec<CellEvidence> {
    let mut counted = steady(2);
    counted.telemetry = Some(card(300, WINDOW.end_ns));
    counted.idle_power_w = Some(60.0);
    counted.scrapes = scrapes(|second| Scrape {
        running: Some(2.0),
        output_tokens: Some(tokmark_units::float::from_u64(second * 100)),
        ..Scrape::default()
    });
    let left_out = CellEvidence {
        context: 1_024,
        requests: 4,
        not_run: Some(NotRun {
            status: CellStatus::OverCapacity,
            reason: "needs too much".to_owned(),
            need_tokens: Some(9_000),
            budget_tokens: Some(8_000),
            admission_limit: None,
        }),
        ..CellEvidence::default()
    };
    vec![counted, left_out]
}

fn samples() -> Vec<PrefillEvidence> {
    let sample = |ttft_ms: u64| PrefillEvidence {
        context: 1_024,
        request: RequestEvidence {
            prompt_tokens: Some(1_030),
            cached_tokens: Some(0),
            events: vec![Event {
                at_ns: ttft_ms * MS,
                tokens: Some(1),
            }],
            ..RequestEvidence::default()
        },
        telemetry: Some(card(250, S)),
        ..PrefillEvidence::default()
    };
    [300, 310, 330].map(sample).to_vec()
}

fn probes() -> ProbeEvidence {
    ProbeEvidence {
        fixed_ttft_ns: Some(33_333_333),
        admission_limit: Some(3),
        admission: vec![(2, 2), (4, 3)],
        idle: Some(card(60, 3 * S)),
        ..ProbeEvidence::default()
    }
}

/// A document with its records, both as they come back from disk.
fn measured() -> (RunDocument, Vec<Record>) {
    let tool = Tool {
        name: "tokmark".to_owned(),
        version: Some(VERSION.to_owned()),
    };
    let mut document = RunDocument::new("run".to_owned(), tool);
    document.plan = Plan {
        contexts: vec![1_024],
        requests: vec![2, 4],
        prefill_contexts: vec![1_024, 1 << 20],
        ..Plan::default()
    };
    document.fixed_ttft_ms = Some(33.333_333);
    document.admission_limit = Some(3);
    document.prefill = prefill::rows(&[1_024], &samples(), &probes());
    let too_long = Some("too long".to_owned());
    let left_out = PrefillRow::without_samples(1 << 20, PrefillStatus::OverLength, too_long);
    document.prefill.push(left_out);
    document.decode = cells().iter().map(cell::evaluate).collect();

    let mut writer = wire::Writer::start(Vec::new(), "run", VERSION).unwrap();
    writer.append(&Record::Probes(probes())).unwrap();
    for sample in samples() {
        writer.append(&Record::Prefill(Box::new(sample))).unwrap();
    }
    // An earlier try at the first cell, which the later record replaces.
    writer
        .append(&Record::Cell(Box::new(CellEvidence {
            window: None,
            ..steady(2)
        })))
        .unwrap();
    for cell in cells() {
        writer.append(&Record::Cell(Box::new(cell))).unwrap();
    }
    let file = writer.finish().unwrap();
    let records = wire::read(file.as_slice(), 1 << 24).unwrap();
    (
        read_document(&write_document(&document).unwrap()).unwrap(),
        records,
    )
}

fn paths(differences: &[Difference]) -> Vec<&str> {
    differences
        .iter()
        .map(|difference| difference.path.as_str())
        .collect()
}

#[test]
fn a_run_agrees_with_its_own_evidence() {
    let (document, records) = measured();
    assert_eq!(run(&document, &records), []);
}

fn check(change: &dyn Fn(&mut RunDocument), expect: &[&str]) {
    let (mut document, records) = measured();
    change(&mut document);
    assert_eq!(paths(&run(&document, &records)), expect);
}

#[test]
fn every_doctored_energy_is_found() {
    check(
        &|run| {
            let energy = run.prefill[0].energy.as_mut().unwrap();
            energy.joules_per_prompt_token = Some(0.001);
        },
        &["prefill/1024/energy/joules_per_prompt_token"],
    );
    check(
        &|run| run.prefill[0].energy = None,
        &["prefill/1024/energy"],
    );
    check(
        &|run| run.decode[0].energy.as_mut().unwrap().idle_power_w = None,
        &["decode/1024/2/energy/idle_power_w"],
    );
}

#[test]
fn every_doctored_figure_is_found() {
    check(
        &|run| run.decode[0].total_tokens_per_s = Some(101.0),
        &[
            "decode/1024/2/total_tokens_per_s",
            "decode/1024/2/total_tokens_per_s x measured_s",
        ],
    );
    check(
        &|run| run.decode[0].ttft_ms = None,
        &["decode/1024/2/ttft_ms"],
    );
    check(
        &|run| run.decode[0].status = CellStatus::Queued,
        &["decode/1024/2/status"],
    );
    check(
        &|run| run.decode[0].reason = Some("so".to_owned()),
        &["decode/1024/2/reason"],
    );
    check(
        &|run| run.decode[0].stream_tokens[1] += 1,
        &[
            "decode/1024/2/stream_tokens/1",
            "decode/1024/2/sum of stream_tokens",
        ],
    );
    check(
        &|run| run.decode[0].gaps.as_mut().unwrap().p99_ms *= 0.9,
        &["decode/1024/2/gaps/p99_ms"],
    );
    check(
        &|run| run.decode[1].budget_tokens = Some(1),
        &["decode/1024/4/budget_tokens"],
    );
    check(
        &|run| run.prefill[0].ttft_ms = Some(1.0),
        &["prefill/1024/ttft_ms"],
    );
    check(
        &|run| run.decode[0].stream_tokens.push(0),
        &["decode/1024/2/stream_tokens"],
    );
    check(
        &|run| run.prefill[1].status = PrefillStatus::Valid,
        &[
            "prefill/1048576/status",
            "prefill/1048576/reason",
            "prefill/1048576/fixed_ttft_ms",
        ],
    );
    check(
        &|run| run.prefill[1].ttft_ms = Some(1.0),
        &["prefill/1048576/ttft_ms"],
    );
    check(&|run| run.fixed_ttft_ms = Some(20.0), &["fixed_ttft_ms"]);
    check(&|run| run.admission_limit = None, &["admission_limit"]);
    check(&|run| run.id = "another".to_owned(), &["id"]);
    // The last digits of a float are no difference.
    check(
        &|run| *run.decode[0].total_tokens_per_s.as_mut().unwrap() *= 1.0 + 1e-12,
        &[],
    );
}

#[test]
fn missing_and_repeated_cells_are_found() {
    let (mut document, records) = measured();
    let gone = document.decode.remove(1);
    let found = run(&document, &records);
    assert_eq!(paths(&found), ["decode/1024/4", "decode/1024/4"]);
    assert_eq!(found[0].evidence, Value::from("a measured cell"));
    assert_eq!(found[1].evidence, Value::from("a planned cell"));

    document.decode.extend([gone.clone(), gone]);
    assert_eq!(paths(&run(&document, &records)), ["decode/1024/4"]);

    let (mut document, mut records) = measured();
    records.retain(|record| !matches!(record, Record::Cell(cell) if cell.requests == 2));
    let found = run(&document, &records);
    assert_eq!(paths(&found), ["decode/1024/2"]);
    assert_eq!(found[0].evidence, Value::Null);

    document.prefill.pop();
    assert!(paths(&run(&document, &records)).contains(&"prefill/1048576"));
    document.plan.prefill = PrefillMode::Off;
    assert!(!paths(&run(&document, &records)).contains(&"prefill/1048576"));
}

#[test]
fn the_admission_limit_is_what_its_probe_saw() {
    let (document, mut records) = measured();
    for record in &mut records {
        if let Record::Probes(probes) = record {
            probes.admission = vec![(2, 2), (4, 4)];
        }
    }
    assert_eq!(
        paths(&run(&document, &records)),
        ["evidence/admission_limit"]
    );
}

/// What was drawn at rest is read once, before the run: no cell may bring its own.
#[test]
fn power_at_rest_is_what_was_read_before_the_run() {
    let (mut document, mut records) = measured();
    for record in &mut records {
        if let Record::Cell(cell) = record {
            cell.idle_power_w = cell.idle_power_w.map(|_| 200.0);
        }
    }
    document.decode[0].energy.as_mut().unwrap().idle_power_w = Some(200.0);
    assert_eq!(
        paths(&run(&document, &records)),
        ["evidence/decode/1024/2/idle_power_w"]
    );
}

/// Another version may word its sentences in another way; figures are compared all the same.
#[test]
fn sentences_are_compared_within_one_version_only() {
    let (mut document, mut records) = measured();
    document.decode[1].reason = Some("worded in another way".to_owned());
    document.decode[0].ttft_ms = Some(1.0);
    assert_eq!(
        paths(&run(&document, &records)),
        ["decode/1024/2/ttft_ms", "decode/1024/4/reason"]
    );
    records[0] = Record::Header(Header {
        tool_version: "0.0.1".to_owned(),
        ..match &records[0] {
            Record::Header(header) => header.clone(),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(paths(&run(&document, &records)), ["decode/1024/2/ttft_ms"]);
}

/// Invented figures: impossible ones, and possible ones that the requests do not give.
#[test]
fn b109_figures_that_do_not_follow_are_found() {
    let check = |change: &dyn Fn(&mut DecodeCell), field: &str| {
        let (mut document, records) = measured();
        change(&mut document.decode[0]);
        let found = run(&document, &records);
        let path = format!("decode/1024/2/{field}");
        assert!(paths(&found).contains(&path.as_str()), "{field}: {found:?}");
    };
    check(
        &|cell| cell.total_tokens_per_s = Some(1e9),
        "total_tokens_per_s",
    );
    check(&|cell| cell.ttft_ms = Some(-5.0), "ttft_ms");
    check(&|cell| cell.ttft_ms = Some(0.0), "ttft_ms");
    check(
        &|cell| cell.completed_requests = Some(10),
        "completed_requests",
    );
    check(
        &|cell| cell.average_active_requests = Some(3.0),
        "average_active_requests",
    );
    // An aggregate that agrees with itself, but not with the events.
    let doubled = |cell: &mut DecodeCell| {
        cell.total_tokens_per_s = cell.total_tokens_per_s.map(|rate| 2.0 * rate);
        cell.output_tokens = cell.output_tokens.map(|tokens| 2 * tokens);
        cell.stream_tokens
            .iter_mut()
            .for_each(|tokens| *tokens *= 2);
    };
    check(&doubled, "total_tokens_per_s");
    check(&doubled, "stream_tokens/1");
}

#[test]
fn a_difference_reads_as_a_sentence() {
    let (mut document, records) = measured();
    document.decode[0].output_tokens = None;
    let found = run(&document, &records);
    assert_eq!(
        found[0].to_string(),
        "decode/1024/2/output_tokens: the document has null, the evidence gives 3000"
    );
}

/// The document with machine and model, and its shares.
fn with_roofline() -> (RunDocument, Vec<Record>) {
    let (mut document, records) = measured();
    document.roofline = Some(Roofline {
        machine: Some(RooflineMachine {
            name: "card".to_owned(),
            count: 1,
            bandwidth_gb_s: 900.0,
            rates: RooflineRates {
                fp16_tflops: Some(70.0),
                ..RooflineRates::default()
            },
            ..RooflineMachine::default()
        }),
        model: Some(RooflineModel {
            kv_type: "f16".to_owned(),
            dense: RooflinePart {
                parameters: 1e9,
                bytes: 1e9,
                ..RooflinePart::default()
            },
            ..RooflineModel::default()
        }),
        ..Roofline::default()
    });
    roofline::fill(&mut document);
    let text = write_document(&document).unwrap();
    (read_document(&text).unwrap(), records)
}

#[test]
fn shares_of_the_roofline_are_computed_again() {
    let (document, records) = with_roofline();
    assert!(document.decode[0].roofline_share.is_some());
    assert!(document.prefill[0].roofline_share.is_some());
    assert_eq!(run(&document, &records), []);
    let check = |change: &dyn Fn(&mut RunDocument), expect: &[&str]| {
        let mut forged = document.clone();
        change(&mut forged);
        assert_eq!(paths(&run(&forged, &records)), expect);
    };
    check(
        &|run| run.decode[0].roofline_share = Some(0.99),
        &["decode/1024/2/roofline_share"],
    );
    check(
        &|run| run.prefill[0].roofline_share = None,
        &["prefill/1024/roofline_share"],
    );
    // A share in a cell that was not run.
    check(
        &|run| run.decode[1].roofline_share = Some(0.5),
        &["decode/1024/4/roofline_share"],
    );
    // Other inputs give other shares.
    let machine = |run: &mut RunDocument, gb_s: f64| {
        let roofline = run.roofline.as_mut().unwrap();
        roofline.machine.as_mut().unwrap().bandwidth_gb_s = gb_s;
    };
    check(
        &|run| machine(run, 450.0),
        &[
            "decode/1024/2/roofline_tokens_per_s",
            "decode/1024/2/roofline_share",
        ],
    );
    check(
        &|run| {
            let roofline = run.roofline.as_mut().unwrap();
            roofline.model.as_mut().unwrap().kv_bytes_per_token = 1.0;
        },
        &["roofline/model/kv_bytes_per_token"],
    );
    // Inputs that cannot be give no shares at all.
    let impossible = |run: &mut RunDocument| machine(run, -1.0);
    let mut forged = document.clone();
    impossible(&mut forged);
    let found = run(&forged, &records);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.iter().all(|it| it.evidence.is_null()));
}
