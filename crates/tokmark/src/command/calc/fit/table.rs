//! A fit for a terminal.

use tokmark_calculator::FitReport;
use tokmark_calculator::fit_report::{
    CapacityPart, ConstantPart, ErrorPart, FamilyPart, ScorePart, TestPart, TestedCell,
};
use tokmark_pages::terminal::{self, Look, Painter, Side, Text};
use tokmark_units::format;

use crate::command::calc::words::{
    about_tokens, context, fact, heading, place, remark, signed_percent,
};

/// Everything that a fit found.
pub(super) fn lines(report: &FitReport, width: usize, painter: Painter) -> Vec<String> {
    let mut out = Vec::new();
    for family in &report.fit {
        out.extend(of_family(family, width, painter));
    }
    if !report.test.runs.is_empty() {
        out.extend(of_test(&report.test, width, painter));
    }
    out.extend(capacity(&report.capacity, width, painter));
    if !report.skipped.is_empty() {
        out.extend(heading("Not used", width, painter));
        for one in &report.skipped {
            out.extend(remark(&format!("- {}: {}", one.run, one.reason), width));
            if !one.candidates.is_empty() && !one.reason.contains("may be") {
                out.extend(remark(
                    &format!("  it may be {}", one.candidates.join(", ")),
                    width,
                ));
            }
        }
    }
    // A heading begins with an empty line, which the first one does not need.
    if out.first().is_some_and(String::is_empty) {
        out.remove(0);
    }
    out
}

fn of_family(family: &FamilyPart, width: usize, painter: Painter) -> Vec<String> {
    let mut out = heading(&family.family, width, painter);
    for run in &family.runs {
        out.extend(fact(
            "run",
            &format!("{} ({})", run.title, run.model),
            width,
            painter,
        ));
    }
    out.extend(heading(
        "Constants, and how many figures moved each",
        width,
        painter,
    ));
    let header = ["Constant", "", "of", "fitted", "believed", "figures"];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    rows.extend(family.constants.iter().map(constant));
    let right = Side::Right;
    let sides = [Side::Left, Side::Left, Side::Left, right, right, right];
    out.extend(terminal::rows(&rows, &sides, painter));
    let title = "Errors: predicted against measured, absolute";
    out.extend(heading(title, width, painter));
    let header = ["", "figures", "median", "9 of 10", "largest"];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    for (kind, table) in [
        ("decode", &family.errors.decode),
        ("prefill", &family.errors.prefill),
    ] {
        rows.push(errors(&format!("{kind}, fitted"), &table.fitted));
        rows.push(errors(
            &format!("{kind}, each row of contexts held out"),
            &table.rows_held_out,
        ));
        rows.push(errors(
            &format!("{kind}, each model held out"),
            &table.models_held_out,
        ));
    }
    out.extend(terminal::rows(
        &rows,
        &[Side::Left, right, right, right, right],
        painter,
    ));
    out
}

fn constant(one: &ConstantPart) -> Vec<Text> {
    let believed = one.believed.map(|value| quantity(value, one.unit));
    vec![
        Text::new(one.constant, Look::Plain),
        Text::new(one.symbol, Look::Quiet),
        Text::new(&*one.scope, Look::Quiet),
        Text::new(quantity(one.value, one.unit), Look::Strong),
        Text::new(format::or_dash(believed, |text| text), Look::Quiet),
        Text::new(one.figures.to_string(), Look::Quiet),
    ]
}

/// Seconds of kernels in µs or ns; everything else is a share or an exponent.
fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "s" if value >= 1e-6 => format!("{} µs", format::decimal(value * 1e6, 1)),
        "s" => format!("{} ns", format::decimal(value * 1e9, 2)),
        _ => format::decimal(value, 3),
    }
}

fn errors(name: &str, part: &ErrorPart) -> Vec<Text> {
    let figure =
        |value: Option<f64>, look| Text::new(format::or_dash(value, format::percent), look);
    vec![
        Text::new(name, Look::Plain),
        Text::new(part.figures.to_string(), Look::Quiet),
        figure(part.median_abs_error, Look::Strong),
        figure(part.p90_abs_error, Look::Strong),
        figure(part.max_abs_error, Look::Plain),
    ]
}

