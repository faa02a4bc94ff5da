//! Words that say nothing about what a file holds.

use crate::finding::Finding;

const EMPTY_WORDS: [&str; 9] = [
    "util", "utils", "common", "helper", "helpers", "manager", "managers", "imp", "misc",
];

/// Reports a path with a folder or file that is named by such a word.
pub(super) fn check(path: &str) -> Option<Finding> {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    let empty = words.into_iter().find(|word| {
        let word = word.to_ascii_lowercase();
        EMPTY_WORDS.contains(&word.as_str())
    })?;
    Some(Finding::new(
        path,
        1,
        format!("`{empty}` in a name says nothing"),
        "name the file after what it holds",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_inside() {
        for path in [
            "crates/bench/src/cell.rs",
            "crates/import/src/lib.rs",
            "crates/site/src/community.rs",
            "crates/site/src/imports.rs",
        ] {
            assert_eq!(check(path), None, "{path}");
        }
    }

    #[test]
    fn empty_words_are_reported() {
        for (path, word) in [
            ("crates/bench/src/utils.rs", "utils"),
            ("crates/bench/src/common/mod.rs", "common"),
            ("crates/bench/tests/it/test_helpers.rs", "helpers"),
            ("crates/site/src/session-manager.rs", "manager"),
            ("crates/site/src/imp.rs", "imp"),
        ] {
            let expect = format!(
                "{path}:1: `{word}` in a name says nothing; name the file after what it holds"
            );
            assert_eq!(check(path).map(|finding| finding.to_string()), Some(expect));
        }
    }
}
