//! `vllm bench serve`: one JSON object per run, of the Python client or the Rust one; runs that
//! were appended to one file stand on lines of their own.

use serde_json::Value;
use tokmark_run_format::{DecodeCell, RunDocument};
use tokmark_units::Timestamp;

use crate::error::ImportError;
use crate::load::{self, Place};
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "vllm-bench-serve",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "vllm bench serve";

const MAPPINGS: &[Mapping] = &[
    taken(
        "max_concurrency",
        "decode.requests",
        "most requests in flight; with an infinite rate as many are",
    ),
    taken(
        "total_input_tokens",
        "decode.context",
        "prompt tokens of all requests; context is their mean, for the file names no length",
    ),
    taken(
        "output_throughput",
        "decode.total_tokens_per_s",
        "output tokens of all requests over the time from the first request to the last answer, \
         with prefill, launch and the end of the run in it",
    ),
    taken(
        "median_tpot_ms",
        "decode.time_between_tokens_ms",
        "median over requests of (end-to-end time - TTFT) / (output tokens - 1); 1000 over it is \
         per_request_tokens_per_s",
    ),
    taken(
        "median_ttft_ms",
        "decode.ttft_ms",
        "median over all requests of the time from sending to the first text, cold or cached, at \
         launch or later",
    ),
    taken(
        "p95_ttft_ms",
        "decode.launch_ttft.p95_ms",
        "95th percentile over all requests, not only those of the launch",
    ),
    taken(
        "completed",
        "decode.completed_requests",
        "requests that succeeded in the whole run",
    ),
    taken(
        "total_output_tokens",
        "decode.output_tokens",
        "output tokens of all requests that succeeded",
    ),
    taken(
        "duration",
        "decode.measured_s",
        "seconds from the first request to the last answer",
    ),
    taken(
        "model_id",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "endpoint_type",
        "plan.endpoint",
        "the route of the requests",
    ),
    taken("backend", "plan.endpoint", "the route of the requests"),
    taken("date", "started_at", "when the file was written"),
    left("mean_ttft_ms", "mean over requests", "the median is taken"),
    left("mean_tpot_ms", "mean over requests", "the median is taken"),
    left(
        "median_itl_ms",
        "median over all gaps between events of all requests",
        "our gaps also need their 95th percentile, maximum and tokens per event",
    ),
    left(
        "mean_itl_ms",
        "mean over all gaps",
        "our gaps also need their 95th percentile, maximum and tokens per event",
    ),
    left(
        "median_e2el_ms",
        "end-to-end time of a request",
        "no such figure here",
    ),
    left(
        "request_throughput",
        "requests that succeeded per second of the run",
        "no such figure here",
    ),
    left(
        "request_goodput",
        "requests within limits per second",
        "no such figure here",
    ),
    left(
        "total_token_throughput",
        "prompt and output tokens per second of the run",
        "prompt tokens are no output",
    ),
    left(
        "max_output_tokens_per_s",
        "most output tokens in one second",
        "a peak is no rate over a window",
    ),
    left(
        "max_concurrent_requests",
        "most requests in one second",
        "counts those that end and begin in the same second twice",
    ),
    left(
        "steady_state",
        "the same figures over the part of the run with nearly all requests in flight",
        "only one client writes it; the file's headline is over the whole run",
    ),
    left(
        "tokenizer_id",
        "the tokenizer that counted tokens",
        "no such field here",
    ),
    left(
        "burstiness",
        "shape of the arrivals at a finite rate",
        "the rate is infinite",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    source.records_have(&["model_id", "num_prompts", "completed", "output_throughput"])
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    results::of_records(source, NAME, MAPPINGS, cell, found)
}

fn found(record: &Object<'_>, part: &Value, cell: DecodeCell) -> Result<Found, ImportError> {
    let mut run = results::facts(NAME, None);
    if let Some(model) = record.text("model_id")? {
        results::model(&mut run, &model);
    }
    let route = match record.text("endpoint_type")? {
        Some(route) => Some(route),
        None => record.text("backend")?,
    };
    let route = route.as_deref().map(results::endpoint).unwrap_or_default();
    route.clone_into(&mut run.plan.endpoint);
    let mut found = Found::new(run);
    found.at = record
        .text("date")?
        .and_then(|date| date.parse::<Timestamp>().ok())
        .map(|at| at.to_string());
    let completed = cell.completed_requests.unwrap_or_default();
    found.answer = load::even(cell.output_tokens, completed);
    found.cell = Some(cell);
    found.part = Some(part.clone());
    Ok(found)
}

fn cell(record: &Object<'_>) -> Result<Place<DecodeCell>, ImportError> {
    let prompts = record.whole("num_prompts")?;
    let completed = record.whole("completed")?.unwrap_or_default();
    let requests = match load::limited(record, prompts)? {
        Ok(requests) => requests,
        Err(why) => return Ok(Err(why)),
    };
    let given = record.list("input_lens")?;
    let context = match load::one_length(given, &record.place("input_lens"))? {
        Ok(Some(length)) => Some(length),
        Ok(None) => load::mean(record.whole("total_input_tokens")?, completed),
        Err(why) => return Ok(Err(why)),
    };
    let Some(context) = context else {
        return Ok(Err(load::no_length(completed)));
    };
    let failed = match record.whole("failed")? {
        Some(failed) => failed,
        None => prompts.unwrap_or_default().saturating_sub(completed),
    };
    if failed > 0 || completed == 0 {
        let sample = record
            .list("errors")?
            .iter()
            .find_map(|error| error.as_str().filter(|text| !text.is_empty()));
        let cell = results::failed(context, requests, completed, failed, sample);
        return Ok(Ok(cell));
    }
    let mut cell = results::served(record, context, requests, completed)?;
    if given.is_empty() {
        cell.notes.push(
            "The file gives no prompt length: the context is the mean, and single prompts may have \
             had other lengths."
                .to_owned(),
        );
    }
    Ok(Ok(cell))
}
