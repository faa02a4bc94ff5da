//! Plain number formatting for terminals and English pages (site.md section 2).
//!
//! Thousands commas; tok/s with one decimal, from 10,000 as `10.6K`; TTFT in whole milliseconds;
//! a dash for what does not exist.

use crate::Nanos;
use crate::float;

/// What stands where a value does not exist.
pub const DASH: &str = "—";

/// `12345` as `12,345`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A float with `decimals` places and thousands commas. Rounds half away from zero on the decimal
/// digits, as people expect of a printed figure.
pub fn decimal(value: f64, decimals: usize) -> String {
    let printed = format!("{:.*}", decimals, value.abs());
    let (whole, fraction) = printed.split_once('.').unwrap_or((&printed, ""));
    let grouped = whole
        .parse::<u64>()
        .map_or_else(|_| whole.to_owned(), count);
    let is_zero = printed.bytes().all(|b| b == b'0' || b == b'.');
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    match fraction {
        "" => format!("{sign}{grouped}"),
        _ => format!("{sign}{grouped}.{fraction}"),
    }
}

/// A share in per cent with one decimal: `0.123` is `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", decimal(share * 100.0, 1))
}

/// Tokens per second: one decimal, from 10,000 as `10.6K`.
pub fn rate(tokens_per_s: f64) -> String {
    if tokens_per_s >= 9_999.95 {
        format!("{}K", decimal(tokens_per_s / 1_000.0, 1))
    } else {
        decimal(tokens_per_s, 1)
    }
}

/// Prompt tokens per second on a prefill card: one decimal, none from 1,000.
pub fn prefill_rate(tokens_per_s: f64) -> String {
    decimal(tokens_per_s, usize::from(tokens_per_s < 999.5))
}

/// A first-token time: whole milliseconds with commas.
pub fn ttft_ms(ms: f64) -> String {
    format!("{} ms", decimal(ms, 0))
}

/// A time between tokens or a gap: one decimal.
pub fn gap_ms(ms: f64) -> String {
    format!("{} ms", decimal(ms, 1))
}

/// A window length: one decimal.
pub fn seconds(s: f64) -> String {
    format!("{} s", decimal(s, 1))
}

/// Power: whole watts, one decimal below 10.
pub fn watts(w: f64) -> String {
    format!("{} W", decimal(w, usize::from(w < 9.95)))
}

/// Energy with three significant digits where it is small: `0.0351 J`, `4.20 J`, `12,345 J`.
pub fn joules(j: f64) -> String {
    let decimals = match j {
        j if j >= 99.95 => 0,
        j if j >= 9.995 => 1,
        j if j >= 0.999_5 => 2,
        j if j >= 0.099_95 => 3,
        _ => 4,
    };
    format!("{} J", decimal(j, decimals))
}

/// A value by its own formatter, or a dash.
pub fn or_dash<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| DASH.to_owned(), show)
}

/// A span as a person says it: `850 ms`, `12.5 s`, `3 min 20 s`, `1 h 5 min`.
pub fn span(span: Nanos) -> String {
    let s = span.as_secs_f64();
    if s < 1.0 {
        return format!("{} ms", decimal(s * 1_000.0, 0));
    }
    if s < 59.95 {
        return seconds(s);
    }
    let whole = float::round_to_u64(s);
    match whole {
        0..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
    }
}

/// Bytes in binary units, as memory is sold and allocated: `24 GiB`, `1.5 MiB`.
pub fn bytes(value: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = float::from_u64(value);
    let mut unit = "B";
    for next in units {
        unit = next;
        if amount < 1_024.0 || next == "TiB" {
            break;
        }
        amount /= 1_024.0;
    }
    let decimals = usize::from((amount - amount.round()).abs() > 0.05);
    format!("{} {unit}", decimal(amount, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_as_site_md_asks() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(rate(126.6), "126.6");
        assert_eq!(rate(1_075.9), "1,075.9");
        assert_eq!(rate(9_999.94), "9,999.9");
        assert_eq!(rate(10_600.0), "10.6K");
        assert_eq!(prefill_rate(8_169.0), "8,169");
        assert_eq!(prefill_rate(792.0), "792.0");
        assert_eq!(ttft_ms(317_551.0), "317,551 ms");
        assert_eq!(gap_ms(7.84), "7.8 ms");
        assert_eq!(seconds(30.0), "30.0 s");
        assert_eq!(decimal(-0.01, 1), "0.0");
        assert_eq!(decimal(-12.25, 1), "-12.2");
        assert_eq!(or_dash(None::<f64>, rate), "—");
        assert_eq!(watts(9.94), "9.9 W");
        assert_eq!(watts(9.95), "10 W");
        assert_eq!(watts(5_612.4), "5,612 W");
        let joules: Vec<String> = [12_345.4, 99.96, 10.0, 4.2, 0.999_9, 0.1, 0.035_12, 0.0]
            .map(joules)
            .to_vec();
        let expect = [
            "12,345 J", "100 J", "10.0 J", "4.20 J", "1.00 J", "0.100 J", "0.0351 J",
        ];
        assert_eq!(joules[..7], expect);
        assert_eq!(joules[7], "0.0000 J");
    }

    #[test]
    fn spans_and_bytes() {
        assert_eq!(span(Nanos::from_millis(850)), "850 ms");
        assert_eq!(span(Nanos::from_millis(12_500)), "12.5 s");
        assert_eq!(span(Nanos::from_secs(200)), "3 min 20 s");
        assert_eq!(span(Nanos::from_secs(3_900)), "1 h 5 min");
        assert_eq!(bytes(24 << 30), "24 GiB");
        assert_eq!(bytes(1_572_864), "1.5 MiB");
        assert_eq!(bytes(12), "12 B");
    }
}
