//! One file of settings: text into entries that know their line.

use std::path::{Path, PathBuf};

use clap::Command;
use toml::de::{DeTable, DeValue};

use super::check;
use super::find::{Kind, Place};
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::say;

/// What a file says, in the words of the command line.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
    pub(crate) entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The command that it is for, such as `run` or `calc fit`; empty at the top.
    pub(crate) table: String,
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// A value as it would be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Whether a switch is on.
    Switch(bool),
    /// How often a switch that counts is given.
    Times(u8),
    /// Each once.
    Words(Vec<String>),
}

/// Reads a file and checks every key and value of it against the options.
pub(crate) fn read(place: &Place, root: &Command) -> Outcome<File> {
    let path = &place.path;
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::new(Exit::Usage, error)
            .context(format!("cannot read the settings in `{}`", path.display()))
            .hint("make the file readable, or leave it out with --config ''")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let text = format!("`{}` is not UTF-8 text", path.display());
        Failure::saying(Exit::Usage, text).hint("save it as UTF-8")
    })?;
    // An editor's byte order mark is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let entries = entries(text, path, root)?;
    if entries.iter().any(|entry| entry.key == "api-key") {
        warn_if_others_read(path);
    }
    Ok(File {
        kind: place.kind,
        path: path.clone(),
        entries,
    })
}

fn entries(text: &str, path: &Path, root: &Command) -> Outcome<Vec<Entry>> {
    let place = At { text, path };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        place.failure(at, error.message()).hint(
            "a line is `key = value`, text in quotes: `duration = \"10s\"`; commands are tables: `[run]`",
        )
    })?;
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), root, document.get_ref())];
    while let Some((table, command, keys)) = waiting.pop() {
        for (key, value) in keys {
            let at = key.span().start;
            let key = key.get_ref().as_ref();
            if let DeValue::Table(inner) = value.get_ref() {
                let below = check::subcommand(command, key)
                    .map_err(|(what, hint)| place.failure(at, &what).hint(hint))?;
                let name = format!("{table} {key}");
                waiting.push((name.trim_start().to_owned(), below, inner));
                continue;
            }
            let value = check::entry(root, command, &table, key, value.get_ref())
                .map_err(|(what, hint)| place.failure(at, &what).hint(hint))?;
            found.push(Entry {
                table: table.clone(),
                key: key.to_owned(),
                line: place.line(at),
                value,
            });
        }
    }
    Ok(found)
}

/// A place in the file.
struct At<'a> {
    text: &'a str,
    path: &'a Path,
}

impl At<'_> {
    fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(self.text);
        1 + before.matches('\n').count()
    }

    fn failure(&self, at: usize, what: &str) -> Failure {
        let text = format!("{}:{}: {what}", self.path.display(), self.line(at));
        Failure::saying(Exit::Usage, text)
    }
}

#[cfg(unix)]
fn warn_if_others_read(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0, |found| found.permissions().mode());
    if mode & 0o077 != 0 {
        say::progress(format!(
            "warning: `{}` holds an API key and others may read it: chmod 600 {0}",
            path.display()
        ));
    }
}

#[cfg(not(unix))]
fn warn_if_others_read(_path: &Path) {}
