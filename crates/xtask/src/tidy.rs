//! The house rules as code: what no compiler checks, but a reader relies on.
//!
//! Each rule is a pure function from text to findings; only this file and `files` touch the disk.

mod cases;
mod files;
mod length;
mod manifest;
mod map;
mod name;
mod readme;
mod word;

use std::path::Path;

use anyhow::Context;
use cargo_metadata::{DependencyKind, Metadata, Package};

use crate::finding::Finding;

/// Files that may contain `unsafe`, each of which explains why in its first comment.
const UNSAFE_FILES: &[&str] = &[
    "crates/driver/src/registered.rs",
    "crates/driver/src/slice.rs",
    "crates/machine/src/device_memory/driver.rs",
    "crates/sim/examples/receive/ring.rs",
];

/// A crate of this workspace, as far as the rules need it.
#[derive(Debug, Clone, Default)]
struct Crate {
    /// Name of its folder in `crates/`.
    folder: String,
    /// Name of its package.
    package: String,
    /// Path of its manifest from the root.
    manifest: String,
    /// What the manifest says it is.
    description: Option<String>,
    /// Packages of its normal and build dependencies; those of its tests may be anything.
    dependencies: Vec<String>,
}

/// All findings of all rules, sorted by place.
pub(crate) fn check(metadata: &Metadata) -> anyhow::Result<Vec<Finding>> {
    let root = metadata.workspace_root.as_std_path();
    let crates = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| described(root, package))
        .collect::<anyhow::Result<Vec<Crate>>>()?;
    let mut findings = check_crates(root, &crates)?;
    let mut with_unsafe = Vec::new();
    let mut case_tests = Vec::new();
    for path in files::list(root)? {
        findings.extend(name::check(&path));
        if !files::is_text(&path) {
            continue;
        }
        let text = files::read(root, &path)?;
        findings.extend(word::marks(&path, &text));
        if files::is_rust(&path) {
            findings.extend(length::check(&path, &text));
            findings.extend(word::macros(&path, &text));
            with_unsafe.extend(word::unsafe_code(&path, &text));
            case_tests.extend(cases::tests(&path, &text));
        }
    }
    findings.extend(word::unlisted(&with_unsafe, UNSAFE_FILES));
    let table = files::read_or_empty(root, cases::PATH)?;
    findings.extend(cases::check(&table, &case_tests));
    findings.sort();
    Ok(findings)
}

/// Writes the tests that there are into the table of cases.
pub(crate) fn write_cases(root: &Path) -> anyhow::Result<()> {
    let mut tests = Vec::new();
    for path in files::list(root)? {
        if files::is_rust(&path) {
            tests.extend(cases::tests(&path, &files::read(root, &path)?));
        }
    }
    let table = cases::written(&files::read(root, cases::PATH)?, &tests);
    std::fs::write(root.join(cases::PATH), table)
        .with_context(|| format!("cannot write `{}`", cases::PATH))
}

fn check_crates(root: &Path, crates: &[Crate]) -> anyhow::Result<Vec<Finding>> {
    let mut findings = map::check(&files::read_or_empty(root, map::PATH)?, crates);
    findings.extend(readme::check(&files::read_or_empty(root, readme::PATH)?));
    for krate in crates {
        let text = files::read(root, &krate.manifest)?;
        findings.extend(manifest::check(krate, &text));
        findings.extend(map::check_imports(
            &files::read_or_empty(root, map::PATH)?,
            krate,
            &text,
            crates,
        ));
    }
    Ok(findings)
}

fn described(root: &Path, package: &Package) -> anyhow::Result<Crate> {
    let manifest = package
        .manifest_path
        .strip_prefix(root)
        .with_context(|| format!("`{}` lies outside the workspace", package.manifest_path))?;
    let folder = manifest
        .parent()
        .and_then(|folder| folder.file_name())
        .unwrap_or_default();
    Ok(Crate {
        folder: folder.to_owned(),
        package: package.name.to_string(),
        manifest: manifest.to_string(),
        description: package.description.clone(),
        dependencies: package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind != DependencyKind::Development)
            .map(|dependency| dependency.name.clone())
            .collect(),
    })
}
