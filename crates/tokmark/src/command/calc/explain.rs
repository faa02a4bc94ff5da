//! Every term of one cell, for a person to follow.

use tokmark_calculator::report::{ExplainedPart, InputPart};
use tokmark_pages::terminal::{self, Look, Painter, Side, Text, wrapped};

use super::words::{heading, place, quantity};

/// Space in front of formula and inputs.
const INDENT: &str = "    ";

/// A part of each answer: how its terms begin, and what they make up.
const PARTS: [(&str, &str); 3] = [
    ("decode.", "Decode: the time of one step"),
    ("prefill.", "Prefill: the time of reading one prompt"),
    ("memory.", "Memory: what is left for the cache"),
];

/// The terms by part; `cell` is the place that they are of, `others` whether the answer has more.
pub(super) fn lines(
    terms: &[ExplainedPart],
    cell: (u64, u32),
    others: bool,
    width: usize,
    painter: Painter,
) -> Vec<String> {
    let mut out = vec![String::new()];
    let more = if others {
        ", the first cell; name another with --context and --requests"
    } else {
        ""
    };
    out.push(format!("Every term of {}{more}", place(cell.0, cell.1)));
    for (start, title) in PARTS {
        let own: Vec<&ExplainedPart> = terms
            .iter()
            .filter(|term| term.term.starts_with(start))
            .collect();
        if own.is_empty() {
            continue;
        }
        out.extend(heading(title, width, painter));
        for term in own {
            let name = term.term.strip_prefix(start).unwrap_or(&term.term);
            let value = quantity(term.value, term.unit);
            out.push(format!(
                "  {name} = {}",
                painter.paint(&value, Look::Strong)
            ));
            let room = width.saturating_sub(INDENT.len());
            let formula = wrapped(term.formula, room, 2);
            out.extend(
                formula
                    .iter()
                    .map(|line| format!("{INDENT}{}", painter.paint(line, Look::Quiet))),
            );
            let rows: Vec<Vec<Text>> = term.inputs.iter().map(row).collect();
            let table = terminal::rows(&rows, &[Side::Left, Side::Right, Side::Left], painter);
            out.extend(table.iter().map(|line| format!("{INDENT}{line}")));
        }
    }
    out
}

fn row(input: &InputPart) -> Vec<Text> {
    vec![
        Text::new(input.symbol, Look::Plain),
        Text::new(quantity(input.value, input.unit), Look::Plain),
        Text::new(&*input.source, Look::Quiet),
    ]
}
