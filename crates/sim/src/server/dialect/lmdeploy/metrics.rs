//! `/metrics` of LMDeploy 0.16, the descriptions in our own words. The real gauges of the scheduler
//! are up to 10 s old; here they are of this moment.

use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};
use crate::model::{Counters, RankStats};

/// `GET /metrics`; the label `engine` is the data-parallel rank.
pub(super) fn page(view: &View<'_>) -> Content {
    let model = view.config().model.served_name.as_str();
    let labels = |rank: usize| {
        vec![
            ("engine", rank.to_string()),
            ("model_name", model.to_owned()),
        ]
    };
    let mut page = Exposition::new(view.ranks, labels);
    gauges(&mut page);
    counters(&mut page);
    if view.config().engine.speculation.is_some() {
        speculation(&mut page);
    }
    page.histogram(
        "lmdeploy:time_to_first_token_seconds",
        "To the first token.",
        |c| &c.ttft_s,
    );
    page.histogram(
        "lmdeploy:time_per_output_token_seconds",
        "Seconds a token.",
        |c| &c.gap_s,
    );
    page.histogram(
        "lmdeploy:e2e_request_latency_seconds",
        "To the last token.",
        |c| &c.e2e_s,
    );
    page.histogram(
        "lmdeploy:request_queue_time_seconds",
        "In the queue.",
        |c| &c.queue_s,
    );
    page.histogram("lmdeploy:request_prompt_tokens", "Prompt tokens.", |c| {
        &c.request_prompt_tokens
    });
    page.histogram(
        "lmdeploy:request_generation_tokens",
        "Generated tokens.",
        |c| &c.request_generation_tokens,
    );
    Content::of("text/plain; version=0.0.4; charset=utf-8", page.text())
}

fn finished(counters: &Counters) -> u64 {
    counters.finished_stop + counters.finished_length
}

fn gauges(page: &mut Exposition<'_>) {
    page.gauge("lmdeploy:num_requests_running", "Requests that run.", |r| {
        f64::from(r.running)
    });
    page.gauge(
        "lmdeploy:num_requests_waiting",
        "Requests that wait.",
        |r| f64::from(r.waiting),
    );
    page.gauge(
        "lmdeploy:num_requests_succeeded",
        "Requests that were answered.",
        |r| float::from_u64(finished(&r.counters)),
    );
    page.gauge(
        "lmdeploy:num_requests_failed",
        "Requests that failed.",
        |_| 0.0,
    );
    page.gauge(
        "lmdeploy:gpu_cache_usage_perc",
        "Share of the cache in use.",
        RankStats::kv_usage,
    );
    page.gauge(
        "lmdeploy:prefix_cache_hit_rate",
        "Share of prompt tokens found.",
        |r| {
            let (hits, all) = (r.counters.prefix_hits, r.counters.prefix_queries);
            if all == 0 {
                0.0
            } else {
                float::from_u64(hits) / float::from_u64(all)
            }
        },
    );
}

fn counters(page: &mut Exposition<'_>) {
    page.counter("lmdeploy:prompt_tokens_total", "Prompt tokens.", |c| {
        c.prompt_tokens
    });
    page.counter(
        "lmdeploy:generation_tokens_total",
        "Generated tokens.",
        |c| c.generation_tokens,
    );
    page.counter(
        "lmdeploy:cached_tokens_total",
        "Cached prompt tokens.",
        |c| c.cached_prompt_tokens,
    );
    let name = "lmdeploy:request_success_total";
    page.family(
        name,
        "counter",
        "Requests that came to their end, by reason.",
    );
    for (rank, stats) in page.ranks().iter().enumerate() {
        let rows = [
            ("stop", stats.counters.finished_stop),
            ("length", stats.counters.finished_length),
        ];
        for (reason, count) in rows {
            page.sample(
                name,
                rank,
                &[("finished_reason", reason)],
                float::from_u64(count),
            );
        }
    }
}

fn speculation(page: &mut Exposition<'_>) {
    page.counter(
        "lmdeploy:spec_decode_num_drafts_total",
        "Verifications.",
        |c| c.drafts,
    );
    page.counter(
        "lmdeploy:spec_decode_num_draft_tokens_total",
        "Drafted tokens.",
        |c| c.draft_tokens,
    );
    page.counter(
        "lmdeploy:spec_decode_num_accepted_tokens_total",
        "Accepted tokens.",
        |c| c.accepted_by_position.iter().sum(),
    );
}
