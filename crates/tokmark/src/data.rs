//! The folder for what tokmark keeps on this machine.

use std::path::PathBuf;

/// `TOKMARK_DATA`, else `tokmark` below `XDG_DATA_HOME` or where the platform keeps such data; `None`
/// without a home folder.
pub(crate) fn folder() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    // What is not absolute is no folder by the rules of that variable.
    let base = set("XDG_DATA_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".local").join("share")))
        .or_else(|| set("LOCALAPPDATA"));
    set("TOKMARK_DATA").or_else(|| base.map(|base| base.join("tokmark")))
}
