//! Exit codes that scripts rely on (product.md section 1).

use std::process::ExitCode;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// A gate failed, or numbers differ.
    Failed,
    /// The arguments are wrong.
    Usage,
    /// Not enough data to decide.
    NotEnoughData,
    /// The server is unreachable or not usable.
    Server,
    /// Some planned cells could not be measured.
    Partly,
    /// Interrupted; what was measured is saved.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NotEnoughData => 3,
            Exit::Server => 4,
            Exit::Partly => 5,
            Exit::Interrupted => 130,
        })
    }
}
