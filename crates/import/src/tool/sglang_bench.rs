//! SGLang's `bench_serving`: a line of JSON for each run, appended to one file.

use serde_json::Value;
use tokmark_run_format::{DecodeCell, RunDocument};
use tokmark_units::float;

use crate::error::ImportError;
use crate::load::{self, Place};
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "sglang-bench-serving",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "SGLang bench_serving";

const MAPPINGS: &[Mapping] = &[
    taken(
        "max_concurrency",
        "decode.requests",
        "most requests in flight; with an infinite rate as many are",
    ),
    taken(
        "random_input_len",
        "decode.context",
        "tokens of each prompt, by the client's tokenizer; one length only where \
         `random_range_ratio` is 1",
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
        "requests that succeeded in the whole run; those that failed are not counted anywhere",
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
        "random_output_len",
        "plan.max_output_tokens",
        "tokens of each answer",
    ),
    taken(
        "backend",
        "engine.name",
        "the client's protocol; an engine only where it is `sglang`",
    ),
    taken(
        "server_info.model_path",
        "model.served_name",
        "the model that the server loaded",
    ),
    taken(
        "server_info.version",
        "engine.version",
        "the server's version",
    ),
    left(
        "concurrency",
        "requests in flight on time average",
        "counts those that wait for their first token; ours are those that decode",
    ),
    left(
        "total_output_tokens_retokenized",
        "output tokens counted again from the text",
        "the server's count is taken",
    ),
    left("mean_ttft_ms", "mean over requests", "the median is taken"),
    left("mean_tpot_ms", "mean over requests", "the median is taken"),
    left(
        "median_itl_ms",
        "median over all gaps between events, each over its tokens",
        "our gaps also need their maximum and tokens per event",
    ),
    left(
        "median_e2e_latency_ms",
        "end-to-end time of a request",
        "no such figure here",
    ),
    left(
        "input_throughput",
        "prompt tokens over the run's whole time",
        "not the speed of prefill, which is over the time to the first token",
    ),
    left(
        "request_throughput",
        "requests per second of the run",
        "no such figure here",
    ),
    left(
        "total_throughput",
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
        "accept_length",
        "mean tokens of a step that speculates",
        "our acceptance is accepted over drafted tokens",
    ),
    left(
        "tag",
        "a remark of the person who measured",
        "no such field here",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    source.records_have(&["backend", "dataset_name", "completed", "output_throughput"])
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    results::of_records(source, NAME, MAPPINGS, cell, found)
}

fn found(record: &Object<'_>, part: &Value, cell: DecodeCell) -> Result<Found, ImportError> {
    let mut run = results::facts(NAME, None);
    let backend = record.text("backend")?.unwrap_or_default();
    // Any other word names the protocol that the client spoke, which many servers answer.
    if backend == "sglang" || backend == "sglang-native" {
        "sglang".clone_into(&mut run.engine.name);
    }
    results::endpoint(&backend).clone_into(&mut run.plan.endpoint);
    if let Some(server) = server(record)? {
        if let Some(model) = server.text("model_path")? {
            results::model(&mut run, &model);
        }
        run.engine.version = server.text("version")?;
    }
    let mut found = Found::new(run);
    found.answer = record.whole("random_output_len")?;
    found.cell = Some(cell);
    found.part = Some(part.clone());
    Ok(found)
}

/// What the server said of itself, where the client asked and got an object.
fn server<'a>(record: &Object<'a>) -> Result<Option<Object<'a>>, ImportError> {
    match record.get("server_info") {
        Some(Value::Object(_)) => record.object("server_info"),
        _ => Ok(None),
    }
}

fn cell(record: &Object<'_>) -> Result<Place<DecodeCell>, ImportError> {
    let completed = record.whole("completed")?.unwrap_or_default();
    let errors: Vec<&str> = record
        .list("errors")?
        .iter()
        .filter_map(Value::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    let failed = float::len_u64(errors.len());
    let sent = completed.saturating_add(failed);
    let requests = match load::limited(record, Some(sent).filter(|sent| *sent > 0))? {
        Ok(requests) => requests,
        Err(why) => return Ok(Err(why)),
    };
    let context = match context(record, completed)? {
        Ok(context) => context,
        Err(why) => return Ok(Err(why)),
    };
    if failed > 0 || completed == 0 {
        let sample = errors.first().copied();
        let cell = results::failed(context, requests, completed, failed, sample);
        return Ok(Ok(cell));
    }
    let cell = results::served(record, context, requests, completed)?;
    Ok(Ok(cell))
}

/// Random prompts have the length that was asked for, when no range was; others have lengths of
/// their own, unless the file lists them and they agree.
fn context(record: &Object<'_>, completed: u64) -> Result<Place<u64>, ImportError> {
    let lengths = record.list("input_lens")?;
    if !lengths.is_empty() {
        let found = load::one_length(lengths, &record.place("input_lens"))?;
        return Ok(found.and_then(|length| length.ok_or_else(|| load::no_length(completed))));
    }
    let dataset = record.text("dataset_name")?.unwrap_or_default();
    if !dataset.starts_with("random") {
        return Ok(Err(format!(
            "prompts of the dataset `{dataset}` have lengths of their own"
        )));
    }
    let ratio = record.number("random_range_ratio")?;
    if ratio.is_some_and(|ratio| ratio < 1.0) {
        return Ok(Err(
            "prompts have random lengths (`random_range_ratio` is below 1)".to_owned(),
        ));
    }
    let stated = record.whole("random_input_len")?;
    let summed = load::mean(record.whole("total_input_tokens")?, completed);
    Ok(stated.or(summed).ok_or_else(|| load::no_length(completed)))
}
