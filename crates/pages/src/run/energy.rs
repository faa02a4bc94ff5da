//! Columns about power and energy, for cells and for prefill rows.

use tokmark_run_format::Energy;
use tokmark_units::format::{self, count};

use crate::summary::percent;
use crate::words;
use crate::words::label::column;

/// A figure of a span, where it has one.
type Figure = fn(&Energy) -> Option<String>;

/// Header and figure. Power at rest stands beside what was drawn, which is gross.
const COLUMNS: [(&str, Figure); 11] = [
    (column::MEAN_POWER, |energy| {
        energy.mean_power_w.map(format::watts)
    }),
    (column::PEAK_POWER, |energy| {
        energy.peak_power_w.map(format::watts)
    }),
    (column::POWER_AT_REST, |energy| {
        energy.idle_power_w.map(format::watts)
    }),
    (column::ENERGY, |energy| energy.energy_j.map(format::joules)),
    (column::ENERGY_FROM, |energy| {
        Some(words::energy_method(
            energy.method.as_deref()?,
            energy.shared,
        ))
    }),
    (column::J_PER_OUTPUT_TOKEN, |energy| {
        energy.joules_per_output_token.map(format::joules)
    }),
    (column::J_PER_PROMPT_TOKEN, |energy| {
        energy.joules_per_prompt_token.map(format::joules)
    }),
    (column::PROCESSOR_POWER, |energy| {
        energy.processor_mean_power_w.map(format::watts)
    }),
    (column::HELD_BACK, |energy| {
        energy.throttled_share.map(percent)
    }),
    (column::POWER_LIMITED, |energy| {
        energy.power_capped_share.map(percent)
    }),
    (column::POWER_READINGS, |energy| {
        (energy.samples > 0).then(|| count(energy.samples))
    }),
];

/// The labels of the columns in which any row has a figure, and each row's figures.
pub(super) fn table(rows: &[Option<&Energy>]) -> (Vec<&'static str>, Vec<Vec<Option<String>>>) {
    let has_any = |figure: &Figure| rows.iter().flatten().any(|energy| figure(energy).is_some());
    let used: Vec<_> = COLUMNS
        .into_iter()
        .filter(|(_, figure)| has_any(figure))
        .collect();
    let figures = |row: Option<&Energy>| used.iter().map(|(_, figure)| figure(row?)).collect();
    let labels = used.iter().map(|(label, _)| *label).collect();
    (labels, rows.iter().copied().map(figures).collect())
}
