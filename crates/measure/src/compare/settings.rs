//! What two runs were not the same in, besides their speed.

use serde_json::{Map, Value, json};
use tokmark_run_format::RunDocument;

/// A setting that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingChange {
    /// Where it stands in the run document, for example `engine.version`.
    pub setting: String,
    /// Its value in each of the runs; `null` where a run does not say.
    pub values: Vec<Value>,
}

/// Parts of the document that hold settings, those first that change speed most.
const PARTS: [&str; 7] = [
    "model",
    "engine",
    "launch",
    "hardware",
    "plan",
    "tool",
    "methodology",
];

/// What says where a setting was found rather than what it is, and the seed, which is there to differ.
const LEFT_OUT: [&str; 4] = [
    "launch.sources",
    "hardware.source",
    "engine.kv_budget.source",
    "plan.seed",
];

/// The settings that are not the same in all runs.
pub fn differing(runs: &[&RunDocument]) -> Vec<SettingChange> {
    let documents: Vec<Value> = runs.iter().map(|run| parts(run)).collect();
    let mut found = Vec::new();
    let values: Vec<&Value> = documents.iter().collect();
    for part in PARTS {
        let values: Vec<&Value> = values.iter().map(|value| field(value, part)).collect();
        walk(part, &values, &mut found);
    }
    found
}

/// Only the parts that are looked at: a document has thousands of numbers beside them.
fn parts(run: &RunDocument) -> Value {
    json!({
        "model": run.model,
        "engine": run.engine,
        "launch": run.launch,
        "hardware": run.hardware,
        "plan": run.plan,
        "tool": run.tool,
        "methodology": run.methodology,
    })
}

fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn walk(path: &str, values: &[&Value], found: &mut Vec<SettingChange>) {
    if LEFT_OUT.contains(&path) {
        return;
    }
    let maps: Vec<&Map<String, Value>> = values.iter().filter_map(|v| v.as_object()).collect();
    let all_maps = values
        .iter()
        .all(|value| value.is_object() || value.is_null());
    if all_maps && !maps.is_empty() {
        let mut names: Vec<&String> = Vec::new();
        for name in maps.iter().flat_map(|map| map.keys()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let inner: Vec<&Value> = values.iter().map(|value| field(value, name)).collect();
            walk(&format!("{path}.{name}"), &inner, found);
        }
        return;
    }
    let alike = values.windows(2).all(|pair| match pair {
        [a, b] => a == b,
        _ => true,
    });
    if !alike {
        found.push(SettingChange {
            setting: path.to_owned(),
            values: values.iter().map(|value| (*value).clone()).collect(),
        });
    }
}
