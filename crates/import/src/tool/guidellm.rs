//! GuideLLM: one JSON report with a benchmark for each step of its profile.

use serde_json::Value;
use tokmark_run_format::{DecodeCell, RunDocument};
use tokmark_units::{Timestamp, float};

use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found, Results};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "guidellm",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "GuideLLM";

const MAPPINGS: &[Mapping] = &[
    taken(
        "benchmarks.config.strategy.streams",
        "decode.requests",
        "streams of the strategy `concurrent`; 1 of `synchronous`",
    ),
    taken(
        "config.spec.data.prompt_tokens",
        "decode.context",
        "tokens of each synthetic prompt, before the chat template",
    ),
    taken(
        "args.data",
        "decode.context",
        "description of the data, with `prompt_tokens` of synthetic prompts",
    ),
    taken(
        "benchmarks.metrics.output_tokens_per_second.successful.mean",
        "decode.total_tokens_per_s",
        "output tokens of requests that succeeded over the benchmark's whole time, with prefill, \
         launch and end in it",
    ),
    taken(
        "benchmarks.metrics.inter_token_latency_ms.successful.median",
        "decode.time_between_tokens_ms",
        "median, weighted by tokens, of each request's (last - first token) / (output tokens - 1); \
         1000 over it is per_request_tokens_per_s",
    ),
    taken(
        "benchmarks.metrics.time_to_first_token_ms.successful.median",
        "decode.ttft_ms",
        "median over all requests of the time from sending to the first text, cold or cached, at \
         launch or later",
    ),
    taken(
        "benchmarks.metrics.time_to_first_token_ms.successful.percentiles.p95",
        "decode.launch_ttft.p95_ms",
        "95th percentile over all requests, not only those of the launch",
    ),
    taken(
        "benchmarks.metrics.time_to_first_token_ms.successful.min",
        "decode.launch_ttft.min_ms",
        "smallest of all requests, not only of those of the launch",
    ),
    taken(
        "benchmarks.metrics.time_to_first_token_ms.successful.max",
        "decode.launch_ttft.max_ms",
        "largest of all requests, not only of those of the launch",
    ),
    taken(
        "benchmarks.metrics.prompt_token_count.successful.median",
        "decode.prompt_tokens",
        "median prompt tokens, as the server counts them where it does",
    ),
    taken(
        "benchmarks.metrics.request_totals.successful",
        "decode.completed_requests",
        "requests that succeeded",
    ),
    taken(
        "benchmarks.metrics.output_token_count.successful.total_sum",
        "decode.output_tokens",
        "output tokens of requests that succeeded",
    ),
    taken(
        "benchmarks.duration",
        "decode.measured_s",
        "seconds of the benchmark without warm-up and cool-down",
    ),
    taken(
        "benchmarks.start_time",
        "started_at",
        "start of the benchmark",
    ),
    taken(
        "config.spec.data.output_tokens",
        "plan.max_output_tokens",
        "tokens asked for",
    ),
    taken(
        "config.spec.backend.model",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "args.model",
        "model.served_name",
        "the model as requests name it",
    ),
    taken(
        "metadata.guidellm_version",
        "tool.version",
        "version of the tool",
    ),
    left(
        "benchmarks.metrics.time_per_output_token_ms.successful.median",
        "end-to-end time over output tokens: the time to the first token is in it",
        "not the time between tokens",
    ),
    left(
        "benchmarks.metrics.request_concurrency.successful.mean",
        "requests in flight on time average",
        "counts those that wait for their first token; ours are those that decode",
    ),
    left(
        "benchmarks.metrics.request_latency.successful.median",
        "end-to-end time of a request, in seconds",
        "no such figure here",
    ),
    left(
        "benchmarks.metrics.requests_per_second.successful.mean",
        "requests per second",
        "no such figure here",
    ),
    left(
        "benchmarks.metrics.tokens_per_second.successful.mean",
        "prompt and output tokens per second",
        "prompt tokens are no output",
    ),
    left(
        "benchmarks.metrics.prompt_tokens_per_second.successful.mean",
        "prompt tokens over the benchmark's whole time",
        "not the speed of prefill, which is over the time to the first token",
    ),
    left(
        "benchmarks.requests",
        "each request with its times",
        "the figures over them are taken",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    let Some(json) = &source.json else {
        return false;
    };
    let first = json
        .get("benchmarks")
        .and_then(|list| list.as_array()?.first());
    json.pointer("/metadata/guidellm_version").is_some()
        || first.is_some_and(|first| {
            let metric = "/metrics/time_to_first_token_ms/successful";
            first.pointer(metric).is_some()
        })
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.as_ref().unwrap_or(&Value::Null);
    let file = Object::new(json, "")?;
    let version = match file.object("metadata")? {
        Some(metadata) => metadata.text("guidellm_version")?,
        None => None,
    };
    let run = results::facts(NAME, version);
    let mut results = Results::default();
    for (index, benchmark) in file.objects("benchmarks")?.iter().enumerate() {
        let place = format!("benchmark {}", index + 1);
        let mut found = Found::new(run.clone());
        match one(&file, benchmark, &mut found)? {
            Ok(()) => results.take(found),
            Err(why) => results.leave(&place, why),
        }
    }
    results.documents(source, NAME, MAPPINGS)
}

fn one(
    file: &Object<'_>,
    benchmark: &Object<'_>,
    found: &mut Found,
) -> Result<Result<(), String>, ImportError> {
    let requests = match requests(benchmark)? {
        Ok(requests) => requests,
        Err(why) => return Ok(Err(why)),
    };
    let lengths = match Lengths::of(file)? {
        Ok(lengths) => lengths,
        Err(why) => return Ok(Err(why)),
    };
    facts(file, benchmark, found)?;
    found.answer = lengths.output;
    let Some(metrics) = benchmark.object("metrics")? else {
        return Ok(Err("it has no `metrics`".to_owned()));
    };
    found.cell = Some(cell(benchmark, &metrics, lengths.prompt, requests)?);
    Ok(Ok(()))
}

/// Streams that are kept busy; a rate or as many as possible is no level.
fn requests(benchmark: &Object<'_>) -> Result<Result<u32, String>, ImportError> {
    // Older reports have the strategy beside the arguments, newer ones in the configuration.
    let ways: [&[&str]; 3] = [
        &["config", "strategy"],
        &["args", "strategy"],
        &["scheduler", "strategy"],
    ];
    let mut found = None;
    for way in ways {
        if found.is_none() {
            found = benchmark.at(way)?;
        }
    }
    let Some(strategy) = found else {
        return Ok(Err("it does not say how requests were sent".to_owned()));
    };
    let kind = strategy.text("type_")?.unwrap_or_default();
    Ok(match kind.as_str() {
        "synchronous" => Ok(1),
        "concurrent" => strategy
            .requests("streams")?
            .ok_or_else(|| "`concurrent` without `streams`".to_owned()),
        "throughput" => {
            Err("`throughput` sends as many requests as it can, not so many at a time".to_owned())
        }
        other => Err(format!("`{other}` sends at a rate, not so many at a time")),
    })
}

/// Lengths of synthetic prompts and answers.
struct Lengths {
    prompt: u64,
    output: Option<u64>,
}

impl Lengths {
    fn of(file: &Object<'_>) -> Result<Result<Self, String>, ImportError> {
        let unknown = || Err("the file gives its prompts no single length".to_owned());
        if let Some(spec) = file.at(&["config", "spec"])? {
            let data = spec.objects("data")?;
            return match data.as_slice() {
                [one] => Self::stated(one),
                _ => Ok(unknown()),
            };
        }
        let Some(args) = file.object("args")? else {
            return Ok(unknown());
        };
        let first = match args.get("data") {
            Some(Value::Array(items)) => items.first(),
            other => other,
        };
        match first {
            Some(Value::Object(_)) => match first {
                Some(value) => Self::stated(&Object::new(value, args.place("data"))?),
                None => Ok(unknown()),
            },
            Some(Value::String(text)) => Self::written(text, &args.place("data")),
            _ => Ok(unknown()),
        }
    }

    fn stated(data: &Object<'_>) -> Result<Result<Self, String>, ImportError> {
        let Some(prompt) = data.whole("prompt_tokens")? else {
            return Ok(Err(
                "the prompts are no synthetic ones of one length".to_owned()
            ));
        };
        for name in [
            "prompt_tokens_stdev",
            "prompt_tokens_min",
            "prompt_tokens_max",
        ] {
            let same = name != "prompt_tokens_stdev";
            if let Some(value) = data.number(name)?
                && !(same && value.to_bits() == float::from_u64(prompt).to_bits() || value == 0.0)
            {
                return Ok(Err(format!("prompts have random lengths (`{name}`)")));
            }
        }
        let output = data.whole("output_tokens")?;
        Ok(Ok(Self { prompt, output }))
    }

    /// `prompt_tokens=256,output_tokens=128`, or the same as JSON.
    fn written(text: &str, place: &str) -> Result<Result<Self, String>, ImportError> {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(text) {
            return Self::stated(&Object::new(&value, place)?);
        }
        let fields: serde_json::Map<String, Value> = text
            .split(',')
            .filter_map(|pair| {
                let (name, value) = pair.split_once('=')?;
                let value: u64 = value.trim().parse().ok()?;
                Some((name.trim().to_owned(), value.into()))
            })
            .collect();
        Self::stated(&Object::new(&Value::Object(fields), place)?)
    }
}

fn facts(file: &Object<'_>, benchmark: &Object<'_>, found: &mut Found) -> Result<(), ImportError> {
    let ways: [&[&str]; 3] = [
        &["config", "spec", "backend"],
        &["args"],
        &["args", "backend"],
    ];
    for way in ways {
        if let Some(place) = file.at(way)?
            && found.run.model.name.is_empty()
            && let Some(model) = place.text("model")?
        {
            results::model(&mut found.run, &model);
            let route = match place.get("request_format").or(place.get("request_type")) {
                Some(Value::String(route)) => results::endpoint(route),
                _ => "",
            };
            route.clone_into(&mut found.run.plan.endpoint);
        }
    }
    found.at = benchmark
        .positive("start_time")?
        .map(|seconds| float::round_to_u64(seconds * 1_000.0))
        .and_then(|ms| Timestamp::from_unix_millis(i64::try_from(ms).ok()?))
        .map(|at| at.to_string());
    Ok(())
}

fn cell(
    benchmark: &Object<'_>,
    metrics: &Object<'_>,
    context: u64,
    requests: u32,
) -> Result<DecodeCell, ImportError> {
    let totals = metrics.object("request_totals")?;
    let count = |name: &str| match &totals {
        Some(totals) => totals.whole(name),
        None => Ok(None),
    };
    let completed = count("successful")?.unwrap_or_default();
    let errored = count("errored")?.unwrap_or_default();
    if errored > 0 || completed == 0 {
        return Ok(results::failed(context, requests, completed, errored, None));
    }
    let metric = |name: &str| metrics.at(&[name, "successful"]);
    let figure = |name: &str, statistic: &str| match metric(name)? {
        Some(metric) => metric.positive(statistic),
        None => Ok(None),
    };
    let mut cell = results::cell(context, requests);
    cell.total_tokens_per_s = figure("output_tokens_per_second", "mean")?;
    results::pace(&mut cell, figure("inter_token_latency_ms", "median")?);
    let ttft = "time_to_first_token_ms";
    cell.ttft_ms = figure(ttft, "median")?;
    cell.launch_ttft.min_ms = figure(ttft, "min")?;
    cell.launch_ttft.max_ms = figure(ttft, "max")?;
    if let Some(percentiles) = metrics.at(&[ttft, "successful", "percentiles"])? {
        cell.launch_ttft.p95_ms = percentiles.positive("p95")?;
    }
    cell.prompt_tokens = figure("prompt_token_count", "median")?.map(float::round_to_u64);
    cell.completed_requests = Some(completed);
    cell.output_tokens = figure("output_token_count", "total_sum")?.map(float::round_to_u64);
    cell.measured_s = benchmark.positive("duration")?;
    Ok(cell)
}
