//! Why a file cannot be imported.

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is a run document of this tool.
    #[error("already a tokmark run")]
    AlreadyARun,
    /// None of the known formats.
    #[error("not a format that tokmark can read; it reads {readable}")]
    UnknownFormat {
        /// The names of the formats that can be read.
        readable: String,
    },
    /// It begins like JSON and is none.
    #[error("JSON that is cut off or damaged (line {line}, column {column})")]
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
        /// What the reader said.
        #[source]
        source: serde_json::Error,
    },
    /// A field is missing or of another kind.
    #[error("a `{format}` with a field missing or of the wrong kind")]
    Shape {
        /// The format that was recognised.
        format: &'static str,
        /// What the reader said.
        #[source]
        source: serde_json::Error,
    },
    /// A word that has no meaning in a run document.
    #[error("`{word}` in `{place}` is not known; known are {known}")]
    Word {
        /// The word, unchanged.
        word: String,
        /// The field that holds it.
        place: String,
        /// The words that are known.
        known: String,
    },
    /// A figure that cannot be one: negative, or not a number.
    #[error("`{figure}` in `{place}` is not {wanted}")]
    Figure {
        /// The figure, unchanged.
        figure: String,
        /// The field that holds it.
        place: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// Two cells or rows for one place of the matrix.
    #[error("`{place}` is there twice")]
    Twice {
        /// The cell or row.
        place: String,
    },
}

impl ImportError {
    pub(crate) fn unknown_format() -> Self {
        let names: Vec<String> = crate::formats().map(|name| format!("`{name}`")).collect();
        Self::UnknownFormat {
            readable: names.join(", "),
        }
    }

    pub(crate) fn word(word: &str, place: impl Into<String>, known: &[&str]) -> Self {
        let known: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        Self::Word {
            word: word.to_owned(),
            place: place.into(),
            known: known.join(", "),
        }
    }

    pub(crate) fn figure(
        figure: &(impl ToString + ?Sized),
        place: impl Into<String>,
        wanted: &'static str,
    ) -> Self {
        Self::Figure {
            figure: figure.to_string(),
            place: place.into(),
            wanted,
        }
    }
}
