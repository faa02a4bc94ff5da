//! The word that was probably meant.

/// Words that are at least so alike are meant for each other; clap asks for the same.
const ALIKE: f64 = 0.7;

/// The most alike of some words, where one is alike enough. Another word that is no mistyping, such
/// as an exact one with a wrong value, has none.
pub(crate) fn nearest<Word: AsRef<str>>(
    word: &str,
    among: impl Iterator<Item = Word>,
) -> Option<Word> {
    among
        .map(|other| (strsim::jaro_winkler(word, other.as_ref()), other))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, other)| other)
        .filter(|other| other.as_ref() != word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_when_it_is_alike() {
        let check = |word: &str, expect: Option<&str>| {
            let found = nearest(word, ["duration", "profile", "prefill"].into_iter());
            assert_eq!(found, expect, "{word}");
        };
        check("duraton", Some("duration"));
        check("profil", Some("profile"));
        check("profile", None);
        check("x", None);
    }
}
