//! The journal of a run: what is left of it after a crash, and whether another run may go on with it.
//!
//! JSON Lines: a [`Header`], then the records and remarks in the order of their making. A line is
//! written whole and synced before the run goes on, so that only the last line can be torn.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tokmark_run_format::evidence::{CellEnd, CellEvidence, Record};
use tokmark_run_format::{CellStatus, Note, Plan, RunDocument};
use tokmark_units::float;

use crate::plan::{plan, public_name};
use crate::session::Session;
use crate::settings::Settings;

/// The value of the header's `journal` field that this crate writes.
pub const FORMAT: &str = "tokmark-journal/1";

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// `tokmark-journal/1`.
    pub journal: String,
    /// The run's identity. It seeds the prompts, so that a run that goes on asks what it would have
    /// asked.
    pub run: String,
    /// Version of the program.
    pub tool_version: String,
    /// When the run was started, RFC 3339.
    pub started_at: String,
    /// What is measured.
    pub subject: Subject,
}

impl Header {
    /// The header of a run that begins.
    pub fn new(run: &str, tool_version: &str, started_at: String, subject: Subject) -> Self {
        Self {
            journal: FORMAT.to_owned(),
            run: run.to_owned(),
            tool_version: tool_version.to_owned(),
            started_at,
            subject,
        }
    }
}

/// What has to be the same for a run to go on: server, model and plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// The engine's name.
    pub engine: String,
    /// Its version.
    pub version: Option<String>,
    /// The served name of the model, without folders.
    pub model: String,
    /// Prompt and output tokens of one request.
    pub max_length: Option<u64>,
    /// The plan, resolved against the server.
    pub plan: Plan,
    /// What decides cells and is not in the plan.
    pub options: Option<Options>,
}

/// Options that decide cells and are not in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// KV budget in tokens that overrides the server's.
    pub kv_budget: Option<u64>,
    /// Cold samples wanted per context.
    pub prefill_samples: Option<u32>,
    /// Whether loops decide anything.
    pub loop_check: bool,
}

impl Subject {
    /// What a session and its settings come to.
    pub fn of(session: &Session, settings: &Settings) -> Self {
        let engine = &session.server.engine;
        let matrix = crate::matrix::resolve(settings, engine.max_length);
        Self {
            engine: engine.name.clone(),
            version: engine.version.clone(),
            model: public_name(&session.model.served_name),
            max_length: engine.max_length,
            plan: plan(session, settings, &matrix),
            options: Some(Options {
                kv_budget: settings.kv_budget,
                prefill_samples: settings.prefill_samples,
                loop_check: settings.loop_check,
            }),
        }
    }

    /// What a document measured. It does not say which options decided its cells.
    pub fn of_document(document: &RunDocument) -> Self {
        Self {
            engine: document.engine.name.clone(),
            version: document.engine.version.clone(),
            model: document.model.served_name.clone(),
            max_length: document.engine.max_length,
            plan: document.plan.clone(),
            options: None,
        }
    }

    /// What differs between this, an earlier run, and what is to be measured now: one sentence each.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut check = |what: &str, was: String, is: String| {
            if was != is {
                found.push(format!("{what} was {was} and is {is}"));
            }
        };
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        let count = |count: Option<u64>| {
            count.map_or_else(|| "unknown".to_owned(), tokmark_units::format::count)
        };
        check("the server", self.engine.clone(), now.engine.clone());
        check(
            "the server's version",
            known(&self.version),
            known(&now.version),
        );
        check("the model", self.model.clone(), now.model.clone());
        check(
            "the longest request",
            count(self.max_length),
            count(now.max_length),
        );
        for (what, was, is) in plan_fields(&self.plan)
            .into_iter()
            .zip(plan_fields(&now.plan))
            .map(|((what, was), (_, is))| (what, was, is))
        {
            check(what, was, is);
        }
        if let (Some(was), Some(is)) = (&self.options, &now.options) {
            let budget = |options: &Options| count(options.kv_budget);
            check("--kv-budget", budget(was), budget(is));
            let samples = |options: &Options| {
                let samples = options.prefill_samples;
                samples.map_or_else(|| "not given".to_owned(), |samples| samples.to_string())
            };
            check("--prefill-samples", samples(was), samples(is));
            let check_of = |options: &Options| if options.loop_check { "on" } else { "off" };
            check("the loop check", check_of(was).into(), check_of(is).into());
        }
        found
    }
}

