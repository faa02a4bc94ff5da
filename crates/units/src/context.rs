//! Context lengths in tokens, as people write them: `K` is 1,024.

use std::fmt;

use crate::ParseError;

/// Prompt tokens of a request, without the generated part (methodology section 1). 0 means "a
/// short prompt only".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Context(pub u64);

const K: u64 = 1_024;
const M: u64 = 1_024 * 1_024;

impl Context {
    /// Reads `8192`, `8k`, `16K`, `1M` (binary multiples).
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let wanted = "a number of tokens such as 0, 8192, 16K or 1M";
        let typed = text.trim();
        let (digits, unit) = match typed.char_indices().last() {
            Some((at, 'k' | 'K')) => (typed.get(..at), K),
            Some((at, 'm' | 'M')) => (typed.get(..at), M),
            _ => (Some(typed), 1),
        };
        digits
            .and_then(|d| d.trim().parse::<u64>().ok())
            .and_then(|n| n.checked_mul(unit))
            .map(Self)
            .ok_or_else(|| ParseError::new(text, wanted))
    }
}

impl fmt::Display for Context {
    /// `16K` for exact multiples of 1,024, otherwise the plain number: a label never rounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            n if n % M == 0 => write!(f, "{}M", n / M),
            n if n % K == 0 => write!(f, "{}K", n / K),
            n => write!(f, "{n}"),
        }
    }
}

/// One entry of a list of contexts: a length, or `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextEntry {
    /// A length in tokens.
    Length(Context),
    /// The model's maximum less the longest output, rounded down to K (methodology section 6).
    Max,
}

/// Reads `0,16k,max`. Order and repeats are kept; the plan sorts and thins them.
pub fn parse_context_list(text: &str) -> Result<Vec<ContextEntry>, ParseError> {
    text.split(',')
        .map(|part| match part.trim() {
            "max" => Ok(ContextEntry::Max),
            other => Context::parse(other).map(ContextEntry::Length),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b112_contexts_are_binary_and_labels_never_round() {
        for (text, tokens, label) in [
            ("0", 0, "0"),
            ("8k", 8_192, "8K"),
            ("8000", 8_000, "8000"),
            ("16K", 16_384, "16K"),
            ("1M", 1_048_576, "1M"),
            ("1025", 1_025, "1025"),
        ] {
            let context = Context::parse(text).unwrap();
            assert_eq!(context.0, tokens, "{text}");
            assert_eq!(context.to_string(), label, "{text}");
        }
        for bad in ["", "k", "8q", "-1", "1.5k", "99999999999999999999M"] {
            assert!(Context::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lists_take_max() {
        assert_eq!(
            parse_context_list("0, 2k,max").unwrap(),
            [
                ContextEntry::Length(Context(0)),
                ContextEntry::Length(Context(2_048)),
                ContextEntry::Max
            ]
        );
    }
}
