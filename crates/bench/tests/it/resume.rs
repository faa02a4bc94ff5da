//! A run that is killed at any moment and goes on ends as if nothing had happened.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokmark_bench::journal::Header;
use tokmark_bench::{
    Facts, Journal, JournalError, Keep, Outcome, OutputDir, Run, Settings, Subject, assemble,
};
use tokmark_measure::verify;
use tokmark_run_format::evidence::{CellEnd, CellEvidence, Record};
use tokmark_run_format::{CellStatus, Hardware, RunDocument, Tool};
use tokmark_test_kit::SimBench;
use tokmark_units::{Context, Timestamp};

use crate::{CHAT, settings, sim};

/// Kills.
const MOMENTS: u64 = 200;

fn asked() -> Settings {
    Settings {
        prefill_contexts: Some(vec![Context(1_024), Context(2_048)]),
        window: std::time::Duration::from_secs(2),
        ..settings("0,2k", &[1, 3])
    }
}

async fn bench() -> SimBench {
    SimBench::start(sim(|_| {}), CHAT).await.unwrap()
}

/// Runs in a folder until the end, from its journal when it has one that holds something.
async fn run(bench: &SimBench, asked: &Settings, folder: &Path) -> (Outcome, OutputDir) {
    let path = folder.join("run.journal");
    let journal = match Journal::read(&path) {
        Ok(journal) => Some(journal),
        Err(JournalError::Empty) => {
            fs::remove_file(&path).unwrap();
            None
        }
        Err(JournalError::Io(_)) => None,
        Err(error) => panic!("{error}"),
    };
    let subject = Subject::of(&bench.session, asked);
    let mut output = match &journal {
        None => {
            let mut output = OutputDir::create(folder, "run").unwrap();
            let header = Header::new("test", "0.1.0", "2026-01-01T00:00:00Z".into(), subject);
            output.begin(&header).unwrap();
            output
        }
        Some(journal) => {
            let differences = journal.header.subject.differences(&subject);
            assert_eq!(differences, Vec::<String>::new());
            OutputDir::go_on(&path, journal, "2026-01-01T01:00:00Z".into()).unwrap()
        }
    };
    let (listener, _events) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut run = Run::new(&bench.session, asked, "test", &mut output, &listener, &stop);
    if let Some(journal) = journal {
        run = run.go_on(journal);
    }
    let outcome = run.measure().await.unwrap();
    (outcome, output)
}

fn document(bench: &SimBench, asked: &Settings, outcome: &Outcome) -> RunDocument {
    let at = Timestamp::from_unix_millis(0).unwrap();
    let facts = Facts {
        id: "test".to_owned(),
        tool: Tool::default(),
        started: at,
        finished: at,
        hardware: Hardware::default(),
        launch_command: None,
        flags: Vec::new(),
        note: None,
        declared: tokmark_bench::Declared::default(),
    };
    assemble::document(&bench.session, asked, outcome, facts)
}

/// Everything but times and what follows from them: places, statuses, reasons, counts of the plan,
/// prompts, and where each figure comes from.
fn without_times(document: &RunDocument) -> serde_json::Value {
    let mut value = serde_json::to_value(document).unwrap();
    strip(&mut value);
    value
}

fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(parts) => parts.iter_mut().for_each(strip),
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| {
                let measured = [
                    "_ms",
                    "_s",
                    "_at",
                    "fraction",
                    "share",
                    "ci95_low",
                    "ci95_high",
                ];
                let derived = [
                    "drift",
                    "ci_batches",
                    "output_tokens",
                    "stream_tokens",
                    "mean_depth",
                    "average_active_requests",
                    "server_running",
                    "server_waiting",
                    "server_output_tokens",
                    "gaps",
                    "client",
                    "reads",
                ];
                !measured.iter().any(|ending| name.ends_with(ending))
                    && !derived.contains(&name.as_str())
            });
            fields.values_mut().for_each(strip);
        }
        _ => {}
    }
}

/// How far two figures may be apart that the simulated server gives on two occasions.
fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 0.02 * a.abs(),
        (None, None) => true,
        _ => false,
    }
}

