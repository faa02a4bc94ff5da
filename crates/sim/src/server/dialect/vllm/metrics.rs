//! `/metrics` of the simulated vLLM: Prometheus text with the names and labels of vLLM 0.32, the
//! descriptions in our own words.

use tokmark_units::float;

use super::super::super::exposition::{Exposition, python};
use super::super::{Content, View};
use crate::config::SimConfig;

/// `GET /metrics`.
pub(super) fn page(view: &View<'_>) -> Content {
    let config = view.config();
    let model = config.model.served_name.as_str();
    let labels = |rank: usize| {
        vec![
            ("engine", rank.to_string()),
            ("model_name", model.to_owned()),
        ]
    };
    let mut page = Exposition::new(view.ranks, labels);
    gauges(&mut page);
    tokens(&mut page);
    endings(&mut page);
    speculation(&mut page, config);
    histograms(&mut page);
    cache_config(&mut page, config);
    let kind = "text/plain; version=1.0.0; charset=utf-8";
    Content::of(kind, page.text())
}

fn gauges(page: &mut Exposition<'_>) {
    let running = "Sequences that the scheduler runs.";
    page.each("vllm:num_requests_running", "gauge", running, |stats| {
        f64::from(stats.running)
    });
    let waiting = "Sequences in the scheduler's queue.";
    page.each("vllm:num_requests_waiting", "gauge", waiting, |stats| {
        f64::from(stats.waiting)
    });
    let name = "vllm:num_requests_waiting_by_reason";
    page.family(
        name,
        "gauge",
        "Sequences in the queue by the reason of their waiting.",
    );
    for (rank, stats) in page.ranks().iter().enumerate() {
        page.sample(
            name,
            rank,
            &[("reason", "capacity")],
            f64::from(stats.waiting),
        );
        page.sample(name, rank, &[("reason", "deferred")], 0.0);
    }
    let usage = "Share of the KV cache in use; 1 is all of it.";
    page.each("vllm:kv_cache_usage_perc", "gauge", usage, |stats| {
        stats.kv_usage()
    });
}

fn tokens(page: &mut Exposition<'_>) {
    page.counter(
        "vllm:prefix_cache_queries_total",
        "Prompt tokens looked up in the prefix cache.",
        |c| c.prefix_queries,
    );
    page.counter(
        "vllm:prefix_cache_hits_total",
        "Prompt tokens found in the prefix cache.",
        |c| c.prefix_hits,
    );
    page.counter(
        "vllm:num_preemptions_total",
        "Sequences that lost their cache and started again.",
        |c| c.preemptions,
    );
    page.counter(
        "vllm:prompt_tokens_total",
        "Prompt tokens whose prefill has ended, cached ones included.",
        |c| c.prompt_tokens,
    );
    let name = "vllm:prompt_tokens_by_source_total";
    page.family(
        name,
        "counter",
        "Prompt tokens by where their KV came from.",
    );
    for (rank, stats) in page.ranks().iter().enumerate() {
        let (all, cached) = (
            stats.counters.prompt_tokens,
            stats.counters.cached_prompt_tokens,
        );
        let rows = [
            ("local_compute", all.saturating_sub(cached)),
            ("local_cache_hit", cached),
            ("external_kv_transfer", 0),
        ];
        for (source, tokens) in rows {
            page.sample(name, rank, &[("source", source)], float::from_u64(tokens));
        }
    }
    page.counter(
        "vllm:prompt_tokens_cached_total",
        "Prompt tokens that were cached.",
        |c| c.cached_prompt_tokens,
    );
    page.counter("vllm:generation_tokens_total", "Generated tokens.", |c| {
        c.generation_tokens
    });
}

fn endings(page: &mut Exposition<'_>) {
    let name = "vllm:request_success_total";
    page.family(
        name,
        "counter",
        "Requests that came to their end, by reason.",
    );
    for (rank, stats) in page.ranks().iter().enumerate() {
        let rows = [
            ("stop", stats.counters.finished_stop),
            ("length", stats.counters.finished_length),
            // A client that hangs up is counted nowhere, as in the real server.
            ("abort", 0),
            ("error", 0),
            ("repetition", 0),
        ];
        for (reason, count) in rows {
            let labels = [("finished_reason", reason)];
            page.sample(name, rank, &labels, float::from_u64(count));
        }
    }
}

/// The families exist only where there is speculation.
fn speculation(page: &mut Exposition<'_>, config: &SimConfig) {
    if config.engine.speculation.is_none() {
        return;
    }
    page.counter(
        "vllm:spec_decode_num_drafts_total",
        "Steps of sequences that verified drafts.",
        |c| c.drafts,
    );
    page.counter(
        "vllm:spec_decode_num_draft_tokens_total",
        "Drafted tokens.",
        |c| c.draft_tokens,
    );
    page.counter(
        "vllm:spec_decode_num_accepted_tokens_total",
        "Drafted tokens that were accepted.",
        |c| c.accepted_by_position.iter().sum(),
    );
    let name = "vllm:spec_decode_num_accepted_tokens_per_pos_total";
    page.family(
        name,
        "counter",
        "Accepted tokens by their position in the draft.",
    );
    for (rank, stats) in page.ranks().iter().enumerate() {
        for (position, count) in stats.counters.accepted_by_position.iter().enumerate() {
            let position = position.to_string();
            let labels = [("position", position.as_str())];
            page.sample(name, rank, &labels, float::from_u64(*count));
        }
    }
}

fn histograms(page: &mut Exposition<'_>) {
    page.histogram(
        "vllm:time_to_first_token_seconds",
        "Seconds from submission to first token.",
        |c| &c.ttft_s,
    );
    page.histogram(
        "vllm:inter_token_latency_seconds",
        "Seconds between two outputs of a request.",
        |c| &c.gap_s,
    );
    page.histogram(
        "vllm:e2e_request_latency_seconds",
        "Seconds from submission to last token.",
        |c| &c.e2e_s,
    );
    page.histogram(
        "vllm:request_queue_time_seconds",
        "Seconds in the scheduler's queue.",
        |c| &c.queue_s,
    );
    page.histogram(
        "vllm:request_prompt_tokens",
        "Prompt tokens of finished requests.",
        |c| &c.request_prompt_tokens,
    );
    page.histogram(
        "vllm:request_generation_tokens",
        "Generated tokens of finished requests.",
        |c| &c.request_generation_tokens,
    );
}

/// The settings of the cache as labels; the values are what Python prints. This family has no
/// model label.
fn cache_config(page: &mut Exposition<'_>, config: &SimConfig) {
    let engine = &config.engine;
    let tokens = engine.kv_tokens();
    let name = "vllm:cache_config_info";
    page.family(name, "gauge", "Settings of the KV cache.");
    let concurrency = float::from_u64(tokens) / f64::from(engine.max_model_len);
    let prefix = if engine.prefix_cache { "True" } else { "False" };
    for rank in 0..page.ranks().len() {
        let labels = [
            ("block_size", engine.block_size.to_string()),
            ("cache_dtype", config.model.kv_cache_dtype.clone()),
            ("enable_prefix_caching", prefix.to_owned()),
            ("engine", rank.to_string()),
            ("kv_cache_max_concurrency", python(concurrency)),
            ("kv_cache_size_tokens", tokens.to_string()),
            ("mamba_block_size", "None".to_owned()),
            ("num_cpu_blocks", "None".to_owned()),
            ("num_gpu_blocks", engine.num_blocks.to_string()),
            ("num_gpu_blocks_override", "None".to_owned()),
            ("sliding_window", "None".to_owned()),
        ];
        page.line(name, &labels, 1.0);
    }
}
