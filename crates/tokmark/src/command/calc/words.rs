//! Figures and lines that the tables of `calc` share.

use tokmark_pages::terminal::{Look, Painter, columns, printable, wrapped};
use tokmark_units::{Context, Nanos, float, format};

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// Columns of the labels in front of the facts.
const LABEL: usize = 10;

/// Bytes in both units that people count in: `17.9 GB (16.7 GiB)`.
pub(super) fn both(bytes: f64) -> String {
    let gigabytes = format::decimal(bytes / 1e9, 1);
    format!("{gigabytes} GB ({} GiB)", format::decimal(bytes / GIB, 1))
}

/// Bytes of memory as it is sold: `24 GiB`.
pub(super) fn gib(bytes: f64) -> String {
    let amount = bytes / GIB;
    let whole = (amount - amount.round()).abs() < 0.05;
    format!("{} GiB", format::decimal(amount, usize::from(!whole)))
}

/// Bytes in decimal units: `1,728 B`, `49.1 MB`.
pub(super) fn decimal_bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e6 => format!("{} B", format::decimal(bytes, 0)),
        bytes if bytes < 1e8 => format!("{} MB", format::decimal(bytes / 1e6, 1)),
        bytes => format!("{} GB", format::decimal(bytes / 1e9, 1)),
    }
}

/// Tokens, as far as they are known: three digits.
pub(super) fn about_tokens(tokens: f64) -> String {
    let tokens = tokens.max(0.0);
    let digits = tokens.max(1.0).log10().floor() - 2.0;
    let step = 10_f64.powf(digits.max(0.0));
    format::count(float::round_to_u64((tokens / step).round() * step))
}

/// Parameters in billions: `31.6 B`.
pub(super) fn billions(count: f64) -> String {
    format!("{} B", format::decimal(count / 1e9, 1))
}

/// The label of a context.
pub(super) fn context(tokens: u64) -> String {
    Context(tokens).to_string()
}

/// The label of a cell: `32K x 8`.
pub(super) fn place(tokens: u64, requests: u32) -> String {
    format!("{} x {requests}", context(tokens))
}

/// A time as a person says it.
pub(super) fn time_ms(ms: f64) -> String {
    format::span(Nanos::from_secs_f64(ms / 1e3))
}

/// A share in whole per cent: `41 %`.
pub(super) fn whole_percent(share: f64) -> String {
    format!("{} %", format::decimal(share * 100.0, 0))
}

/// A share with its sign: `+6.1 %`.
pub(super) fn signed_percent(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::percent(share))
}

/// A price of tokens: figures of a table line up, and small ones keep three digits.
pub(super) fn price(amount: f64) -> String {
    let decimals = match amount.abs() {
        amount if amount >= 100.0 => 0,
        amount if amount >= 10.0 => 2,
        amount if amount >= 0.01 => 3,
        _ => 5,
    };
    format::decimal(amount, decimals)
}

/// An amount as it was typed.
pub(super) fn amount(amount: f64) -> String {
    let text = amount.to_string();
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    format::decimal(amount, decimals.min(6))
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
    fn figures_keep_their_units_apart() {
        assert_eq!(both(17.9e9), "17.9 GB (16.7 GiB)");
        assert_eq!(gib(25_769_803_776.0), "24 GiB");
        assert_eq!(gib(16.7 * GIB), "16.7 GiB");
        assert_eq!(decimal_bytes(1_728.0), "1,728 B");
        assert_eq!(decimal_bytes(49.1e6), "49.1 MB");
        assert_eq!(about_tokens(591_234.0), "591,000");
        assert_eq!(about_tokens(57.0), "57");
        assert_eq!(about_tokens(-4.0), "0");
        assert_eq!(decimal_bytes(163_840.0), "163,840 B");
        assert_eq!(price(0.2096), "0.210");
        assert_eq!(price(12.345), "12.35");
        assert_eq!(price(0.001_234), "0.00123");
        assert_eq!(amount(0.22), "0.22");
        assert_eq!(amount(1_700.0), "1,700");
        assert_eq!(signed_percent(-0.06), "-6.0 %");
        assert_eq!(signed_percent(0.061), "+6.1 %");
    }

    #[test]
    fn a_fact_stands_beside_its_label() {
        let lines = fact("model", "a b c d e f g h i j k", 30, Painter::new(false));
        assert_eq!(lines, ["model     a b c d e f g h i j", "          k"]);
    }
}
