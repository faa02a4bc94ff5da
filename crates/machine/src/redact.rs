//! Taking out of a command line what must not be published.
//!
//! Left out are keys and tokens, user names, host names and private addresses, e-mail addresses and
//! identifiers of single boards; everything else stays as it was typed. Where a word could be
//! either, it goes: a lost word can be written again, a published key cannot be taken back.

mod names;
mod places;
mod words;

use names::{Name, meaning};
use places::hide_places;
use words::{Piece, pieces, quoted_inside, segments};

/// What stands for a word that was left out.
const HIDDEN: &str = "***";

/// How deep commands inside quotes are followed (`bash -c "…"`).
const DEPTH: usize = 3;

/// A command line or script as it may be published.
pub fn redact(command: &str) -> String {
    redact_text(command, DEPTH)
}

/// The same for arguments that are already apart.
pub fn redact_arguments(arguments: &[String]) -> Vec<String> {
    let mut expected = Expected::Nothing;
    arguments
        .iter()
        .map(|argument| redact_word(argument, &mut expected, DEPTH))
        .collect()
}

/// The words of a command line as a shell takes them apart: without quotes, comments, and the
/// backslashes at line ends. Nothing is expanded.
pub(crate) fn shell_words(text: &str) -> Vec<String> {
    let is_comment = |word: &str| word.starts_with('#');
    let mut out = Vec::new();
    for line in text.replace("\\\n", " ").replace("\\\r\n", " ").lines() {
        let words = pieces(line).into_iter().map(|piece| piece.word);
        let words = words.take_while(|word| !is_comment(word));
        out.extend(words.filter(|word| !word.is_empty()).map(unquoted));
    }
    out
}

/// A word without its quotes and escapes.
fn unquoted(word: &str) -> String {
    let without_escapes = |text: &str| {
        let mut out = String::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            out.push(match character {
                '\\' => characters.next().unwrap_or('\\'),
                other => other,
            });
        }
        out
    };
    segments(word)
        .into_iter()
        .map(|segment| match quoted_inside(segment) {
            Some(('\'', inside)) => inside.to_owned(),
            Some((_, inside)) => inside.replace("\\\"", "\"").replace("\\\\", "\\"),
            None => without_escapes(segment),
        })
        .collect()
}

/// What the words before say about the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Nothing,
    /// A secret; with `several`, further words up to the next option are secrets, too.
    Secret {
        several: bool,
        seen: bool,
    },
    /// A host name or address.
    Place,
    /// A name of a person's account.
    Account,
    /// One variable with its value, as after `docker run -e`.
    Variable,
}

fn redact_text(text: &str, depth: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut expected = Expected::Nothing;
    for Piece { gap, word } in pieces(text) {
        out.push_str(gap);
        out.push_str(&redact_word(word, &mut expected, depth));
    }
    out
}

fn redact_word(word: &str, expected: &mut Expected, depth: usize) -> String {
    // A backslash at a line's end stands between an option and its value.
    if word.is_empty() || word == "\\" {
        return word.to_owned();
    }
    if let Some(hidden) = expected_word(word, expected) {
        return hidden;
    }
    *expected = expectation(word);
    if let Some((quote, inside)) = quoted_inside(word).filter(|_| depth > 0) {
        return format!("{quote}{}{quote}", redact_text(inside, depth - 1));
    }
    // An argument that is already apart may be a command or a header of its own.
    if depth > 0 && pieces(word).len() > 1 {
        return redact_text(word, depth - 1);
    }
    segments(&hide_assignments(word))
        .into_iter()
        .map(|segment| match quoted_inside(segment) {
            Some((quote, inside)) if depth > 0 => {
                format!("{quote}{}{quote}", redact_text(inside, depth - 1))
            }
            _ => hide_places(segment),
        })
        .collect()
}

/// The replacement of a word that the words before have announced.
fn expected_word(word: &str, expected: &mut Expected) -> Option<String> {
    let announced = *expected;
    let bare = word.trim_matches(['"', '\'']);
    *expected = Expected::Nothing;
    match announced {
        Expected::Secret { seen, .. } if ends_values(bare, seen) => None,
        Expected::Secret { several, .. } => {
            // `Authorization: Bearer KEY`: the scheme is no secret, what follows it is.
            if is_scheme(bare) {
                *expected = announced;
                return Some(word.to_owned());
            }
            if several && !bare.ends_with(';') {
                *expected = Expected::Secret {
                    several,
                    seen: true,
                };
            }
            Some(keep_edges(word, HIDDEN))
        }
        Expected::Place if !bare.starts_with('-') => Some(places::hide_host(word, bare)),
        Expected::Account if !bare.starts_with('-') && !is_numeric_account(bare) => {
            Some(keep_edges(word, HIDDEN))
        }
        Expected::Variable => whole_assignment(word),
        Expected::Nothing | Expected::Place | Expected::Account => None,
    }
}

