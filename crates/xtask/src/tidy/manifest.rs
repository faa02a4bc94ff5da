//! What every crate's manifest has.

use super::Crate;
use crate::finding::Finding;

/// Packages named like their folder: the program, and this one.
const WITHOUT_PREFIX: [&str; 2] = ["tokmark", "xtask"];

/// Its name, its description and the workspace's lints.
pub(super) fn check(krate: &Crate, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |line: usize, what: String, remedy: String| {
        findings.push(Finding::new(&krate.manifest, line, what, remedy));
    };
    let expected = package_of(&krate.folder);
    if krate.package != expected {
        report(
            line_of(text, "name"),
            format!("the package is called `{}`", krate.package),
            format!("name it `{expected}`, after its folder"),
        );
    }
    let description = krate.description.as_deref().unwrap_or_default();
    if description.trim().is_empty() {
        report(
            line_of(text, "[package]"),
            "the package has no description".to_owned(),
            "say in one line what it holds".to_owned(),
        );
    }
    if !inherits_lints(text) {
        report(
            line_of(text, "[lints]"),
            "the crate does not use the workspace's lints".to_owned(),
            "write `[lints]` and below it `workspace = true`".to_owned(),
        );
    }
    findings
}

fn package_of(folder: &str) -> String {
    if WITHOUT_PREFIX.contains(&folder) {
        folder.to_owned()
    } else {
        format!("tokmark-{folder}")
    }
}

fn inherits_lints(text: &str) -> bool {
    let manifest = text.parse::<toml::Table>().unwrap_or_default();
    let lints = manifest.get("lints").and_then(|lints| lints.as_table());
    lints
        .and_then(|lints| lints.get("workspace"))
        .and_then(toml::Value::as_bool)
        .unwrap_or(false)
}

/// The first line that starts with the word, else the first line.
pub(super) fn line_of(text: &str, word: &str) -> usize {
    let starts = |line: &str| {
        line.strip_prefix(word).is_some_and(|rest| {
            !rest.starts_with(|next: char| next == '-' || next.is_alphanumeric())
        })
    };
    text.lines().position(starts).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    const GOOD: &str = "[package]\nname = \"tokmark-units\"\n\n[lints]\nworkspace = true\n";

    fn check_units(package: &str, description: Option<&str>, text: &str, expect: &[&str]) {
        let krate = Crate {
            folder: "units".to_owned(),
            package: package.to_owned(),
            manifest: "crates/units/Cargo.toml".to_owned(),
            description: description.map(str::to_owned),
            dependencies: Vec::new(),
        };
        assert_eq!(lines(&check(&krate, text)), expect);
    }

    #[test]
    fn a_full_manifest_passes() {
        check_units("tokmark-units", Some("Types"), GOOD, &[]);
        let inline = "lints.workspace = true\n[package]\nname = \"tokmark-units\"\n";
        check_units("tokmark-units", Some("Types"), inline, &[]);
    }

    #[test]
    fn a_package_is_named_after_its_folder() {
        check_units(
            "units",
            Some("Types"),
            GOOD,
            &["crates/units/Cargo.toml:2: the package is called `units`; \
               name it `tokmark-units`, after its folder"],
        );
        assert_eq!(package_of("tokmark"), "tokmark");
        assert_eq!(package_of("xtask"), "xtask");
    }

    #[test]
    fn a_package_has_a_description() {
        for description in [None, Some(" ")] {
            check_units(
                "tokmark-units",
                description,
                GOOD,
                &[
                    "crates/units/Cargo.toml:1: the package has no description; \
                   say in one line what it holds",
                ],
            );
        }
    }

    #[test]
    fn a_crate_uses_the_workspace_lints() {
        for lints in [
            "",
            "[lints]\nworkspace = false\n",
            "[lints.rust]\nx = \"warn\"\n",
        ] {
            let text = format!("{lints}[package]\nname = \"tokmark-units\"\n");
            check_units(
                "tokmark-units",
                Some("Types"),
                &text,
                &[
                    "crates/units/Cargo.toml:1: the crate does not use the workspace's lints; \
                   write `[lints]` and below it `workspace = true`",
                ],
            );
        }
    }

    #[test]
    fn a_word_is_found_whole() {
        let text = "tokmark-site-store = 1\ntokmark-site.workspace = true\n";
        assert_eq!(line_of(text, "tokmark-site"), 2);
        assert_eq!(line_of(text, "tokmark-site-store"), 1);
        assert_eq!(line_of(text, "tokmark-sim"), 1);
    }
}
