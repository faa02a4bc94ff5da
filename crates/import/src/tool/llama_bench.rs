//! llama.cpp's `llama-bench`: a list of tests as JSON, JSON Lines, CSV or a Markdown table.
//!
//! It runs the library in its own process, one sequence at a time: no server, no first token on a
//! wire, and so no TTFT.

use std::collections::BTreeMap;

use serde_json::Value;
use tokmark_run_format::{Accelerator, DecodeCell, PrefillRow, PrefillStatus, RunDocument};
use tokmark_units::{Timestamp, float};

use super::llama_bench_table as table;
use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::redact;
use crate::results::{self, Found, Results};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "llama-bench",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "llama-bench";

const MAPPINGS: &[Mapping] = &[
    taken(
        "avg_ts",
        "decode.total_tokens_per_s",
        "mean over repetitions of generated tokens per second, one sequence in the program's own \
         process, without sampling or a server (tests with `n_gen`); as many for each request",
    ),
    taken(
        "avg_ts",
        "prefill.prompt_tokens_per_s",
        "mean over repetitions of prompt tokens per second, in batches, with the logits of the last \
         (tests with `n_prompt` and an empty cache)",
    ),
    taken(
        "t/s",
        "decode.total_tokens_per_s",
        "mean over repetitions of generated tokens per second, one sequence in the program's own \
         process, without sampling or a server (tests `tg`); as many for each request",
    ),
    taken(
        "t/s",
        "prefill.prompt_tokens_per_s",
        "mean over repetitions of prompt tokens per second, in batches (tests `pp` with an empty \
         cache)",
    ),
    taken(
        "n_depth",
        "decode.context",
        "tokens in the cache before the test begins; 0 where the file has no such field",
    ),
    taken("n_prompt", "prefill.context", "tokens of the prompt"),
    taken(
        "n_gen",
        "plan.max_output_tokens",
        "tokens that are generated",
    ),
    taken(
        "samples_ns",
        "decode.measured_s",
        "time of each repetition; their sum",
    ),
    taken("build_commit", "engine.build", "commit of llama.cpp"),
    taken("build_number", "engine.version", "build of llama.cpp"),
    taken(
        "backends",
        "engine.backend",
        "the backends that were built in",
    ),
    taken(
        "backend",
        "engine.backend",
        "the backends that were built in",
    ),
    taken("model_filename", "model.file", "the weights' file"),
    taken(
        "model_type",
        "engine.quantization",
        "architecture, size and quantization in one text",
    ),
    taken(
        "model",
        "engine.quantization",
        "architecture, size and quantization in one text, also the only name of the model",
    ),
    taken("model_n_params", "model.parameters", "parameters"),
    taken(
        "gpu_info",
        "hardware.accelerators.name",
        "names of the devices",
    ),
    taken("cpu_info", "hardware.cpu", "name of the processor"),
    taken(
        "type_k",
        "engine.kv_type",
        "type of the keys in the cache, where the values' is the same",
    ),
    taken("test_time", "started_at", "start of the test"),
    left(
        "stddev_ts",
        "spread over repetitions",
        "our interval is of one window, from its batches",
    ),
    left(
        "samples_ts",
        "rate of each repetition",
        "their mean is taken",
    ),
    left(
        "avg_ns",
        "mean time of a repetition",
        "the rate says the same",
    ),
    left("model_size", "bytes of the weights", "no such field here"),
];

/// Settings that tell two servers apart; they are kept as the engine's flags.
const SETTINGS: [&str; 20] = [
    "n_batch",
    "n_ubatch",
    "n_threads",
    "cpu_mask",
    "cpu_strict",
    "poll",
    "type_k",
    "type_v",
    "n_gpu_layers",
    "n_cpu_moe",
    "split_mode",
    "main_gpu",
    "no_kv_offload",
    "flash_attn",
    "devices",
    "tensor_split",
    "tensor_buft_overrides",
    "use_mmap",
    "embeddings",
    "no_op_offload",
];

fn recognises(source: &Source<'_>) -> bool {
    source.records_have(&["build_commit", "n_prompt", "n_gen", "avg_ts"])
        || table::is_csv(source.text())
        || table::is_markdown(source.text())
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let text = source.text();
    let records = if !source.records().is_empty() {
        source.records().to_vec()
    } else if table::is_csv(text) {
        table::csv(text)?
    } else {
        table::markdown(text)?
    };
    let is_json = !source.records().is_empty();
    let mut results = Results::default();
    for (index, record) in records.iter().enumerate() {
        let place = format!("test {}", index + 1);
        let object = Object::new(record, &*place)?;
        match Test::of(&object)? {
            Ok(measured) => {
                let mut found = Found::new(facts(&object)?);
                found.at = object
                    .text("test_time")?
                    .and_then(|at| at.parse::<Timestamp>().ok())
                    .map(|at| at.to_string());
                measured.into_place(&object, &mut found)?;
                found.part = is_json.then(|| record.clone());
                results.take(found);
            }
            Err(why) => results.leave(&place, why),
        }
    }
    results.documents(source, NAME, MAPPINGS)
}

/// What a test measures.
enum Test {
    /// The speed of a prompt on an empty cache.
    Prefill(u64),
    /// The speed of one sequence that starts at a depth.
    Decode { depth: u64, tokens: u64 },
}