/// Whether a word cannot be a secret's value, or another one after `seen`: an option, or what ends
/// a command.
fn ends_values(word: &str, seen: bool) -> bool {
    let is_end = word.starts_with(['#', '|', '&', ';', '>', '<']);
    word.starts_with("--") || (seen && (word.starts_with('-') || is_end))
}

/// `NAME=a value with spaces` with a secret name, as one word: the value goes as a whole.
fn whole_assignment(word: &str) -> Option<String> {
    let quoted = quoted_inside(word);
    let inside = quoted.map_or(word, |(_, inside)| inside);
    let (name, _) = inside.split_once('=')?;
    let quote = quoted
        .map(|(quote, _)| quote.to_string())
        .unwrap_or_default();
    (meaning(name) == Name::Secret).then(|| format!("{quote}{name}={HIDDEN}{quote}"))
}

/// What a word announces: an option, a variable or header name before a separator, or a scheme.
fn expectation(word: &str) -> Expected {
    let bare = word.trim_matches(['"', '\'', '{', ',']);
    let name = bare.trim_end_matches(['"', '\'']);
    let is_option = name.starts_with('-') && !name.contains(['=', ':']);
    let named = name
        .strip_suffix([':', '='])
        .map(|name| name.trim_matches(['"', '\'']));
    let announced = if is_option { Some(name) } else { named };
    match announced.map(meaning) {
        Some(Name::Secret) => Expected::Secret {
            // `--api-key` of some servers takes a list.
            several: is_option && name.ends_with("api-key"),
            seen: false,
        },
        Some(Name::Place) => Expected::Place,
        Some(Name::Account) => Expected::Account,
        _ if matches!(name, "-e" | "--env") => Expected::Variable,
        _ if bare.eq_ignore_ascii_case("bearer") => Expected::Secret {
            several: false,
            seen: false,
        },
        _ => Expected::Nothing,
    }
}

/// `name=value` and `name:value` inside one word.
fn hide_assignments(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, after) = rest.split_at_checked(at + 1).unwrap_or((rest, ""));
        out.push_str(before);
        let name = trailing_name(&out);
        let (value, following) = value_of(after, out.contains('?'));
        // `host:8000` is a place in front of a colon, `"host":"box"` is one behind it.
        let is_value = before.ends_with('=') || value.starts_with('"');
        match meaning(name) {
            Name::Secret if !value.is_empty() => out.push_str(&keep_edges(value, HIDDEN)),
            Name::Place if is_value => {
                out.push_str(&places::hide_host(value, value.trim_matches(['"', '\''])));
            }
            Name::Account if is_value && !is_numeric_account(value) => {
                out.push_str(&keep_edges(value, HIDDEN));
            }
            _ => {
                rest = after;
                continue;
            }
        }
        rest = following;
    }
    out.push_str(rest);
    out
}

/// The identifier in front of the separator that `text` ends with.
fn trailing_name(text: &str) -> &str {
    let text = text
        .trim_end_matches([':', '='])
        .trim_end_matches(['"', '\'']);
    let start = text
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map_or(0, |at| {
            at + text
                .get(at..)
                .and_then(|t| t.chars().next())
                .map_or(1, char::len_utf8)
        });
    text.get(start..).unwrap_or_default()
}

/// A value with its quotes, and what follows it. In a query string a value ends at `&`.
fn value_of(text: &str, is_query: bool) -> (&str, &str) {
    let end = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text
            .get(1..)
            .and_then(|inside| inside.find(quote))
            .map_or(text.len(), |at| at + 2),
        _ => text
            .find(|c| matches!(c, '"' | '\'') || (is_query && c == '&'))
            .unwrap_or(text.len()),
    };
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Replaces a word but keeps quotes around it and brackets behind it.
fn keep_edges(word: &str, hidden: &str) -> String {
    let start = word.len() - word.trim_start_matches(['"', '\'']).len();
    let end = word.trim_end_matches(['"', '\'', '}', ']', ';', ',']).len();
    let head = word.get(..start).unwrap_or_default();
    let tail = word.get(end.max(start)..).unwrap_or_default();
    format!("{head}{hidden}{tail}")
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "digest", "token"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// `1000:1000`, as containers take it.
fn is_numeric_account(word: &str) -> bool {
    let bare = word.trim_matches(['"', '\'']);
    !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit() || c == ':')
}
