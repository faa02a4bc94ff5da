//! The paths of the calculator: a list, and a page for each with runs, constants and residuals.

mod residuals;

use askama::Template;
use tokmark_calculator::figures::quantity;
use tokmark_calculator::fit::Calibration;
use tokmark_calculator::fit_report::{ConstantPart, ErrorPart, ErrorTable, FamilyPart};
use tokmark_units::format;

use crate::chart::Chart;
use crate::frame::{Frame, rendered};
use crate::options::PageOptions;
use crate::predicted;
use crate::words::{self, paths as said};

/// A path as lists and its page show it.
#[derive(Debug, Clone)]
pub struct CalculatorPath<'a> {
    /// The fit as a document.
    pub family: FamilyPart,
    /// The fit.
    pub calibration: &'a Calibration,
    /// Name of the engine.
    pub engine: &'a str,
    /// Name of the accelerator.
    pub hardware: String,
    /// Whether the runs of this site were fitted; else it came with the program.
    pub is_of_site: bool,
    /// Address of its page.
    pub href: String,
}

/// A run of a path.
#[derive(Debug, Clone)]
pub struct PathRun {
    /// Its title.
    pub title: String,
    /// Address of its page, where this site has it.
    pub href: Option<String>,
    /// Its model's layers in words.
    pub model: String,
    /// Whether the fit knew it.
    pub is_fitted: bool,
    /// Errors of its decode cells.
    pub decode: ErrorPart,
    /// Errors of its prefill rows.
    pub prefill: ErrorPart,
}

#[derive(Template)]
#[template(path = "paths/list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    rows: Vec<ListRow<'a>>,
}

struct ListRow<'a> {
    href: &'a str,
    engine: &'a str,
    hardware: String,
    from: &'static str,
    values: Vec<String>,
}

/// The list of paths.
pub fn path_list_page(paths: &[CalculatorPath<'_>], options: &PageOptions) -> String {
    rendered(&ListPage {
        frame: Frame::new(options, said::LIST, said::LIST_TEXT.to_owned()),
        rows: paths.iter().map(row).collect(),
    })
}

fn row<'a>(path: &'a CalculatorPath<'_>) -> ListRow<'a> {
    let family = &path.family;
    let (decode, prefill) = (&family.errors.decode, &family.errors.prefill);
    ListRow {
        href: &path.href,
        engine: path.engine,
        hardware: hardware(path),
        from: from(path),
        values: vec![
            family.kernels.join(", "),
            family.caches.join(", "),
            family.runs.len().to_string(),
            both(&decode.fitted),
            both(&decode.rows_held_out),
            both(&decode.models_held_out),
            both(&prefill.fitted),
            both(&prefill.models_held_out),
        ],
    }
}

fn from(path: &CalculatorPath<'_>) -> &'static str {
    if path.is_of_site {
        said::HERE
    } else {
        said::BUNDLED
    }
}

fn hardware(path: &CalculatorPath<'_>) -> String {
    let family = &path.family;
    said::hardware(&path.hardware, family.tensor_parallel, family.unlocked)
}

/// `1.2 % / 3.4 %`, or a dash.
fn both(part: &ErrorPart) -> String {
    let both = part.median_abs_error.zip(part.p90_abs_error);
    format::or_dash(both, |(median, p90)| {
        said::errors(&format::percent(median), &format::percent(p90))
    })
}

#[derive(Template)]
#[template(path = "paths/path.html")]
struct PathPage<'a> {
    frame: Frame<'a>,
    title: String,
    summary: String,
    list: &'a str,
    errors: Vec<Vec<String>>,
    runs: Vec<RunRow<'a>>,
    constants: Vec<Vec<String>>,
    charts: Vec<Chart>,
    residuals: Vec<residuals::Row>,
    steps: Vec<predicted::Step>,
}

struct RunRow<'a> {
    title: &'a str,
    href: Option<&'a str>,
    values: Vec<String>,
}

/// The page of a path; `list` is the address of all of them.
pub fn path_page(
    path: &CalculatorPath<'_>,
    runs: &[PathRun],
    list: &str,
    options: &PageOptions,
) -> String {
    let title = said::title(path.engine, &hardware(path));
    let family = &path.family;
    let summary = said::summary(
        family.runs.len(),
        path.is_of_site,
        &family.kernels.join(", "),
        &family.caches.join(", "),
    );
    let table = &family.errors;
    let decode = errors(words::PHASE_DECODE, &table.decode);
    let prefill = errors(words::PHASE_PREFILL, &table.prefill);
    rendered(&PathPage {
        frame: Frame::new(options, &title, summary.clone()),
        title,
        summary,
        list,
        errors: decode.into_iter().chain(prefill).collect(),
        runs: runs.iter().map(run_row).collect(),
        constants: family.constants.iter().map(constant).collect(),
        charts: residuals::charts(path.calibration),
        residuals: residuals::rows(path.calibration),
        steps: predicted::steps(),
    })
}

fn run_row(run: &PathRun) -> RunRow<'_> {
    let fitted = if run.is_fitted { said::YES } else { said::NO };
    RunRow {
        title: &run.title,
        href: run.href.as_deref(),
        values: vec![
            run.model.clone(),
            fitted.to_owned(),
            both(&run.decode),
            both(&run.prefill),
        ],
    }
}

fn errors(kind: &str, table: &ErrorTable) -> Vec<Vec<String>> {
    let row = |knew: &str, part: &ErrorPart| {
        let share = |value: Option<f64>| format::or_dash(value, format::percent);
        vec![
            format!("{kind}, {knew}"),
            part.figures.to_string(),
            share(part.median_abs_error),
            share(part.p90_abs_error),
            share(part.max_abs_error),
        ]
    };
    vec![
        row(said::FITTED, &table.fitted),
        row(said::ROWS_OUT, &table.rows_held_out),
        row(said::MODELS_OUT, &table.models_held_out),
    ]
}

fn constant(one: &ConstantPart) -> Vec<String> {
    let between = one.low.zip(one.high).map(|(low, high)| {
        let edge = |value| quantity(value, short(one.unit));
        words::predicted::range(&edge(low), &edge(high))
    });
    let scope = if one.scope.is_empty() {
        said::EVERYTHING
    } else {
        &one.scope
    };
    vec![
        one.constant.replace('_', " "),
        one.symbol.to_owned(),
        scope.to_owned(),
        quantity(one.value, one.unit),
        format::or_dash(between, |text| text),
        one.figures.to_string(),
        format::or_dash(one.believed, |value| quantity(value, short(one.unit))),
        format::or_dash(one.believed_because, str::to_owned),
    ]
}

/// The unit where it has to stand beside a figure; a share says so once, at its value.
fn short(unit: &str) -> &str {
    if unit == "s" { unit } else { "" }
}
