//! Wall-clock moments, for people: never used for a duration.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// A moment in UTC, printed as RFC 3339 with seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// From whole milliseconds since 1970-01-01T00:00:00Z; `None` outside the years -9999 to 9999.
    pub fn from_unix_millis(ms: i64) -> Option<Self> {
        jiff::Timestamp::from_millisecond(ms).ok().map(Self)
    }

    /// The start of a day in UTC, written like `2026-11-30`.
    pub fn start_of_day(text: &str) -> Option<Self> {
        let day = text.len() == "2026-11-30".len();
        day.then(|| format!("{text}T00:00:00Z").parse().ok())?
    }

    /// Whole milliseconds since 1970-01-01T00:00:00Z.
    pub fn as_unix_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// `20261130T081500Z`: sorts by time and is safe in a file name.
    pub fn compact(self) -> String {
        self.0.strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    /// `2026-11-30 08:15 UTC`, for pages and tables.
    pub fn minute(self) -> String {
        self.0.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl FromStr for Timestamp {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        text.parse::<jiff::Timestamp>()
            .map(Self)
            .map_err(|_| ParseError::new(text, "an RFC 3339 time such as 2026-11-30T08:15:00Z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_starts_at_midnight() {
        let start = Timestamp::start_of_day("2026-11-30").unwrap();
        assert_eq!(start.to_string(), "2026-11-30T00:00:00Z");
        for bad in ["", "2026-11-31", "30.11.2026", "2026-11-3", "2026-11-30T"] {
            assert_eq!(Timestamp::start_of_day(bad), None, "{bad}");
        }
    }

    #[test]
    fn round_trips_through_rfc_3339() {
        let at = Timestamp::from_unix_millis(1_796_026_500_000).unwrap();
        assert_eq!(at.to_string(), "2026-11-30T08:15:00Z");
        assert_eq!(at.to_string().parse::<Timestamp>().unwrap(), at);
        assert_eq!(at.compact(), "20261130T081500Z");
        assert_eq!(at.minute(), "2026-11-30 08:15 UTC");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
