//! `/metrics` of Dynamo's frontend, the descriptions in our own words. Every data-parallel rank is a
//! `dp_rank` of one worker.

use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};

/// `GET /metrics`.
pub(super) fn page(view: &View<'_>) -> Content {
    let config = view.config();
    let model = config.model.served_name.as_str();
    let mut page =
        Exposition::new(view.ranks, |_| vec![("model", model.to_owned())]).short_numbers();
    settings(&mut page, view);
    load(&mut page, view);
    stages(&mut page, view);
    workers(&mut page, view);
    let name = "dynamo_frontend_output_tokens_total";
    page.sum(name, "counter", "Generated tokens.", |rank| {
        float::from_u64(rank.counters.generation_tokens)
    });
    let name = "dynamo_frontend_requests_total";
    page.sum(
        name,
        "counter",
        "Requests that came to their end.",
        |rank| float::from_u64(rank.counters.finished_stop + rank.counters.finished_length),
    );
    page.merged(
        "dynamo_frontend_time_to_first_token_seconds",
        "To the first token.",
        |c| &c.ttft_s,
    );
    page.merged(
        "dynamo_frontend_inter_token_latency_seconds",
        "Between two tokens.",
        |c| &c.gap_s,
    );
    page.merged(
        "dynamo_frontend_request_duration_seconds",
        "To the last token.",
        |c| &c.e2e_s,
    );
    page.merged(
        "dynamo_frontend_input_sequence_tokens",
        "Prompt tokens.",
        |c| &c.request_prompt_tokens,
    );
    page.merged(
        "dynamo_frontend_output_sequence_tokens",
        "Generated tokens.",
        |c| &c.request_generation_tokens,
    );
    Content::of("text/plain; version=0.0.4", page.text())
}

/// What one worker was started with.
fn settings(page: &mut Exposition<'_>, view: &View<'_>) {
    let engine = &view.config().engine;
    let rows = [
        (
            "total_kv_blocks",
            "Blocks of a worker's cache.",
            engine.num_blocks,
        ),
        (
            "kv_cache_block_size",
            "Tokens of a block.",
            engine.block_size,
        ),
        (
            "max_num_seqs",
            "Most sequences that run.",
            engine.admission_limit(),
        ),
        (
            "max_num_batched_tokens",
            "Most tokens of a step.",
            engine.max_num_batched_tokens,
        ),
        ("context_length", "Context length.", engine.max_model_len),
    ];
    for (name, help, value) in rows {
        let name = format!("dynamo_frontend_model_{name}");
        page.family(&name, "gauge", help);
        page.sample(&name, 0, &[], f64::from(value));
    }
}

/// Requests in flight, under their present and their older names.
fn load(page: &mut Exposition<'_>, view: &View<'_>) {
    let active = f64::from(view.running().saturating_add(view.waiting()));
    let rows = [
        ("active_requests", "Requests in flight.", active),
        ("inflight_requests", "Requests in flight.", active),
        (
            "queued_requests",
            "Requests before their first token.",
            f64::from(view.waiting()),
        ),
    ];
    for (name, help, value) in rows {
        let name = format!("dynamo_frontend_{name}");
        page.family(&name, "gauge", help);
        page.sample(&name, 0, &[], value);
    }
}

/// Requests before their first token stand in `dispatch`.
fn stages(page: &mut Exposition<'_>, view: &View<'_>) {
    let name = "dynamo_frontend_stage_requests";
    page.family(name, "gauge", "Requests by stage.");
    let rows = [
        ("preprocess", 0.0),
        ("route", 0.0),
        ("dispatch", f64::from(view.waiting())),
    ];
    for (stage, value) in rows {
        page.sample(name, 0, &[("stage", stage), ("phase", "aggregated")], value);
    }
}

fn workers(page: &mut Exposition<'_>, view: &View<'_>) {
    let name = "dynamo_frontend_worker_active_decode_blocks";
    page.family(name, "gauge", "Blocks in use by worker and rank.");
    for (rank, stats) in view.ranks.iter().enumerate() {
        let labels = [
            ("worker_id", "0".to_owned()),
            ("dp_rank", rank.to_string()),
            ("worker_type", "decode".to_owned()),
        ];
        let used = stats.used_blocks();
        page.line(name, &labels, float::from_u64(used));
    }
}
