//! A fit's errors as Markdown, for a page of documentation.

use tokmark_calculator::FitReport;
use tokmark_calculator::fit_report::{CapacityPart, ErrorPart, FamilyPart, ScorePart};
use tokmark_units::format;

/// Errors of each family, then capacity of each run.
pub(super) fn text(report: &FitReport) -> String {
    let mut out = String::new();
    for family in &report.fit {
        out.push_str(&errors(family));
        out.push('\n');
    }
    out.push_str(&capacity(&report.capacity));
    out
}

fn errors(family: &FamilyPart) -> String {
    let mut out = format!(
        "| {} | figures | median | 9 of 10 | largest |\n",
        family.family
    );
    out.push_str("|---|--:|--:|--:|--:|\n");
    let tables = [
        ("decode", &family.errors.decode),
        ("prefill", &family.errors.prefill),
    ];
    for (kind, table) in tables {
        let rows = [
            ("fitted", &table.fitted),
            ("each row of contexts held out", &table.rows_held_out),
            ("each model held out", &table.models_held_out),
        ];
        for (knew, part) in rows {
            out.push_str(&error(&format!("{kind}, {knew}"), part));
        }
    }
    out
}

fn error(name: &str, part: &ErrorPart) -> String {
    let share = |value: Option<f64>| format::or_dash(value, format::percent);
    format!(
        "| {name} | {} | {} | {} | {} |\n",
        part.figures,
        share(part.median_abs_error),
        share(part.p90_abs_error),
        share(part.max_abs_error),
    )
}

fn capacity(runs: &[CapacityPart]) -> String {
    let mut out =
        "| which cells fit | given the budget | from sizes alone: right | left open | wrong |\n"
            .to_owned();
    out.push_str("|---|--:|--:|--:|--:|\n");
    for run in runs {
        let cells = |score: ScorePart| score.right + score.borderline + score.wrong;
        let (given, memory) = (run.given_budget, run.from_memory);
        out.push_str(&format!(
            "| {} | {} of {} | {} | {} | {} |\n",
            run.run.replace('|', "\\|"),
            given.right,
            cells(given),
            memory.right,
            memory.borderline,
            memory.wrong,
        ));
    }
    out
}
