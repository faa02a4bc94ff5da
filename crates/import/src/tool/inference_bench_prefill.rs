//! Prefill samples of llm-inference-bench: by context, each with its samples or their median.

use serde_json::Value;
use tokmark_run_format::{PrefillRow, PrefillStatus};

use crate::error::ImportError;
use crate::object::Object;

/// The rows; contexts stand as names of fields, or in a list.
pub(super) fn rows(file: &Object<'_>) -> Result<Vec<PrefillRow>, ImportError> {
    let mut read = Vec::new();
    match file.get("prefill") {
        Some(Value::Object(fields)) => {
            for (name, value) in fields {
                let row = Object::new(value, file.place(&format!("prefill.{name}")))?;
                let context = match row.whole("context_tokens")? {
                    Some(context) => Some(context),
                    None => name.parse().ok(),
                };
                read.extend(one(&row, context)?);
            }
        }
        Some(Value::Array(_)) => {
            for row in file.objects("prefill")? {
                let context = row.whole("context_tokens")?;
                read.extend(one(&row, context)?);
            }
        }
        _ => {}
    }
    Ok(read)
}

/// Figures by the names that versions gave them; a row without any is none.
fn one(row: &Object<'_>, context: Option<u64>) -> Result<Option<PrefillRow>, ImportError> {
    let Some(context) = context else {
        return Ok(None);
    };
    let first = |names: &[&str]| -> Result<Option<f64>, ImportError> {
        for name in names {
            // A negative one stands for a row without a figure.
            let given = row.get(name).and_then(Value::as_f64);
            if given.is_some_and(|value| value > 0.0) {
                return row.positive(name);
            }
        }
        Ok(None)
    };
    let rate = first(&["tok_per_sec", "prompt_tps", "prefill_tps", "tps"])?;
    let ttft = first(&["ttft", "ttft_p50", "ttft_median"])?;
    if rate.is_none() && ttft.is_none() {
        return Ok(None);
    }
    let mut read = PrefillRow::without_samples(context, PrefillStatus::Valid, None);
    read.prompt_tokens_per_s = rate;
    read.ttft_ms = ttft.map(|seconds| seconds * 1e3);
    read.prompt_tokens = row.whole("prompt_tokens")?;
    Ok(Some(read))
}