impl Test {
    fn of(record: &Object<'_>) -> Result<Result<Self, String>, ImportError> {
        let prompt = record.whole("n_prompt")?.unwrap_or_default();
        let tokens = record.whole("n_gen")?.unwrap_or_default();
        let depth = record.whole("n_depth")?.unwrap_or_default();
        if record.positive("avg_ts")?.is_none() {
            return Ok(Err("it has no rate".to_owned()));
        }
        Ok(match (prompt, tokens, depth) {
            (0, 0, _) => Err("neither prompt nor generated tokens".to_owned()),
            (0, tokens, depth) => Ok(Self::Decode { depth, tokens }),
            (prompt, 0, 0) => Ok(Self::Prefill(prompt)),
            (prompt, 0, depth) => Err(format!(
                "pp{prompt} at depth {depth} is the speed of the last part of a prompt, not of a \
                 prompt"
            )),
            (prompt, tokens, _) => Err(format!(
                "pp{prompt}+tg{tokens} has one rate for prompt and output together"
            )),
        })
    }

    fn into_place(self, record: &Object<'_>, found: &mut Found) -> Result<(), ImportError> {
        let rate = record.positive("avg_ts")?;
        let samples = record.list("samples_ns")?;
        match self {
            Self::Prefill(context) => {
                let mut row = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
                row.prompt_tokens = Some(context);
                row.prompt_tokens_per_s = rate;
                row.completed_requests = float::len_u64(samples.len());
                found.prefill = Some(row);
            }
            Self::Decode { depth, tokens } => {
                found.answer = Some(tokens);
                found.cell = Some(decode(depth, tokens, rate, samples));
            }
        }
        Ok(())
    }
}

fn decode(depth: u64, tokens: u64, rate: Option<f64>, samples: &[Value]) -> DecodeCell {
    let mut cell = results::cell(depth, 1);
    cell.total_tokens_per_s = rate;
    cell.per_request_tokens_per_s = rate;
    cell.time_between_tokens_ms = rate.map(|rate| 1_000.0 / rate);
    if !samples.is_empty() {
        let repetitions = float::len_u64(samples.len());
        cell.completed_requests = Some(repetitions);
        cell.output_tokens = Some(tokens.saturating_mul(repetitions));
        let ns: f64 = samples.iter().filter_map(Value::as_f64).sum();
        cell.measured_s = Some(ns / 1e9).filter(|s| *s > 0.0 && *s < 1e9);
    }
    cell
}

fn facts(record: &Object<'_>) -> Result<RunDocument, ImportError> {
    let build = record.whole("build_number")?.filter(|number| *number > 0);
    let version = build.map(|number| format!("b{number}"));
    let mut run = results::facts(NAME, version.clone());
    "repetitions".clone_into(&mut run.plan.decode_test);
    "llamacpp".clone_into(&mut run.engine.name);
    run.engine.version = version;
    run.engine.build = record.text("build_commit")?;
    run.engine.backend = record.text("backends")?;
    model(record, &mut run)?;
    run.hardware.cpu = record.text("cpu_info")?;
    if let Some(devices) = record.text("gpu_info")? {
        run.hardware.accelerators = accelerators(&devices);
        run.hardware.name = Some(devices);
    } else {
        run.hardware.name.clone_from(&run.hardware.cpu);
    }
    run.hardware.source = run.hardware.name.is_some().then(|| "imported".to_owned());
    let types = (record.text("type_k")?, record.text("type_v")?);
    if let (Some(keys), Some(values)) = types
        && keys == values
    {
        run.engine.kv_type = Some(keys);
    }
    for name in SETTINGS {
        if let Some(value) = record.get(name) {
            let value = match value {
                Value::String(text) => redact::text(text),
                other => other.to_string(),
            };
            run.engine.flags.push(format!("{name} {value}"));
        }
    }
    Ok(run)
}

/// `llama 7B Q4_0` is architecture, size and quantization; the last word is the quantization only
/// when it looks like one.
fn model(record: &Object<'_>, run: &mut RunDocument) -> Result<(), ImportError> {
    let kind = record.text("model_type")?;
    let file = record.text("model_filename")?;
    if let Some(name) = file.as_deref().or(kind.as_deref()) {
        results::model(run, name);
    }
    if file.is_none() {
        run.model.repository = None;
    }
    run.model.parameters = record.whole("model_n_params")?.filter(|count| *count > 0);
    run.engine.quantization = kind.as_deref().and_then(quantization);
    Ok(())
}

fn quantization(kind: &str) -> Option<String> {
    // `Q4_K - Medium` has a size behind it.
    let kind = kind.split(" - ").next()?.trim();
    let last = kind.rsplit(' ').next()?;
    let upper = last.to_ascii_uppercase();
    let known = ["Q", "IQ", "TQ", "F", "BF", "MXFP", "NVFP"];
    let digit = |start: &&str| {
        upper
            .strip_prefix(*start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    known.iter().any(digit).then(|| last.to_owned())
}

/// `NVIDIA A, NVIDIA A` are two of one kind.
fn accelerators(devices: &str) -> Vec<Accelerator> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for name in devices.split([',', '/']).map(str::trim) {
        if !name.is_empty() {
            let count = counts.entry(name).or_default();
            *count = count.saturating_add(1);
        }
    }
    counts
        .into_iter()
        .map(|(name, count)| Accelerator {
            name: name.to_owned(),
            count,
            ..Accelerator::default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantization_is_the_last_word() {
        let check = |kind: &str, expect: Option<&str>| {
            assert_eq!(quantization(kind).as_deref(), expect, "{kind}");
        };
        check("llama 7B Q4_0", Some("Q4_0"));
        check("qwen2 3B Q4_K - Medium", Some("Q4_K"));
        check("gemma3 4B F16", Some("F16"));
        check("gpt-oss 20B MXFP4 MoE", None);
        check("llama 7B", None);
    }

    #[test]
    fn equal_devices_are_counted() {
        let found = accelerators("Card A, Card A, Card B");
        let found: Vec<_> = found.iter().map(|card| (&*card.name, card.count)).collect();
        assert_eq!(found, [("Card A", 2), ("Card B", 1)]);
    }
}
