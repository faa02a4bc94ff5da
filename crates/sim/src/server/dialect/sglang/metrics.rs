//! `/metrics` of `SGLang` 0.5 as it is with `--enable-metrics`, the descriptions in our own words.

use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};
use super::views::used_tokens;
use crate::model::{Counters, RankStats};

/// `GET /metrics`.
pub(super) fn page(view: &View<'_>) -> Content {
    let config = view.config();
    let model = config.model.served_name.as_str();
    let many = config.engine.ranks > 1;
    let labels = |rank: usize| {
        let mut labels = vec![
            ("engine_type", "unified".to_owned()),
            ("model_name", model.to_owned()),
            ("moe_ep_rank", "0".to_owned()),
            ("pp_rank", "0".to_owned()),
            ("tp_rank", "0".to_owned()),
        ];
        // Without data parallelism the label is not there at all.
        labels.extend(many.then(|| ("dp_rank", rank.to_string())));
        labels
    };
    let mut page = Exposition::new(view.ranks, labels);
    load(&mut page);
    memory(&mut page, view);
    tokens(&mut page, model);
    histograms(&mut page);
    Content::of("text/plain; version=0.0.4; charset=utf-8", page.text())
}

fn load(page: &mut Exposition<'_>) {
    page.gauge("sglang:num_running_reqs", "Requests that run.", |r| {
        f64::from(r.running)
    });
    page.gauge("sglang:num_queue_reqs", "Requests that wait.", |r| {
        f64::from(r.waiting)
    });
    page.gauge(
        "sglang:num_grammar_queue_reqs",
        "Requests that wait for a grammar.",
        |_| 0.0,
    );
    page.gauge(
        "sglang:num_retracted_reqs",
        "Requests retracted in the last step.",
        |_| 0.0,
    );
    page.counter(
        "sglang:num_retracted_requests_total",
        "Requests that were retracted.",
        |c| c.preemptions,
    );
    let accepted = |c: &Counters| -> f64 { float::from_u64(c.accepted_by_position.iter().sum()) };
    page.gauge(
        "sglang:spec_accept_length",
        "Tokens of a step with drafts.",
        move |r| {
            per(accepted(&r.counters), float::from_u64(r.counters.drafts))
                .map_or(0.0, |mean| 1.0 + mean)
        },
    );
    page.gauge(
        "sglang:spec_accept_rate",
        "Share of drafts accepted.",
        move |r| {
            per(
                accepted(&r.counters),
                float::from_u64(r.counters.draft_tokens),
            )
            .unwrap_or(0.0)
        },
    );
}

fn per(amount: f64, by: f64) -> Option<f64> {
    (by > 0.0).then(|| amount / by)
}

fn memory(page: &mut Exposition<'_>, view: &View<'_>) {
    let engine = &view.config().engine;
    let block = engine.block_size;
    let tokens = float::from_u64(engine.kv_tokens());
    let constants = [
        (
            "sglang:max_total_num_tokens",
            "Tokens of the KV cache.",
            tokens,
        ),
        ("sglang:page_size", "Tokens of a page.", f64::from(block)),
        (
            "sglang:num_pages",
            "Pages of the KV cache.",
            f64::from(engine.num_blocks),
        ),
        (
            "sglang:context_len",
            "Context length.",
            f64::from(engine.max_model_len),
        ),
    ];
    for (name, help, value) in constants {
        page.gauge(name, help, |_| value);
    }
    let used = move |rank: &RankStats| float::from_u64(used_tokens(rank, block));
    page.gauge(
        "sglang:token_usage",
        "Share of the KV cache in use.",
        RankStats::kv_usage,
    );
    page.gauge(
        "sglang:full_token_usage",
        "The same of full attention.",
        RankStats::kv_usage,
    );
    page.gauge("sglang:num_used_tokens", "Tokens in use.", used);
    page.gauge("sglang:kv_used_tokens", "Tokens in use.", used);
    page.gauge(
        "sglang:kv_available_tokens",
        "Tokens not in use.",
        move |rank| float::from_u64(rank.free_blocks.saturating_mul(u64::from(block))),
    );
    page.gauge(
        "sglang:cache_hit_rate",
        "Share of prompt tokens from the cache.",
        |rank| {
            let counters = &rank.counters;
            let (hits, all) = (counters.prefix_hits, counters.prefix_queries);
            per(float::from_u64(hits), float::from_u64(all)).unwrap_or(0.0)
        },
    );
}

/// Token totals advance when a request ends and have no rank; the live ones advance with every
/// step.
fn tokens(page: &mut Exposition<'_>, model: &str) {
    let labels = |more: Option<(&'static str, &str)>| {
        let mut labels = vec![("engine_type", "unified".to_owned())];
        labels.extend(more.map(|(key, value)| (key, value.to_owned())));
        labels.push(("model_name", model.to_owned()));
        labels.sort_by_key(|(key, _)| *key);
        labels
    };
    let ranks = page.ranks();
    let sum = |of: &dyn Fn(&Counters) -> f64| -> f64 {
        ranks.iter().map(|rank| of(&rank.counters)).sum()
    };
    let finished = |c: &Counters| float::from_u64(c.finished_stop + c.finished_length);
    let streaming = Some(("is_streaming", "true"));
    let totals = [
        (
            "sglang:prompt_tokens_total",
            streaming,
            sum(&|c| c.request_prompt_tokens.sum()),
        ),
        (
            "sglang:generation_tokens_total",
            streaming,
            sum(&|c| c.request_generation_tokens.sum()),
        ),
        ("sglang:num_requests_total", streaming, sum(&finished)),
        (
            "sglang:cached_tokens_total",
            Some(("cache_source", "device")),
            sum(&|c| float::from_u64(c.cached_prompt_tokens)),
        ),
        (
            "sglang:num_aborted_requests_total",
            None,
            sum(&|c| float::from_u64(c.finished_abort)),
        ),
    ];
    for (name, more, value) in totals {
        page.family(name, "counter", "Total since the start.");
        page.line(name, &labels(more), value);
    }
    let name = "sglang:realtime_tokens_total";
    page.family(name, "counter", "Tokens as they are computed, by kind.");
    for (rank, stats) in ranks.iter().enumerate() {
        let counters = &stats.counters;
        let cached = counters.cached_prompt_tokens;
        let rows = [
            (
                "prefill_compute",
                counters.prompt_tokens.saturating_sub(cached),
            ),
            ("decode", counters.generation_tokens),
            ("prefill_cache", cached),
        ];
        for (mode, tokens) in rows {
            page.sample(name, rank, &[("mode", mode)], float::from_u64(tokens));
        }
    }
}

fn histograms(page: &mut Exposition<'_>) {
    page.histogram(
        "sglang:time_to_first_token_seconds",
        "Submission to first token.",
        |c| &c.ttft_s,
    );
    page.histogram(
        "sglang:inter_token_latency_seconds",
        "Between two outputs.",
        |c| &c.gap_s,
    );
    page.histogram(
        "sglang:e2e_request_latency_seconds",
        "Submission to last token.",
        |c| &c.e2e_s,
    );
    page.histogram("sglang:queue_time_seconds", "Time in the queue.", |c| {
        &c.queue_s
    });
}
