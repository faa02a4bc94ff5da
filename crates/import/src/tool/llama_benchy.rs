//! llama-benchy: `llama-bench`'s tests through a server's chat route, with streams at once.

use serde_json::Value;
use tokmark_run_format::{PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::Timestamp;

use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found, Results};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "llama-benchy",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "llama-benchy";

const MAPPINGS: &[Mapping] = &[
    taken(
        "benchmarks.concurrency",
        "decode.requests",
        "requests that are sent at once, one round after the other",
    ),
    taken(
        "benchmarks.context_size",
        "decode.context",
        "tokens before the prompt; context is these and `prompt_size`",
    ),
    taken(
        "benchmarks.tg_throughput.mean",
        "decode.total_tokens_per_s",
        "mean over rounds of the tokens after each request's first over the time from the round's \
         first token to its last: launch and end of the round are in it, prefill before it is not",
    ),
    taken(
        "benchmarks.tg_req_throughput.mean",
        "decode.per_request_tokens_per_s",
        "mean over requests, not their median, of tokens after the first over the time from the \
         first to the last; time_between_tokens_ms is 1000 over it",
    ),
    taken(
        "benchmarks.e2e_ttft.mean",
        "decode.ttft_ms",
        "mean over requests, not their median, of the time from sending to the first text, cold \
         unless prefix caching is tested",
    ),
    taken(
        "benchmarks.response_size",
        "plan.max_output_tokens",
        "tokens asked for",
    ),
    taken(
        "benchmarks.pp_throughput.mean",
        "prefill.prompt_tokens_per_s",
        "mean over rounds of one request of prompt tokens over (time to the first response - the \
         measured latency of the way)",
    ),
    taken(
        "benchmarks.prompt_size",
        "prefill.context",
        "tokens of the prompt behind the context",
    ),
    taken(
        "model",
        "model.served_name",
        "the model as requests name it",
    ),
    taken("version", "tool.version", "version of the tool"),
    taken("timestamp", "started_at", "when the file was written"),
    left(
        "benchmarks.ttfr.mean",
        "time to the first response of any kind, also one without text",
        "a chunk without text is no token",
    ),
    left(
        "benchmarks.est_ppt.mean",
        "time to the first response less the latency of the way",
        "part of the speed of prefill",
    ),
    left(
        "benchmarks.pp_req_throughput.mean",
        "prompt speed of one request among several",
        "prefill here is one request on an idle server",
    ),
    left(
        "benchmarks.peak_throughput.mean",
        "most tokens in one second",
        "a peak is no rate over a window",
    ),
    left(
        "benchmarks.peak_req_throughput.mean",
        "most tokens of a request in one second",
        "a peak is no rate over a window",
    ),
    left(
        "latency_ms",
        "measured latency of the way",
        "already in the speed of prefill",
    ),
    left(
        "latency_mode",
        "how that was measured",
        "no such field here",
    ),
    left(
        "max_concurrency",
        "the highest level of the run",
        "each result has its own",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    let first = source
        .json
        .as_ref()
        .and_then(|json| json.get("benchmarks")?.as_array()?.first());
    source.has_fields(&["latency_mode", "benchmarks"])
        || first.is_some_and(|first| first.get("is_context_prefill_phase").is_some())
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.as_ref().unwrap_or(&Value::Null);
    let file = Object::new(json, "")?;
    let cached = file.is_true("prefix_caching_enabled");
    let mut run = results::facts(NAME, file.text("version")?);
    if let Some(model) = file.text("model")? {
        results::model(&mut run, &model);
    }
    "chat".clone_into(&mut run.plan.endpoint);
    let at = file
        .text("timestamp")?
        .and_then(|at| at.replacen(' ', "T", 1).parse::<Timestamp>().ok())
        .map(|at| at.to_string());
    let mut results = Results::default();
    for (index, test) in file.objects("benchmarks")?.iter().enumerate() {
        let place = format!("benchmark {}", index + 1);
        let mut found = Found::new(run.clone());
        found.at.clone_from(&at);
        match one(test, cached, &mut found)? {
            Ok(()) => results.take(found),
            Err(why) => results.leave(&place, why),
        }
    }
    results.documents(source, NAME, MAPPINGS)
}

fn one(
    test: &Object<'_>,
    cached: bool,
    found: &mut Found,
) -> Result<Result<(), &'static str>, ImportError> {
    if test.is_true("is_context_prefill_phase") {
        return Ok(Err(
            "it only loads the context of the next one into the server's cache",
        ));
    }
    let depth = test.whole("context_size")?.unwrap_or_default();
    let Some(prompt) = test.whole("prompt_size")? else {
        return Ok(Err("it has no `prompt_size`"));
    };
    let Some(requests) = test.requests("concurrency")? else {
        return Ok(Err("it has no `concurrency`"));
    };
    let context = depth.saturating_add(prompt);
    found.answer = test.whole("response_size")?;
    let mean = |name: &str| -> Result<Option<f64>, ImportError> {
        match test.object(name)? {
            Some(metric) => metric.positive("mean"),
            None => Ok(None),
        }
    };
    let mut cell = results::cell(context, requests);
    cell.total_tokens_per_s = mean("tg_throughput")?;
    cell.per_request_tokens_per_s = mean("tg_req_throughput")?;
    cell.time_between_tokens_ms = cell.per_request_tokens_per_s.map(|rate| 1_000.0 / rate);
    cell.ttft_ms = mean("e2e_ttft")?;
    if let Some(rate) = mean("pp_throughput")?
        && requests == 1
        && !(cached && depth > 0)
    {
        let mut row = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
        row.prompt_tokens_per_s = Some(rate);
        row.ttft_ms = cell.ttft_ms;
        found.prefill = Some(row);
    }
    // Without decode speed it was a test of prompts alone.
    if cell.total_tokens_per_s.is_some() {
        found.cell = Some(cell);
    }
    Ok(match (&found.cell, &found.prefill) {
        (None, None) => Err("it has no rate"),
        _ => Ok(()),
    })
}