fn of_test(score: &TestPart, width: usize, painter: Painter) -> Vec<String> {
    let mut out = heading("Test: runs that the fit never saw", width, painter);
    for run in &score.runs {
        let known = if run.calibrated {
            "the fit has runs with these kernels and this cache"
        } else {
            "the fit has no runs with these kernels and this cache"
        };
        let text = format!("{} ({}): {known}", run.title, run.family);
        out.extend(fact("run", &text, width, painter));
    }
    let right = Side::Right;
    let header = ["", "figures", "median", "9 of 10", "largest"];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    rows.push(errors("decode", &score.decode));
    rows.push(errors("prefill", &score.prefill));
    out.push(String::new());
    out.extend(terminal::rows(
        &rows,
        &[Side::Left, right, right, right, right],
        painter,
    ));
    out.push(String::new());
    let header = ["", "Cell", "measured", "predicted", "error", ""];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    rows.extend(score.cells.iter().map(tested));
    out.extend(terminal::rows(
        &rows,
        &[Side::Left, right, right, right, right],
        painter,
    ));
    let inside = score.cells.iter().filter(|cell| cell.in_band()).count();
    let text = format!(
        "{inside} of {} figures lie where 9 of 10 were expected",
        score.cells.len()
    );
    out.extend(remark(&text, width));
    out
}

fn tested(cell: &TestedCell) -> Vec<Text> {
    let (label, show): (String, fn(f64) -> String) = match cell.kind {
        "prefill" => (context(cell.context), format::prefill_rate),
        _ => (place(cell.context, cell.requests), format::rate),
    };
    let (look, note) = if cell.in_band() {
        (Look::Plain, "")
    } else {
        (Look::Warning, "outside the band")
    };
    vec![
        Text::new(cell.kind, Look::Quiet),
        Text::new(label, Look::Plain),
        Text::new(show(cell.measured_tokens_per_s), Look::Plain),
        Text::new(show(cell.predicted_tokens_per_s), Look::Strong),
        Text::new(signed_percent(cell.error), look),
        Text::new(note, look),
    ]
}

/// Which cells fitted, by the server's budget and by the memory model.
fn capacity(runs: &[CapacityPart], width: usize, painter: Painter) -> Vec<String> {
    let mut out = heading(
        "Capacity: which cells fit, in tokens of cache",
        width,
        painter,
    );
    // Most servers do not say; a column of dashes would only be wide.
    let told = runs.iter().any(|run| run.stated_tokens.is_some());
    let quiet = |word: &str| Text::new(word, Look::Quiet);
    let mut header = vec![quiet("Run")];
    header.extend(told.then(|| quiet("server says")));
    header.extend(["cells say", "memory says", "given budget", "from memory"].map(quiet));
    let mut rows = vec![header];
    for run in runs {
        let memory = format!(
            "{} to {}",
            about_tokens(run.predicted_tokens_low),
            about_tokens(run.predicted_tokens_high)
        );
        let stated = format::or_dash(run.stated_tokens, format::count);
        let mut row = vec![Text::new(shortened(&run.run), Look::Plain)];
        row.extend(told.then(|| Text::new(stated, Look::Plain)));
        row.extend([
            Text::new(implied(run), Look::Plain),
            Text::new(memory, Look::Plain),
            Text::new(score(run.given_budget), Look::Strong),
            Text::new(score(run.from_memory), Look::Strong),
        ]);
        rows.push(row);
    }
    let mut sides = vec![Side::Left, Side::Right, Side::Right];
    sides.extend(told.then_some(Side::Right));
    out.extend(terminal::rows(&rows, &sides, painter));
    let text = "cells say: at least what ran needed, below what was refused. from memory: +, cells that \
                were foretold rightly; ?, borderline within 0.5 GB; -, wrongly";
    out.extend(remark(text, width));
    out
}

/// A title without what the heading of the fit says already.
fn shortened(title: &str) -> String {
    const MOST: usize = 28;
    let name = title.split(" on ").next().unwrap_or(title);
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

fn implied(run: &CapacityPart) -> String {
    match (run.implied_tokens_from, run.implied_tokens_below) {
        (Some(from), Some(below)) => format!("{} to {}", format::count(from), format::count(below)),
        (Some(from), None) => format!("{} or more", format::count(from)),
        (None, Some(below)) => format!("below {}", format::count(below)),
        (None, None) => format::DASH.to_owned(),
    }
}

fn score(score: ScorePart) -> String {
    let mut parts = vec![format!("{} +", score.right)];
    if score.borderline > 0 {
        parts.push(format!("{} ?", score.borderline));
    }
    if score.wrong > 0 {
        parts.push(format!("{} -", score.wrong));
    }
    parts.join(" ")
}
