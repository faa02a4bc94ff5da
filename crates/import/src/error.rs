//! Why a file cannot be imported.

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is a run document of this tool.
    #[error("already a tokmark run")]
    AlreadyARun,
    /// None of the known formats.
    #[error("{looks_like} is no result that tokmark can read; it reads {readable}")]
    UnknownFormat {
        /// What the file looks like.
        looks_like: String,
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
    /// A line of JSON Lines is no JSON object.
    #[error("line {line} is cut off or damaged")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What the reader said; nothing when it is JSON but no object.
        #[source]
        source: Option<serde_json::Error>,
    },
    /// A tool whose name is not known.
    #[error("`{tool}` is no tool that tokmark knows; it knows {known}")]
    Tool {
        /// The name.
        tool: String,
        /// The names that are known.
        known: String,
    },
    /// A file of a known tool, and not the one with its results.
    #[error("{what}; {hint}")]
    WrongFile {
        /// What it is.
        what: &'static str,
        /// What to import instead.
        hint: &'static str,
    },
    /// A file without a single cell of a matrix.
    #[error("no cell of a matrix in this `{format}` file: {reasons}")]
    NoCell {
        /// The format that was recognised.
        format: String,
        /// Why each result is none.
        reasons: String,
    },
    /// More than anybody looks at.
    #[error("{found} results or runs in one file; at most {most} are read")]
    TooMany {
        /// How many are there.
        found: usize,
        /// How many may be.
        most: usize,
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
    pub(crate) fn unknown_format(looks_like: String) -> Self {
        Self::UnknownFormat {
            looks_like,
            readable: named(crate::formats()),
        }
    }

    pub(crate) fn unknown_tool(tool: &str) -> Self {
        Self::Tool {
            tool: tool.to_owned(),
            known: named(crate::tools()),
        }
    }

    pub(crate) fn too_many(found: usize, most: usize) -> Self {
        Self::TooMany { found, most }
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

fn named(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
