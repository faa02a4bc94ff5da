//! The tables of `docs/import.md` are those of the code.

use std::fmt::Write;
use std::fs;

use tokmark_import::{Ours, formats, mappings};

const BEGIN: &str = "<!-- tables:begin -->\n";
const END: &str = "<!-- tables:end -->\n";

fn tables() -> String {
    let mut out = String::new();
    for format in formats() {
        let table = mappings(format);
        if table.is_empty() {
            continue;
        }
        if format == "GenAI-Perf" {
            out.push_str("\n### GenAI-Perf\n\nThe table of AIPerf, which took its place.\n");
            continue;
        }
        write!(out, "\n### {format}\n\n").unwrap();
        out.push_str(
            "| field of the file | what it is | field of the run |\n| --- | --- | --- |\n",
        );
        for row in table {
            let meaning = row.meaning.replace('|', "\\|");
            match row.ours {
                Ours::Field(ours) => {
                    writeln!(out, "| `{}` | {meaning} | `{ours}` |", row.theirs).unwrap();
                }
                Ours::NotTaken(why) => {
                    writeln!(out, "| `{}` | {meaning} | not taken: {why} |", row.theirs).unwrap();
                }
            }
        }
    }
    out.push('\n');
    out
}

#[test]
fn the_tables_of_the_document_are_those_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/import.md");
    let text = fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    let expect = tables();
    if found != expect && std::env::var_os("TOKMARK_UPDATE").is_some() {
        fs::write(path, format!("{before}{BEGIN}{expect}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(found, expect, "run this test with TOKMARK_UPDATE=1");
}
