//! Figures and lines that the tables of `calc` share.

pub(super) use tokmark_calculator::figures::{
    about_tokens, amount, billions, both, decimal_bytes, gib, price, quantity, signed_percent,
    time_ms, whole_percent,
};
use tokmark_pages::terminal::{Look, Painter, columns, printable, wrapped};
use tokmark_units::Context;

/// Columns of the labels in front of the facts.
const LABEL: usize = 10;

/// The label of a context.
pub(super) fn context(tokens: u64) -> String {
    Context(tokens).to_string()
}

/// The label of a cell: `32K x 8`.
pub(super) fn place(tokens: u64, requests: u32) -> String {
    format!("{} x {requests}", context(tokens))
}

/// A label and its text, whose later lines stand below it.
pub(super) fn fact(label: &str, text: &str, width: usize, painter: Painter) -> Vec<String> {
    let room = width.saturating_sub(LABEL).max(20);
    let lines = wrapped(&printable(text), room, 0);
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    lines
        .iter()
        .zip(labels)
        .map(|(line, label)| {
            let space = " ".repeat(LABEL.saturating_sub(columns(label)));
            format!("{}{space}{line}", painter.paint(label, Look::Quiet))
        })
        .collect()
}

/// A heading of a table, with a line between it and what stands above.
pub(super) fn heading(text: &str, width: usize, painter: Painter) -> Vec<String> {
    let lines = wrapped(text, width, 0);
    let mut out = vec![String::new()];
    out.extend(lines.iter().map(|line| painter.paint(line, Look::Strong)));
    out
}

/// A remark under a table.
pub(super) fn remark(text: &str, width: usize) -> Vec<String> {
    wrapped(&printable(text), width, 2)
}

/// Lines as one text.
pub(super) fn joined(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_stands_beside_its_label() {
        let lines = fact("model", "a b c d e f g h i j k", 30, Painter::new(false));
        assert_eq!(lines, ["model     a b c d e f g h i j", "          k"]);
    }
}
