//! The typed functions of the message catalogues.
//!
//! They are committed, not made by a build script: a reader finds them, a review shows what a
//! change of a text does, and a build needs no parser of its own.

mod message;
mod write;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::finding::Finding;

const CATALOGUES: &str = "crates/text/catalogues/en";
const MESSAGES: &str = "crates/text/src/messages";
const REMEDY: &str = "run `cargo xtask text` and commit the files";

/// A generated file.
struct Generated {
    path: String,
    text: String,
}

/// Writes the functions of every English catalogue.
pub(crate) fn write(root: &Path) -> anyhow::Result<()> {
    for file in generate(root)? {
        let path = root.join(&file.path);
        std::fs::write(&path, file.text)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

/// Says which files on disk are not what the catalogues give.
pub(crate) fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for file in generate(root)? {
        let on_disk = std::fs::read_to_string(root.join(&file.path)).unwrap_or_default();
        if on_disk != file.text {
            let same = on_disk.lines().zip(file.text.lines());
            let line = same.take_while(|(is, should)| is == should).count() + 1;
            let what = "the functions are not what the catalogue gives";
            findings.push(Finding::new(&file.path, line, what, REMEDY));
        }
    }
    Ok(findings)
}

fn generate(root: &Path) -> anyhow::Result<Vec<Generated>> {
    let folder = root.join(CATALOGUES);
    let mut areas = Vec::new();
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "ftl") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            areas.push((name.into_owned(), path));
        }
    }
    areas.sort();
    let names: Vec<&str> = areas.iter().map(|(name, _)| name.as_str()).collect();
    let mut files = vec![generated("mod", &write::index(&names))?];
    for (name, path) in &areas {
        let source = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let catalogue = message::read(&source)
            .with_context(|| format!("`{}` is not a catalogue", path.display()))?;
        files.push(generated(name, &write::area(name, &catalogue))?);
    }
    Ok(files)
}

fn generated(name: &str, text: &str) -> anyhow::Result<Generated> {
    Ok(Generated {
        path: format!("{MESSAGES}/{name}.rs"),
        text: formatted(text)?,
    })
}

/// As rustfmt writes it, so that `cargo fmt` finds nothing to change.
fn formatted(text: &str) -> anyhow::Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start rustfmt")?;
    let mut input = rustfmt.stdin.take().context("rustfmt takes no input")?;
    input.write_all(text.as_bytes())?;
    drop(input);
    let output = rustfmt.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "rustfmt refused generated code");
    Ok(String::from_utf8(output.stdout)?)
}
