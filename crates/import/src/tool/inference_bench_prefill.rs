//! Prefill of llm-inference-bench: an object for each context, whose name it stands under.

use serde_json::Value;
use tokmark_run_format::{PrefillRow, PrefillStatus};

use crate::error::ImportError;
use crate::object::Object;

/// The rows that have a figure.
pub(super) fn rows(file: &Object<'_>) -> Result<Vec<PrefillRow>, ImportError> {
    let Some(Value::Object(contexts)) = file.get("prefill") else {
        return Ok(Vec::new());
    };
    let mut read = Vec::new();
    for (name, value) in contexts {
        let Ok(context) = name.parse() else { continue };
        // Older versions have only the plain names, which later ones also use for the server's figures.
        let row = Object::new(value, file.place(&format!("prefill.{name}")))?;
        let rate = measured(&row, ["client_tok_per_sec", "tok_per_sec"])?;
        let ttft = measured(&row, ["client_ttft_seconds", "ttft_seconds"])?;
        if rate.is_none() && ttft.is_none() {
            continue;
        }
        let mut found = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
        found.prompt_tokens_per_s = rate;
        found.ttft_ms = ttft.map(|seconds| seconds * 1e3);
        found.prompt_tokens = row.whole("prompt_tokens")?.filter(|tokens| *tokens > 0);
        found.completed_requests = row.whole("samples")?.unwrap_or_default();
        read.push(found);
    }
    Ok(read)
}

/// The first figure that is there; a negative one stands for none.
fn measured(row: &Object<'_>, names: [&str; 2]) -> Result<Option<f64>, ImportError> {
    for name in names {
        let given = row.get(name).and_then(Value::as_f64);
        if given.is_some_and(|value| value > 0.0) {
            return row.positive(name);
        }
    }
    Ok(None)
}
