//! Words that name nothing that is known.

/// A word that names no engine, format or type, with the nearest one that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no known {kind}{}", .nearest.map(|word| format!("; did you mean `{word}`")).unwrap_or_default())]
pub struct UnknownWord {
    /// What was given, unchanged.
    pub given: String,
    /// What it should have named, for example `KV cache type`.
    pub kind: &'static str,
    /// The known word that is written most alike, if one is near.
    pub nearest: Option<&'static str>,
}

impl UnknownWord {
    pub(crate) fn new(
        given: &str,
        kind: &'static str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let lower = given.to_lowercase();
        let nearest = known
            .into_iter()
            .map(|word| {
                (
                    strsim::normalized_damerau_levenshtein(&lower, &word.to_lowercase()),
                    word,
                )
            })
            .filter(|(likeness, _)| *likeness >= 0.6)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, word)| word);
        Self {
            given: given.to_owned(),
            kind,
            nearest,
        }
    }
}
