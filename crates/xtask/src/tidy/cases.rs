//! The table of cases and the tests that are named by them: neither may name what the other lacks.

use std::collections::BTreeMap;

use crate::finding::Finding;

/// The table.
pub(super) const PATH: &str = "docs/cases.md";

/// A test that is named by a case, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CaseTest {
    name: String,
    path: String,
    line: usize,
}

/// The tests of a Rust file whose names begin with the number of a case.
pub(super) fn tests(path: &str, text: &str) -> Vec<CaseTest> {
    let mut found = Vec::new();
    for (line, code) in (1..).zip(text.lines()) {
        let code = code.trim_start();
        let code = code.strip_prefix("async ").unwrap_or(code);
        let name = code
            .strip_prefix("fn ")
            .and_then(|rest| rest.split('(').next());
        if let Some(name) = name.filter(|name| case_of(name).is_some()) {
            found.push(CaseTest {
                name: name.to_owned(),
                path: path.to_owned(),
                line,
            });
        }
    }
    found
}

/// `B004` of `b004_multi_token_event`.
fn case_of(name: &str) -> Option<String> {
    let (number, rest) = name.strip_prefix('b')?.split_at_checked(3)?;
    let is_case = number.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with('_');
    is_case.then(|| format!("B{number}"))
}

/// A row of the table: its line, its case, and what its last column says.
struct Row<'a> {
    line: usize,
    case: &'a str,
    tests: &'a str,
}

fn rows(table: &str) -> Vec<Row<'_>> {
    (1..)
        .zip(table.lines())
        .filter_map(|(line, text)| {
            let mut columns = text.strip_prefix("| ")?.split(" | ");
            let case = columns.next().filter(|case| case.starts_with('B'))?;
            let tests = columns.nth(1)?.trim_end_matches('|').trim();
            Some(Row { line, case, tests })
        })
        .collect()
}

/// The table with the tests that there are in its last column; a row without any keeps its reason.
pub(super) fn written(table: &str, tests: &[CaseTest]) -> String {
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    for row in rows(table) {
        let mut names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        names.retain(|name| case_of(name).as_deref() == Some(row.case));
        names.sort_unstable();
        names.dedup();
        let line = row.line.checked_sub(1).and_then(|at| lines.get_mut(at));
        if let Some(line) = line.filter(|_| !names.is_empty()) {
            let kept = line.rsplit_once(" | ").map_or("", |(kept, _)| kept);
            *line = format!("{kept} | `{}` |", names.join("`, `"));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What the table and the tests say differently.
pub(super) fn check(table: &str, tests: &[CaseTest]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut listed: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows(table) {
        let names: Vec<&str> = row.tests.split('`').skip(1).step_by(2).collect();
        let reason = row.tests.strip_prefix("none yet: ").unwrap_or_default();
        if names.is_empty() && reason.is_empty() {
            findings.push(Finding::new(
                PATH,
                row.line,
                format!("{} has neither a test nor a reason", row.case),
                "name its tests, or write `none yet: ` and why",
            ));
        }
        for name in names {
            listed.insert(name, row.case);
            if !tests.iter().any(|test| test.name == name) {
                findings.push(Finding::new(
                    PATH,
                    row.line,
                    format!("`{name}` is no test"),
                    "write it again, or let `cargo xtask cases` take it out",
                ));
            }
        }
    }
    for test in tests {
        let case = case_of(&test.name).unwrap_or_default();
        if listed.get(test.name.as_str()) != Some(&case.as_str()) {
            findings.push(Finding::new(
                &test.path,
                test.line,
                format!("`{}` is not in the row of {case} in {PATH}", test.name),
                "`cargo xtask cases` adds it to the row of its case",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    const CODE: &str = "#[test]\nfn b004_multi_token_event() {}\n\
                        async fn b022_comments() {}\nfn b22_no_case() {}\nfn bench() {}\n";
    const TABLE: &str = "# Cases\n\n| case | what is right | tests |\n|---|---|---|\n\
                         | B004 | Tokens count. | `b004_multi_token_event` |\n\
                         | B022 | Comments do not. | `b022_comments` |\n\
                         | B040 | Schedules are absolute. | none yet: rate mode |\n";

    fn findings(table: &str) -> Vec<String> {
        lines(&check(table, &tests("crates/a/tests/it/b.rs", CODE)))
    }

    #[test]
    fn table_and_tests_agree() {
        assert_eq!(tests("b.rs", CODE).len(), 2);
        assert!(findings(TABLE).is_empty(), "{:?}", findings(TABLE));
    }

    #[test]
    fn a_test_that_went_is_missed() {
        let table = TABLE.replace("`b022_comments`", "`b022_comments`, `b022_gone`");
        assert_eq!(
            findings(&table),
            ["docs/cases.md:6: `b022_gone` is no test; \
              write it again, or let `cargo xtask cases` take it out"]
        );
    }

    #[test]
    fn a_test_that_is_not_listed_is_named() {
        let unlisted = "crates/a/tests/it/b.rs:3: `b022_comments` is not in the row of B022 in \
                        docs/cases.md; `cargo xtask cases` adds it to the row of its case";
        // Neither where its row is missing, nor where it stands in another one.
        let without = TABLE.replace("| B022 | Comments do not. | `b022_comments` |\n", "");
        assert_eq!(findings(&without), [unlisted]);
        let elsewhere = TABLE.replace("| B022 |", "| B023 |");
        assert_eq!(findings(&elsewhere), [unlisted]);
    }

    #[test]
    fn what_is_written_is_what_is_wanted() {
        let tests = tests("b.rs", CODE);
        let stale = TABLE
            .replace(
                "`b004_multi_token_event`",
                "`b004_gone`, `b004_multi_token_event`",
            )
            .replace("`b022_comments`", "none yet: later");
        assert_eq!(written(&stale, &tests), TABLE);
        assert_eq!(written(TABLE, &tests), TABLE);
    }

    #[test]
    fn a_case_without_a_test_has_a_reason() {
        let table = TABLE.replace("none yet: rate mode", "none yet:");
        assert_eq!(findings(&table).len(), 1);
        assert!(findings(&table)[0].contains("B040 has neither"));
    }
}
