//! `/metrics` of TGI 3.3, the descriptions in our own words. Nothing has a label but the methods of
//! a batch; token sums advance when a request ends.

use tokmark_units::float;

use super::super::super::exposition::Exposition;
use super::super::{Content, View};

/// `GET /metrics`.
pub(super) fn page(view: &View<'_>) -> Content {
    let engine = &view.config().engine;
    let mut page = Exposition::new(view.ranks, |_| Vec::new()).short_numbers();
    let budget = float::from_u64(engine.kv_tokens()) * f64::from(engine.ranks);
    page.sum(
        "tgi_batch_current_size",
        "gauge",
        "Requests of the batch.",
        |r| f64::from(r.running),
    );
    page.sum("tgi_queue_size", "gauge", "Requests in the queue.", |r| {
        f64::from(r.waiting)
    });
    // The output is reserved from the start, so that this is more than what is computed.
    page.sum(
        "tgi_batch_current_max_tokens",
        "gauge",
        "Tokens that are reserved.",
        |rank| {
            let reserved = rank
                .sequences
                .iter()
                .map(|s| s.prompt_tokens.saturating_add(s.output_tokens));
            reserved.map(f64::from).sum()
        },
    );
    let name = "tgi_batch_max_total_tokens";
    page.family(name, "gauge", "Tokens that fit.");
    page.line(name, &[], budget);
    page.total("tgi_request_count", "Requests that came.", |c| {
        float::from_u64(c.ttft_s.count())
    });
    page.total("tgi_request_success", "Requests that were answered.", |c| {
        float::from_u64(c.finished_stop + c.finished_length)
    });
    page.merged("tgi_request_duration", "Seconds of a request.", |c| {
        &c.e2e_s
    });
    page.merged("tgi_request_queue_duration", "Seconds in the queue.", |c| {
        &c.queue_s
    });
    page.merged(
        "tgi_request_mean_time_per_token_duration",
        "Seconds a token.",
        |c| &c.gap_s,
    );
    page.merged("tgi_request_input_length", "Prompt tokens.", |c| {
        &c.request_prompt_tokens
    });
    page.merged("tgi_request_generated_tokens", "Generated tokens.", |c| {
        &c.request_generation_tokens
    });
    Content::of("text/plain; charset=utf-8", page.text())
}
