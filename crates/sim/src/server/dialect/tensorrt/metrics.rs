//! What TensorRT-LLM counts: Prometheus text at `/prometheus/metrics`, and JSON of the iterations at
//! `/metrics`. The descriptions are our own.

use serde_json::json;
use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};
use crate::model::{Counters, RankStats};

/// `GET /metrics`: a list of iterations, of which the simulator gives the newest. The real server
/// forgets what it has told.
pub(super) fn iterations(view: &View<'_>) -> Content {
    let engine = &view.config().engine;
    let rows = view.ranks.iter().map(|rank| {
        json!({
            "numActiveRequests": rank.running,
            "numQueuedRequests": rank.waiting,
            "numCompletedRequests": rank.counters.finished_stop + rank.counters.finished_length,
            "maxNumActiveRequests": engine.admission_limit(),
            "kvCacheStats": {
                "maxNumBlocks": rank.usable_blocks,
                "freeNumBlocks": rank.free_blocks,
                "usedNumBlocks": rank.used_blocks(),
                "tokensPerBlock": engine.block_size,
                "cacheHitRate": hit_rate(rank),
            },
        })
    });
    Content::json(&json!(rows.collect::<Vec<_>>()))
}

fn hit_rate(rank: &RankStats) -> f64 {
    let (hits, all) = (rank.counters.prefix_hits, rank.counters.prefix_queries);
    if all == 0 {
        0.0
    } else {
        float::from_u64(hits) / float::from_u64(all)
    }
}

/// `GET /prometheus/metrics`, as it is with `return_perf_metrics`. There is no label to tell ranks
/// apart.
pub(super) fn page(view: &View<'_>) -> Content {
    let config = view.config();
    let engine = &config.engine;
    let model = config.model.served_name.as_str();
    let mut page = Exposition::new(view.ranks, |_| vec![("model_name", model.to_owned())]);
    gauges(&mut page);
    let constants = [
        (
            "trtllm_kv_cache_tokens_per_block",
            "Tokens of a block.",
            f64::from(engine.block_size),
        ),
        (
            "trtllm_max_num_active_requests",
            "Most requests that run.",
            f64::from(engine.admission_limit()),
        ),
        (
            "trtllm_max_batch_size_static",
            "Most requests of a batch.",
            f64::from(engine.admission_limit()),
        ),
        (
            "trtllm_max_num_tokens_runtime",
            "Most tokens of an iteration.",
            f64::from(engine.max_num_batched_tokens),
        ),
    ];
    for (name, help, value) in constants {
        page.family(name, "gauge", help);
        page.sample(name, 0, &[], value);
    }
    counters(&mut page);
    page.merged(
        "trtllm_time_to_first_token_seconds",
        "Submission to first token.",
        |c| &c.ttft_s,
    );
    page.merged(
        "trtllm_time_per_output_token_seconds",
        "Seconds a token.",
        |c| &c.gap_s,
    );
    page.merged(
        "trtllm_e2e_request_latency_seconds",
        "Submission to last token.",
        |c| &c.e2e_s,
    );
    page.merged(
        "trtllm_request_queue_time_seconds",
        "Time in the queue.",
        |c| &c.queue_s,
    );
    Content::of("text/plain; version=0.0.4; charset=utf-8", page.text())
}

fn gauges(page: &mut Exposition<'_>) {
    page.level("trtllm_num_requests_running", "Requests that run.", |r| {
        f64::from(r.running)
    });
    page.level("trtllm_num_requests_waiting", "Requests that wait.", |r| {
        f64::from(r.waiting)
    });
    page.level("trtllm_kv_cache_max_blocks", "Blocks of the cache.", |r| {
        float::from_u64(r.usable_blocks)
    });
    page.level("trtllm_kv_cache_free_blocks", "Blocks not in use.", |r| {
        float::from_u64(r.free_blocks)
    });
    page.level("trtllm_kv_cache_used_blocks", "Blocks in use.", |r| {
        float::from_u64(r.used_blocks())
    });
    let share = 1.0 / float::from_usize(page.ranks().len().max(1));
    page.sum(
        "trtllm_kv_cache_utilization",
        "gauge",
        "Share of the cache in use.",
        |rank| rank.kv_usage() * share,
    );
    page.sum(
        "trtllm_kv_cache_hit_rate",
        "gauge",
        "Share of prompt tokens found.",
        |rank| hit_rate(rank) * share,
    );
}

/// Token totals advance when a request ends.
fn counters(page: &mut Exposition<'_>) {
    page.total("trtllm_prompt_tokens_total", "Prompt tokens.", |c| {
        c.request_prompt_tokens.sum()
    });
    page.total("trtllm_generation_tokens_total", "Generated tokens.", |c| {
        c.request_generation_tokens.sum()
    });
    page.total(
        "trtllm_prompt_cached_tokens_total",
        "Cached prompt tokens.",
        |c| float::from_u64(c.cached_prompt_tokens),
    );
    page.total(
        "trtllm_num_requests_completed_total",
        "Requests that were answered.",
        |c| float::from_u64(c.finished_stop + c.finished_length),
    );
    let name = "trtllm_request_success_total";
    page.family(
        name,
        "counter",
        "Requests that came to their end, by reason.",
    );
    let sum = |of: fn(&Counters) -> u64| -> u64 {
        page.ranks().iter().map(|rank| of(&rank.counters)).sum()
    };
    let rows = [
        ("stop", sum(|c| c.finished_stop)),
        ("length", sum(|c| c.finished_length)),
        ("cancelled", sum(|c| c.finished_abort)),
    ];
    for (reason, count) in rows {
        page.sample(
            name,
            0,
            &[("finished_reason", reason)],
            float::from_u64(count),
        );
    }
}
