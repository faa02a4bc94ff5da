//! The page's summary, made again from the document: what it says beyond that would be lost.

use tokmark_run_format::RunDocument;
use tokmark_units::Context;

/// The two lines under the title, joined as the JSON form joins them.
pub(super) fn of(run: &RunDocument) -> String {
    let engine = [
        Some(run.engine.name.as_str()),
        run.engine.version.as_deref(),
        run.engine.quantization.as_deref(),
    ];
    let engine: Vec<&str> = engine.into_iter().flatten().collect();
    let plan = &run.plan;
    let contexts: Vec<String> = plan
        .contexts
        .iter()
        .map(|n| Context(*n).to_string())
        .collect();
    let levels: Vec<String> = plan.requests.iter().map(u32::to_string).collect();
    let prefill: Vec<String> = plan
        .prefill_contexts
        .iter()
        .map(|n| Context(*n).to_string())
        .collect();
    format!(
        "{}{} contexts ({}) × {} concurrency levels ({}) · prefill at {}",
        engine.join(" · "),
        contexts.len(),
        ends(&contexts),
        levels.len(),
        ends(&levels),
        prefill.join(", "),
    )
}

fn ends(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [only] => only.clone(),
        [first, .., last] => format!("{first}–{last}"),
    }
}
