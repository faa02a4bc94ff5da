//! Durations as people write them: `500ms`, `6s`, `2m`, `1h`.

use std::time::Duration;

use crate::ParseError;

/// Reads `500ms`, `6s`, `1.5s`, `2m`, `1h`; a bare number is refused, since its unit is a guess.
pub fn parse_duration(text: &str) -> Result<Duration, ParseError> {
    let typed = text.trim();
    let bad = || {
        ParseError::new(
            text,
            "a duration with its unit such as 500ms, 30s, 2m or 1h",
        )
    };
    let digits_end = typed
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or_else(bad)?;
    let (digits, unit) = typed.split_at(digits_end);
    let seconds_each = match unit.trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        _ => return Err(bad()),
    };
    let amount: f64 = digits.parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(amount * seconds_each).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        let check = |text: &str, ms: u64| {
            assert_eq!(
                parse_duration(text).unwrap(),
                Duration::from_millis(ms),
                "{text}"
            );
        };
        check("500ms", 500);
        check("6s", 6_000);
        check("1.5s", 1_500);
        check("2m", 120_000);
        check("1h", 3_600_000);
        for bad in ["", "30", "s", "1.2.3s", "-1s", "5 parsecs"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
