//! The folder of a run: journal while it runs, then one document and its evidence.
//!
//! The journal takes every record as it is made, with an fsync, so that a kill loses at most the
//! running cell. No `*.json` lies in the folder but the run document.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tokmark_run_format::evidence::Record;
use tokmark_run_format::wire;
use tokmark_run_format::{EvidenceRef, Note, RunDocument, write_document};

use crate::journal::{Header, Journal, Remark};

/// Where the records of a run go while it runs.
pub trait Keep: Send {
    /// Keeps one record for good before it returns.
    fn keep(&mut self, record: &Record) -> io::Result<()>;

    /// Keeps a remark about the whole run.
    fn note(&mut self, _note: &Note) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps records in memory only: for tests and for a run whose disk has failed.
#[derive(Debug, Default)]
pub struct InMemory(pub Vec<Record>);

impl Keep for InMemory {
    fn keep(&mut self, record: &Record) -> io::Result<()> {
        self.0.push(record.clone());
        Ok(())
    }
}

/// Why a run's folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} `{path}`: {source}")]
pub struct OutputError {
    /// What was tried.
    pub what: &'static str,
    /// On which file or folder.
    pub path: String,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl OutputError {
    fn at(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self { what, path, source }
    }
}

/// A run's folder.
#[derive(Debug)]
pub struct OutputDir {
    dir: PathBuf,
    name: String,
    journal: File,
}

/// Ending of the evidence file.
pub const EVIDENCE_ENDING: &str = "evidence.zst";
/// Ending of the journal.
pub const JOURNAL_ENDING: &str = "journal";

impl OutputDir {
    /// Creates the folder and an empty journal in it; refuses to touch an existing run. `name` is
    /// made safe for file systems.
    pub fn create(dir: &Path, name: &str) -> Result<Self, OutputError> {
        fs::create_dir_all(dir).map_err(OutputError::at("create the folder", dir))?;
        let name = free_name(dir, &safe_name(name));
        let path = dir.join(format!("{name}.{JOURNAL_ENDING}"));
        let journal = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(&path)
            .map_err(OutputError::at("create the journal", &path))?;
        // Whoever looks for an unfinished run sees by the lock that this one is under way. Where
        // a file system knows no locks, nobody is kept out.
        let _unlocked = journal.try_lock();
        Ok(Self {
            dir: dir.to_owned(),
            name,
            journal,
        })
    }

    /// Opens the folder of an unfinished run to go on with it at an instant (RFC 3339): what was
    /// torn at the journal's end is cut off.
    ///
    /// # Errors
    ///
    /// The journal cannot be opened or cut, or the run is still under way.
    pub fn go_on(path: &Path, journal: &Journal, at: String) -> Result<Self, OutputError> {
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(OutputError::at("open the journal", path))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another tokmark writes it");
            return Err(OutputError::at("go on with the journal", path)(busy));
        }
        file.set_len(journal.whole_bytes)
            .map_err(OutputError::at("cut the torn end of the journal", path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut folder = Self {
            dir: path.parent().unwrap_or(Path::new(".")).to_owned(),
            name: name.into_owned(),
            journal: file,
        };
        folder
            .append(&Remark::WentOn(at))
            .map_err(OutputError::at("write the journal", path))?;
        Ok(folder)
    }

    /// Writes the journal's first line.
    pub fn begin(&mut self, header: &Header) -> Result<(), OutputError> {
        let path = self.journal_path();
        self.append(header)
            .and_then(|()| sync_folder(&self.dir))
            .map_err(OutputError::at("write the journal", &path))
    }

    fn append(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(line)?;
        line.push(b'\n');
        self.journal.write_all(&line)?;
        self.journal.sync_data()
    }

    /// The document's path.
    pub fn document_path(&self) -> PathBuf {
        self.dir.join(format!("{}.json", self.name))
    }

    /// The journal's path.
    pub fn journal_path(&self) -> PathBuf {
        self.dir.join(format!("{}.{JOURNAL_ENDING}", self.name))
    }

    /// Writes evidence and document, each under a temporary name first, then removes the journal;
    /// that of a run that was stopped stays, so that it can go on. Gives the document's path.
    pub fn finish(
        &self,
        document: &mut RunDocument,
        records: &[Record],
    ) -> Result<PathBuf, OutputError> {
        document.evidence = Some(self.write_evidence(document, records)?);
        let path = self.document_path();
        let text = write_document(document)
            .map_err(io::Error::from)
            .map_err(OutputError::at("write", &path))?;
        write_whole(&path, text.as_bytes())?;
        if document.complete {
            // The journal has done its work; a left-over one harms nobody.
            let _left_over = fs::remove_file(self.journal_path());
        }
        Ok(path)
    }

    /// Gives the folder up: nothing was measured. Removes the journal, and the folder when that
    /// leaves it empty.
    pub fn discard(&self) {
        // Whatever cannot be removed harms nobody.
        let _journal = fs::remove_file(self.journal_path());
        let _folder = fs::remove_dir(&self.dir);
    }

    fn write_evidence(
        &self,
        document: &RunDocument,
        records: &[Record],
    ) -> Result<EvidenceRef, OutputError> {
        let file = format!("{}.{EVIDENCE_ENDING}", self.name);
        let path = self.dir.join(&file);
        let version = document.tool.version.as_deref().unwrap_or_default();
        let packed =
            pack(&document.id, version, records).map_err(OutputError::at("pack", &path))?;
        write_whole(&path, &packed)?;
        Ok(EvidenceRef {
            file,
            sha256: sha256_hex(&packed),
            bytes: tokmark_units::float::len_u64(packed.len()),
        })
    }
}

impl Keep for OutputDir {
    fn keep(&mut self, record: &Record) -> io::Result<()> {
        self.append(record)
    }

