//! ARCHITECTURE.md's table of crates against the workspace, so that the map cannot rot.

use std::collections::BTreeSet;

use super::{Crate, manifest};
use crate::finding::Finding;

/// The map.
pub(super) const PATH: &str = "ARCHITECTURE.md";

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    line: usize,
    folder: String,
    may_import: MayImport,
}

/// The third column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MayImport {
    /// `any`: for crates that only developers use.
    Anything,
    /// `all` or `all but …`: every row above, the named ones left out.
    RowsAboveBut(Vec<String>),
    /// Names separated by commas; a dash for none.
    Only(Vec<String>),
}

/// The rows of the table whose first column is headed `crate`, in order.
fn rows(text: &str) -> Vec<Row> {
    let numbered = (1..).zip(text.lines().map(str::trim));
    let table = numbered
        .skip_while(|(_, line)| !is_header(line))
        .take_while(|(_, line)| line.starts_with('|'));
    // The header is followed by its rule.
    table
        .skip(2)
        .filter_map(|(line, text)| row(line, text))
        .collect()
}

fn cells(line: &str) -> Vec<&str> {
    let line = line.trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(str::trim).collect()
}

fn is_header(line: &str) -> bool {
    line.starts_with('|') && cells(line).first() == Some(&"crate")
}

fn row(line: usize, text: &str) -> Option<Row> {
    let cells = cells(text);
    let folder = cells.first()?.trim_matches('`').to_owned();
    let may_import = may_import(cells.get(2).unwrap_or(&""));
    Some(Row {
        line,
        folder,
        may_import,
    })
}

fn may_import(cell: &str) -> MayImport {
    let words = cell.replace('`', "");
    match words.trim() {
        "any" => MayImport::Anything,
        "all" => MayImport::RowsAboveBut(Vec::new()),
        "–" | "—" | "-" => MayImport::Only(Vec::new()),
        words => match words.strip_prefix("all but ") {
            Some(left_out) => MayImport::RowsAboveBut(names(left_out)),
            None => MayImport::Only(names(words)),
        },
    }
}

