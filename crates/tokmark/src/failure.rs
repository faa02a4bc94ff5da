//! Errors as a person meets them: what happened, to which thing, what to try next.

use std::fmt;

use crate::exit::Exit;

/// An error with the exit code it means and what to try next.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    error: anyhow::Error,
    hint: Option<String>,
}

pub(crate) type Outcome<T = Exit> = Result<T, Failure>;

impl Failure {
    /// An error that ends the program with `exit`.
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: error.into(),
            hint: None,
        }
    }

    /// An error in words.
    pub(crate) fn saying(exit: Exit, message: impl fmt::Display) -> Self {
        Self::new(exit, anyhow::anyhow!("{message}"))
    }

    /// Adds what to try next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// Says in front to what it happened.
    pub(crate) fn context(mut self, what: impl fmt::Display + Send + Sync + 'static) -> Self {
        self.error = self.error.context(what);
        self
    }

    /// The error with its causes in one line, without what to try.
    pub(crate) fn in_words(&self) -> String {
        let causes: Vec<String> = self.error.chain().map(ToString::to_string).collect();
        causes.join(": ")
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.error)?;
        let mut said = self.error.to_string();
        for cause in self.error.chain().skip(1) {
            let text = cause.to_string();
            // Many libraries repeat their cause in their own message.
            if !said.contains(&text) {
                write!(f, "\n  because: {text}")?;
                said.push_str(&text);
            }
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  try: {hint}")?;
        }
        Ok(())
    }
}
