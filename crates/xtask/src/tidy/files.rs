//! Which files the rules look at.

use std::path::Path;

use anyhow::Context;

/// Folders that hold what tools made or fetched, not what people wrote.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", "tokmark-runs"];

/// Endings of the files that people write as text.
const TEXT: [&str; 11] = [
    "css", "html", "js", "md", "mjs", "rs", "sh", "sql", "toml", "yaml", "yml",
];

/// Scripts without an ending.
const SCRIPTS: [&str; 2] = ["test", ".ci/run"];

/// Every file below the root as a path with slashes, sorted.
pub(super) fn list(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    walk(root, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // Links are not followed: what they point at is listed where it lies, or is not ours.
        let kind = entry
            .file_type()
            .with_context(|| format!("cannot look at `{path}`"))?;
        if kind.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                walk(&entry.path(), &format!("{path}/"), found)?;
            }
        } else if kind.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether the path is a text that somebody of ours wrote. Fixtures are other programs' words and
/// minified assets are other people's.
pub(super) fn is_text(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let ours = !path.contains("/fixtures/") && !path.contains(".min.");
    ours && (SCRIPTS.contains(&path) || ending.is_some_and(|ending| TEXT.contains(&ending)))
}

/// Whether the path is Rust source.
pub(super) fn is_rust(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "rs")
}

/// The text of a file.
pub(super) fn read(root: &Path, path: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read `{path}`"))
}

/// The text of a file; one that does not exist has none, which its rule then reports.
pub(super) fn read_or_empty(root: &Path, path: &str) -> anyhow::Result<String> {
    if root.join(path).exists() {
        read(root, path)
    } else {
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_people_of_ours_wrote() {
        for (path, expect) in [
            ("crates/units/src/lib.rs", true),
            ("ARCHITECTURE.md", true),
            ("test", true),
            (".ci/run", true),
            ("crates/pages/assets/chart.js", true),
            ("crates/pages/assets/uplot.min.js", false),
            ("crates/engines/tests/fixtures/model.html", false),
            ("crates/run-format/tests/it/snap.snap", false),
            ("LICENSE-MIT", false),
        ] {
            assert_eq!(is_text(path), expect, "{path}");
        }
    }

    #[test]
    fn rust_is_told_by_its_ending() {
        assert!(is_rust("crates/units/src/lib.rs"));
        assert!(!is_rust("crates/units/Cargo.toml"));
        assert!(!is_rust("rs"));
    }
}
