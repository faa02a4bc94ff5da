//! Runs for a fit, from wherever they lie.

use std::fs;
use std::path::{Path, PathBuf};

use tokmark_calculator::fit_report::SkippedPart;
use tokmark_calculator::{ObserveError, ObservedRun, observe};
use tokmark_catalog::Catalog;
use tokmark_run_format::read::ReadError;
use tokmark_run_format::{RunDocument, read_document};

use crate::command::import;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// A run with its document.
pub(super) struct Usable {
    pub(super) document: RunDocument,
    pub(super) observed: ObservedRun,
}

/// Runs that can be used, and why others cannot.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) usable: Vec<Usable>,
    pub(super) skipped: Vec<SkippedPart>,
}

impl Runs {
    /// Reads every run at the paths; the same run twice counts once.
    ///
    /// A path that does not exist is an error, for it is a mistake in typing.
    pub(super) fn read(catalog: &Catalog, paths: &[PathBuf]) -> Outcome<Self> {
        let mut runs = Self::default();
        for path in paths {
            for file in files(path)? {
                match documents(&file) {
                    Ok(documents) => {
                        for document in documents {
                            runs.add(catalog, document, &file);
                        }
                    }
                    Err(failure) => runs.skipped.push(SkippedPart {
                        run: file.display().to_string(),
                        reason: failure.in_words(),
                        candidates: Vec::new(),
                    }),
                }
            }
        }
        Ok(runs)
    }

    fn add(&mut self, catalog: &Catalog, document: RunDocument, file: &Path) {
        if self.usable.iter().any(|run| run.document.id == document.id) {
            return;
        }
        let place = format!("{} ({})", file.display(), document.title());
        let skipped = |reason: String, candidates| SkippedPart {
            run: place,
            reason,
            candidates,
        };
        match observe(catalog, &document, self.usable.len()) {
            Ok(observed) if observed.simulated => {
                let reason = "its server was simulated, which tells nothing about the accelerator";
                self.skipped.push(skipped(reason.to_owned(), Vec::new()));
            }
            Ok(observed) if observed.observations.is_empty() => {
                let reason = "no cell and no prefill row is valid and has a figure";
                self.skipped.push(skipped(reason.to_owned(), Vec::new()));
            }
            Ok(observed) => self.usable.push(Usable { document, observed }),
            Err(error) => {
                let candidates = candidates(catalog, &error);
                self.skipped.push(skipped(error.to_string(), candidates));
            }
        }
    }

    /// What the calculator sees of them.
    pub(super) fn observed(&self) -> Vec<ObservedRun> {
        self.usable.iter().map(|run| run.observed.clone()).collect()
    }
}

/// Names that may have been meant: those that the name contains, else those written alike.
fn candidates(catalog: &Catalog, error: &ObserveError) -> Vec<String> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    match error {
        ObserveError::Model { name, candidates } if candidates.is_empty() => {
            owned(catalog.models_like(name))
        }
        ObserveError::Hardware { name, candidates } if candidates.is_empty() => {
            owned(catalog.hardware_like(name))
        }
        ObserveError::Model { candidates, .. } | ObserveError::Hardware { candidates, .. } => {
            candidates.clone()
        }
        _ => Vec::new(),
    }
}

/// The file, or every document of a folder.
fn files(path: &Path) -> Outcome<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint("name run documents, or folders that hold them")
    };
    if !fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found: Vec<PathBuf> = fs::read_dir(path)
        .map_err(unreadable)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    found.sort();
    if found.is_empty() {
        let message = format!("no run document (`*.json`) lies in `{}`", path.display());
        return Err(Failure::saying(Exit::Usage, message));
    }
    Ok(found)
}

/// The run of a file, or the runs that another tool's file holds.
fn documents(file: &Path) -> Outcome<Vec<RunDocument>> {
    let text = import::read(file)?;
    match read_document(&text) {
        Ok(document) => Ok(vec![document]),
        Err(error @ (ReadError::UnknownVersion { .. } | ReadError::Damaged { .. })) => {
            Err(Failure::new(Exit::Usage, error))
        }
        Err(ReadError::NotARun | ReadError::NotJson { .. }) => {
            tokmark_import::import(&text).map_err(|error| Failure::new(Exit::Usage, error))
        }
    }
}
