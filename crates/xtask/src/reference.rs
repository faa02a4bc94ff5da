//! The checked-in reference of the command line, which the program writes itself.

use std::process::Command;

use anyhow::{Context, ensure};
use cargo_metadata::Metadata;

use crate::finding::Finding;

const PATH: &str = "docs/cli.md";
const REMEDY: &str = "run `cargo xtask reference` and commit the file";

/// Writes what the program says.
pub(crate) fn write(metadata: &Metadata) -> anyhow::Result<()> {
    let path = metadata.workspace_root.as_std_path().join(PATH);
    std::fs::write(&path, generate(metadata)?)
        .with_context(|| format!("cannot write `{}`", path.display()))
}

/// Says whether the file on disk is what the program says.
pub(crate) fn check(metadata: &Metadata) -> anyhow::Result<Vec<Finding>> {
    let path = metadata.workspace_root.as_std_path().join(PATH);
    let on_disk = std::fs::read_to_string(path).unwrap_or_default();
    let expected = generate(metadata)?;
    Ok(compare(&on_disk, &expected).into_iter().collect())
}

/// Builds as the tests are built, so that nothing is compiled twice.
fn generate(metadata: &Metadata) -> anyhow::Result<String> {
    let root = metadata.workspace_root.as_std_path();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bins", "--tests"])
        .current_dir(root)
        .status()
        .context("cannot start cargo")?;
    ensure!(built.success(), "the program does not build");
    let program = metadata.target_directory.join("debug").join("tokmark");
    let output = Command::new(&program)
        .arg("reference")
        .current_dir(root)
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    ensure!(output.status.success(), "`{program} reference` failed");
    String::from_utf8(output.stdout).context("the reference is not UTF-8")
}

/// The first difference between the file and what it should be.
fn compare(on_disk: &str, expected: &str) -> Option<Finding> {
    if on_disk == expected {
        return None;
    }
    let pairs = on_disk.lines().zip(expected.lines());
    let same = pairs.take_while(|(is, should)| is == should).count();
    let what = "the reference is not what the program says";
    Some(Finding::new(PATH, same + 1, what, REMEDY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(compare("a\nb\n", "a\nb\n"), None);
        let what = "the reference is not what the program says";
        let expect = Finding::new(PATH, 2, what, REMEDY);
        assert_eq!(compare("a\nc\n", "a\nb\n"), Some(expect));
    }
}
