//! What several faces of a run need: its lines, its grid, its counts.

use std::collections::{BTreeMap, BTreeSet};

use tokmark_run_format::{CellStatus, DecodeCell, RunDocument};
use tokmark_units::{Context, format};

use crate::words;

/// The label of a context: `16K`.
pub(crate) fn context_label(context: u64) -> String {
    Context(context).to_string()
}

/// `{model} on {hardware}`.
pub(crate) fn title(run: &RunDocument) -> String {
    format!("{}{}{}", model_name(run), words::ON, hardware_name(run))
}

/// The model's name for titles; another tool's file may have none.
pub(crate) fn model_name(run: &RunDocument) -> &str {
    match run.model.name.as_str() {
        "" => words::UNKNOWN_MODEL,
        name => name,
    }
}

/// The machine's name for titles.
pub(crate) fn hardware_name(run: &RunDocument) -> &str {
    run.hardware
        .name
        .as_deref()
        .unwrap_or(words::UNKNOWN_HARDWARE)
}

/// `engine · version · quantization`.
pub(crate) fn engine_line(run: &RunDocument) -> String {
    let engine = &run.engine;
    joined([
        Some(engine.name.as_str()),
        engine.version.as_deref(),
        engine.quantization.as_deref(),
    ])
}

/// The parts that exist and are not empty, with middle dots between them.
pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let parts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(" · ")
}

/// `6 contexts (0–136K) × 8 concurrency levels (1–128) · prefill at 8K, …`.
pub(crate) fn extent_line(run: &RunDocument) -> String {
    let grid = Grid::of(run);
    let prefill: Vec<String> = run
        .prefill
        .iter()
        .map(|row| context_label(row.context))
        .collect();
    let matrix = (!grid.cells.is_empty()).then(|| {
        let contexts: Vec<String> = grid.contexts.iter().map(|c| context_label(*c)).collect();
        let levels: Vec<String> = grid.requests.iter().map(u32::to_string).collect();
        words::extent(&contexts, &levels)
    });
    let prefill = (!prefill.is_empty()).then(|| words::prefill_at(&prefill));
    joined([matrix.as_deref(), prefill.as_deref()])
}

/// `by @user · tool version · trust`, without what is not known.
pub(crate) fn origin_line(run: &RunDocument) -> String {
    let by = run.submitted_by.as_deref().map(words::by);
    let tool = tool(run);
    joined([by.as_deref(), Some(&tool), Some(run.trust.label())])
}

/// The program that measured, with its version.
pub(crate) fn tool(run: &RunDocument) -> String {
    match &run.tool.version {
        Some(version) => format!("{} {version}", run.tool.name),
        None => run.tool.name.clone(),
    }
}

/// The decode cells by place.
pub(crate) struct Grid<'a> {
    /// Contexts that have a cell, rising.
    pub(crate) contexts: BTreeSet<u64>,
    /// Concurrency levels that have a cell, rising.
    pub(crate) requests: BTreeSet<u32>,
    cells: BTreeMap<(u64, u32), &'a DecodeCell>,
}

impl<'a> Grid<'a> {
    pub(crate) fn of(run: &'a RunDocument) -> Self {
        let cells: BTreeMap<_, _> = run
            .decode
            .iter()
            .map(|cell| ((cell.context, cell.requests), cell))
            .collect();
        Self {
            contexts: cells.keys().map(|(context, _)| *context).collect(),
            requests: cells.keys().map(|(_, requests)| *requests).collect(),
            cells,
        }
    }

    pub(crate) fn get(&self, context: u64, requests: u32) -> Option<&'a DecodeCell> {
        self.cells.get(&(context, requests)).copied()
    }

    /// The cells in order of context, then requests.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a DecodeCell> {
        self.cells.values().copied()
    }
}

/// How often each decode status occurs, in the order of precedence, `valid` last.
pub(crate) fn counts(run: &RunDocument) -> Vec<(CellStatus, usize)> {
    let count = |status: CellStatus| {
        run.decode
            .iter()
            .filter(|cell| cell.status == status)
            .count()
    };
    CellStatus::ALL
        .into_iter()
        .map(|status| (status, count(status)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The median TTFT of a cell, or what it is known to exceed.
pub(crate) fn ttft(cell: &DecodeCell) -> Option<String> {
    match (cell.ttft_ms, cell.ttft_ms_lower_bound) {
        (Some(ms), _) => Some(format::ttft_ms(ms)),
        (None, Some(ms)) => Some(words::at_least(&format::ttft_ms(ms))),
        (None, None) => None,
    }
}

/// `125.4–127.8`.
pub(crate) fn interval(cell: &DecodeCell) -> Option<String> {
    let (low, high) = (cell.ci95_low?, cell.ci95_high?);
    Some(format!("{}–{}", format::rate(low), format::rate(high)))
}

/// Half the width of the interval: `±1.2`.
pub(crate) fn plus_minus(cell: &DecodeCell) -> Option<String> {
    let (low, high) = (cell.ci95_low?, cell.ci95_high?);
    Some(format!("±{}", format::decimal((high - low) / 2.0, 1)))
}

/// How often each cell was measured, and how far its passes lie apart; `None` where it was once.
pub(crate) fn passes_line(run: &RunDocument) -> Option<String> {
    let most = run.decode.iter().map(|cell| cell.passes.len()).max()?;
    let mut spreads: Vec<f64> = run
        .decode
        .iter()
        .filter_map(|cell| cell.passes_spread)
        .collect();
    spreads.sort_by(f64::total_cmp);
    let spread = |at: usize| spreads.get(at).copied().map(percent);
    let median = spread(spreads.len() / 2);
    let largest = spread(spreads.len().saturating_sub(1));
    (most > 1).then(|| words::passes(most, median.zip(largest)))
}

/// What a token costs in energy over the whole run; `None` where no machine was watched.
pub(crate) fn energy_line(run: &RunDocument) -> Option<String> {
    let of_cells = || run.decode.iter().filter_map(|cell| cell.energy.as_ref());
    let of_rows = || run.prefill.iter().filter_map(|row| row.energy.as_ref());
    let output = range(of_cells().filter_map(|energy| energy.joules_per_output_token));
    let prompt = range(of_rows().filter_map(|energy| energy.joules_per_prompt_token));
    if output.is_none() && prompt.is_none() {
        return None;
    }
    let mut at_rest = of_cells()
        .chain(of_rows())
        .filter_map(|energy| energy.idle_power_w);
    let at_rest = at_rest.next().map(format::watts);
    Some(words::energy(
        output.as_deref(),
        prompt.as_deref(),
        at_rest.as_deref(),
    ))
}

/// `1.20 J–4.00 J`, or one of them when they read the same.
fn range(values: impl Iterator<Item = f64>) -> Option<String> {
    let values: Vec<f64> = values.collect();
    let least = format::joules(values.iter().copied().min_by(f64::total_cmp)?);
    let most = format::joules(values.iter().copied().max_by(f64::total_cmp)?);
    Some(if least == most {
        least
    } else {
        format!("{least}–{most}")
    })
}

/// A share as a percentage with one decimal.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", format::decimal(share * 100.0, 1))
}
