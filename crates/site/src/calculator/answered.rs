//! Everything that a page or a document shows about a question.

use serde::Serialize;
use tokmark_calculator::cost_report::CostPart;
use tokmark_calculator::report::Report;
use tokmark_calculator::versus::Versus;
use tokmark_calculator::{Knowledge, Question};
use tokmark_pages::{AnswerLinks, CalculatorAnswer, Costs};

use super::asked::Asked;
use super::cost::Prices;
use super::data::CalculatorData;
use super::form::Form;

/// An answer with what the page shows around it.
#[derive(Debug)]
pub(crate) struct Answered {
    asked: Asked,
    pub(crate) report: Report,
    knowledge: Knowledge,
    chosen: Report,
    by_requests: Report,
    by_context: Report,
    most: (u32, u32),
    cost: Option<(CostPart, CostPart, Option<String>)>,
    versus: Option<Report>,
    links: AnswerLinks,
}

/// An answer as a document, as `tokmark calc --json` prints it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Document<'a> {
    One {
        #[serde(flatten)]
        report: &'a Report,
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<CostDocument<'a>>,
    },
    Two(Versus<'a>),
}

/// Costs with where the rent comes from.
#[derive(Serialize)]
pub(crate) struct CostDocument<'a> {
    #[serde(flatten)]
    part: &'a CostPart,
    rent_source: Option<&'a str>,
}

impl Answered {
    /// Answers; what is wrong with the prices is told at their fields.
    pub(crate) fn of(
        data: &CalculatorData,
        asked: Asked,
        form: &mut Form,
        links: AnswerLinks,
    ) -> Option<Self> {
        let known = &data.calibrations;
        let question = &asked.question;
        let (context, requests) = asked.at;
        let mut report = question.answer(known);
        if asked.explain {
            report.explained = question.explain(known);
        }
        let one = question.at(&[context], &[requests]);
        let mut chosen = one.answer(known);
        chosen.explained = one.explain(known);
        let prices = Prices::read(&data.catalog, form, Some(&report.hardware));
        let cost = match &prices {
            Some(prices) => cost(question, &report, &chosen, prices)
                .inspect_err(|message| form.wrong("currency", message.clone()))
                .ok(),
            None => None,
        };
        if !form.faults.is_empty() {
            return None;
        }
        let along = question.at(&[context], &with(&question.requests, requests));
        let across = question.at(&with(&question.contexts, context), &[requests]);
        Some(Self {
            knowledge: Knowledge::of(&question.setup, known),
            by_requests: along.answer(known),
            by_context: across.answer(known),
            most: question.most_requests(context),
            versus: asked.versus.as_ref().map(|other| other.answer(known)),
            cost,
            report,
            chosen,
            links,
            asked,
        })
    }

    /// What the page shows.
    pub(crate) fn shown(&self) -> CalculatorAnswer<'_> {
        CalculatorAnswer {
            question: &self.asked.question,
            report: &self.report,
            knowledge: &self.knowledge,
            chosen: &self.chosen,
            by_requests: &self.by_requests,
            by_context: &self.by_context,
            most: self.most,
            cost: self.cost.as_ref().map(|(matrix, chosen, source)| Costs {
                matrix,
                chosen,
                rent_source: source.as_deref(),
            }),
            versus: self.versus.as_ref(),
            links: &self.links,
        }
    }

    /// The document.
    pub(crate) fn document(&self) -> Document<'_> {
        if let Some(versus) = &self.versus {
            return Document::Two(Versus::of(&self.report, versus));
        }
        Document::One {
            report: &self.report,
            cost: self.cost.as_ref().map(|(part, _, source)| CostDocument {
                part,
                rent_source: source.as_deref(),
            }),
        }
    }

    /// A line for each cell.
    pub(crate) fn csv(&self) -> String {
        let cost = self.cost.as_ref().map(|(part, _, _)| part);
        tokmark_calculator::csv::text(&self.report, cost)
    }
}

fn cost(
    question: &Question,
    report: &Report,
    chosen: &Report,
    prices: &Prices,
) -> Result<(CostPart, CostPart, Option<String>), String> {
    let of = |report: &Report| {
        question
            .cost(report, &prices.query)
            .map_err(|error| error.to_string())
    };
    Ok((of(report)?, of(chosen)?, prices.rent_source.clone()))
}

/// A list with one more, rising.
fn with<T: Copy + Ord>(list: &[T], one: T) -> Vec<T> {
    let mut all = list.to_vec();
    all.push(one);
    all.sort_unstable();
    all.dedup();
    all
}
