//! Machines that are enough for so many people.

use askama::Template;
use tokmark_calculator::figures::time_ms;
use tokmark_calculator::need_report::{Machine, NeedReport};
use tokmark_units::format;

use super::command::command;
use super::field::{Group, NEED_FIELDS};
use super::form::{CalculatorForm, FieldFault, FormValues, FormView};
use crate::assets;
use crate::frame::{Frame, rendered};
use crate::options::PageOptions;
use crate::summary::context_label;
use crate::words;
use crate::words::calculator as said;

const PARTS: [(Group, &str, bool); 3] = [
    (Group::Question, said::field::QUESTION_MODEL, false),
    (Group::Need, said::field::NEED, false),
    (Group::Load, said::field::LOAD, false),
];

/// The machines, and where the answers about each and the document are.
#[derive(Debug, Clone, Copy)]
pub struct NeedAnswer<'a> {
    /// The machines.
    pub report: &'a NeedReport,
    /// The address of the answer about each, in their order.
    pub machines: &'a [String],
    /// The document.
    pub json: &'a str,
}

/// The machines, ready for their template.
pub(crate) struct NeedView {
    title: String,
    found: String,
    header: [&'static str; 8],
    rows: Vec<NeedRow>,
    notes: [&'static str; 4],
    command: String,
    json: String,
}

struct NeedRow {
    name: String,
    href: String,
    figures: [String; 6],
    note: &'static str,
}

#[derive(Template)]
#[template(path = "calculator/need.html")]
struct NeedPage<'a> {
    frame: Frame<'a>,
    styles: &'static str,
    script: &'static str,
    form: FormView<'a>,
    answer: Option<NeedView>,
    faults: &'a [FieldFault],
    calculator: &'a str,
}

#[derive(Template)]
#[template(path = "calculator/machines.html")]
struct MachinesPage<'a> {
    answer: Option<NeedView>,
    faults: &'a [FieldFault],
}

/// The page: the form, and the machines unless something is wrong with the question.
pub fn need_page(
    form: &CalculatorForm<'_>,
    answer: Option<&NeedAnswer<'_>>,
    options: &PageOptions,
) -> String {
    rendered(&NeedPage {
        frame: Frame::new(options, said::NEED_TITLE, said::NEED_TEXT.to_owned()),
        styles: assets::path("calculator.css"),
        script: assets::path("calculator.js"),
        form: FormView::of(form, &NEED_FIELDS, &PARTS, form.need),
        answer: answer.map(|answer| NeedView::of(answer, form.values)),
        faults: form.faults,
        calculator: form.calculator,
    })
}

/// The machines alone, for the page's script.
pub fn need_answer(form: &CalculatorForm<'_>, answer: Option<&NeedAnswer<'_>>) -> String {
    rendered(&MachinesPage {
        answer: answer.map(|answer| NeedView::of(answer, form.values)),
        faults: form.faults,
    })
}

impl NeedView {
    fn of(answer: &NeedAnswer<'_>, values: &FormValues) -> Self {
        let report = answer.report;
        let ttft = report.max_ttft_ms.map(time_ms);
        let machines = report.machines.iter().zip(answer.machines);
        Self {
            title: said::need(
                &report.model,
                &format::count(report.people.into()),
                &context_label(report.context),
                &format::decimal(report.tokens_per_s_each, 1),
                ttft.as_deref(),
            ),
            found: said::found(report.machines.len()),
            header: said::NEED_HEADER,
            rows: machines.map(|(one, href)| row(one, href)).collect(),
            notes: said::NEED_NOTES,
            command: command(&NEED_FIELDS, values),
            json: answer.json.to_owned(),
        }
    }
}

fn row(machine: &Machine, href: &str) -> NeedRow {
    let usd = |decimals| move |usd: f64| format!("${}", format::decimal(usd, decimals));
    NeedRow {
        name: match machine.count {
            1 => machine.name.clone(),
            count => format!("{count} × {}", machine.name),
        },
        href: href.to_owned(),
        figures: [
            format::or_dash(machine.launch_price_usd, usd(0)),
            format::or_dash(machine.rent_usd_per_hour, usd(2)),
            format::or_dash(machine.watts, format::watts),
            format::rate(machine.per_request_tokens_per_s),
            format::rate(machine.total_tokens_per_s),
            format::or_dash(machine.cold_ttft_ms, time_ms),
        ],
        note: if machine.calibrated {
            said::CALIBRATED
        } else {
            said::ESTIMATE
        },
    }
}
