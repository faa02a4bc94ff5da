//! The load and the model in the configurations of AIPerf and `GenAI-Perf`, which moved from one
//! version to the next.

use serde_json::Value;
use tokmark_run_format::RunDocument;

use crate::error::ImportError;
use crate::load::Place;
use crate::object::Object;
use crate::results;

/// So many requests at a time, prompts and answers of one length.
pub(super) struct Load {
    pub(super) requests: u32,
    pub(super) context: u64,
    pub(super) output: Option<u64>,
}

impl Load {
    pub(super) fn of(file: &Object<'_>) -> Result<Place<Self>, ImportError> {
        let Some(config) = file.object("input_config")? else {
            return Ok(Err("it has no `input_config`".to_owned()));
        };
        let requests = match requests(&config)? {
            Ok(requests) => requests,
            Err(why) => return Ok(Err(why)),
        };
        let context = match prompt(&config)? {
            Ok(context) => context,
            Err(why) => return Ok(Err(why)),
        };
        Ok(Ok(Self {
            requests,
            context,
            output: output(&config)?,
        }))
    }
}

fn requests(config: &Object<'_>) -> Result<Place<u32>, ImportError> {
    let phases = config.objects("phases")?;
    let mut measured = Vec::new();
    for phase in &phases {
        if phase.text("kind")?.as_deref() != Some("warmup") {
            measured.push(phase);
        }
    }
    if let [phase] = measured.as_slice() {
        return rate_or_level(phase, &["rate", "request_rate"], &["concurrency"]);
    }
    if measured.len() > 1 {
        return Ok(Err(
            "several loads one after the other share its figures".to_owned()
        ));
    }
    let ways: [&[&str]; 2] = [&["loadgen"], &["perf_analyzer", "stimulus"]];
    for way in ways {
        if let Some(load) = config.at(way)? {
            return rate_or_level(&load, &["request_rate"], &["concurrency"]);
        }
    }
    rate_or_level(config, &["request_rate"], &["concurrency"])
}

fn rate_or_level(
    load: &Object<'_>,
    rates: &[&str],
    levels: &[&str],
) -> Result<Place<u32>, ImportError> {
    for name in rates {
        if let Some(rate) = load.positive(name)? {
            return Ok(Err(format!(
                "requests come at {rate} per second (`{name}`), not so many at a time"
            )));
        }
    }
    for name in levels {
        if let Some(level) = load.requests(name)? {
            return Ok(Ok(level));
        }
    }
    Ok(Err(
        "it does not say how many requests were in flight (`concurrency`)".to_owned(),
    ))
}

const RANDOM: &str = "prompts have random lengths";
const OTHER: &str = "its prompts are no synthetic ones of one length";

fn prompt(config: &Object<'_>) -> Result<Place<u64>, ImportError> {
    let datasets = config.objects("datasets")?;
    if let [data] = datasets.as_slice() {
        let isl = data.at(&["prompts", "isl"])?;
        return fixed(isl.as_ref(), "mean", "stddev");
    }
    let ways: [&[&str]; 2] = [
        &["input", "prompt", "input_tokens"],
        &["input", "synthetic_tokens"],
    ];
    for way in ways {
        if let Some(tokens) = config.at(way)? {
            return fixed(Some(&tokens), "mean", "stddev");
        }
    }
    fixed(
        Some(config),
        "synthetic_input_tokens_mean",
        "synthetic_input_tokens_stddev",
    )
}

fn fixed(tokens: Option<&Object<'_>>, mean: &str, spread: &str) -> Result<Place<u64>, ImportError> {
    let Some(tokens) = tokens else {
        return Ok(Err(OTHER.to_owned()));
    };
    if tokens.positive(spread)?.is_some() || tokens.positive("std")?.is_some() {
        return Ok(Err(RANDOM.to_owned()));
    }
    Ok(tokens.whole(mean)?.ok_or_else(|| OTHER.to_owned()))
}

/// Tokens that were asked for. -1 stands for no limit.
fn output(config: &Object<'_>) -> Result<Option<u64>, ImportError> {
    let datasets = config.objects("datasets")?;
    if let [data] = datasets.as_slice()
        && let Some(osl) = data.at(&["prompts", "osl"])?
    {
        return osl.whole("mean");
    }
    let ways: [&[&str]; 2] = [
        &["input", "prompt", "output_tokens"],
        &["input", "output_tokens"],
    ];
    for way in ways {
        if let Some(tokens) = config.at(way)? {
            return limit(&tokens, "mean");
        }
    }
    limit(config, "output_tokens_mean")
}

fn limit(object: &Object<'_>, name: &str) -> Result<Option<u64>, ImportError> {
    match object.get(name).and_then(Value::as_f64) {
        Some(value) if value < 0.0 => Ok(None),
        _ => object.whole(name),
    }
}

/// The model and the route.
pub(super) fn facts(file: &Object<'_>, run: &mut RunDocument) -> Result<(), ImportError> {
    let Some(config) = file.object("input_config")? else {
        return Ok(());
    };
    if let Some(name) = model(&config)? {
        results::model(run, &name);
    }
    let route = match config.get("endpoint") {
        Some(Value::Object(_)) => match config.object("endpoint")? {
            Some(endpoint) => endpoint.text("type")?,
            None => None,
        },
        _ => config.text("endpoint_type")?,
    };
    let route = route.as_deref().map(results::endpoint).unwrap_or_default();
    route.clone_into(&mut run.plan.endpoint);
    Ok(())
}

/// One model; of several, a run has no single one.
fn model(config: &Object<'_>) -> Result<Option<String>, ImportError> {
    if let Some(Value::Object(_)) = config.get("models")
        && let Some(models) = config.object("models")?
    {
        return match models.objects("items")?.as_slice() {
            [one] => one.text("name"),
            several => Ok(joined(
                several.iter().filter_map(|one| one.text("name").ok()?),
            )),
        };
    }
    let endpoint = match config.get("endpoint") {
        Some(Value::Object(_)) => config.object("endpoint")?,
        _ => None,
    };
    let lists = [
        endpoint
            .as_ref()
            .and_then(|endpoint| endpoint.get("model_names")),
        config.get("model_names"),
        config.get("model"),
    ];
    Ok(lists.into_iter().flatten().find_map(|value| match value {
        Value::String(name) => Some(name.clone()),
        Value::Array(names) => joined(
            names
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned)),
        ),
        _ => None,
    }))
}

fn joined(names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(" + "))
}