fn same_numbers(a: &RunDocument, b: &RunDocument, at: usize) {
    for (one, other) in a.decode.iter().zip(&b.decode) {
        let place = (one.context, one.requests);
        let pairs = [
            (one.total_tokens_per_s, other.total_tokens_per_s),
            (one.per_request_tokens_per_s, other.per_request_tokens_per_s),
        ];
        for (one, other) in pairs {
            assert!(
                close(one, other),
                "cut at {at}, {place:?}: {one:?} {other:?}"
            );
        }
    }
    for (one, other) in a.prefill.iter().zip(&b.prefill) {
        let pair = (one.prompt_tokens_per_s, other.prompt_tokens_per_s);
        assert!(
            close(pair.0, pair.1),
            "cut at {at}, {}: {pair:?}",
            one.context
        );
    }
}

/// Spread over the whole journal, with the ends of lines among them.
fn moments(journal: &[u8]) -> Vec<usize> {
    let length = u64::try_from(journal.len()).unwrap();
    let mut state = 7_u64;
    let mut found: Vec<usize> = (0..MOMENTS)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 16) % length).unwrap()
        })
        .collect();
    // Big lines hide small ones: each is torn once.
    let ends = journal
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n');
    found.extend(ends.map(|(place, _)| place));
    found
}

#[tokio::test(start_paused = true)]
async fn a_run_killed_at_any_moment_goes_on_to_the_same_end() {
    let asked = asked();
    let folder = tempfile::tempdir().unwrap();
    let undisturbed = bench().await;
    let (outcome, output) = run(&undisturbed, &asked, folder.path()).await;
    let expected = document(&undisturbed, &asked, &outcome);
    assert!(expected.complete);
    let journal = fs::read(output.journal_path()).unwrap();
    drop(output);
    // Kills inside the same line leave the same records: one of them goes on, the others are read.
    let mut gone_on = BTreeSet::new();
    for at in moments(&journal) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.journal");
        fs::write(&path, &journal[..at]).unwrap();
        let whole = journal[..at].split(|byte| *byte == b'\n').count() - 1;
        let on_record = match Journal::read(&path) {
            Ok(journal) => {
                assert_eq!(journal.records.len() + journal.notes.len() + 1, whole);
                journal.records
            }
            Err(JournalError::Empty) => {
                assert_eq!(whole, 0);
                Vec::new()
            }
            Err(error) => panic!("{error}"),
        };
        if !gone_on.insert(whole) {
            continue;
        }
        let again = bench().await;
        let (outcome, output) = run(&again, &asked, folder.path()).await;
        let cells = |record: &Record| match record {
            Record::Cell(cell) => Some(cell.clone()),
            _ => None,
        };
        let kept: Vec<_> = on_record.iter().filter_map(cells).collect();
        let after: Vec<_> = outcome.records.iter().filter_map(cells).collect();
        assert_eq!(
            kept[..],
            after[..kept.len()],
            "nothing on record is measured again"
        );
        assert_eq!(after.len(), expected.decode.len(), "cut at {at}");
        let found = document(&again, &asked, &outcome);
        assert_eq!(
            without_times(&found),
            without_times(&expected),
            "cut at {at}"
        );
        same_numbers(&found, &expected, at);
        // Journal and document tell the same, and evidence and document agree.
        let read = Journal::read(&output.journal_path()).unwrap();
        assert_eq!(read.records, outcome.records);
        let mut found = found;
        let path = output.finish(&mut found, &outcome.records).unwrap();
        assert!(path.exists() && !output.journal_path().exists());
        let differences = verify::run(&found, &outcome.records);
        let differs = |d: &verify::Difference| d.path != "id" && !d.path.starts_with("plan");
        assert!(!differences.iter().any(differs), "{differences:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_stopped_is_measured_when_the_run_goes_on() {
    use CellStatus::{Interrupted, NotPlanned, Valid};
    let asked = asked();
    let folder = tempfile::tempdir().unwrap();
    let first = bench().await;
    let mut output = OutputDir::create(folder.path(), "run").unwrap();
    let subject = Subject::of(&first.session, &asked);
    let header = Header::new("test", "0.1.0", "2026-01-01T00:00:00Z".into(), subject);
    output.begin(&header).unwrap();
    let stop = CancellationToken::new();
    let (listener, mut events) = mpsc::unbounded_channel();
    let stopper = stop.clone();
    let watching = tokio::spawn(async move {
        let mut cells = 0;
        while let Some(event) = events.recv().await {
            cells += usize::from(matches!(event, tokmark_bench::Progress::CellStarted { .. }));
            if cells == 2 {
                stopper.cancel();
            }
        }
    });
    let run_to_stop = Run::new(
        &first.session,
        &asked,
        "test",
        &mut output,
        &listener,
        &stop,
    );
    let outcome = run_to_stop.measure().await.unwrap();
    drop(listener);
    watching.await.unwrap();
    assert!(!outcome.complete);
    let statuses = |outcome: &Outcome| -> Vec<CellStatus> {
        outcome.decode.iter().map(|cell| cell.status).collect()
    };
    assert_eq!(
        statuses(&outcome),
        [Valid, Interrupted, NotPlanned, NotPlanned]
    );
    let mut partly = document(&first, &asked, &outcome);
    output.finish(&mut partly, &outcome.records).unwrap();
    assert!(output.journal_path().exists(), "it can go on");
    drop(output);

    let (outcome, output) = run(&first, &asked, folder.path()).await;
    assert_eq!(statuses(&outcome), [Valid; 4]);
    assert!(outcome.complete);
    let interrupted =
        |record: &Record| matches!(record, Record::Cell(cell) if cell.end == CellEnd::Interrupted);
    assert!(!outcome.records.iter().any(interrupted));
    let mut whole = document(&first, &asked, &outcome);
    output.finish(&mut whole, &outcome.records).unwrap();
    assert!(!output.journal_path().exists());
}

#[tokio::test(start_paused = true)]
async fn a_run_under_way_is_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench().await;
    let mut output = OutputDir::create(folder.path(), "run").unwrap();
    let subject = Subject::of(&bench.session, &asked());
    output
        .begin(&Header::new("test", "0.1.0", String::new(), subject))
        .unwrap();
    let journal = Journal::read(&output.journal_path()).unwrap();
    let error = OutputDir::go_on(&output.journal_path(), &journal, String::new()).unwrap_err();
    assert!(error.to_string().contains("another tokmark"), "{error}");
    let path = output.journal_path();
    drop(output);
    OutputDir::go_on(&path, &journal, String::new()).unwrap();
}

