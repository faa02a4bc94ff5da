//! Every term of one cell, for a person to follow.

use tokmark_calculator::report::{ExplainedPart, InputPart};
use tokmark_pages::terminal::{self, Look, Painter, Side, Text, wrapped};
use tokmark_units::format;

use super::words::{heading, place};

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

/// A value with its unit, in a size that a person reads.
fn quantity(value: f64, unit: &str) -> String {
    let scaled = |scales: &[(f64, &str)]| {
        let fits = scales.iter().find(|(size, _)| value.abs() >= *size);
        let (size, name) = fits.or(scales.last()).copied().unwrap_or((1.0, ""));
        format!("{} {name}", digits(value / size))
    };
    match unit {
        "s" => scaled(&[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]),
        "s a step" => format!("{} a step", quantity(value, "s")),
        "B" => scaled(&[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]),
        "" if value.abs() >= 1e6 => scaled(&[(1e9, "billion"), (1e6, "million")]),
        "" => digits(value),
        unit => format!("{} {unit}", digits(value)),
    }
}

/// About four digits.
fn digits(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 {
        return format::decimal(value, 0);
    }
    let decimals = match value.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 0.1 => 3,
        _ => 5,
    };
    format::decimal(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_has_a_size_that_is_read() {
        let check = |value: f64, unit: &str, expect: &str| {
            assert_eq!(quantity(value, unit), expect, "{value} {unit}");
        };
        check(0.001_234, "s a step", "1.234 ms a step");
        check(2.54e-5, "s", "25.40 µs");
        check(5.93e-9, "s", "5.930 ns");
        check(1.85e9, "B", "1.850 GB");
        check(1_728.0, "B", "1.728 kB");
        check(8.0, "", "8");
        check(0.75, "", "0.750");
        check(7.2e9, "", "7.200 billion");
        check(936.2, "GB/s", "936.2 GB/s");
        check(12_345.6, "tokens", "12,346 tokens");
        check(0.0, "", "0");
    }
}