/// The fields of a plan in the words of the command line.
fn plan_fields(plan: &Plan) -> [(&'static str, String); 13] {
    let contexts = |contexts: &[u64]| {
        let labels: Vec<String> = contexts.iter().map(|c| crate::matrix::label(*c)).collect();
        labels.join(",")
    };
    let levels: Vec<String> = plan.requests.iter().map(ToString::to_string).collect();
    [
        ("--contexts", contexts(&plan.contexts)),
        ("--prefill-contexts", contexts(&plan.prefill_contexts)),
        ("--requests", levels.join(",")),
        ("--duration", format!("{} s", plan.window_s)),
        ("--max-output", plan.max_output_tokens.to_string()),
        ("--profile", plan.profile.as_str().to_owned()),
        ("--capacity", plan.capacity.as_str().to_owned()),
        ("--prefill", plan.prefill.label().to_lowercase()),
        ("--endpoint", plan.endpoint.clone()),
        ("--shared-context", plan.shared_context.to_string()),
        ("--seed", plan.seed.to_string()),
        ("--stall-timeout", format!("{} s", plan.stall_timeout_s)),
        (
            "writing on after the end token",
            plan.sampling.ignore_eos.to_string(),
        ),
    ]
}

/// A line of the journal that is no record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Remark {
    /// A remark about the whole run.
    Note(Note),
    /// When the run went on, RFC 3339.
    WentOn(String),
}

/// What a journal holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// Its first line.
    pub header: Header,
    /// Its records.
    pub records: Vec<Record>,
    /// Remarks about the whole run.
    pub notes: Vec<Note>,
    /// When the run went on before, RFC 3339.
    pub went_on: Vec<String>,
    /// Length in bytes of what could be read. What follows, a line that was being written, is
    /// measured again.
    pub whole_bytes: u64,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused it.
    #[error("cannot read the journal")]
    Io(#[from] io::Error),
    /// The run was ended before its first line was written.
    #[error("the journal is empty: nothing was measured")]
    Empty,
    /// It is something else, or of a later version.
    #[error("this is not a journal of a known version")]
    Format,
}

impl Journal {
    /// Reads as much as there is whole.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let mut lines = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        let Some(first) = whole_line(&mut lines, &mut line)? else {
            return Err(JournalError::Empty);
        };
        let header: Header = serde_json::from_slice(first).map_err(|_| JournalError::Format)?;
        if header.journal != FORMAT {
            return Err(JournalError::Format);
        }
        let mut journal = Self {
            header,
            records: Vec::new(),
            notes: Vec::new(),
            went_on: Vec::new(),
            whole_bytes: float::len_u64(line.len()),
        };
        while let Some(text) = whole_line(&mut lines, &mut line)? {
            if !journal.take(text) {
                break;
            }
            journal.whole_bytes += float::len_u64(line.len());
        }
        Ok(journal)
    }

    fn take(&mut self, line: &[u8]) -> bool {
        if let Ok(record) = serde_json::from_slice(line) {
            self.records.push(record);
            return true;
        }
        match serde_json::from_slice(line) {
            Ok(Remark::Note(note)) => self.notes.push(note),
            Ok(Remark::WentOn(at)) => self.went_on.push(at),
            Err(_) => return false,
        }
        true
    }
}

/// The next line with its end, or `None` at the end and at a line without one.
fn whole_line<'a>(lines: &mut impl BufRead, line: &'a mut Vec<u8>) -> io::Result<Option<&'a [u8]>> {
    line.clear();
    lines.read_until(b'\n', line)?;
    Ok(line.strip_suffix(b"\n"))
}