fn names(list: &str) -> Vec<String> {
    let names = list.split(',').map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

impl Row {
    /// Crates that the third column names.
    fn named(&self) -> &[String] {
        match &self.may_import {
            MayImport::Anything => &[],
            MayImport::RowsAboveBut(names) | MayImport::Only(names) => names,
        }
    }

    fn allows(&self, other: &Row) -> bool {
        match &self.may_import {
            MayImport::Anything => true,
            MayImport::RowsAboveBut(left_out) => {
                other.line < self.line && !left_out.contains(&other.folder)
            }
            MayImport::Only(names) => names.contains(&other.folder),
        }
    }
}

/// Rows without a crate, crates without a row, rows twice, and words that name no crate.
pub(super) fn check(text: &str, crates: &[Crate]) -> Vec<Finding> {
    let rows = rows(text);
    if rows.is_empty() {
        return vec![Finding::new(
            PATH,
            1,
            "there is no table of crates",
            "write one with the columns `crate`, `what it holds`, `may import`",
        )];
    }
    let folders: BTreeSet<&str> = crates.iter().map(|krate| krate.folder.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for row in &rows {
        findings.extend(check_row(row, &folders, seen.insert(row.folder.clone())));
    }
    let without_row = crates.iter().filter(|krate| !seen.contains(&krate.folder));
    findings.extend(without_row.map(|krate| {
        Finding::new(
            &krate.manifest,
            1,
            format!("`{}` is not in {PATH}", krate.folder),
            "add its row, in the order of imports",
        )
    }));
    findings
}

fn check_row(row: &Row, folders: &BTreeSet<&str>, first: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |what: String, remedy: &str| {
        findings.push(Finding::new(PATH, row.line, what, remedy));
    };
    if !folders.contains(row.folder.as_str()) {
        report(
            format!("there is no crate `{}`", row.folder),
            "remove the row",
        );
    }
    if !first {
        report(
            format!("`{}` has two rows", row.folder),
            "keep the right one",
        );
    }
    for name in row.named() {
        if !folders.contains(name.as_str()) {
            report(
                format!("`{}` may import `{name}`, which is no crate", row.folder),
                "write a dash, `all`, `all but …`, `any`, or names of crates with commas",
            );
        }
    }
    findings
}

/// Dependencies of a crate on other crates of the workspace that its row does not allow.
pub(super) fn check_imports(
    map: &str,
    krate: &Crate,
    manifest_text: &str,
    crates: &[Crate],
) -> Vec<Finding> {
    let rows = rows(map);
    let row_of = |folder: &str| rows.iter().find(|row| row.folder == folder);
    // A crate without a row is reported by `check`.
    let Some(row) = row_of(&krate.folder) else {
        return Vec::new();
    };
    let imported = crates
        .iter()
        .filter(|other| krate.dependencies.contains(&other.package));
    let refused =
        imported.filter(|other| row_of(&other.folder).is_some_and(|other| !row.allows(other)));
    refused
        .map(|other| {
            Finding::new(
                &krate.manifest,
                manifest::line_of(manifest_text, &other.package),
                format!("`{}` may not import `{}`", krate.folder, other.folder),
                format!(
                    "do without it, or argue in review for a change of {PATH}:{}",
                    row.line
                ),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    const MAP: &str = "# Map

| crate | what it holds | may import |
|---|---|---|
| `units` | types | – |
| `sim` | a server | units |
| `bench` | runs | `units`, `sim` |
| `face` | pages | all but `sim` |
| `tokmark` | all | all |
| `test-kit` | tests | any |

| part | one machine |
|---|---|
| `load` | one |
";

    fn krate(folder: &str, dependencies: &[&str]) -> Crate {
        let package = if folder == "tokmark" {
            folder.to_owned()
        } else {
            format!("tokmark-{folder}")
        };
        Crate {
            folder: folder.to_owned(),
            package,
            manifest: format!("crates/{folder}/Cargo.toml"),
            description: None,
            dependencies: dependencies
                .iter()
                .map(|name| format!("tokmark-{name}"))
                .collect(),
        }
    }

    fn workspace() -> Vec<Crate> {
        ["units", "sim", "bench", "face", "tokmark", "test-kit"]
            .map(|folder| krate(folder, &[]))
            .to_vec()
    }

    fn check_map(map: &str, expect: &[&str]) {
        assert_eq!(lines(&check(map, &workspace())), expect);
    }

    #[test]
    fn table_and_workspace_agree() {
        check_map(MAP, &[]);
    }

    #[test]
    fn a_crate_needs_a_row() {
        check_map(
            &MAP.replace("| `tokmark` | all | all |\n", ""),
            &[
                "crates/tokmark/Cargo.toml:1: `tokmark` is not in ARCHITECTURE.md; \
               add its row, in the order of imports",
            ],
        );
    }

    #[test]
    fn a_row_needs_a_crate() {
        check_map(
            &MAP.replace("| `tokmark`", "| `catalog` | data | units |\n| `tokmark`"),
            &["ARCHITECTURE.md:9: there is no crate `catalog`; remove the row"],
        );
    }

    #[test]
    fn a_crate_has_one_row() {
        check_map(
            &MAP.replace("| `bench`", "| `sim` | a server | units |\n| `bench`"),
            &["ARCHITECTURE.md:7: `sim` has two rows; keep the right one"],
        );
    }

    #[test]
    fn a_row_names_crates_only() {
        check_map(
            &MAP.replace("all but `sim`", "the above"),
            &[
                "ARCHITECTURE.md:8: `face` may import `the above`, which is no crate; \
               write a dash, `all`, `all but …`, `any`, or names of crates with commas",
            ],
        );
    }

    #[test]
    fn a_map_without_table_is_reported() {
        check_map(
            "# Map\n",
            &["ARCHITECTURE.md:1: there is no table of crates; \
               write one with the columns `crate`, `what it holds`, `may import`"],
        );
    }

    fn check_refused(folder: &str, dependencies: &[&str], expect: &[&str]) {
        let findings = check_imports(MAP, &krate(folder, dependencies), "", &workspace());
        let refused: Vec<String> = lines(&findings)
            .iter()
            .filter_map(|line| {
                let (_, rest) = line.split_once(" may not import `")?;
                let (name, _) = rest.split_once('`')?;
                Some(name.to_owned())
            })
            .collect();
        assert_eq!(refused, expect, "{folder} imports {dependencies:?}");
    }

    #[test]
    fn a_row_decides_what_is_imported() {
        check_refused("units", &["sim"], &["sim"]);
        check_refused("sim", &["units"], &[]);
        check_refused("bench", &["units", "sim"], &[]);
        check_refused("bench", &["units", "face"], &["face"]);
        check_refused("face", &["units", "bench"], &[]);
        check_refused("face", &["sim"], &["sim"]);
        check_refused("tokmark", &["units", "sim", "bench", "face"], &[]);
        check_refused("tokmark", &["test-kit"], &["test-kit"]);
        check_refused("test-kit", &["units", "sim", "face"], &[]);
        check_refused("units", &["serde"], &[]);
    }

    #[test]
    fn a_refused_import_points_at_its_line() {
        let units = krate("units", &["sim"]);
        let manifest = "[dependencies]\njiff.workspace = true\ntokmark-sim.workspace = true\n";
        assert_eq!(
            lines(&check_imports(MAP, &units, manifest, &workspace())),
            ["crates/units/Cargo.toml:3: `units` may not import `sim`; \
              do without it, or argue in review for a change of ARCHITECTURE.md:5"]
        );
    }
}
