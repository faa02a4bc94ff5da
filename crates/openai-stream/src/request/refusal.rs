//! Which member of a request a server refused.

use std::borrow::Cow;

use crate::chunk::{ErrorBody, parse_error};
use crate::reply::is_context_error;

/// Words of an error that refuses a member by its name rather than by its value; in lower case.
const UNKNOWN_WORDS: &[&str] = &[
    "deprecated",
    "extra",
    "forbidden",
    "instead",
    "not allowed",
    "not permitted",
    "not recognized",
    "not supported",
    "unexpected",
    "unknown",
    "unrecognized",
    "unsupported",
];

/// Which of the optional members in `sent` a refusal names (cases B010, B068 and B070). `error_text`
/// is the answer's body or its error's text; `limit` is the member among them that carries the
/// output limit. `None` where the error is about something else, such as a prompt that is too long.
///
/// The error's own `param` decides; else the member that its text names first, because servers that
/// list what they would have taken do so behind what they refuse. The output limit counts only
/// where the text refuses the name itself: a limit that is too large is a fault of its value.
pub fn refused_field<'a>(error_text: &str, sent: &[&'a str], limit: &str) -> Option<&'a str> {
    let error = parse_error(error_text).unwrap_or_else(|| ErrorBody {
        message: Some(Cow::Borrowed(error_text)),
        ..ErrorBody::default()
    });
    if is_context_error(&error.summary()) {
        return None;
    }
    let words = error.words();
    let words = before_echo(&words);
    let refuses_names = refuses_names(words);
    let named: Vec<(usize, &'a str)> = sent
        .iter()
        .filter(|field| **field != limit || refuses_names)
        .filter_map(|field| Some((rank(&error, words, field)?, *field)))
        .collect();
    let (_, first) = *named.iter().min_by_key(|(rank, _)| *rank)?;
    // The narrower one first: without it, usage at the end may still be taken.
    let narrow = named.iter().find(|(_, field)| *field == NARROW_USAGE);
    match narrow {
        Some((_, narrow)) if matches!(first, "stream_options" | "include_usage") => Some(narrow),
        _ => Some(first),
    }
}

/// The part of `stream_options` that asks for usage with every chunk.
const NARROW_USAGE: &str = "continuous_usage_stats";

/// How early an error names a field: as its parameter, else at a place of its text.
fn rank(error: &ErrorBody<'_>, words: &str, field: &str) -> Option<usize> {
    let param = error.param.as_deref().unwrap_or_default();
    match find_word(param, field) {
        Some(_) => Some(0),
        None => find_word(words, field).map(|at| at + 1),
    }
}

/// Whether a text refuses a member's name rather than its value.
fn refuses_names(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    UNKNOWN_WORDS.iter().any(|word| text.contains(word))
}

/// The text up to where pydantic repeats the request's own values.
fn before_echo(text: &str) -> &str {
    let echo = ["'input':", "\"input\":"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min();
    echo.and_then(|at| text.get(..at)).unwrap_or(text)
}

/// Where `word` stands in `text` by itself, not as a part of a longer name.
fn find_word(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let behind = text
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_name) && !behind.is_some_and(is_name)
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
