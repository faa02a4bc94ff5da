//! `run --resume` after a kill.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::{fails, tokmark};

/// A process that is ended when dropped.
pub(crate) struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _already_gone = self.0.kill();
        let _ended = self.0.wait();
    }
}

pub(crate) fn server() -> (Process, String) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args(["sim", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    lines.read_line(&mut url).unwrap();
    (Process(process), url.trim().to_owned())
}

fn arguments<'a>(url: &'a str, folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = [
        "run",
        url,
        "--prefill",
        "off",
        "--contexts",
        "0",
        "--duration",
        "1s",
        "--hardware",
        "none",
        "--plain",
        "--yes",
        "--output",
        folder,
    ];
    [&fixed[..], more].concat()
}

/// Starts a run and kills it as soon as its first cell is measured.
fn killed_after_a_cell(arguments: &[&str]) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tokmark"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stderr.take().unwrap());
    let mut process = Process(process);
    let measured = lines
        .lines()
        .map_while(Result::ok)
        .any(|line| line.starts_with("decode"));
    assert!(measured, "no cell was measured");
    process.0.kill().unwrap();
    process.0.wait().unwrap();
}

fn only(folder: &Path, ending: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = entries.filter(|path| path.extension().is_some_and(|found| found == ending));
    let first = found.next();
    assert!(found.next().is_none(), "several {ending}");
    first
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("run with spaces");
    let place = place.to_str().unwrap();
    let asked = arguments(&url, place, &["--requests", "1,2"]);
    killed_after_a_cell(&asked);
    let journal = fs::read_to_string(only(Path::new(place), "journal").unwrap()).unwrap();
    assert!(only(Path::new(place), "json").is_none());
    let on_record = |line: &&str| line.contains("\"record\":\"cell\"");
    let first: Value = serde_json::from_str(journal.lines().find(on_record).unwrap()).unwrap();

    let other = [
        &arguments(&url, place, &["--requests", "1,4"])[..],
        &["--resume"],
    ]
    .concat();
    let refused = fails(
        &other,
        2,
        &["cannot go on", "--requests was 1,2 and is 1,4"],
    );
    assert!(
        refused.contains("same server, model and options"),
        "{refused}"
    );

    let again = [&asked[..], &["--resume"]].concat();
    let output = tokmark(&again);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("cells on record: 1"), "{said}");
    assert!(only(Path::new(place), "journal").is_none());
    let path = only(Path::new(place), "json").unwrap();
    let document: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let cells = document["decode"].as_array().unwrap();
    assert_eq!(cells.len(), 2);
    // The first one is that of the journal: its window is not another one.
    let streams = first["streams"].as_array().unwrap();
    assert_eq!(streams.len(), 1);
    assert_eq!(cells[0]["requests"], 1);
    let start = document["started_at"].as_str().unwrap();
    assert!(journal.lines().next().unwrap().contains(start));
    assert!(
        tokmark(&["verify", path.to_str().unwrap()])
            .status
            .success()
    );

    finished_is_said(&url, place, &again, &path);
}

/// A run without anything left is named, by its own arguments and by its folder.
fn finished_is_said(url: &str, place: &str, again: &[&str], path: &Path) {
    let output = tokmark(again);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let finished = format!("this run is finished: {}", path.display());
    assert!(said.contains(&finished), "{said}");
    let folder_named = [
        "run",
        url,
        "--prefill",
        "off",
        "--contexts",
        "0",
        "--duration",
        "1s",
    ];
    let rest = [
        "--hardware",
        "none",
        "--plain",
        "--requests",
        "1,2",
        "--resume",
        place,
    ];
    let output = tokmark(&[&folder_named[..], &rest].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&finished), "{said}");
}

#[test]
fn without_an_unfinished_run_a_new_one_begins() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new");
    let asked = arguments(
        &url,
        place.to_str().unwrap(),
        &["--requests", "1", "--resume"],
    );
    let output = tokmark(&asked);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("no unfinished run to go on with; a new one begins"),
        "{said}"
    );
    assert!(only(&place, "json").is_some());
}

#[test]
fn a_damaged_journal_is_named() {
    let (_server, url) = server();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("run.journal");
    fs::write(&journal, "not a journal\n").unwrap();
    let place = folder.path().to_str().unwrap();
    let asked = arguments(&url, place, &["--requests", "1", "--resume"]);
    let name = journal.display().to_string();
    fails(&asked, 2, &[&name, "not a journal of a known version"]);
    assert_eq!(fs::read_to_string(&journal).unwrap(), "not a journal\n");
}
