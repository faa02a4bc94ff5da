//! `LocalScore`: llamafile's benchmark, whose tests are a prompt and then an answer, one at a time.

use serde_json::Value;
use tokmark_run_format::{Accelerator, MachineClass, PrefillRow, PrefillStatus, RunDocument};

use crate::error::ImportError;
use crate::mapping::{Mapping, left, taken};
use crate::object::Object;
use crate::results::{self, Found, Results};
use crate::source::Source;

/// This format.
pub(crate) const FORMAT: crate::Format = crate::Format {
    name: NAME,
    tool: "localscore",
    recognises,
    read,
    mappings: MAPPINGS,
};

const NAME: &str = "LocalScore";

const MAPPINGS: &[Mapping] = &[
    taken("results.n_prompt", "decode.context", "tokens of the prompt"),
    taken(
        "results.gen_tps",
        "decode.total_tokens_per_s",
        "mean over repetitions of generated tokens per second behind that prompt, one sequence in \
         the program's own process, without a server; as many for each request",
    ),
    taken(
        "results.ttft_ms",
        "decode.ttft_ms",
        "mean over repetitions, not their median, of the time of the prompt and the first token",
    ),
    taken(
        "results.prompt_tps",
        "prefill.prompt_tokens_per_s",
        "mean over repetitions of prompt tokens per second, in batches",
    ),
    taken(
        "results.n_gen",
        "plan.max_output_tokens",
        "tokens that are generated",
    ),
    taken("results.model_name", "model.name", "name of the model"),
    taken("results.model_n_params", "model.parameters", "parameters"),
    taken(
        "results.model_quant_str",
        "engine.quantization",
        "quantization of the weights",
    ),
    taken("results.model_filename", "model.file", "the weights' file"),
    taken(
        "runtime_info.name",
        "engine.name",
        "the program around llama.cpp",
    ),
    taken("runtime_info.version", "engine.version", "its version"),
    taken("runtime_info.commit", "engine.build", "its commit"),
    taken(
        "accelerator_info.name",
        "hardware.name",
        "name of the accelerator",
    ),
    taken(
        "accelerator_info.memory_gb",
        "hardware.accelerators.memory_text",
        "memory of the accelerator",
    ),
    taken(
        "system_info.cpu_name",
        "hardware.cpu",
        "name of the processor",
    ),
    taken(
        "system_info.ram_gb",
        "hardware.memory_text",
        "memory of the machine",
    ),
    taken(
        "system_info.kernel_type",
        "hardware.os",
        "kernel and its release",
    ),
    left(
        "results.avg_time_ms",
        "mean time of a repetition",
        "the rates say the same",
    ),
    left(
        "results.power_watts",
        "mean power",
        "no energy over a window; 0 also where nothing was measured",
    ),
    left(
        "results.gen_tps_stddev",
        "spread over repetitions",
        "our interval is of one window",
    ),
    left(
        "results_summary.performance_score",
        "a mean of speeds and TTFT over the tests",
        "a score is no figure",
    ),
    left(
        "results_summary.avg_gen_tps",
        "mean over the tests",
        "each test has its own",
    ),
];

fn recognises(source: &Source<'_>) -> bool {
    source.has_fields(&["runtime_info", "accelerator_info", "results"])
}

fn read(source: &Source<'_>) -> Result<Vec<RunDocument>, ImportError> {
    let json = source.json.as_ref().unwrap_or(&Value::Null);
    let file = Object::new(json, "")?;
    let mut results = Results::default();
    for (index, test) in file.objects("results")?.iter().enumerate() {
        let mut found = Found::new(facts(&file, test)?);
        if one(test, &mut found)? {
            results.take(found);
        } else {
            results.leave(
                &format!("test {}", index + 1),
                "it has no rate or no `n_prompt`",
            );
        }
    }
    results.documents(source, NAME, MAPPINGS)
}

fn one(test: &Object<'_>, found: &mut Found) -> Result<bool, ImportError> {
    let Some(context) = test.whole("n_prompt")? else {
        return Ok(false);
    };
    let ttft = test.positive("ttft_ms")?;
    found.answer = test.whole("n_gen")?;
    if let Some(rate) = test.positive("gen_tps")? {
        let mut cell = results::cell(context, 1);
        cell.total_tokens_per_s = Some(rate);
        cell.per_request_tokens_per_s = Some(rate);
        cell.time_between_tokens_ms = Some(1_000.0 / rate);
        cell.ttft_ms = ttft;
        found.cell = Some(cell);
    }
    if let Some(rate) = test.positive("prompt_tps")?
        && context > 0
    {
        let mut row = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
        row.prompt_tokens = Some(context);
        row.prompt_tokens_per_s = Some(rate);
        row.ttft_ms = ttft;
        found.prefill = Some(row);
    }
    Ok(found.cell.is_some() || found.prefill.is_some())
}

fn facts(file: &Object<'_>, test: &Object<'_>) -> Result<RunDocument, ImportError> {
    let mut run = results::facts(NAME, None);
    "repetitions".clone_into(&mut run.plan.decode_test);
    if let Some(runtime) = file.object("runtime_info")? {
        run.engine.name = runtime.text("name")?.unwrap_or_default();
        run.engine.version = runtime.text("version")?;
        run.engine.build = runtime.text("commit")?;
    }
    run.engine.quantization = test.text("model_quant_str")?;
    if let Some(path) = test.text("model_filename")? {
        results::model(&mut run, &path);
        run.model.repository = None;
    }
    if let Some(name) = test.text("model_name")? {
        run.model.name = name;
    }
    run.model.parameters = test.whole("model_n_params")?.filter(|count| *count > 0);
    hardware(file, &mut run)?;
    Ok(run)
}

fn hardware(file: &Object<'_>, run: &mut RunDocument) -> Result<(), ImportError> {
    let hardware = &mut run.hardware;
    hardware.source = Some("imported".to_owned());
    if let Some(system) = file.object("system_info")? {
        hardware.cpu = system.text("cpu_name")?;
        hardware.memory_text = system.positive("ram_gb")?.map(|gb| format!("{gb} GB"));
        let kernel = system.text("kernel_type")?;
        let release = system.text("kernel_release")?;
        let parts: Vec<String> = kernel.into_iter().chain(release).collect();
        hardware.os = Some(parts.join(" ")).filter(|os| !os.is_empty());
    }
    let Some(card) = file.object("accelerator_info")? else {
        return Ok(());
    };
    hardware.name = card.text("name")?;
    if card.text("type")?.as_deref() == Some("CPU") {
        hardware.class = MachineClass::Cpu;
    } else if let Some(name) = &hardware.name {
        hardware.accelerators = vec![Accelerator {
            name: name.clone(),
            count: 1,
            memory_text: card.positive("memory_gb")?.map(|gb| format!("{gb} GB")),
            ..Accelerator::default()
        }];
    }
    Ok(())
}
