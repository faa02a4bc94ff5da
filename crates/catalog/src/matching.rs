//! How sure it is which row a name means.

/// The row that a name means, or the rows that it may mean.
///
/// A wrong row is worse than none: its figures would be taken for the machine's. Where a name fits
/// several rows, or fits one only by leaving something out, the rows are candidates for a person to
/// choose from.
#[derive(Debug, Clone, PartialEq)]
pub enum Match<'a, T> {
    /// The name is the row's id or its name.
    Exact(&'a T),
    /// The name is one of the row's aliases.
    Alias(&'a T),
    /// Every word of the name is explained by this row, and no other row is.
    Words(&'a T),
    /// It may be any of these.
    Candidates(Vec<&'a T>),
    /// Nothing like it is known.
    Unknown,
}

impl<'a, T> Match<'a, T> {
    /// The row, where the name means exactly one.
    pub fn found(&self) -> Option<&'a T> {
        match self {
            Self::Exact(row) | Self::Alias(row) | Self::Words(row) => Some(row),
            Self::Candidates(_) | Self::Unknown => None,
        }
    }

    /// All rows that come into question; none where the name is unknown.
    pub fn candidates(&self) -> Vec<&'a T> {
        match self {
            Self::Exact(row) | Self::Alias(row) | Self::Words(row) => vec![row],
            Self::Candidates(rows) => rows.clone(),
            Self::Unknown => Vec::new(),
        }
    }
}

/// The runs of letters and of digits in a name, in lower case: `RTX3090Ti` and `RTX 3090 Ti` are
/// both `rtx`, `3090`, `ti`. A point between digits belongs to the number (`3.1`).
pub(crate) fn runs(name: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut last = Kind::Other;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let point = letter == '.'
            && last == Kind::Digit
            && letters.peek().is_some_and(char::is_ascii_digit);
        let kind = match letter {
            _ if point => Kind::Digit,
            letter if letter.is_ascii_digit() => Kind::Digit,
            letter if letter.is_alphabetic() => Kind::Letter,
            _ => Kind::Other,
        };
        if kind != Kind::Other {
            match runs.last_mut() {
                Some(run) if kind == last => run.extend(letter.to_lowercase()),
                _ => runs.push(letter.to_lowercase().collect()),
            }
        }
        last = kind;
    }
    runs
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: &[&str]) {
        assert_eq!(runs(name), expect, "{name}");
    }

    #[test]
    fn names_fall_into_runs() {
        check("RTX3090Ti", &["rtx", "3090", "ti"]);
        check(
            "NVIDIA A100-SXM4-80GB",
            &["nvidia", "a", "100", "sxm", "4", "80", "gb"],
        );
        check("Llama-3.1-8B", &["llama", "3.1", "8", "b"]);
        check("v1. 2", &["v", "1", "2"]);
        check("Ryzen AI Max+ 395", &["ryzen", "ai", "max", "395"]);
        check("", &[]);
    }
}
