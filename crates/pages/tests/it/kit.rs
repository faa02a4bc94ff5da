//! A run with a value in every field, and a way to read tables out of a page.

use tokmark_pages::TableOptions;
use tokmark_run_format::cell::{FailureCount, Gaps, LaunchTtft, Sources};
use tokmark_run_format::prefill::{CacheState, PrefillSample, SampleRole};
use tokmark_run_format::roofline::{RooflineMachine, RooflineModel, RooflinePart};
use tokmark_run_format::{
    Accelerator, CellStatus, DecodeCell, Energy, FigureSource, Hardware, MachineClass, Note,
    PrefillRow, PrefillStatus, Roofline, RooflineBound, RunDocument, TokenBudget, Tool, Trust,
};
use tokmark_units::float;

pub(crate) const CONTEXTS: [u64; 4] = [0, 8_192, 16_384, 32_768];
pub(crate) const REQUESTS: [u32; 5] = [1, 2, 4, 8, 16];

/// A machine of which everything is known.
fn rig(mark: &str) -> Hardware {
    let text = |text: &str| format!("{mark}{text}");
    Hardware {
        class: MachineClass::DiscreteGpu,
        name: Some(text("Rig 2x16GB")),
        accelerators: vec![Accelerator {
            name: text("Rig 16"),
            count: 2,
            memory_bytes: Some(16 << 30),
            memory_text: None,
            ..Accelerator::default()
        }],
        cpu: Some(text("Some CPU")),
        cpu_cores: Some(12),
        memory_bytes: Some(64 << 30),
        os: Some(text("Some OS 24")),
        driver: Some(text("driver 600.1")),
        source: Some(text("detected")),
        ..Hardware::default()
    }
}

/// A run with a value in every field that a page shows. Every text begins with `mark`.
pub(crate) fn full_run(mark: &str) -> RunDocument {
    let text = |text: &str| format!("{mark}{text}");
    let tool = Tool {
        name: text("tokmark"),
        version: Some(text("0.1.0")),
    };
    let mut run = RunDocument::new(text("01full"), tool);
    run.trust = Trust::Measured;
    run.complete = true;
    run.started_at = Some("2026-11-30T08:15:00Z".to_owned());
    run.finished_at = Some(text("2026-11-30T08:55:00Z"));
    run.submitted_by = Some(text("@submitter"));
    run.hardware = rig(mark);
    run.engine.name = text("vllm");
    run.engine.version = Some(text("0.33.0"));
    run.engine.build = Some(text("image:tag"));
    run.engine.backend = Some(text("cuda"));
    run.engine.quantization = Some(text("AWQ 4-bit"));
    run.engine.kv_type = Some(text("fp8"));
    run.engine.max_length = Some(40_960);
    run.engine.max_sequences = Some(64);
    run.engine.prefix_cache = Some(true);
    run.engine.kv_budget = Some(TokenBudget {
        tokens: 262_144,
        tokens_per_rank: 131_072,
        ranks: 2,
        block_tokens: 16,
        source: text("metrics"),
    });
    run.model.name = text("Tiny-7B-AWQ");
    run.model.served_name = text("bench");
    run.model.repository = Some(text("owner/Tiny-7B-AWQ"));
    run.model.revision = Some(text("main"));
    run.model.weights_hash = Some(text("sha256:abc"));
    run.model.file = Some(text("tiny.gguf"));
    run.launch_command = Some(text("vllm serve owner/Tiny-7B-AWQ --max-model-len 40960"));
    run.roofline = Some(roofline(mark));
    run.note = Some(text("a note by hand"));
    run.notes = vec![Note {
        code: text("some_note"),
        text: text("a remark about the run"),
    }];
    run.plan.contexts = CONTEXTS.to_vec();
    run.plan.requests = REQUESTS.to_vec();
    run.plan.prefill_contexts = CONTEXTS[1..].to_vec();
    run.plan.window_s = 30.0;
    run.plan.max_output_tokens = 8_192;
    run.plan.endpoint = text("chat");
    run.plan.prompts = text("generated prose, one document per stream");
    "fixed_duration".clone_into(&mut run.plan.decode_test);
    run.plan.seed = 7;
    run.fixed_ttft_ms = Some(21.5);
    run.admission_limit = Some(8);
    run.prefill = CONTEXTS[1..].iter().map(|c| prefill(*c, mark)).collect();
    run.decode = CONTEXTS
        .iter()
        .flat_map(|context| REQUESTS.map(|requests| cell(*context, requests, mark)))
        .collect();
    run
}

