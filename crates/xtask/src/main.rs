//! Checks and generators of this repository: `cargo xtask tidy`, `cargo xtask cases`,
//! `cargo xtask schema`, `cargo xtask reference`, `cargo xtask text`.

mod finding;
mod reference;
mod say;
mod schema;
mod text;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use cargo_metadata::{Metadata, MetadataCommand};
use finding::Finding;

const USAGE: &str = "usage: cargo xtask COMMAND

  tidy            compare the sources with the house rules (CONTRIBUTING.md)
  cases           write the tests that there are into docs/cases.md
  schema          write the JSON Schema of the run document
  schema --check  only say whether the schema on disk is what the types give
  reference          write docs/cli.md from the program's own definition
  reference --check  only say whether docs/cli.md is what the program says
  text               write the functions of the message catalogues
  text --check       only say whether they are what the catalogues give";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(findings) => {
            for finding in &findings {
                say::result(finding);
            }
            say::progress(format!("{} to mend", findings.len()));
            ExitCode::from(1)
        }
        Err(error) => {
            say::progress(format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[&str]) -> anyhow::Result<Vec<Finding>> {
    match arguments {
        ["tidy"] => tidy::check(&metadata()?),
        ["cases"] => tidy::write_cases(&root()?).map(|()| Vec::new()),
        ["schema"] => schema::write(&root()?).map(|()| Vec::new()),
        ["schema", "--check"] => schema::check(&root()?),
        ["reference"] => reference::write(&metadata()?).map(|()| Vec::new()),
        ["reference", "--check"] => reference::check(&metadata()?),
        ["text"] => text::write(&root()?).map(|()| Vec::new()),
        ["text", "--check"] => text::check(&root()?),
        _ => anyhow::bail!(USAGE),
    }
}

/// What cargo knows about the workspace that the current folder belongs to, dependencies' own
/// dependencies left out.
fn metadata() -> anyhow::Result<Metadata> {
    MetadataCommand::new()
        .no_deps()
        .exec()
        .context("cargo cannot describe this workspace")
}

fn root() -> anyhow::Result<PathBuf> {
    Ok(metadata()?.workspace_root.into_std_path_buf())
}
