//! `run --resume`: the unfinished run that an earlier call left.

use std::fs;
use std::path::{Path, PathBuf};

use tokmark_bench::journal::{Header, JournalError};
use tokmark_bench::{Journal, OutputDir, Subject};
use tokmark_units::Timestamp;

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};
use crate::{identity, runfile};

/// Where runs lie when no folder is named.
pub(crate) const RUNS: &str = "tokmark-runs";

/// A run that begins or goes on.
pub(crate) struct Beginning {
    /// The run's identity.
    pub(crate) id: String,
    /// When it was started for the first time.
    pub(crate) started: Timestamp,
    /// What is on record already.
    pub(crate) journal: Option<Box<Journal>>,
}

impl Beginning {
    /// A run of its own.
    pub(crate) fn afresh() -> Self {
        Self {
            id: identity::new_id(),
            started: identity::now(),
            journal: None,
        }
    }

    /// The first line of its journal.
    pub(crate) fn header(&self, subject: Subject) -> Header {
        let version = env!("CARGO_PKG_VERSION");
        Header::new(&self.id, version, self.started.to_string(), subject)
    }
}

/// What there is to go on with.
pub(crate) enum Found {
    /// A run that was ended before its time, and its folder.
    Unfinished(Beginning, OutputDir),
    /// A run that has nothing left to measure: its document.
    Finished(PathBuf),
    /// None. The sentences say which unfinished runs there are and why they do not fit.
    Nothing(Vec<String>),
}

/// Looks for the run that `--resume` means: in the folder that was named, else among all runs below
/// the current folder.
///
/// # Errors
///
/// A folder was named whose unfinished run measures something else, is damaged, or is under way.
pub(crate) fn find(args: &RunArgs, subject: &Subject) -> Outcome<Found> {
    let named = match &args.resume {
        Some(Some(place)) => Some(place),
        _ => args.output.as_ref(),
    };
    match named {
        Some(place) => in_folder(place, subject),
        None => among_all(subject),
    }
}

/// The folder for a new run. Who repeats one command until it succeeds names with `--resume` where the
/// first call is to begin.
pub(crate) fn folder(args: &RunArgs) -> Option<&Path> {
    let named = args.resume.as_ref().and_then(Option::as_deref);
    args.output.as_deref().or(named)
}

/// `--resume URL` reads as if the address were its folder.
pub(crate) fn untangle(args: &mut RunArgs) {
    if args.server.url.is_none()
        && let Some(Some(place)) = &args.resume
        && !place.exists()
    {
        args.server.url = Some(place.to_string_lossy().into_owned());
        args.resume = Some(None);
    }
}

fn in_folder(place: &Path, subject: &Subject) -> Outcome<Found> {
    let journals = match files(place, tokmark_bench::output::JOURNAL_ENDING) {
        Ok(journals) => journals,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let context = format!("cannot read the folder `{}`", place.display());
            return Err(Failure::new(
                Exit::Usage,
                anyhow::Error::new(error).context(context),
            ));
        }
    };
    let mut candidates = Vec::new();
    for path in journals {
        match Journal::read(&path) {
            Ok(journal) => candidates.push((path, journal)),
            Err(JournalError::Empty) => {}
            Err(error) => {
                let context = format!("`{}` cannot be read", path.display());
                let error = anyhow::Error::new(error).context(context);
                return Err(Failure::new(Exit::Usage, error)
                    .hint("leave out --resume to begin another run beside it"));
            }
        }
    }
    if let Some(found) = newest(&mut candidates, subject)? {
        return Ok(found);
    }
    if let Some(path) = finished(place, subject) {
        return Ok(Found::Finished(path));
    }
    match candidates.last() {
        None => Ok(Found::Nothing(Vec::new())),
        Some((path, journal)) => {
            let differences = journal.header.subject.differences(subject).join("; ");
            let text = format!(
                "the run in `{}` cannot go on: {differences}",
                path.display()
            );
            Err(Failure::saying(Exit::Usage, text).hint(
                "give the same server, model and options as before, or leave out --resume to begin \
                 another run",
            ))
        }
    }
}

