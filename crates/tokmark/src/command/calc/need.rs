//! Machines that are enough for so many people.

use tokmark_calculator::fit::Calibration;
use tokmark_calculator::need_report::{Machine, NeedReport};
use tokmark_calculator::{Need, Question};
use tokmark_catalog::Catalog;
use tokmark_pages::terminal::{self, Look, Painter, Side, Text};
use tokmark_units::format;

use super::words::{context, heading, joined, remark, time_ms};
use crate::args::calc::CalcArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// Machines that the table shows unless all are asked for.
const SHOWN: usize = 20;

/// Searches the catalog and prints what is enough.
pub(super) fn run(
    catalog: &Catalog,
    calibrations: &[Calibration],
    args: &CalcArgs,
    question: &Question,
    look: (usize, Painter),
) -> Outcome {
    let need = need(args, question)?;
    let document = NeedReport::search(catalog, calibrations, question, &need);
    if args.json {
        let value = serde_json::to_value(&document);
        let value = value.map_err(|error| Failure::new(Exit::Failed, error))?;
        say::result(format!("{value:#}"));
    } else {
        let (width, painter) = look;
        let most = if args.what_if.all { usize::MAX } else { SHOWN };
        say::raw(&joined(&lines(&document, question, most, width, painter)));
    }
    Ok(Exit::Done)
}

fn need(args: &CalcArgs, question: &Question) -> Outcome<Need> {
    let [context_tokens] = question.contexts.as_slice() else {
        let message = "--need asks for one context";
        return Err(Failure::saying(Exit::Usage, message).hint("for example --context 32k"));
    };
    let rate = args.what_if.tokens_per_s.unwrap_or_default();
    if !rate.is_finite() || rate <= 0.0 {
        let message = "--tokens-per-s: this must be above 0";
        return Err(Failure::saying(Exit::Usage, message));
    }
    Ok(Need {
        people: args.what_if.need.unwrap_or(1),
        context_tokens: *context_tokens,
        output_tokens: question.output_tokens,
        tokens_per_s_each: rate,
        cold_ttft_s: args.what_if.max_ttft.map(|time| time.as_secs_f64()),
    })
}

fn lines(
    document: &NeedReport,
    question: &Question,
    most: usize,
    width: usize,
    painter: Painter,
) -> Vec<String> {
    let ttft = document.max_ttft_ms.map_or_else(String::new, |ms| {
        format!(", first token within {}", time_ms(ms))
    });
    let asked = format!(
        "{} for {} people at {} tokens of context, {} tok/s each{ttft} ({}, cache {})",
        document.model,
        document.people,
        context(document.context),
        format::decimal(document.tokens_per_s_each, 1),
        question.setup.engine.name(),
        document.kv_type,
    );
    let mut out: Vec<String> = heading(&asked, width, painter).split_off(1);
    if document.machines.is_empty() {
        let text = "no machine of the catalog is enough with up to 8 accelerators";
        out.push(painter.paint(text, Look::Warning));
        return out;
    }
    out.push(String::new());
    let header = [
        "Machine",
        "price",
        "rent/h",
        "power",
        "tok/s each",
        "total",
        "TTFT",
        "",
    ];
    let mut rows = vec![header.map(|word| Text::new(word, Look::Quiet)).to_vec()];
    rows.extend(document.machines.iter().take(most).map(row));
    let figure = Side::Right;
    let sides = [
        Side::Left,
        figure,
        figure,
        figure,
        figure,
        figure,
        figure,
        Side::Left,
    ];
    out.extend(terminal::rows(&rows, &sides, painter));
    if let Some(more) = document
        .machines
        .len()
        .checked_sub(most)
        .filter(|more| *more > 0)
    {
        out.push(format!("and {more} more: --all"));
    }
    out.push(String::new());
    for remark_text in REMARKS {
        out.extend(remark(remark_text, width));
    }
    out
}

const REMARKS: [&str; 4] = [
    "price: all accelerators at launch, in US dollars, without a machine around them; sorted by it, \
     those without a price last",
    "rent/h: what most providers ask for all accelerators, in US dollars; sources and dates in --json",
    "power: while decoding, with 80 W for the host of a card; a share of the design power",
    "estimate: no run of this machine is known, and 9 of 10 results are taken to lie within 40 %; \
     several accelerators follow formulas that were not held against measurements",
];

fn row(machine: &Machine) -> Vec<Text> {
    let name = match machine.count {
        1 => machine.name.clone(),
        count => format!("{count} x {}", machine.name),
    };
    let usd = |decimals| move |usd: f64| format!("${}", format::decimal(usd, decimals));
    let watts = |watts: f64| format!("{} W", format::decimal(watts, 0));
    let note = if machine.calibrated { "" } else { "estimate" };
    vec![
        Text::new(name, Look::Strong),
        Text::new(
            format::or_dash(machine.launch_price_usd, usd(0)),
            Look::Plain,
        ),
        Text::new(
            format::or_dash(machine.rent_usd_per_hour, usd(2)),
            Look::Plain,
        ),
        Text::new(format::or_dash(machine.watts, watts), Look::Plain),
        Text::new(format::rate(machine.per_request_tokens_per_s), Look::Strong),
        Text::new(format::rate(machine.total_tokens_per_s), Look::Plain),
        Text::new(format::or_dash(machine.cold_ttft_ms, time_ms), Look::Plain),
        Text::new(note, Look::Quiet),
    ]
}
