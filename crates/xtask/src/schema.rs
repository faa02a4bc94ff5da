//! The checked-in JSON Schema of the run document.
//!
//! Other people validate their files against it, so a change of the types has to show up as a
//! change of this file in review.

use std::path::Path;

use anyhow::Context;

use crate::finding::Finding;

const PATH: &str = "crates/run-format/schema/tokmark-run-1.schema.json";
const REMEDY: &str = "run `cargo xtask schema` and commit the file";

/// Writes the schema that the types give.
pub(crate) fn write(root: &Path) -> anyhow::Result<()> {
    let path = root.join(PATH);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create `{}`", folder.display()))?;
    }
    std::fs::write(&path, generate()?).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Says where the schema on disk differs from the one that the types give.
pub(crate) fn check(root: &Path) -> anyhow::Result<Vec<Finding>> {
    let on_disk = match std::fs::read_to_string(root.join(PATH)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read `{PATH}`")),
    };
    Ok(compare(on_disk.as_deref(), &generate()?)
        .into_iter()
        .collect())
}

fn generate() -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(&tokmark_run_format::schema())?;
    text.push('\n');
    Ok(text)
}

/// The first difference between the file and what it should be.
fn compare(on_disk: Option<&str>, expected: &str) -> Option<Finding> {
    let Some(on_disk) = on_disk else {
        return Some(Finding::new(PATH, 1, "the schema is missing", REMEDY));
    };
    if on_disk == expected {
        return None;
    }
    let same = on_disk
        .lines()
        .zip(expected.lines())
        .take_while(|(is, should)| is == should)
        .count();
    Some(Finding::new(
        PATH,
        same + 1,
        "the schema is not what the types give",
        REMEDY,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(on_disk: Option<&str>, expected: &str, line_and_what: Option<(usize, &str)>) {
        let expect = line_and_what.map(|(line, what)| Finding::new(PATH, line, what, REMEDY));
        assert_eq!(compare(on_disk, expected), expect);
    }

    #[test]
    fn a_schema_must_be_what_the_types_give() {
        let stale = "the schema is not what the types give";
        check(Some("{\n}\n"), "{\n}\n", None);
        check(None, "{\n}\n", Some((1, "the schema is missing")));
        check(Some("a\nb\n"), "a\nc\n", Some((2, stale)));
        check(Some("a\n"), "a\nb\n", Some((2, stale)));
        check(Some("a\nb"), "a\nb\n", Some((3, stale)));
    }

    #[test]
    fn the_schema_ends_with_one_line_feed() {
        let text = generate().unwrap();
        assert!(text.ends_with("}\n"), "{text}");
    }
}