#[test]
fn cells_that_were_not_planned_are_open() {
    let cell = |end, not_run: Option<CellStatus>| {
        let not_run = not_run.map(|status| tokmark_run_format::evidence::NotRun {
            status,
            reason: String::new(),
            need_tokens: None,
            budget_tokens: None,
            admission_limit: None,
        });
        tokmark_bench::journal::is_final(&CellEvidence {
            end,
            not_run,
            ..CellEvidence::default()
        })
    };
    assert!(cell(CellEnd::Measured, None));
    assert!(cell(CellEnd::Failed, None));
    assert!(cell(CellEnd::Skipped, None));
    assert!(cell(CellEnd::Measured, Some(CellStatus::OverCapacity)));
    assert!(!cell(CellEnd::Interrupted, None));
    assert!(!cell(CellEnd::Measured, Some(CellStatus::NotPlanned)));
}

/// A journal on a disk that is full after so many lines.
struct Full(usize);

impl Keep for Full {
    fn keep(&mut self, _record: &Record) -> std::io::Result<()> {
        let left = self.0.checked_sub(1);
        self.0 = left.ok_or(std::io::ErrorKind::StorageFull)?;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_ends_the_journal_and_not_the_run() {
    let asked = asked();
    let bench = bench().await;
    let (listener, _events) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let mut keep = Full(3);
    let run = Run::new(&bench.session, &asked, "test", &mut keep, &listener, &stop);
    let outcome = run.measure().await.unwrap();
    assert!(outcome.complete);
    assert_eq!(outcome.decode.len(), 4);
    assert!(
        outcome
            .decode
            .iter()
            .all(|cell| cell.status == CellStatus::Valid)
    );
    let why = outcome.keep_failure.unwrap();
    let note = outcome
        .notes
        .iter()
        .find(|note| note.code == "journal_failed");
    assert!(note.unwrap().text.contains(&why), "{why}");
    // Everything is still there to be written elsewhere.
    let cells = outcome
        .records
        .iter()
        .filter(|record| matches!(record, Record::Cell(_)));
    assert_eq!(cells.count(), 4);
}
