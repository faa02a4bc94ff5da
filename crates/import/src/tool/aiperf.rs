//! AIPerf and its forerunner `GenAI-Perf`: one JSON object per run, a statistic for each metric, and
//! the run's configuration.

use serde_json::Value;
use tokmark_run_format::cell::Gaps;
use tokmark_run_format::{DecodeCell, RunDocument};
use tokmark_units::float;

use super::aiperf_load::{self as load, Load};
use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found, Results};
use crate::source::Source;

/// AIPerf.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: "AIPerf",
    tool: "aiperf",
    recognises: is_aiperf,
    read: read_aiperf,
    mappings: MAPPINGS,
};

/// `GenAI-Perf`.
pub(crate) const GENAI_PERF: crate::Format = crate::Format {
    name: "GenAI-Perf",
    tool: "genai-perf",
    recognises: is_genai_perf,
    read: read_genai_perf,
    mappings: MAPPINGS,
};

const MAPPINGS: &[Mapping] = &[
    taken(
        "input_config.phases.concurrency",
        "decode.requests",
        "requests that are kept in flight",
    ),
    taken(
        "input_config.loadgen.concurrency",
        "decode.requests",
        "requests that are kept in flight",
    ),
    taken(
        "input_config.perf_analyzer.stimulus.concurrency",
        "decode.requests",
        "requests that are kept in flight",
    ),
    taken(
        "input_config.concurrency",
        "decode.requests",
        "requests that are kept in flight",
    ),
    taken(
        "input_config.datasets.prompts.isl.mean",
        "decode.context",
        "tokens of each synthetic prompt, by the client's tokenizer and before the chat template",
    ),
    taken(
        "input_config.input",
        "decode.context",
        "settings of the prompts: tokens of each synthetic prompt, by the client's tokenizer",
    ),
    taken(
        "input_config.synthetic_input_tokens_mean",
        "decode.context",
        "tokens of each synthetic prompt, by the client's tokenizer",
    ),
    taken(
        "output_token_throughput.avg",
        "decode.total_tokens_per_s",
        "output tokens of all requests over the time from the first request to the last answer, \
         with prefill, launch and the end of the run in it",
    ),
    taken(
        "output_token_throughput_per_user.p50",
        "decode.per_request_tokens_per_s",
        "median over requests of 1 / inter-token latency, without the time to the first token",
    ),
    taken(
        "inter_token_latency.p50",
        "decode.time_between_tokens_ms",
        "median over requests of (end-to-end time - TTFT) / (output tokens - 1)",
    ),
    taken(
        "time_to_first_token.p50",
        "decode.ttft_ms",
        "median over all requests of the time from sending to the first token, cold or cached, at \
         launch or later",
    ),
    taken(
        "time_to_first_token.min",
        "decode.launch_ttft.min_ms",
        "smallest of all requests, not only of those of the launch",
    ),
    taken(
        "time_to_first_token.p95",
        "decode.launch_ttft.p95_ms",
        "95th percentile over all requests, not only those of the launch",
    ),
    taken(
        "time_to_first_token.max",
        "decode.launch_ttft.max_ms",
        "largest of all requests, not only of those of the launch",
    ),
    taken(
        "time_to_first_output_token.p50",
        "decode.launch_ttft.answer_ms",
        "median time to the first token of the answer, not of reasoning",
    ),
    taken(
        "effective_decode_concurrency.avg",
        "decode.average_active_requests",
        "requests in decode on time average over the run",
    ),
    taken(
        "inter_chunk_latency.p50",
        "decode.gaps.p50_ms",
        "gaps between chunks of one request; tokens per event are output tokens over chunks",
    ),
    taken(
        "inter_chunk_latency.p95",
        "decode.gaps.p95_ms",
        "95th percentile of these gaps",
    ),
    taken(
        "inter_chunk_latency.p99",
        "decode.gaps.p99_ms",
        "99th percentile of these gaps",
    ),
    taken(
        "usage_prompt_tokens.p50",
        "decode.prompt_tokens",
        "median prompt tokens as the server counts them",
    ),
    taken(
        "request_count.avg",
        "decode.completed_requests",
        "requests that succeeded",
    ),
    taken(
        "total_output_tokens.avg",
        "decode.output_tokens",
        "output tokens of all requests",
    ),
    taken(
        "benchmark_duration.avg",
        "decode.measured_s",
        "seconds from the first request to the last answer",
    ),
    taken("aiperf_version", "tool.version", "version of the tool"),
    taken(
        "input_config.models",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "input_config.endpoint.model_names",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "input_config.model_names",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "input_config.model",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "input_config.endpoint.type",
        "plan.endpoint",
        "the route of the requests",
    ),
    taken(
        "input_config.endpoint_type",
        "plan.endpoint",
        "the route of the requests",
    ),
    left(
        "time_to_first_token.avg",
        "mean over requests",
        "the median is taken",
    ),
    left(
        "inter_token_latency.avg",
        "mean over requests",
        "the median is taken",
    ),
    left(
        "request_latency.p50",
        "end-to-end time of a request",
        "no such figure here",
    ),
    left(
        "time_to_second_token.p50",
        "gap after the first token",
        "no such figure here",
    ),
    left(
        "request_throughput.avg",
        "requests per second",
        "no such figure here",
    ),
    left(
        "effective_concurrency.avg",
        "requests in flight on time average",
        "counts those that wait for their first token; ours are those that decode",
    ),
    left(
        "prefill_throughput_per_user.avg",
        "prompt tokens over the time to the first token, under the run's load",
        "prefill here is one cold request on an idle server",
    ),
    left(
        "total_token_throughput.avg",
        "prompt and output tokens per second",
        "prompt tokens are no output",
    ),
    left(
        "telemetry_data.endpoints",
        "readings of accelerators",
        "no energy over a window of ours",
    ),
    left("start_time", "start of the run", "a time without a zone"),
];

