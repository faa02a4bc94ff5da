//! `tokmark calc`: what fits, how fast it is, what limits it, what it costs.

mod cost;
mod explain;
mod fit;
mod model_file;
mod need;
mod question;
mod table;
mod versus;
mod words;

use serde::Serialize;
use tokmark_calculator::report::Report;
use tokmark_calculator::versus::Versus;
use tokmark_calculator::{Family, Knowledge, Question};
use tokmark_catalog::Catalog;
use tokmark_pages::terminal::Painter;

use crate::args::CalcArgs;
use crate::args::calc::CalcCommand;
use crate::calibrations::Known;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

use super::show::{colours, width};
use cost::Cost;
use table::Answer;
use words::joined;

/// An answer with its costs.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
}

/// Answers a question, or fits constants to runs.
pub(crate) fn run(args: &CalcArgs, quiet: bool) -> Outcome {
    let catalog = Catalog::bundled().map_err(|error| Failure::new(Exit::Failed, error))?;
    if let Some(CalcCommand::Fit(args)) = &args.command {
        return fit::run(&catalog, args, quiet);
    }
    let known = Known::read()?;
    let look = (width(), Painter::new(colours()));
    if args.what_if.need.is_some() {
        let question = question::about_any_machine(&catalog, &args.question)?;
        return need::run(&catalog, &known.all, args, &question, look);
    }
    let question = question::question(&catalog, &args.question)?;
    let mut report = question.answer(&known.all);
    if args.explain {
        report.explained = question.explain(&known.all);
    }
    if let Some(name) = &args.what_if.versus {
        let other = question::versus(&catalog, args, name)?;
        return beside(args, &known, (&question, &report), &other, look);
    }
    let cost = cost::cost(&catalog, &args.cost, &question, &report)?;
    if args.json {
        return print(&Document {
            report: &report,
            cost: cost.as_ref(),
        });
    }
    if args.csv {
        say::raw(&tokmark_calculator::csv::text(
            &report,
            cost.as_ref().map(|cost| &cost.part),
        ));
        return Ok(Exit::Done);
    }
    let answer = answer(&known, &question, &report);
    say::raw(&joined(&shown(&answer, cost.as_ref(), args.explain, look)));
    Ok(Exit::Done)
}

fn answer<'a>(known: &Known, question: &'a Question, report: &'a Report) -> Answer<'a> {
    Answer {
        question,
        report,
        knowledge: Knowledge::of(&question.setup, &known.all),
        own: known.is_own(&Family::of(&question.setup)),
    }
}

fn shown(
    answer: &Answer<'_>,
    cost: Option<&Cost>,
    explained: bool,
    look: (usize, Painter),
) -> Vec<String> {
    let (width, painter) = look;
    if explained {
        let mut out = table::header(answer, width, painter);
        let first = answer.report.cells.first();
        let cell = first.map_or((0, 0), |cell| (cell.context, cell.requests));
        let others = answer.report.cells.len() > 1;
        let terms = &answer.report.explained;
        out.extend(explain::lines(terms, cell, others, width, painter));
        return out;
    }
    let mut out = table::lines(answer, width, painter);
    if let Some(cost) = cost {
        out.extend(cost::lines(cost, answer.report, width, painter));
    }
    out
}

/// Two machines side by side.
fn beside(
    args: &CalcArgs,
    known: &Known,
    (question, report): (&Question, &Report),
    other: &Question,
    (width, painter): (usize, Painter),
) -> Outcome {
    let others = other.answer(&known.all);
    if args.json {
        return print(&Versus::of(report, &others));
    }
    let first = answer(known, question, report);
    let second = answer(known, other, &others);
    say::raw(&joined(&versus::lines(&first, &second, width, painter)));
    Ok(Exit::Done)
}

fn print(document: &impl Serialize) -> Outcome {
    let value =
        serde_json::to_value(document).map_err(|error| Failure::new(Exit::Failed, error))?;
    say::result(format!("{value:#}"));
    Ok(Exit::Done)
}
