//! Splitting a command line into words without changing a byte of it.

/// A word with the white space in front of it. The last piece's word may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) gap: &'a str,
    pub(super) word: &'a str,
}

/// The pieces of a text; put together again they are the text. Quotes hold a word together when
/// they are closed; in a comment they are apostrophes.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut is_comment = false;
    while !rest.is_empty() {
        let gap_end = rest
            .find(|c: char| !c.is_whitespace())
            .unwrap_or(rest.len());
        let (gap, after) = rest.split_at_checked(gap_end).unwrap_or((rest, ""));
        is_comment = (is_comment && !gap.contains('\n')) || after.starts_with('#');
        let length = if is_comment {
            after.find(char::is_whitespace).unwrap_or(after.len())
        } else {
            word_length(after)
        };
        let (word, following) = after.split_at_checked(length).unwrap_or((after, ""));
        out.push(Piece { gap, word });
        rest = following;
    }
    out
}

fn word_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if character.is_whitespace() {
            return at;
        }
        let is_quote = matches!(character, '"' | '\'');
        let closing = if is_quote {
            closing_quote(text.get(at + 1..).unwrap_or_default(), character)
        } else {
            None
        };
        at += match (character, closing) {
            (_, Some(inside)) => inside + 2,
            // An escaped character, also an escaped space, belongs to the word.
            ('\\', _) => escaped_length(text.get(at..).unwrap_or_default()),
            (other, None) => other.len_utf8(),
        };
    }
    text.len()
}

/// The parts of a word that are quoted, and those between them.
pub(super) fn segments(word: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, from_quote) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let quote = from_quote.chars().next().unwrap_or('"');
        let Some(inside) = closing_quote(from_quote.get(1..).unwrap_or_default(), quote) else {
            break;
        };
        let (quoted, following) = from_quote
            .split_at_checked(inside + 2)
            .unwrap_or((from_quote, ""));
        out.extend([before, quoted]);
        rest = following;
    }
    out.push(rest);
    out
}

/// The length of a backslash with what it escapes; before a line's end it stands alone.
fn escaped_length(text: &str) -> usize {
    match text.chars().nth(1) {
        Some(next) if next != '\n' && next != '\r' => 1 + next.len_utf8(),
        _ => 1,
    }
}

/// Where the closing quote stands in the text behind an opening one.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, character)| {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' && quote == '"' {
            is_escaped = true;
        } else if character == quote {
            return Some(at);
        }
        None
    })
}

/// The quote and the inside of a word that is quoted as a whole.
pub(super) fn quoted_inside(word: &str) -> Option<(char, &str)> {
    let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = word.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_whole = closing_quote(word.get(1..)?, quote)? == inside.len();
    is_whole.then_some((quote, inside))
}