/// A measured machine and a model of the catalogue.
fn roofline(mark: &str) -> Roofline {
    Roofline {
        machine: Some(RooflineMachine {
            name: format!("{mark}Maker Rig 16"),
            count: 1,
            bandwidth_gb_s: 500.0,
            bandwidth_source: FigureSource::Measured,
            ..RooflineMachine::default()
        }),
        model: Some(RooflineModel {
            name: format!("{mark}catalogue/Tiny-7B"),
            dense: RooflinePart {
                bytes: 3.5e9,
                ..RooflinePart::default()
            },
            kv_bytes_per_token: 131_072.0,
            ..RooflineModel::default()
        }),
        draft_tokens: Some(3),
        ..Roofline::default()
    }
}

fn prefill(context: u64, mark: &str) -> PrefillRow {
    let mut row = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
    let ttft = float::from_u64(context) / 3.0;
    row.completed_requests = 2;
    row.prompt_tokens = Some(context + 12);
    row.prompt_tokens_per_s = Some(float::from_u64(context + 12) / ttft * 1_000.0);
    row.ttft_ms = Some(ttft);
    row.ttft_ms_min = Some(ttft * 0.99);
    row.ttft_ms_max = Some(ttft * 1.01);
    row.fixed_ttft_ms = Some(21.5);
    row.prompt_tokens_per_s_less_fixed =
        Some(float::from_u64(context + 12) / (ttft - 21.5) * 1_000.0);
    row.warm_ttft_ms = Some(40.0);
    row.server_ttft_ms = Some(ttft * 0.5);
    row.outside_engine_ms = Some(ttft * 0.5);
    row.energy = Some(Energy {
        joules_per_output_token: None,
        joules_per_prompt_token: Some(0.25),
        ..energy(mark)
    });
    row.roofline_tokens_per_s = Some(12_000.0);
    row.roofline_share = row.prompt_tokens_per_s.map(|rate| rate / 12_000.0);
    row.roofline_bound = Some(RooflineBound::Compute);
    for (role, cache) in [
        (SampleRole::First, CacheState::PartlyCached),
        (SampleRole::Document, CacheState::Cold),
    ] {
        row.samples.push(PrefillSample {
            role,
            prompt_tokens: context + 12,
            ttft_ms: ttft,
            prompt_tokens_per_s: float::from_u64(context + 12) / ttft * 1_000.0,
            cached_tokens: Some(context / 8),
            cache,
            ttft_source: format!("{mark}event"),
        });
    }
    row
}

/// Half of what is drawn is drawn at rest.
fn energy(mark: &str) -> Energy {
    Energy {
        mean_power_w: Some(610.0),
        peak_power_w: Some(702.0),
        energy_j: Some(18_300.0),
        method: Some(format!("{mark}counter")),
        joules_per_output_token: Some(2.5),
        joules_per_prompt_token: None,
        idle_power_w: Some(305.0),
        processor_energy_j: Some(1_950.0),
        processor_mean_power_w: Some(65.0),
        throttled_share: Some(0.0),
        power_capped_share: Some(0.031),
        shared: false,
        samples: 300,
    }
}

/// The last context carries one status after another, so that each is drawn somewhere.
fn status(context: u64, requests: u32) -> CellStatus {
    match (context, requests) {
        (32_768, 1) => CellStatus::Queued,
        (32_768, 2) => CellStatus::Looped,
        (32_768, 4) => CellStatus::Failed,
        (32_768, 8) => CellStatus::Preempted,
        (32_768, _) => CellStatus::OverCapacity,
        (16_384, 16) => CellStatus::OverAdmission,
        _ => CellStatus::Valid,
    }
}

