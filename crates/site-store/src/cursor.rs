//! A place in the list that stays right while runs are added.

use std::fmt;
use std::str::FromStr;

use crate::run::RunSummary;

/// A place in the list: behind the run with this time and identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) received_at_ms: i64,
    pub(crate) id: String,
}

impl Cursor {
    /// The place behind a run.
    pub fn behind(run: &RunSummary) -> Self {
        Self {
            received_at_ms: run.received_at.as_unix_millis(),
            id: run.id.clone(),
        }
    }
}

/// A text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place in the list")]
pub struct CursorError(String);

impl fmt::Display for Cursor {
    /// Letters, digits and dots only, so that it needs no encoding in an address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.received_at_ms, self.id)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let bad = || CursorError(text.to_owned());
        let (time, id) = text.split_once('.').ok_or_else(bad)?;
        if !crate::accept::is_id(id) {
            return Err(bad());
        }
        Ok(Self {
            received_at_ms: time.parse().map_err(|_| bad())?,
            id: id.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_an_address() {
        let cursor = Cursor {
            received_at_ms: 1_796_026_500_000,
            id: "0abc".to_owned(),
        };
        assert_eq!(cursor.to_string().parse::<Cursor>().unwrap(), cursor);
        for bad in ["", ".", "x.0abc", "1", "1.", "1.a b", "1.a/b"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }
}