fn among_all(subject: &Subject) -> Outcome<Found> {
    let mut folders = vec![PathBuf::from(RUNS)];
    if let Ok(entries) = fs::read_dir(RUNS) {
        let below = entries.filter_map(|entry| Some(entry.ok()?.path()));
        folders.extend(below.filter(|path| path.is_dir()));
    }
    let journals = folders
        .iter()
        .filter_map(|folder| files(folder, tokmark_bench::output::JOURNAL_ENDING).ok())
        .flatten();
    let mut candidates: Vec<(PathBuf, Journal)> = journals
        .filter_map(|path| Some((path.clone(), Journal::read(&path).ok()?)))
        .collect();
    if let Some(found) = newest(&mut candidates, subject)? {
        return Ok(found);
    }
    let mut newest_first = folders.iter().rev();
    if let Some(path) = newest_first.find_map(|folder| finished(folder, subject)) {
        return Ok(Found::Finished(path));
    }
    let reasons = candidates.iter().map(|(path, journal)| {
        let differences = journal.header.subject.differences(subject).join("; ");
        format!("`{}` is another run: {differences}", path.display())
    });
    Ok(Found::Nothing(reasons.collect()))
}

/// The newest run that measures the same.
fn newest(candidates: &mut Vec<(PathBuf, Journal)>, subject: &Subject) -> Outcome<Option<Found>> {
    candidates.sort_by(|a, b| a.1.header.started_at.cmp(&b.1.header.started_at));
    let fits =
        |(_, journal): &(PathBuf, Journal)| journal.header.subject.differences(subject).is_empty();
    let Some(place) = candidates.iter().rposition(fits) else {
        return Ok(None);
    };
    let (path, journal) = candidates.swap_remove(place);
    let output = OutputDir::go_on(&path, &journal, identity::now().to_string())
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    let beginning = Beginning {
        id: journal.header.run.clone(),
        started: journal
            .header
            .started_at
            .parse()
            .unwrap_or_else(|_| identity::now()),
        journal: Some(Box::new(journal)),
    };
    Ok(Some(Found::Unfinished(beginning, output)))
}

/// The newest document of a folder that is complete and measured the same.
fn finished(folder: &Path, subject: &Subject) -> Option<PathBuf> {
    let documents = files(folder, "json").ok()?;
    let mut done: Vec<(Option<String>, PathBuf)> = documents
        .into_iter()
        .filter_map(|path| {
            let document = runfile::read(&path).ok()?.document;
            let same = Subject::of_document(&document)
                .differences(subject)
                .is_empty();
            (same && document.complete).then_some((document.started_at, path))
        })
        .collect();
    done.sort();
    done.pop().map(|(_, path)| path)
}

/// The files of a folder with an ending; of a file, itself when it has it.
fn files(place: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let has_it = |path: &Path| path.extension().is_some_and(|found| found == ending);
    if place.is_file() {
        return Ok(Vec::from_iter(has_it(place).then(|| place.to_owned())));
    }
    let entries = fs::read_dir(place)?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| has_it(path))
        .collect();
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        run: RunArgs,
    }

    #[test]
    fn a_new_run_begins_in_the_folder_that_was_named() {
        let check = |typed: &[&str], expect: Option<&str>| {
            let line = [&["run", "127.0.0.1:1"], typed].concat();
            let args = Line::parse_from(line).run;
            assert_eq!(folder(&args), expect.map(Path::new), "{typed:?}");
        };
        check(&[], None);
        check(&["--resume"], None);
        check(&["--resume", "kept"], Some("kept"));
        check(&["--output", "asked"], Some("asked"));
        check(&["--output", "asked", "--resume"], Some("asked"));
        check(&["--output", "asked", "--resume", "kept"], Some("asked"));
    }
}
