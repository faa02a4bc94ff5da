//! What the fields of other tools' files are, and where each of them goes.

use serde_json::Value;
use tokmark_run_format::{Note, RunDocument};

/// One field of another tool's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// The field as that file names it; points lead into objects, and through lists.
    pub theirs: &'static str,
    /// What the other tool says it is.
    pub meaning: &'static str,
    /// Where it goes.
    pub ours: Ours,
}

/// Where a field of another tool's file goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ours {
    /// Into this field of the run document.
    Field(&'static str),
    /// Nowhere, for this reason. It is still in the kept original.
    NotTaken(&'static str),
}

/// A field that goes into the document.
pub(crate) const fn taken(
    theirs: &'static str,
    ours: &'static str,
    meaning: &'static str,
) -> Mapping {
    Mapping {
        theirs,
        meaning,
        ours: Ours::Field(ours),
    }
}

/// A field that stays in the original.
pub(crate) const fn left(
    theirs: &'static str,
    meaning: &'static str,
    why: &'static str,
) -> Mapping {
    Mapping {
        theirs,
        meaning,
        ours: Ours::NotTaken(why),
    }
}

/// Why a row of the table that could have given a field did not.
const ANOTHER: &str = "another field of the file is nearer to ours and was taken";
/// The same, where the run has no such figure.
const WITHOUT: &str = "without a figure in this run";

/// The fields of a run's original, each with where it went in this very run.
pub fn explain(run: &RunDocument) -> Vec<Mapping> {
    let Some(source) = &run.source else {
        return Vec::new();
    };
    let mut table = resolved(run, &source.original, crate::mappings(&source.format));
    table.sort_by_key(|row| matches!(row.ours, Ours::NotTaken(_)));
    table
}

/// One note for each figure of the run: whose field it is, and what that means.
pub(crate) fn notes(run: &RunDocument, original: &Value, table: &[Mapping]) -> Vec<Note> {
    resolved(run, original, table)
        .iter()
        .filter_map(|row| match row.ours {
            Ours::Field(ours) if ours.starts_with("decode.") || ours.starts_with("prefill.") => {
                Some(Note {
                    code: "source_definition".to_owned(),
                    text: format!("{ours} is the source's {}: {}.", row.theirs, row.meaning),
                })
            }
            _ => None,
        })
        .collect()
}

/// The rows whose field the original has. Of several for one field of ours the first that is there
/// counts, and a field of ours that stayed empty was not given.
fn resolved(run: &RunDocument, original: &Value, table: &[Mapping]) -> Vec<Mapping> {
    let document = serde_json::to_value(run).unwrap_or_default();
    let mut given: Vec<&str> = Vec::new();
    table
        .iter()
        .filter(|row| has(original, row.theirs))
        .map(|row| match row.ours {
            Ours::Field(ours) if !has(&document, ours) => Mapping {
                ours: Ours::NotTaken(WITHOUT),
                ..*row
            },
            Ours::Field(ours) if given.contains(&ours) => Mapping {
                ours: Ours::NotTaken(ANOTHER),
                ..*row
            },
            Ours::Field(ours) => {
                given.push(ours);
                *row
            }
            Ours::NotTaken(_) => *row,
        })
        .collect()
}

/// Whether something stands at a path, in any item of the lists on the way. A table of text has the
/// columns that its text names.
fn has(value: &Value, path: &str) -> bool {
    match value {
        Value::String(text) => text
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/')))
            .any(|word| word == path),
        Value::Array(items) => items.iter().any(|item| has(item, path)),
        Value::Object(fields) => {
            if let Some(found) = fields.get(path) {
                return is_something(found);
            }
            path.split_once('.').is_some_and(|(first, rest)| {
                fields
                    .get(first)
                    .is_some_and(|inner| !inner.is_string() && has(inner, rest))
            })
        }
        _ => false,
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_go_through_objects_and_lists() {
        let value = json!({"a": [{"b": null}, {"b": {"c": 1}}], "d": "", "e.f": 2});
        for there in ["a.b.c", "e.f", "a"] {
            assert!(has(&value, there), "{there}");
        }
        for absent in ["a.b.x", "d", "b", "e", "d.x"] {
            assert!(!has(&value, absent), "{absent}");
        }
        let table = json!("\"model_type\",\"n_gen\"\n| test | t/s |");
        assert!(has(&table, "t/s") && has(&table, "n_gen"));
        assert!(!has(&table, "model"));
    }
}