fn cell(context: u64, requests: u32, mark: &str) -> DecodeCell {
    let status = status(context, requests);
    let reason = (status != CellStatus::Valid).then(|| format!("{mark}reason for {status}"));
    let mut cell = DecodeCell::without_numbers(context, requests, status, reason);
    cell.notes = vec![format!("{mark}note on {context} x {requests}")];
    if status == CellStatus::Failed {
        cell.failures = vec![FailureCount {
            class: format!("{mark}http"),
            count: 2,
            http_status: Some(503),
            sample: format!("{mark}overloaded"),
        }];
    }
    if matches!(status, CellStatus::OverCapacity | CellStatus::OverAdmission) {
        cell.need_tokens = Some(600_000);
        cell.budget_tokens = Some(262_144);
    }
    if !matches!(
        status,
        CellStatus::Valid | CellStatus::Queued | CellStatus::Preempted
    ) {
        return cell;
    }
    let streams = f64::from(requests);
    let per_request = 120.0 / (1.0 + float::from_u64(context) / 40_000.0 + streams / 12.0);
    let total = per_request * streams;
    cell.total_tokens_per_s = Some(total);
    cell.per_request_tokens_per_s = Some(per_request);
    cell.ttft_ms = Some(30.0 * streams);
    if status == CellStatus::Preempted {
        cell.ttft_ms = None;
        cell.ttft_ms_lower_bound = Some(12_345.0);
        cell.ttft_censored = 5;
    }
    cell.time_between_tokens_ms = Some(1_000.0 / per_request);
    cell.average_active_requests = Some(streams);
    cell.completed_requests = Some(3);
    cell.output_tokens = Some(float::round_to_u64(total * 30.0));
    cell.measured_s = Some(30.0);
    cell.ci95_low = Some(total * 0.985);
    cell.ci95_high = Some(total * 1.015);
    cell.ci_cosines = Some(12);
    cell.drift = Some(-0.012);
    cell.roofline_tokens_per_s = Some(total * 2.0);
    cell.roofline_share = Some(0.5);
    cell.roofline_bound = Some(RooflineBound::Memory);
    numbers_behind(&mut cell, per_request, mark);
    cell
}

fn numbers_behind(cell: &mut DecodeCell, per_request: f64, mark: &str) {
    let gap = 1_000.0 / per_request;
    cell.gaps = Some(Gaps {
        n: 1_200,
        p50_ms: gap,
        p95_ms: gap * 1.4,
        p99_ms: gap * 3.0,
        max_ms: gap * 9.0,
        tokens_per_event: 1.02,
    });
    cell.launch_ttft = LaunchTtft {
        min_ms: Some(28.0),
        p95_ms: Some(99.0),
        max_ms: Some(120.0),
        answer_ms: Some(400.0),
        restart_ms: Some(35.0),
        client_queue_ms: Some(0.2),
        connect_ms: Some(0.4),
        server_mean_ms: Some(21.0),
        outside_engine_ms: Some(9.0),
    };
    cell.warm_fraction = (cell.context > 0).then_some(0.985);
    cell.prompt_tokens = Some(cell.context + 12);
    cell.mean_depth = Some(1_234.5);
    cell.restart_fraction = Some(0.004);
    cell.server_running = Some(f64::from(cell.requests));
    cell.server_waiting = Some(0.0);
    cell.preemptions = Some(0);
    cell.speculative_acceptance = Some(0.71);
    cell.launch_s = Some(4.2);
    cell.energy = Some(energy(mark));
    cell.stream_tokens = vec![1_000; usize::try_from(cell.requests).unwrap()];
    cell.sources = Sources {
        arrival: Some(format!("{mark}kernel")),
        shared_stamps: Some(0.01),
        tokens: Some(format!("{mark}usage")),
        tokens_spread: None,
        warm_fraction: Some(format!("{mark}usage")),
        server_output_tokens: Some(36_000),
    };
}

/// A table without colours or shares.
pub(crate) fn plain(width: usize) -> TableOptions {
    TableOptions {
        width,
        colour: false,
        roofline: false,
    }
}
