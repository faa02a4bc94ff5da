//! `/metrics` of mistral.rs 0.9, the descriptions in our own words. The engine's families have no
//! label for the model or the rank.

use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};
use crate::model::Counters;

/// `GET /metrics`. Tokens are prefill and decode together, so that no output rate can be had.
pub(super) fn page(view: &View<'_>) -> Content {
    let engine = &view.config().engine;
    let mut page = Exposition::new(view.ranks, |_| Vec::new()).short_numbers();
    page.level("mistralrs_sequences_running", "Sequences that run.", |r| {
        f64::from(r.running)
    });
    page.level("mistralrs_sequences_waiting", "Sequences that wait.", |r| {
        f64::from(r.waiting)
    });
    page.level(
        "mistralrs_kv_cache_blocks_total",
        "Blocks of the cache.",
        |r| float::from_u64(r.usable_blocks),
    );
    page.level("mistralrs_kv_cache_blocks_used", "Blocks in use.", |r| {
        float::from_u64(r.used_blocks())
    });
    let name = "mistralrs_sequences_capacity";
    page.family(name, "gauge", "Most sequences that run.");
    page.line(
        name,
        &[],
        f64::from(engine.admission_limit().saturating_mul(engine.ranks)),
    );
    page.total(
        "mistralrs_tokens_processed_total",
        "Tokens of prefill and decode.",
        |c| {
            let computed = c.prompt_tokens.saturating_sub(c.cached_prompt_tokens);
            float::from_u64(computed + c.generation_tokens)
        },
    );
    page.total(
        "mistralrs_paged_preemptions_total",
        "Sequences that lost their cache.",
        |c| float::from_u64(c.preemptions),
    );
    completed(&mut page);
    page.merged(
        "mistralrs_time_to_first_token_seconds",
        "To the first token.",
        |c| &c.ttft_s,
    );
    page.merged(
        "mistralrs_inter_token_latency_seconds",
        "Seconds of a step.",
        |c| &c.gap_s,
    );
    Content::of("text/plain; version=0.0.4", page.text())
}

fn completed(page: &mut Exposition<'_>) {
    let name = "mistralrs_sequences_completed_total";
    page.family(
        name,
        "counter",
        "Sequences that came to their end, by reason.",
    );
    let sum = |of: fn(&Counters) -> u64| -> u64 {
        page.ranks().iter().map(|rank| of(&rank.counters)).sum()
    };
    let rows = [
        ("eos", sum(|c| c.finished_stop)),
        ("length", sum(|c| c.finished_length)),
        ("canceled", sum(|c| c.finished_abort)),
    ];
    for (reason, count) in rows {
        page.sample(name, 0, &[("reason", reason)], float::from_u64(count));
    }
}
