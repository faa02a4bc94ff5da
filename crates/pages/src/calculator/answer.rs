//! An answer, ready for its template.

use tokmark_calculator::cost_report::CostPart;
use tokmark_calculator::report::{CellPart, Report};
use tokmark_calculator::{Knowledge, Question};
use tokmark_units::format;

use super::chart;
use super::command::{command, explained};
use super::cost::CostView;
use super::detail::{Table, cells, prefill, steps};
use super::explain::{self, ExplainedTerm};
use super::field::FIELDS;
use super::form::FormValues;
use super::matrix::Matrix;
use super::memory::MemoryView;
use super::verdict::{Figure, Verdict, figures};
use super::versus::VersusView;
use crate::chart::Chart;
use crate::summary::context_label;

/// An answer with what the page shows around it.
#[derive(Debug, Clone, Copy)]
pub struct CalculatorAnswer<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// The matrix.
    pub report: &'a Report,
    /// Constants and spread behind it.
    pub knowledge: &'a Knowledge,
    /// The one cell that the sentence is about, with its terms explained.
    pub chosen: &'a Report,
    /// Its context with all requests of the matrix.
    pub by_requests: &'a Report,
    /// Its requests with all contexts of the matrix.
    pub by_context: &'a Report,
    /// Requests that fit at its context: surely, and perhaps.
    pub most: (u32, u32),
    /// What tokens cost, where a price was given.
    pub cost: Option<Costs<'a>>,
    /// The other machine's answer to the same load.
    pub versus: Option<&'a Report>,
    /// Where the answer is in other forms.
    pub links: &'a AnswerLinks,
}

/// What tokens cost.
#[derive(Debug, Clone, Copy)]
pub struct Costs<'a> {
    /// In the matrix.
    pub matrix: &'a CostPart,
    /// In the chosen cell.
    pub chosen: &'a CostPart,
    /// Where the rent is from, if it is the catalogue's.
    pub rent_source: Option<&'a str>,
}

/// Addresses of the same answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerLinks {
    /// The page, for others.
    pub page: String,
    /// The document.
    pub json: String,
    /// The table.
    pub csv: String,
    /// The page of the calibration behind it; empty where there is none.
    pub path: String,
}

/// An answer, ready for its template.
pub(crate) struct AnswerView {
    pub(crate) verdict: Verdict,
    pub(crate) figures: Vec<Figure>,
    pub(crate) memory: MemoryView,
    pub(crate) matrix: Option<Matrix>,
    pub(crate) versus: Option<VersusView>,
    pub(crate) prefill: Option<Table>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) steps: Option<Table>,
    pub(crate) place: String,
    pub(crate) cost: Option<CostView>,
    pub(crate) cells: Table,
    pub(crate) assumptions: Vec<String>,
    pub(crate) explained: Vec<ExplainedTerm>,
    pub(crate) command: String,
    pub(crate) explain_command: String,
    pub(crate) links: AnswerLinks,
}

impl AnswerView {
    pub(crate) fn of(answer: &CalculatorAnswer<'_>, values: &FormValues) -> Self {
        let fits = answer.report.memory.pool_bytes >= 0.0;
        let place = place(answer);
        let one = answer.chosen.cells.first();
        let terms = one.map(|cell| explained(values, &context_label(cell.context), cell.requests));
        Self {
            verdict: Verdict::of(answer),
            figures: figures(answer),
            memory: MemoryView::of(answer),
            matrix: Matrix::of(answer).filter(|_| fits),
            versus: answer
                .versus
                .map(|other| VersusView::of(answer.report, other)),
            prefill: prefill(answer.by_context).filter(|_| fits),
            charts: chart::of(answer),
            steps: one.filter(|_| fits).map(steps),
            place,
            cost: answer.cost.filter(|_| fits).map(|cost| CostView::of(&cost)),
            cells: cells(answer),
            assumptions: answer.report.assumptions.clone(),
            explained: explain::of(&answer.chosen.explained),
            command: command(&FIELDS, values),
            explain_command: terms.unwrap_or_default(),
            links: answer.links.clone(),
        }
    }
}

/// The cell that the sentence is about.
pub(super) fn chosen<'a>(answer: &CalculatorAnswer<'a>) -> Option<&'a CellPart> {
    answer.chosen.cells.first()
}

/// `16K x 4`.
fn place(answer: &CalculatorAnswer<'_>) -> String {
    chosen(answer).map_or_else(String::new, |cell| {
        let requests = format::count(cell.requests.into());
        format!("{} × {requests}", context_label(cell.context))
    })
}
