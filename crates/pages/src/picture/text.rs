//! How wide words are, without a font: nobody knows which one a reader has.

/// Widths of characters in hundredths of the size, a little more than those of the usual
/// sans-serif fonts, so that words rather end early than touch their neighbours.
fn hundredths(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '·' => 31.0,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 40.0,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 96.0,
        'A'..='Z' | '&' => 72.0,
        c if u32::from(c) < 0x300 => 61.0,
        // Marks that stand on the letter before them.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        c if is_wide(c) => 104.0,
        _ => 76.0,
    }
}

/// Characters as wide as they are high: Chinese, Japanese, Korean, pictures.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1_f000..=0x3_ffff)
}

/// Words in one size and weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) bold: bool,
}

impl Font {
    pub(super) fn plain(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub(super) fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    /// The most units that the words take.
    pub(super) fn width(self, text: &str) -> f64 {
        let weight = if self.bold { 1.06 } else { 1.0 };
        text.chars().map(hundredths).sum::<f64>() / 100.0 * self.size * weight
    }

    /// The words, or their beginning and an ellipsis.
    pub(super) fn shortened(self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let room = width - self.width("…");
        let mut short = String::new();
        for c in text.chars() {
            short.push(c);
            if self.width(&short) > room {
                short.pop();
                break;
            }
        }
        format!("{}…", short.trim_end())
    }

    /// At most `most` lines of the width; what does not fit is cut off with an ellipsis.
    pub(super) fn lines(self, text: &str, width: f64, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut line = String::new();
        let mut rest = pieces(text).into_iter();
        for piece in rest.by_ref() {
            let longer = format!("{line}{piece}");
            if line.is_empty() || self.width(longer.trim_end()) <= width {
                line = longer;
                continue;
            }
            if lines.len() + 1 >= most {
                line = longer;
                break;
            }
            lines.push(std::mem::replace(&mut line, piece.to_owned()));
        }
        line.extend(rest);
        lines.push(line);
        lines
            .iter()
            .map(|line| self.shortened(line.trim(), width))
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// Where a line may end: after a space, after the signs that join the parts of a name, and after a
/// wide character.
fn pieces(text: &str) -> Vec<&str> {
    let ends = |c: char| c == ' ' || "-/_.".contains(c) || is_wide(c);
    text.split_inclusive(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: f64, most: usize, expect: &[&str]) {
        assert_eq!(Font::plain(10.0).lines(text, width, most), expect, "{text}");
    }

    #[test]
    fn names_break_at_their_joints() {
        check("one two", 100.0, 2, &["one two"]);
        check("one two three", 42.0, 3, &["one two", "three"]);
        check("Some-Model-7B-AWQ", 70.0, 2, &["Some-Model-", "7B-AWQ"]);
        check("模型的名字", 32.0, 2, &["模型的", "名字"]);
        check("", 32.0, 2, &[]);
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        check("one two three four", 42.0, 2, &["one two", "three…"]);
        check("aaaaaaaaaaaaaaaaaaaa", 42.0, 2, &["aaaaa…"]);
        check("模型的名字", 32.0, 1, &["模型…"]);
        let font = Font::bold(26.0);
        let long = "W".repeat(500);
        for line in font.lines(&long, 900.0, 2) {
            assert!(font.width(&line) <= 900.0, "{line}");
        }
    }
}
