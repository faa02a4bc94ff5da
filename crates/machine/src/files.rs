//! Small files of a system below a root folder: `/`, or a recorded tree.

use std::fs;
use std::path::{Path, PathBuf};

/// Largest file that is read; files of `/proc` and `/sys` are far smaller.
const LARGEST: u64 = 16 << 20;

/// The text without white space around it; `None` when it cannot be read or is empty.
pub(crate) fn text(path: &Path) -> Option<String> {
    let text = whole(path)?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The text as it is.
pub(crate) fn whole(path: &Path) -> Option<String> {
    String::from_utf8(bytes(path)?).ok()
}

/// The bytes; `None` when there are too many.
pub(crate) fn bytes(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let mut limited = fs::File::open(path).ok()?.take(LARGEST + 1);
    limited.read_to_end(&mut bytes).ok()?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    (length <= LARGEST).then_some(bytes)
}

/// A whole number at the file's start.
pub(crate) fn number(path: &Path) -> Option<u64> {
    text(path)?.split_whitespace().next()?.parse().ok()
}

/// As [`number`], for what counts in 32 bits.
pub(crate) fn small_number(path: &Path) -> Option<u32> {
    u32::try_from(number(path)?).ok()
}

/// What lies in a folder, in the order of names with numbers counted (`card2` before `card10`).
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect()
        })
        .unwrap_or_default();
    found.sort_by_key(|path| {
        let name = name(path).to_owned();
        (name.len(), name)
    });
    found
}

/// The last part of a path.
pub(crate) fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// The number behind a prefix, as in `card2`.
pub(crate) fn numbered(path: &Path, prefix: &str) -> Option<u32> {
    name(path).strip_prefix(prefix)?.parse().ok()
}

/// The value of `KEY=value` in a file of such lines.
pub(crate) fn value(text: &str, key: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        .map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
        .filter(|value| !value.is_empty())
}

/// Why a file gave nothing.
pub(crate) fn why_not(path: &Path) -> &'static str {
    match fs::File::open(path) {
        Ok(_) => "it holds nothing that is understood",
        Err(error) => match error.kind() {
            std::io::ErrorKind::PermissionDenied => "only the system's administrator may read it",
            std::io::ErrorKind::NotFound => "the driver does not tell",
            _ => "it cannot be read",
        },
    }
}
