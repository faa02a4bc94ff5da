//! Run documents on disk, and the evidence beside them.

use std::fs;
use std::path::{Path, PathBuf};

use tokmark_run_format::evidence::Record;
use tokmark_run_format::{ReadError, RunDocument, read_document, wire};

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Evidence that unpacks to more than this is refused.
const EVIDENCE_LIMIT: u64 = 4 << 30;

const WHAT_A_RUN_IS: &str = "a run document is the `*.json` file that `tokmark run` or `tokmark import` \
                             writes; other tools' files go through `tokmark import`";

/// A document that was read, with its place.
pub(crate) struct RunFile {
    pub(crate) path: PathBuf,
    pub(crate) document: RunDocument,
}

/// Reads a run document, or the only one of a folder.
pub(crate) fn read(path: &Path) -> Outcome<RunFile> {
    let path = if path.is_dir() {
        only_document(path)?
    } else {
        path.to_owned()
    };
    let text = fs::read_to_string(&path).map_err(|error| {
        let context = format!("cannot read `{}`", path.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
            .hint(in_place_of(&path))
    })?;
    let document = read_document(&text).map_err(|error| {
        let context = format!("`{}` cannot be used", path.display());
        let hint = if matches!(error, ReadError::UnknownVersion { .. }) {
            "a newer tokmark wrote it: use that version or a later one"
        } else {
            WHAT_A_RUN_IS
        };
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context)).hint(hint)
    })?;
    Ok(RunFile { path, document })
}

/// Reads one side of a comparison: a run document, all documents of a folder, or those of the folders
/// in it, which are repeats of one another.
pub(crate) fn read_side(path: &Path) -> Outcome<Vec<RunFile>> {
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let mut documents = documents_in(path)?;
    if documents.is_empty() {
        for folder in entries(path)?.into_iter().filter(|entry| entry.is_dir()) {
            documents.extend(documents_in(&folder)?);
        }
    }
    if documents.is_empty() {
        return Err(no_document(path));
    }
    documents.iter().map(|path| read(path)).collect()
}

fn documents_in(dir: &Path) -> Outcome<Vec<PathBuf>> {
    let is_document =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json") && !path.is_dir();
    Ok(entries(dir)?.into_iter().filter(is_document).collect())
}

/// What lies in a folder, sorted.
fn entries(dir: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|error| {
        let context = format!("cannot read the folder `{}`", dir.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(context))
    })?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    found.sort();
    Ok(found)
}

/// What to try where a file is no text that can be read.
fn in_place_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(stem) = name.strip_suffix(".evidence.zst") {
        return format!("that is the evidence; name the document beside it, `{stem}.json`");
    }
    "name the `*.json` file that `tokmark run` wrote, or its folder".to_owned()
}

fn nothing_in(dir: &Path) -> Failure {
    let message = format!("no run document (`*.json`) lies in `{}`", dir.display());
    let folders = entries(dir).unwrap_or_default();
    let inner = folders.iter().find(|folder| {
        folder.is_dir() && documents_in(folder).is_ok_and(|found| !found.is_empty())
    });
    let hint = match inner {
        Some(inner) => format!("name a run in it, such as `{}`", inner.display()),
        None if dir.join("journal").exists() => {
            "its run is not finished: `tokmark run --resume` goes on with it".to_owned()
        }
        None => "`tokmark run` says at its end where it wrote the document".to_owned(),
    };
    Failure::saying(Exit::Usage, message).hint(hint)
}

fn only_document(dir: &Path) -> Outcome<PathBuf> {
    let found = documents_in(dir)?;
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(no_document(dir)),
        several => {
            let names: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
            Err(Failure::saying(
                Exit::Usage,
                format!("several run documents lie in `{}`", dir.display()),
            )
            .hint(format!("name one: {}", names.join(", "))))
        }
    }
}

/// Says that a folder holds no run, and how to finish one whose journal lies there.
fn no_document(dir: &Path) -> Failure {
    let is_journal = |path: &PathBuf| {
        path.extension()
            .is_some_and(|ending| ending == tokmark_bench::output::JOURNAL_ENDING)
    };
    if !entries(dir).is_ok_and(|found| found.iter().any(is_journal)) {
        return nothing_in(dir);
    }
    let message = format!("no run document (`*.json`) lies in `{}`", dir.display());
    Failure::saying(Exit::Usage, message).hint(format!(
        "an unfinished run lies there: `tokmark run` with its options and --resume {} goes on with it",
        tokmark_machine::quoted(&dir.to_string_lossy())
    ))
}

/// The evidence of a document, checked against its hash; `None` when the document has none.
pub(crate) fn evidence(run: &RunFile) -> Outcome<Option<Vec<Record>>> {
    let Some(reference) = &run.document.evidence else {
        return Ok(None);
    };
    let plain_name = Path::new(&reference.file).file_name() == Some(reference.file.as_ref());
    if !plain_name {
        let message = format!(
            "the evidence file's name `{}` is not a plain one",
            reference.file
        );
        return Err(Failure::saying(Exit::Failed, message));
    }
    let path = run.path.with_file_name(&reference.file);
    let bytes = fs::read(&path).map_err(|error| {
        let context = format!("cannot read the evidence `{}`", path.display());
        Failure::new(
            Exit::NotEnoughData,
            anyhow::Error::new(error).context(context),
        )
        .hint("the evidence file must lie beside the document")
    })?;
    if tokmark_bench::output::sha256_hex(&bytes) != reference.sha256 {
        let message = format!(
            "the evidence `{}` is not the file that the document names: its SHA-256 differs",
            path.display()
        );
        return Err(Failure::saying(Exit::Failed, message)
            .hint("one of the two was changed or belongs to another run"));
    }
    let records = wire::read(bytes.as_slice(), EVIDENCE_LIMIT).map_err(|error| {
        let context = format!("the evidence `{}` cannot be used", path.display());
        Failure::new(Exit::Failed, anyhow::Error::new(error).context(context))
    })?;
    Ok(Some(records))
}
