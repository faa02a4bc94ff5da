//! Text of others made fit for a terminal: what a model or a server writes must never reach it as a
//! command.

use ratatui::text::Span;

/// Spaces for a tabulator.
const TAB: &str = "    ";

/// One line, with whatever a terminal would obey written out.
pub(super) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\r' => out.push(' '),
            '\t' => out.push_str(TAB),
            _ if is_command(char) => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
    }
    out
}

/// Control characters, and those that change the direction of what stands around them.
fn is_command(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text in lines of so many columns, broken at a space where a line has one late enough.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = harmless(line.trim_end_matches('\r'));
        wrap(&line, width.max(1), &mut lines);
    }
    lines
}

fn wrap(line: &str, width: usize, lines: &mut Vec<String>) {
    let mut rest = line;
    loop {
        let end = fitting(rest, width);
        let (head, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if tail.is_empty() {
            lines.push(head.to_owned());
            return;
        }
        let space = head.rfind(' ').filter(|at| *at > head.len() / 2);
        let cut = space.map_or(end, |at| at + 1);
        let (head, tail) = rest.split_at_checked(cut).unwrap_or((rest, ""));
        lines.push(head.trim_end().to_owned());
        rest = tail;
    }
}

/// The bytes of a text that fit into so many columns: at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut columns = 0;
    for (at, char) in text.char_indices() {
        columns += Span::raw(char.encode_utf8(&mut [0; 4]).to_owned()).width();
        if columns > width && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let check = |text: &str, expect: &str| assert_eq!(harmless(text), expect);
        check("plain 語 🙂", "plain 語 🙂");
        check("\u{1b}[2J\u{7}", "\\u{1b}[2J\\u{7}");
        check("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}");
        check("a\tb\r\nc", "a    b  c");
        check("a\u{202e}b", "a\\u{202e}b");
    }

    #[test]
    fn lines_are_as_wide_as_wanted_and_wide_characters_count_twice() {
        let check = |text: &str, width: usize, expect: &[&str]| {
            assert_eq!(wrapped(text, width), expect, "{text}");
        };
        check("", 5, &[""]);
        check("one two three", 8, &["one two", "three"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("日本語です", 4, &["日本", "語で", "す"]);
        check("a\n\nb", 9, &["a", "", "b"]);
        check("語", 1, &["語"]);
    }
}
