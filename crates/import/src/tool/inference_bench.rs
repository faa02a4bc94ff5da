//! llm-inference-bench: its own result file, with a cell for each place of its matrix.
//!
//! Up to 0.7.9 a negative rate stands for a cell that was skipped or failed, and cells over
//! capacity are not there at all.

use std::collections::BTreeSet;

use serde_json::Value;
use tokmark_run_format::{CapacityRule, CellStatus, DecodeCell, RunDocument, TokenBudget};

use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found, Results};
use crate::source::Source;

use super::inference_bench_prefill as prefill;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "llm-inference-bench",
    recognises,
    read,
    mappings: MAPPINGS,
};

pub(super) const NAME: &str = "llm-inference-bench";

const MAPPINGS: &[Mapping] = &[
    taken(
        "results.concurrency",
        "decode.requests",
        "requests that are kept in flight",
    ),
    taken(
        "results.context_tokens",
        "decode.context",
        "tokens of the context; 0 is a short prompt",
    ),
    taken(
        "results.aggregate_tps",
        "decode.total_tokens_per_s",
        "output tokens per second of the window, or of the whole run when it counts requests, then \
         with prefill in it; a negative one stands for a cell without a figure",
    ),
    taken(
        "results.output_tps_per_user_p50",
        "decode.per_request_tokens_per_s",
        "median over requests of the rate behind the first token",
    ),
    taken(
        "results.per_request_avg_tps",
        "decode.per_request_tokens_per_s",
        "mean rate of a request",
    ),
    taken(
        "results.inter_token_latency_p50",
        "decode.time_between_tokens_ms",
        "median over requests of each one's mean time between tokens, in seconds",
    ),
    taken(
        "results.ttft_p50",
        "decode.ttft_ms",
        "median over all requests of the time to the first token, in seconds",
    ),
    taken(
        "results.num_completed",
        "decode.completed_requests",
        "requests that succeeded",
    ),
    taken(
        "results.total_tokens",
        "decode.output_tokens",
        "output tokens",
    ),
    taken(
        "results.measurement_seconds",
        "decode.measured_s",
        "length of the measurement",
    ),
    taken(
        "results.effective_concurrency",
        "decode.average_active_requests",
        "requests that ran on average, by the server's own gauge where it has one",
    ),
    taken(
        "results.avg_running_reqs",
        "decode.server_running",
        "the server's gauge of running requests",
    ),
    taken(
        "results.avg_queue_reqs",
        "decode.server_waiting",
        "the server's gauge of waiting requests",
    ),
    taken(
        "prefill",
        "prefill.prompt_tokens_per_s",
        "prompt tokens over the time to the first token of one cold request",
    ),
    taken("metadata.version", "tool.version", "version of the tool"),
    taken("metadata.engine", "engine.name", "the engine"),
    taken(
        "metadata.model",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "metadata.max_total_tokens",
        "engine.kv_budget.tokens",
        "tokens that the cache holds",
    ),
    taken(
        "metadata.max_tokens",
        "plan.max_output_tokens",
        "most tokens of an answer",
    ),
    taken(
        "metadata.duration_per_test",
        "plan.window_s",
        "length of a window",
    ),
    left(
        "results.ttft_avg",
        "mean over requests",
        "the median is taken",
    ),
    left(
        "results.ttft_p99",
        "99th percentile over requests",
        "no such figure here",
    ),
    left(
        "results.request_latency_p50",
        "end-to-end time of a request",
        "no such figure here",
    ),
    left(
        "results.e2e_output_tps_per_user_p50",
        "output tokens over the end-to-end time",
        "the time to the first token is in it",
    ),
    left(
        "results.server_gen_throughput",
        "the server's own rate",
        "the client's count is taken",
    ),
    left(
        "results.hardware_summary",
        "readings of accelerators",
        "no energy over a window of ours",
    ),
    left(
        "results.request_samples",
        "each request with its times",
        "the figures over them are taken",
    ),
    left(
        "burst_results",
        "finite bursts of requests",
        "not so many at a time",
    ),
    left(
        "metadata.timestamp",
        "start of the run",
        "a time without a zone",
    ),
    left(
        "startup_diagnostics",
        "settings of machine and driver",
        "no such fields here",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    let cell = source
        .json
        .as_ref()
        .and_then(|json| json.get("results")?.as_array()?.first());
    source.has_fields(&["metadata", "results"])
        && (source.has_fields(&["summary_table"])
            || cell.is_some_and(|cell| cell.get("aggregate_tps").is_some()))
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.as_ref().unwrap_or(&Value::Null);
    let file = Object::new(json, "")?;
    let Some(metadata) = file.object("metadata")? else {
        return Err(ImportError::figure("nothing", "metadata", "an object"));
    };
    let run = facts(&metadata)?;
    let longest = metadata.whole("max_tokens")?;
    let mut results = Results::default();
    let mut there = BTreeSet::new();
    for cell in file.objects("results")? {
        let (Some(context), Some(requests)) =
            (cell.whole("context_tokens")?, cell.requests("concurrency")?)
        else {
            results.leave(&cell.place("concurrency"), "no context or no concurrency");
            continue;
        };
        there.insert((context, requests));
        let mut found = Found::new(run.clone());
        found.answer = longest;
        found.cell = Some(one(&cell, context, requests)?);
        results.take(found);
    }
    for cell in absent(&metadata, &there, longest)? {
        let mut found = Found::new(run.clone());
        found.cell = Some(cell);
        results.take(found);
    }
    for row in prefill::rows(&file)? {
        let mut found = Found::new(run.clone());
        found.prefill = Some(row);
        results.take(found);
    }
    results.documents(source, NAME, MAPPINGS)
}

fn facts(metadata: &Object<'_>) -> Result<RunDocument, ImportError> {
    let mut run = results::facts(NAME, metadata.text("version")?);
    run.engine.name = metadata.text("engine")?.unwrap_or_default();
    if let Some(model) = metadata.text("model")? {
        results::model(&mut run, &model);
    }
    if let Some(tokens) = metadata
        .whole("max_total_tokens")?
        .filter(|tokens| *tokens > 0)
    {
        let source = "max_total_tokens of the source";
        run.engine.kv_budget = Some(TokenBudget::of_one(tokens, 1, source));
    }
    let plan = &mut run.plan;
    plan.capacity = CapacityRule::Reserve;
    "chat".clone_into(&mut plan.endpoint);
    if metadata.text("decode_mode")?.as_deref() != Some("request-count") {
        "fixed_duration".clone_into(&mut plan.decode_test);
        plan.window_s = metadata.number("duration_per_test")?.unwrap_or_default();
    }
    plan.sampling.ignore_eos = metadata.is_true("ignore_eos");
    Ok(run)
}

fn one(record: &Object<'_>, context: u64, requests: u32) -> Result<DecodeCell, ImportError> {
    let rate = record.get("aggregate_tps").and_then(Value::as_f64);
    let errors = record.whole("num_errors")?.unwrap_or_default();
    let completed = record.whole("num_completed")?;
    if let Some(code) = rate.filter(|rate| *rate < 0.0) {
        return Ok(sentinel(context, requests, code, errors));
    }
    if errors > 0 {
        let done = completed.unwrap_or_default();
        return Ok(results::failed(context, requests, done, errors, None));
    }
    let mut cell = results::cell(context, requests);
    cell.total_tokens_per_s = record.positive("aggregate_tps")?;
    let seconds = |name: &str| -> Result<Option<f64>, ImportError> {
        Ok(record.positive(name)?.map(|seconds| seconds * 1e3))
    };
    results::pace(&mut cell, seconds("inter_token_latency_p50")?);
    let median = record.positive("output_tps_per_user_p50")?;
    let mean = record.positive("per_request_avg_tps")?;
    cell.per_request_tokens_per_s = median.or(mean);
    cell.ttft_ms = seconds("ttft_p50")?;
    cell.completed_requests = completed;
    cell.output_tokens = record.whole("total_tokens")?;
    cell.measured_s = record.positive("measurement_seconds")?;
    cell.average_active_requests = record.positive("effective_concurrency")?;
    cell.server_running = record.number("avg_running_reqs")?;
    cell.server_waiting = record.number("avg_queue_reqs")?;
    status(record, &mut cell)?;
    Ok(cell)
}

/// The marks of the source, by its own rules.
fn status(record: &Object<'_>, cell: &mut DecodeCell) -> Result<(), ImportError> {
    if record.is_true("warmup_timed_out") {
        cell.notes
            .push("The source's warm-up ended before all requests ran.".to_owned());
    }
    if record.is_true("underfilled") || record.is_true("capacity_limited") {
        cell.status = CellStatus::Queued;
        cell.reason =
            Some(record.text("timeout_reason")?.unwrap_or_else(|| {
                "fewer requests ran than were sent, says the source".to_owned()
            }));
    } else if cell.total_tokens_per_s.is_none() {
        cell.status = CellStatus::Failed;
        cell.reason = Some("the source has no rate for it".to_owned());
    }
    Ok(())
}

/// A negative rate: never a figure. Which of the source's reasons its number stands for differs
/// between versions, so the number is told and not read.
fn sentinel(context: u64, requests: u32, code: f64, errors: u64) -> DecodeCell {
    let (status, what) = if errors > 0 {
        (CellStatus::Failed, "failed")
    } else {
        (CellStatus::Skipped, "skipped or failed")
    };
    let reason = format!("{what}: the source writes {code} in place of a rate");
    DecodeCell::without_numbers(context, requests, status, Some(reason))
}

/// Places of the source's matrix that it has no result for.
fn absent(
    metadata: &Object<'_>,
    there: &BTreeSet<(u64, u32)>,
    longest: Option<u64>,
) -> Result<Vec<DecodeCell>, ImportError> {
    const MOST: usize = 1_024;
    let whole = |name: &str| -> Result<Vec<u64>, ImportError> {
        let values = metadata.list(name)?.iter().filter_map(Value::as_u64);
        Ok(values.collect())
    };
    let (contexts, levels) = (whole("context_lengths")?, whole("concurrency_levels")?);
    if there.is_empty() || contexts.len().saturating_mul(levels.len()) > MOST {
        return Ok(Vec::new());
    }
    let budget = metadata
        .whole("max_total_tokens")?
        .filter(|tokens| *tokens > 0);
    let mut cells = Vec::new();
    let mut seen = there.clone();
    for context in contexts {
        for level in &levels {
            let Ok(requests) = u32::try_from(*level) else {
                continue;
            };
            if requests == 0 || !seen.insert((context, requests)) {
                continue;
            }
            let each = context.saturating_add(longest.unwrap_or_default());
            let need = each.saturating_mul(*level);
            let over = longest.is_some() && budget.is_some_and(|budget| need > budget);
            let status = if over {
                CellStatus::OverCapacity
            } else {
                CellStatus::NotPlanned
            };
            let reason = "the source has no result for it".to_owned();
            let mut cell = DecodeCell::without_numbers(context, requests, status, Some(reason));
            if over {
                cell.need_tokens = Some(need);
                cell.budget_tokens = budget;
            }
            cells.push(cell);
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentinel_is_a_status() {
        let cell = sentinel(0, 1, -2.0, 0);
        assert_eq!(cell.status, CellStatus::Skipped);
        assert_eq!(cell.total_tokens_per_s, None);
        assert_eq!(sentinel(0, 1, -1.0, 3).status, CellStatus::Failed);
    }
}
