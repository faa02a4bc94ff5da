//! Making a server's words safe to keep: no secrets, no control characters, a bounded length.

/// Words before a secret; in lower case.
const PREFIXES: &[&str] = &["sk-", "hf_", "gsk_", "xai-"];

/// The least characters behind a prefix that make a secret of it, so that plain words stay.
const SECRET_MIN: usize = 6;

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
