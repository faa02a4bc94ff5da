//! A place in the list that stays right while runs are added.

use std::fmt;
use std::str::FromStr;

/// A place in the list: behind the run with this identity and value of the list's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) value: i64,
    pub(crate) id: String,
}

/// A text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place in the list")]
pub struct CursorError(String);

impl fmt::Display for Cursor {
    /// Letters, digits and dots only, so that it needs no encoding in an address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.value, self.id)
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
            value: time.parse().map_err(|_| bad())?,
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
            value: 1_796_026_500_000,
            id: "0abc".to_owned(),
        };
        assert_eq!(cursor.to_string().parse::<Cursor>().unwrap(), cursor);
        for bad in ["", ".", "x.0abc", "1", "1.", "1.a b", "1.a/b"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }
}
