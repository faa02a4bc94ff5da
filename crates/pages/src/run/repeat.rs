//! The command that measures the same matrix somewhere else.

use tokmark_run_format::{CapacityRule, PrefillMode, RunDocument};

use crate::summary::{Grid, context_label};

/// Defaults of the command line; what equals them is not written.
const WINDOW_S: f64 = 30.0;
const MAX_OUTPUT: u64 = 8_192;

/// `tokmark run http://HOST:PORT --contexts … --requests …`.
pub(crate) fn command(run: &RunDocument) -> String {
    let plan = &run.plan;
    let grid = Grid::of(run);
    let list = |values: Vec<String>| values.join(",");
    let mut words = vec!["tokmark run http://HOST:PORT".to_owned()];
    if !grid.contexts.is_empty() {
        let contexts = grid.contexts.iter().map(|c| context_label(*c)).collect();
        let requests = grid.requests.iter().map(u32::to_string).collect();
        words.push(format!("--contexts {}", list(contexts)));
        words.push(format!("--requests {}", list(requests)));
    }
    if !run.prefill.is_empty() {
        let contexts = run.prefill.iter().map(|row| context_label(row.context));
        words.push(format!("--prefill-contexts {}", list(contexts.collect())));
    }
    match plan.prefill {
        PrefillMode::WarmUp => {}
        PrefillMode::Standalone => words.push("--prefill standalone".to_owned()),
        PrefillMode::Off => words.push("--prefill off".to_owned()),
    }
    if plan.window_s > 0.0 && (plan.window_s - WINDOW_S).abs() > 1e-9 {
        words.push(format!("--duration {}s", plan.window_s));
    }
    if plan.max_output_tokens > 0 && plan.max_output_tokens != MAX_OUTPUT {
        words.push(format!("--max-output {}", plan.max_output_tokens));
    }
    if plan.capacity != CapacityRule::Expected {
        words.push(format!("--capacity {}", plan.capacity.as_str()));
    }
    if plan.shared_context {
        words.push("--shared-context".to_owned());
    }
    if plan.endpoint == "completions" {
        words.push("--endpoint completions".to_owned());
    }
    words.join(" ")
}