    fn note(&mut self, note: &Note) -> io::Result<()> {
        self.append(&Remark::Note(note.clone()))
    }
}

/// A new file is found after a crash only when its folder was synced too.
fn sync_folder(dir: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

/// The evidence file of some records.
pub fn pack(run: &str, tool_version: &str, records: &[Record]) -> io::Result<Vec<u8>> {
    let mut writer = wire::Writer::start(Vec::new(), run, tool_version)?;
    for record in records {
        writer.append(record)?;
    }
    writer.finish()
}

/// SHA-256 as lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Writes a file that is there whole or not at all: a temporary name, fsync, rename.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    let temporary = PathBuf::from(temporary);
    let written = (|| {
        let mut out = BufWriter::new(File::create(&temporary)?);
        out.write_all(bytes)?;
        out.into_inner()?.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _nothing_to_remove = fs::remove_file(&temporary);
    }
    written.map_err(OutputError::at("write", path))
}

/// Letters, digits, dots, dashes and underscores; anything else becomes a dash (case B052).
pub fn safe_name(name: &str) -> String {
    let mut safe: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();
    while safe.contains("--") {
        safe = safe.replace("--", "-");
    }
    let trimmed = safe.trim_matches(['-', '.']);
    let cut: String = trimmed.chars().take(100).collect();
    if cut.is_empty() {
        "run".to_owned()
    } else {
        cut
    }
}

/// The name itself, or with a number when a run of that name lies there.
fn free_name(dir: &Path, name: &str) -> String {
    let taken = |name: &str| {
        ["json", EVIDENCE_ENDING, JOURNAL_ENDING]
            .iter()
            .any(|ending| dir.join(format!("{name}.{ending}")).exists())
    };
    std::iter::once(name.to_owned())
        .chain((2..10_000).map(|n| format!("{name}-{n}")))
        .find(|candidate| !taken(candidate))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokmark_run_format::Tool;

    #[test]
    fn b052_names_are_safe_and_never_overwrite() {
        assert_eq!(safe_name("org/m:4b"), "org-m-4b");
        assert_eq!(safe_name("../../etc"), "etc");
        assert_eq!(safe_name("???"), "run");
        let dir = tempfile::tempdir().unwrap();
        let first = OutputDir::create(dir.path(), "org/m:4b").unwrap();
        let second = OutputDir::create(dir.path(), "org/m:4b").unwrap();
        assert_ne!(first.document_path(), second.document_path());
        for output in [&first, &second] {
            let mut document = RunDocument::new("id".into(), Tool::default());
            output.finish(&mut document, &[]).unwrap();
        }
        let third = OutputDir::create(dir.path(), "org/m:4b").unwrap();
        assert!(!third.document_path().exists());
        let documents = fs::read_dir(dir.path())
            .unwrap()
            .filter(|e| {
                e.as_ref()
                    .unwrap()
                    .path()
                    .extension()
                    .is_some_and(|x| x == "json")
            })
            .count();
        assert_eq!(documents, 2);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, b"x").unwrap();
        let error = OutputDir::create(&file.join("below"), "run").unwrap_err();
        assert!(error.to_string().contains("below"), "{error}");
    }

    #[test]
    fn the_journal_has_each_record_as_soon_as_it_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = OutputDir::create(dir.path(), "run").unwrap();
        let record = Record::Probes(tokmark_run_format::evidence::ProbeEvidence::default());
        output.keep(&record).unwrap();
        let line = fs::read_to_string(output.journal_path()).unwrap();
        assert_eq!(serde_json::from_str::<Record>(line.trim()).unwrap(), record);
    }
}
