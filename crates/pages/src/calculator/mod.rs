//! The decode calculator's pages (calculator.md): a form, and the answer to what it asks.

mod answer;
mod chart;
mod command;
mod cost;
mod detail;
mod explain;
mod field;
mod form;
mod matrix;
mod memory;
mod need;
mod verdict;
mod versus;

use askama::Template;

use crate::frame::{Frame, rendered};
use crate::options::PageOptions;
use crate::words;
use crate::words::calculator as said;
use crate::{assets, calculator::field::Group};

pub use answer::{AnswerLinks, CalculatorAnswer, Costs};
pub use field::{FIELDS, Field, NEED_FIELDS};
pub use form::{CalculatorForm, FieldFault, FormValues};
pub use need::{NeedAnswer, need_answer, need_page};

use answer::AnswerView;
use form::FormView;

/// Parts of the form: group, heading, whether it is folded.
const PARTS: [(Group, &str, bool); 7] = [
    (Group::Question, said::field::QUESTION, false),
    (Group::Load, said::field::LOAD, false),
    (Group::Cost, said::field::COST, true),
    (Group::Versus, said::field::VERSUS, true),
    (Group::Machine, said::field::MACHINE, true),
    (Group::Matrix, said::field::MATRIX, true),
    (Group::Server, said::field::SERVER, true),
];

#[derive(Template)]
#[template(path = "calculator/page.html")]
struct CalculatorPage<'a> {
    frame: Frame<'a>,
    styles: &'static str,
    script: &'static str,
    form: FormView<'a>,
    answer: Option<AnswerView>,
    faults: &'a [FieldFault],
    need: &'a str,
    paths: &'a str,
}

#[derive(Template)]
#[template(path = "calculator/answer.html")]
struct AnswerPage<'a> {
    answer: Option<AnswerView>,
    faults: &'a [FieldFault],
}

/// The page: the form, and the answer unless something is wrong with the question.
pub fn calculator_page(
    form: &CalculatorForm<'_>,
    answer: Option<&CalculatorAnswer<'_>>,
    options: &PageOptions,
) -> String {
    rendered(&CalculatorPage {
        frame: Frame::new(options, said::TITLE, said::TEXT.to_owned()),
        styles: assets::path("calculator.css"),
        script: assets::path("calculator.js"),
        form: FormView::of(form, &FIELDS, &PARTS, form.calculator),
        answer: answer.map(|answer| AnswerView::of(answer, form.values)),
        faults: form.faults,
        need: form.need,
        paths: form.paths,
    })
}

/// The answer alone, for the page's script.
pub fn calculator_answer(
    form: &CalculatorForm<'_>,
    answer: Option<&CalculatorAnswer<'_>>,
) -> String {
    rendered(&AnswerPage {
        answer: answer.map(|answer| AnswerView::of(answer, form.values)),
        faults: form.faults,
    })
}
