//! A whole simulated run beside the roofline of the machine and model that it stands for.

use tokmark_bench::{Declared, Facts, Outcome, Settings, assemble};
use tokmark_catalog::Catalog;
use tokmark_measure::roofline::{Subject, fill, inputs};
use tokmark_measure::verify;
use tokmark_run_format::{
    Accelerator, AcceleratorBandwidth, CellStatus, FigureSource, Hardware, MachineClass,
    MeasuredBandwidth, RooflineBound, RunDocument, Tool,
};
use tokmark_sim::Preset;
use tokmark_test_kit::SimBench;
use tokmark_units::{Context, Timestamp};

use crate::{measure, settings};

fn card() -> Hardware {
    Hardware {
        class: MachineClass::DiscreteGpu,
        name: Some("RTX 3090 24GB".to_owned()),
        accelerators: vec![Accelerator {
            name: "NVIDIA RTX 3090".to_owned(),
            count: 1,
            memory_bytes: Some(24 << 30),
            ..Accelerator::default()
        }],
        ..Hardware::default()
    }
}

/// The document with its shares, as it comes back from disk.
fn document(
    bench: &SimBench,
    asked: &Settings,
    outcome: &Outcome,
    hardware: Hardware,
) -> RunDocument {
    let facts = Facts {
        id: "test".into(),
        tool: Tool::default(),
        started: Timestamp::from_unix_millis(0).unwrap(),
        finished: Timestamp::from_unix_millis(1).unwrap(),
        hardware,
        launch_command: None,
        flags: Vec::new(),
        note: None,
        declared: Declared::default(),
    };
    let mut run = assemble::document(&bench.session, asked, outcome, facts);
    let subject = Subject {
        hardware: &run.hardware,
        engine: &run.engine,
        model: &run.model,
        launch: None,
        files: None,
    };
    run.roofline = Some(inputs(&subject, &Catalog::bundled().unwrap()));
    fill(&mut run);
    let text = tokmark_run_format::write_document(&run).unwrap();
    tokmark_run_format::read_document(&text).unwrap()
}

fn is_what_its_evidence_gives(run: &RunDocument, outcome: &Outcome) {
    let packed = tokmark_bench::output::pack("test", "0.1.0", &outcome.records).unwrap();
    let records = tokmark_run_format::wire::read(packed.as_slice(), 1 << 30).unwrap();
    let told: Vec<String> = verify::run(run, &records)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(told.is_empty(), "{told:#?}");
}

/// The preset's costs were fitted to a real 3090 with this model, so that its shares are those of a
/// real server: weights of 8.42 GB, and 196,608 bytes of cache a token.
#[tokio::test(start_paused = true)]
async fn shares_of_a_14b_model_on_a_3090() {
    let asked = Settings {
        prefill_contexts: Some(vec![Context(8_192)]),
        ..settings("0,8k,32k", &[1, 4])
    };
    let (bench, outcome) = measure(Preset::DeepseekR1Distill.config(), &asked).await;
    let run = document(&bench, &asked, &outcome, card());
    let roofline = run.roofline.as_ref().unwrap();
    assert_eq!(roofline.unknown, []);
    let model = roofline.model.as_ref().unwrap();
    assert_eq!(model.name, "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B");
    let weights = model.dense.bytes + model.head.bytes;
    assert!((weights / 1e9 - 8.42).abs() < 0.01, "{weights}");
    let mut shares = Vec::new();
    for cell in run
        .decode
        .iter()
        .filter(|cell| cell.status == CellStatus::Valid)
    {
        let streams = f64::from(cell.requests);
        let bytes = weights + streams * cell.mean_depth.unwrap() * 196_608.0;
        let limit = streams * 936.2e9 / bytes;
        let found = cell.roofline_tokens_per_s.unwrap();
        assert!((found / limit - 1.0).abs() < 1e-6, "{found} is not {limit}");
        let share = cell.roofline_share.unwrap();
        assert!((share - cell.total_tokens_per_s.unwrap() / limit).abs() < 1e-6);
        assert!((0.65..0.9).contains(&share), "{share}");
        assert_eq!(cell.roofline_bound, Some(RooflineBound::Memory));
        shares.push(share);
    }
    assert_eq!(shares.len(), 5, "32K x 4 does not fit");
    let row = &run.prefill[0];
    assert_eq!(row.roofline_bound, Some(RooflineBound::Compute));
    assert!((0.2..0.5).contains(&row.roofline_share.unwrap()), "{row:?}");
    is_what_its_evidence_gives(&run, &outcome);

    // The same run where the card was measured: the same step, a lower limit.
    let mut measured = card();
    measured.measured_bandwidth = Some(MeasuredBandwidth {
        accelerators: vec![AcceleratorBandwidth {
            name: "NVIDIA RTX 3090".to_owned(),
            copy_gb_s: Some(842.58),
            ..AcceleratorBandwidth::default()
        }],
        ..MeasuredBandwidth::default()
    });
    let own = document(&bench, &asked, &outcome, measured);
    let machine = own.roofline.as_ref().unwrap().machine.as_ref().unwrap();
    assert_eq!(machine.bandwidth_source, FigureSource::Measured);
    let of_own = own.decode.iter().filter_map(|cell| cell.roofline_share);
    for (own, catalogue) in of_own.zip(&shares) {
        assert!((own * 0.9 - catalogue).abs() < 1e-9, "{own} {catalogue}");
    }
    is_what_its_evidence_gives(&own, &outcome);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_known_leaves_the_figures_without_shares() {
    let asked = settings("0", &[1, 2]);
    let (bench, outcome) = measure(Preset::Small.config(), &asked).await;
    let run = document(&bench, &asked, &outcome, Hardware::default());
    let roofline = run.roofline.as_ref().unwrap();
    let unknown: Vec<&str> = roofline.unknown.iter().map(|it| it.fact.as_str()).collect();
    assert_eq!(unknown, ["model", "machine"]);
    let model = &roofline.unknown[0].reason;
    assert!(model.contains("is not in the catalogue"), "{model}");
    for cell in &run.decode {
        assert!(cell.total_tokens_per_s.is_some());
        assert_eq!(
            (cell.roofline_share, cell.roofline_tokens_per_s),
            (None, None)
        );
    }
    is_what_its_evidence_gives(&run, &outcome);
}