fn is_aiperf(source: &Source<'_>) -> bool {
    source.has_fields(&["input_config"])
        && (source.has_fields(&["aiperf_version"]) || source.has_fields(&["was_cancelled"]))
}

fn is_genai_perf(source: &Source<'_>) -> bool {
    source.has_fields(&["input_config", "output_token_throughput"])
        || source.has_fields(&["input_config", "request_latency"])
}

fn read_aiperf(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    read(source, "AIPerf")
}

fn read_genai_perf(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    read(source, "GenAI-Perf")
}

fn read(source: &Source<'_>, name: &str) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.as_ref().unwrap_or(&Value::Null);
    let file = Object::new(json, "")?;
    let mut results = Results::default();
    match Load::of(&file)? {
        Err(why) => results.leave("", why),
        Ok(load) => {
            let mut run = results::facts(name, file.text("aiperf_version")?);
            run.complete = !file.is_true("was_cancelled");
            load::facts(&file, &mut run)?;
            let mut found = Found::new(run);
            found.answer = load.output;
            found.cell = Some(cell(&file, &load)?);
            results.take(found);
        }
    }
    results.documents(source, name, MAPPINGS)
}

/// A time in milliseconds, by the unit that the file states beside it.
fn ms(file: &Object<'_>, metric: &str, statistic: &str) -> Result<Option<f64>, ImportError> {
    let Some(object) = file.object(metric)? else {
        return Ok(None);
    };
    let factor = match object.text("unit")?.as_deref() {
        None | Some("ms") => 1.0,
        Some("s" | "sec") => 1e3,
        Some("us" | "µs") => 1e-3,
        Some("ns") => 1e-6,
        Some(other) => {
            let known = ["ms", "s", "us", "ns"];
            return Err(ImportError::word(other, object.place("unit"), &known));
        }
    };
    Ok(object.positive(statistic)?.map(|value| value * factor))
}

fn figure(file: &Object<'_>, metric: &str, statistic: &str) -> Result<Option<f64>, ImportError> {
    match file.object(metric)? {
        Some(object) => object.positive(statistic),
        None => Ok(None),
    }
}

fn count(file: &Object<'_>, metric: &str) -> Result<Option<u64>, ImportError> {
    Ok(figure(file, metric, "avg")?.map(float::round_to_u64))
}

fn cell(file: &Object<'_>, load: &Load) -> Result<DecodeCell, ImportError> {
    let errors = count(file, "error_request_count")?.unwrap_or_default();
    let completed = count(file, "request_count")?;
    let has_figures = figure(file, "request_latency", "avg")?.is_some()
        || figure(file, "output_token_throughput", "avg")?.is_some();
    if errors > 0 || completed == Some(0) || !has_figures {
        let completed = completed.unwrap_or_default();
        return Ok(results::failed(
            load.context,
            load.requests,
            completed,
            errors,
            None,
        ));
    }
    let mut cell = results::cell(load.context, load.requests);
    cell.total_tokens_per_s = figure(file, "output_token_throughput", "avg")?;
    let per_user = "output_token_throughput_per_user";
    results::pace(&mut cell, ms(file, "inter_token_latency", "p50")?);
    if let Some(rate) = figure(file, per_user, "p50")? {
        cell.per_request_tokens_per_s = Some(rate);
    }
    let ttft = "time_to_first_token";
    cell.ttft_ms = ms(file, ttft, "p50")?;
    cell.launch_ttft.min_ms = ms(file, ttft, "min")?;
    cell.launch_ttft.p95_ms = ms(file, ttft, "p95")?;
    cell.launch_ttft.max_ms = ms(file, ttft, "max")?;
    cell.launch_ttft.answer_ms = ms(file, "time_to_first_output_token", "p50")?;
    cell.average_active_requests = figure(file, "effective_decode_concurrency", "avg")?;
    cell.prompt_tokens = figure(file, "usage_prompt_tokens", "p50")?.map(float::round_to_u64);
    cell.completed_requests = completed;
    cell.output_tokens = match count(file, "total_output_tokens")? {
        Some(tokens) => Some(tokens),
        None => count(file, "total_osl")?,
    };
    cell.measured_s = ms(file, "benchmark_duration", "avg")?.map(|ms| ms / 1e3);
    cell.gaps = gaps(file, &cell)?;
    Ok(cell)
}

/// The gaps, where the file has every figure of them.
fn gaps(file: &Object<'_>, cell: &DecodeCell) -> Result<Option<Gaps>, ImportError> {
    let metric = "inter_chunk_latency";
    let n = figure(file, metric, "count")?;
    let figures = (
        ms(file, metric, "p50")?,
        ms(file, metric, "p95")?,
        ms(file, metric, "p99")?,
        ms(file, metric, "max")?,
    );
    let (Some(n), (Some(p50_ms), Some(p95_ms), Some(p99_ms), Some(max_ms))) = (n, figures) else {
        return Ok(None);
    };
    let (Some(tokens), Some(requests)) = (cell.output_tokens, cell.completed_requests) else {
        return Ok(None);
    };
    // Each request has one chunk more than gaps.
    let chunks = n + float::from_u64(requests);
    Ok(Some(Gaps {
        n: float::round_to_u64(n),
        p50_ms,
        p95_ms,
        p99_ms,
        max_ms,
        tokens_per_event: float::from_u64(tokens) / chunks,
    }))
}