/// What an earlier sitting of the same run did.
#[derive(Debug, Default)]
pub(crate) struct Recalled {
    /// Whether its probes are known.
    pub(crate) probed: bool,
    /// By context, the documents of streams whose cold prefill is on record.
    pub(crate) documents: BTreeMap<u64, u32>,
}

/// Whether a cell's record decides it: not when the run was stopped in it or before it.
pub fn is_final(cell: &CellEvidence) -> bool {
    let unplanned = cell
        .not_run
        .as_ref()
        .is_some_and(|not_run| not_run.status == CellStatus::NotPlanned);
    cell.end != CellEnd::Interrupted && !unplanned
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokmark_run_format::evidence::ProbeEvidence;

    fn subject() -> Subject {
        Subject {
            engine: "vllm".to_owned(),
            version: Some("0.32.0".to_owned()),
            model: "small".to_owned(),
            max_length: Some(32_768),
            plan: Plan {
                contexts: vec![0, 16_384],
                requests: vec![1, 2],
                ..Plan::default()
            },
            options: None,
        }
    }

    fn journal(tail: &[u8]) -> tempfile::NamedTempFile {
        let header = Header::new("id", "0.1.0", "2026-01-01T00:00:00Z".to_owned(), subject());
        let mut text = serde_json::to_vec(&header).unwrap();
        text.push(b'\n');
        text.extend_from_slice(tail);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn a_torn_line_and_what_follows_is_not_read() {
        let probes = Record::Probes(ProbeEvidence::default());
        let whole = format!("{}\n", serde_json::to_string(&probes).unwrap());
        let note = "{\"note\":{\"code\":\"a\",\"text\":\"b\"}}\n";
        let check = |tail: &str, records: usize, notes: usize, left_bytes: usize| {
            let file = journal(tail.as_bytes());
            let read = Journal::read(file.path()).unwrap();
            assert_eq!((read.records.len(), read.notes.len()), (records, notes));
            let size = std::fs::metadata(file.path()).unwrap().len();
            assert_eq!(
                size - read.whole_bytes,
                float::len_u64(left_bytes),
                "{tail}"
            );
        };
        check("", 0, 0, 0);
        check(&whole, 1, 0, 0);
        check(&format!("{whole}{note}"), 1, 1, 0);
        // Whole JSON without its end of line may have been longer.
        check(whole.trim_end(), 0, 0, whole.len() - 1);
        check(&format!("{whole}{{\"rec"), 1, 0, 5);
        check(&format!("{whole}garbage\n{whole}"), 1, 0, 8 + whole.len());
    }

    #[test]
    fn what_is_no_journal_is_said() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = || Journal::read(file.path()).unwrap_err();
        assert!(matches!(read(), JournalError::Empty));
        std::fs::write(file.path(), "{\"journal\":\"tokmark-jour").unwrap();
        assert!(matches!(read(), JournalError::Empty));
        std::fs::write(file.path(), "{}\n").unwrap();
        assert!(matches!(read(), JournalError::Format));
        let header = Header {
            journal: "tokmark-journal/9".to_owned(),
            ..Header::new("id", "9", String::new(), subject())
        };
        std::fs::write(
            file.path(),
            format!("{}\n", serde_json::to_string(&header).unwrap()),
        )
        .unwrap();
        assert!(matches!(read(), JournalError::Format));
    }

    #[test]
    fn every_difference_is_a_sentence() {
        let was = subject();
        assert_eq!(was.differences(&was), Vec::<String>::new());
        let mut now = subject();
        now.version = None;
        now.model = "large".to_owned();
        now.plan.contexts.push(32_768);
        now.plan.window_s = 5.0;
        assert_eq!(
            was.differences(&now),
            [
                "the server's version was 0.32.0 and is unknown",
                "the model was small and is large",
                "--contexts was 0,16K and is 0,16K,32K",
                "--duration was 0 s and is 5 s",
            ]
        );
    }
}
