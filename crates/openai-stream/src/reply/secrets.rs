//! Making a server's words safe to keep: no secrets, no control characters, a bounded length.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Words before a secret; in lower case.
const PREFIXES: &[&str] = &["sk-", "hf_", "gsk_", "xai-"];

/// The least characters behind a prefix that make a secret of it, so that plain words stay.
const SECRET_MIN: usize = 6;

/// A value of fewer bytes is found in ordinary words too often to be looked for.
const VALUE_MIN: usize = 6;

/// Values of the user's own headers: servers repeat them in their errors, and they must never be
/// kept or shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(Arc<[String]>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Of header values. A value of two words, such as `Bearer KEY`, has its secret in the second.
    /// Values of fewer than 6 bytes are left out.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut all = Vec::new();
        for value in values {
            let value = String::from_utf8_lossy(value);
            let value = value.trim();
            let token = value.split_once(' ').map(|(_, token)| token.trim());
            for part in [Some(value), token].into_iter().flatten() {
                let escaped = serde_json::Value::from(part).to_string();
                let inside = escaped.get(1..escaped.len().saturating_sub(1));
                all.extend(inside.map(str::to_owned));
                all.push(part.to_owned());
            }
        }
        all.retain(|value| value.len() >= VALUE_MIN);
        // The longest first: one may be a part of another.
        all.sort_by_key(|value| std::cmp::Reverse(value.len()));
        all.dedup();
        Self(all.into())
    }

    /// The text without them.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for value in self.0.iter() {
            if text.contains(value) {
                text = Cow::Owned(text.replace(value, "[redacted]"));
            }
        }
        text
    }
}

/// The text with secrets replaced, runs of blanks and control characters as one space, and at most
/// `limit` characters.
pub(super) fn clean(text: &str, limit: usize) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let mut clean = String::new();
    let mut after_bearer = false;
    for word in spaced.split_whitespace() {
        if !clean.is_empty() {
            clean.push(' ');
        }
        if after_bearer {
            clean.push_str("[redacted]");
        } else {
            redact_prefixed(word, &mut clean);
        }
        after_bearer = ends_with_bearer(word);
    }
    match clean.char_indices().nth(limit) {
        Some((end, _)) => {
            // The last character makes room for the sign that something is missing.
            let keep = clean.char_indices().nth(limit.saturating_sub(1));
            clean.truncate(keep.map_or(end, |(keep, _)| keep));
            clean.push('…');
            clean
        }
        None => clean,
    }
}

/// Whether the next word is a bearer token: `Bearer`, `Authorization:Bearer`, `"bearer:`.
fn ends_with_bearer(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
    word.to_ascii_lowercase().ends_with("bearer")
}

/// Copies a word, with what follows a secret's prefix replaced.
fn redact_prefixed(word: &str, out: &mut String) {
    let lower = word.to_ascii_lowercase();
    let mut from = 0;
    while let Some((start, end)) = next_secret(&lower, from) {
        out.push_str(word.get(from..start).unwrap_or_default());
        out.push_str("[redacted]");
        from = end;
    }
    out.push_str(word.get(from..).unwrap_or_default());
}

/// Where the next secret at or after `from` lies.
fn next_secret(lower: &str, from: usize) -> Option<(usize, usize)> {
    let rest = lower.get(from..)?;
    rest.char_indices().find_map(|(offset, _)| {
        let start = from + offset;
        let before = lower.get(..start)?.chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let tail = lower.get(start..)?;
        let prefix = PREFIXES.iter().find(|prefix| tail.starts_with(**prefix))?;
        let secret = tail
            .char_indices()
            .find(|(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '.')))
            .map_or(tail.len(), |(end, _)| end);
        (secret >= prefix.len() + SECRET_MIN).then_some((start, start + secret))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_second_words_are_replaced_wherever_they_stand() {
        let secrets = Secrets::of([
            b"Bearer tk-distinct-1".as_slice(),
            b" with \"quotes\" ",
            b"gold",
            b"tk-distinct",
        ]);
        let check = |text: &str, clean: &str| assert_eq!(secrets.redact(text), clean);
        check("nothing", "nothing");
        check("a Bearer tk-distinct-1.", "a [redacted].");
        check("key=tk-distinct-1&x", "key=[redacted]&x");
        check("tk-distinct tk-distinct-1", "[redacted] [redacted]");
        check(r#"{"x":"with \"quotes\""}"#, r#"{"x":"[redacted]"}"#);
        check(r#"with "quotes""#, "[redacted]");
        check("gold stays", "gold stays");
        let debug = format!("{secrets:?}");
        assert!(!debug.contains("distinct"), "{debug}");
    }
}
