//! How figures of an answer are written: on a terminal and on a page alike.

use tokmark_units::{Nanos, float, format};

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// Bytes in both units that people count in: `17.9 GB (16.7 GiB)`.
pub fn both(bytes: f64) -> String {
    let gigabytes = format::decimal(bytes / 1e9, 1);
    format!("{gigabytes} GB ({} GiB)", format::decimal(bytes / GIB, 1))
}

/// Bytes of memory as it is sold: `24 GiB`.
pub fn gib(bytes: f64) -> String {
    let amount = bytes / GIB;
    let whole = (amount - amount.round()).abs() < 0.05;
    format!("{} GiB", format::decimal(amount, usize::from(!whole)))
}

/// Bytes in decimal units: `1,728 B`, `49.1 MB`.
pub fn decimal_bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e6 => format!("{} B", format::decimal(bytes, 0)),
        bytes if bytes < 1e8 => format!("{} MB", format::decimal(bytes / 1e6, 1)),
        bytes => format!("{} GB", format::decimal(bytes / 1e9, 1)),
    }
}

/// Tokens, as far as they are known: three digits.
pub fn about_tokens(tokens: f64) -> String {
    let tokens = tokens.max(0.0);
    let digits = tokens.max(1.0).log10().floor() - 2.0;
    let step = 10_f64.powf(digits.max(0.0));
    format::count(float::round_to_u64((tokens / step).round() * step))
}

/// Parameters in billions: `31.6 B`.
pub fn billions(count: f64) -> String {
    format!("{} B", format::decimal(count / 1e9, 1))
}

/// A time as a person says it.
pub fn time_ms(ms: f64) -> String {
    format::span(Nanos::from_secs_f64(ms / 1e3))
}

/// A share in whole per cent: `41 %`.
pub fn whole_percent(share: f64) -> String {
    format!("{} %", format::decimal(share * 100.0, 0))
}

/// A share with its sign: `+6.1 %`.
pub fn signed_percent(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", format::percent(share))
}

/// A price of tokens: figures of a table line up, and small ones keep three digits.
pub fn price(amount: f64) -> String {
    let decimals = match amount.abs() {
        amount if amount >= 100.0 => 0,
        amount if amount >= 10.0 => 2,
        amount if amount >= 0.01 => 3,
        _ => 5,
    };
    format::decimal(amount, decimals)
}

/// An amount as it was typed.
pub fn amount(amount: f64) -> String {
    let text = amount.to_string();
    let decimals = text
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    format::decimal(amount, decimals.min(6))
}

/// A value with its unit, in a size that a person reads.
pub fn quantity(value: f64, unit: &str) -> String {
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
