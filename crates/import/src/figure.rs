//! Figures as pages print them.

/// `8,169.0`, `10.6K`, `409`: a number with thousands commas, `K` for a thousand.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1_000.0),
        None => (text, 1.0),
    };
    let plain = without_commas(digits)?;
    plain.parse::<f64>().ok().map(|value| value * factor)
}

/// The number before a unit: `30 s`, `8,192 tokens`.
pub(crate) fn with_unit(text: &str, unit: &str) -> Option<f64> {
    number(text.trim().strip_suffix(unit)?)
}

/// As [`with_unit`], for whole numbers.
pub(crate) fn whole_with_unit(text: &str, unit: &str) -> Option<u64> {
    let digits = text.trim().strip_suffix(unit)?.trim();
    without_commas(digits)?.parse().ok()
}

/// Removes thousands commas; `None` when something else than an unsigned number stands there, so
/// that a decimal comma is never taken for a thousands comma.
fn without_commas(text: &str) -> Option<String> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.is_empty() || first.len() <= 3;
    let good = digits(first)
        && grouped
        && rest.iter().all(|group| digits(group) && group.len() == 3)
        && fraction.is_none_or(digits);
    good.then(|| text.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers() {
        let check = |text: &str, expect: Option<f64>| assert_eq!(number(text), expect, "{text}");
        check("8,169.0", Some(8_169.0));
        check("792.0", Some(792.0));
        check("10.6K", Some(10_600.0));
        check("1,234,567", Some(1_234_567.0));
        check("409", Some(409.0));
        for bad in [
            "", "-1", "1,5", "1.234,5", "1e9", "NaN", "inf", "12,34", "1234,567", ".5", "5.",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn units() {
        assert_eq!(with_unit("30 s", "s"), Some(30.0));
        assert_eq!(with_unit("2.5 s", "s"), Some(2.5));
        assert_eq!(with_unit("30 min", "s"), None);
        assert_eq!(whole_with_unit("8,192 tokens", "tokens"), Some(8_192));
        assert_eq!(whole_with_unit("8,192", "tokens"), None);
    }
}
