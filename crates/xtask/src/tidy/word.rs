//! Words that may not stand in the sources: unfinished work, and `unsafe` outside its named files.

use std::collections::BTreeSet;
use std::str::FromStr;

use proc_macro2::{Ident, TokenStream, TokenTree};

use crate::finding::Finding;

/// Marks of unfinished work. Put together here so that this file does not report itself.
const MARKS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

const UNFINISHED: [&str; 2] = ["todo", "unimplemented"];

/// Marks of unfinished work, in any text.
pub(super) fn marks(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        if let Some(mark) = words.find(|word| MARKS.contains(word)) {
            findings.push(Finding::new(
                path,
                number,
                format!("`{mark}` marks unfinished work"),
                "finish it, or open an issue and say nothing here",
            ));
        }
    }
    findings
}

/// Macros that stand for unfinished work, also inside of other macros and tests.
pub(super) fn macros(path: &str, text: &str) -> Vec<Finding> {
    let words = words(text).into_iter();
    let unfinished = words.filter(|word| word.called && UNFINISHED.contains(&word.text.as_str()));
    unfinished
        .map(|word| {
            Finding::new(
                path,
                word.line,
                format!("`{}!` stands for unfinished work", word.text),
                "write what belongs there",
            )
        })
        .collect()
}

/// A line with the keyword `unsafe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnsafeLine {
    path: String,
    line: usize,
}

/// Where a file uses `unsafe`; comments and strings do not count.
pub(super) fn unsafe_code(path: &str, text: &str) -> Vec<UnsafeLine> {
    let words = words(text).into_iter();
    words
        .filter(|word| word.text == "unsafe")
        .map(|word| UnsafeLine {
            path: path.to_owned(),
            line: word.line,
        })
        .collect()
}

/// Uses of `unsafe` outside of the listed files, and listed files that have none any more.
pub(super) fn unlisted(found: &[UnsafeLine], listed: &[&str]) -> Vec<Finding> {
    let outside = found
        .iter()
        .filter(|place| !listed.contains(&place.path.as_str()))
        .map(|place| {
            Finding::new(
                &place.path,
                place.line,
                "`unsafe` outside of the files that may have it",
                "use a safe wrapper, or argue in review for an entry in `UNSAFE_FILES`",
            )
        });
    let files: BTreeSet<&str> = found.iter().map(|place| place.path.as_str()).collect();
    let stale = listed
        .iter()
        .filter(|path| !files.contains(*path))
        .map(|path| {
            Finding::new(
                path,
                1,
                "the file may have `unsafe` but has none",
                "remove it from `UNSAFE_FILES`",
            )
        });
    outside.chain(stale).collect()
}

/// An identifier or keyword of the code.
struct Word {
    text: String,
    line: usize,
    /// Whether an exclamation mark follows.
    called: bool,
}

/// All identifiers and keywords; none where the text is not Rust, which `length` reports.
fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    if let Ok(tokens) = TokenStream::from_str(text) {
        collect(tokens, &mut found);
    }
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<Word>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Ident(ident) => {
                let next = tokens.peek();
                let called = matches!(next, Some(TokenTree::Punct(mark)) if mark.as_char() == '!');
                found.push(word(&ident, called));
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn word(ident: &Ident, called: bool) -> Word {
    Word {
        text: ident.to_string(),
        line: ident.span().start().line,
        called,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    #[test]
    fn marks_are_reported_as_whole_words() {
        let text = format!(
            "// done\n# {}: later\n// {}S are a word\n",
            MARKS[0], MARKS[0]
        );
        assert_eq!(
            lines(&marks("a.md", &text)),
            [format!(
                "a.md:2: `{}` marks unfinished work; \
                 finish it, or open an issue and say nothing here",
                MARKS[0]
            )]
        );
        assert_eq!(marks("a.rs", &format!("/* {} */", MARKS[1])).len(), 1);
    }

    #[test]
    fn unfinished_macros_are_reported() {
        let text = "fn a() {\n    vec![\n        todo!()\n    ];\n}\n";
        assert_eq!(
            lines(&macros("src/a.rs", text)),
            ["src/a.rs:3: `todo!` stands for unfinished work; write what belongs there"]
        );
        assert_eq!(
            macros("a.rs", "fn a() { core::unimplemented!(\"x\") }").len(),
            1
        );
        let innocent = "fn todo() -> bool { let s = \"todo!()\"; todo() != todo }";
        assert_eq!(lines(&macros("a.rs", innocent)), [""; 0]);
    }

    fn check_unsafe(text: &str, listed: &[&str], expect: &[&str]) {
        let found = unsafe_code("src/a.rs", text);
        assert_eq!(lines(&unlisted(&found, listed)), expect, "{text}");
    }

    #[test]
    fn unsafe_belongs_to_listed_files() {
        let outside = "src/a.rs:2: `unsafe` outside of the files that may have it; \
                       use a safe wrapper, or argue in review for an entry in `UNSAFE_FILES`";
        check_unsafe("\nunsafe fn a() {}", &[], &[outside]);
        check_unsafe("\nfn a() { unsafe { b() } }", &[], &[outside]);
        check_unsafe("\nunsafe impl Send for A {}", &[], &[outside]);
        check_unsafe("\nm!(unsafe { b() });", &[], &[outside]);
        check_unsafe("\nunsafe fn a() {}", &["src/a.rs"], &[]);
        check_unsafe("// unsafe\nconst A: &str = \"unsafe\";", &[], &[]);
        check_unsafe("#![deny(unsafe_code)]", &[], &[]);
    }

    #[test]
    fn a_listed_file_without_unsafe_is_reported() {
        check_unsafe(
            "fn a() {}",
            &["src/a.rs"],
            &["src/a.rs:1: the file may have `unsafe` but has none; \
               remove it from `UNSAFE_FILES`"],
        );
    }
}
