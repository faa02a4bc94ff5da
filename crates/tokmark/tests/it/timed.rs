//! The program against the simulated server on the real clock: `./test --timed`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tokmark_run_format::evidence::{CellEvidence, Record, RequestEvidence};
use tokmark_run_format::{CellStatus, DecodeCell, read_document, wire};

use crate::tokmark;

/// Total tokens may be off by this share.
const TOTAL: f64 = 0.005;
/// Times may be off by this share, or by a millisecond.
const TIME: f64 = 0.01;

/// A simulated server as a process of its own.
pub(crate) struct Sim {
    child: Child,
    pub(crate) address: String,
}

impl Sim {
    fn start(truth: &Path) -> Self {
        Self::with(&["--truth", &truth.display().to_string()])
    }

    /// With these options of `tokmark sim`.
    pub(crate) fn with(options: &[&str]) -> Self {
        let program = assert_cmd::cargo::cargo_bin("tokmark");
        let mut child = Command::new(program)
            .args(["--quiet", "sim", "--port", "0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        Self {
            child,
            address: address.trim().to_owned(),
        }
    }

    /// Ends it as Ctrl-C does, so that it writes its truth.
    fn end(mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        // Only reached with the process alive when the test failed.
        let _ended = self.child.kill();
    }
}

#[test]
#[ignore = "takes a minute on the real clock"]
fn timed_totals_and_latencies_are_the_truth() {
    let dir = tempfile::tempdir().unwrap();
    let truth_file = dir.path().join("truth");
    let results = dir.path().join("results");
    let sim = Sim::start(&truth_file);
    let run = tokmark(&[
        "run",
        &sim.address,
        "--contexts",
        "0,2k",
        "--requests",
        "1,16,64",
        "--duration",
        "6s",
        "--hardware",
        "none",
        "--output",
        &results.display().to_string(),
    ]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    sim.end();
    let truth: Value = serde_json::from_slice(&std::fs::read(&truth_file).unwrap()).unwrap();
    let truth = truth["requests"].as_array().unwrap();
    let (cells, evidence) = read(&results);
    let offset = evidence
        .iter()
        .map(|cell| clock_offset(cell, truth))
        .min()
        .unwrap();
    for (cell, evidence) in cells.iter().zip(&evidence) {
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        compare(cell, evidence, truth, offset);
    }
}

fn read(results: &Path) -> (Vec<DecodeCell>, Vec<CellEvidence>) {
    let named = |ending: &str| {
        let mut all = std::fs::read_dir(results)
            .unwrap()
            .map(|e| e.unwrap().path());
        all.find(|path| path.to_string_lossy().ends_with(ending))
            .unwrap()
    };
    let document = read_document(&std::fs::read_to_string(named(".json")).unwrap()).unwrap();
    let packed = std::fs::read(named(".evidence.zst")).unwrap();
    let records = wire::read(packed.as_slice(), 1 << 30).unwrap();
    let evidence = records
        .into_iter()
        .filter_map(|record| match record {
            Record::Cell(cell) => Some(*cell),
            _ => None,
        })
        .collect();
    (document.decode, evidence)
}

/// Server clock less client clock, in nanoseconds. A request cannot arrive before it was sent: the
/// smallest difference of all requests is the offset, to the time of the fastest way.
fn clock_offset(evidence: &CellEvidence, truth: &[Value]) -> i128 {
    let difference = |(request, row): (&RequestEvidence, &Value)| {
        ns(&row["arrival_ns"]) - i128::from(request.sent_ns)
    };
    twins(evidence, truth)
        .into_iter()
        .map(difference)
        .min()
        .unwrap()
}

/// Requests of a cell with their rows in the truth, as far as prompt and limit tell them apart.
fn twins<'a>(
    evidence: &'a CellEvidence,
    truth: &'a [Value],
) -> Vec<(&'a RequestEvidence, &'a Value)> {
    let row_of = |request: &'a RequestEvidence| {
        let prompt = Value::from(request.prompt_tokens?);
        let mut alike = truth.iter().filter(move |row| {
            row["max_tokens"] == request.max_tokens && row["prompt_tokens"] == prompt
        });
        let only = alike.next()?;
        alike.next().is_none().then_some((request, only))
    };
    evidence.streams.iter().filter_map(row_of).collect()
}

fn compare(cell: &DecodeCell, evidence: &CellEvidence, truth: &[Value], offset: i128) {
    let place = format!("{} x {}", cell.context, cell.requests);
    let window = evidence.window.unwrap();
    let edges = i128::from(window.start_ns) + offset..i128::from(window.end_ns) + offset;
    let inside = |row: &Value| -> Vec<i128> {
        let emissions = row["emissions"].as_array().unwrap().iter();
        emissions
            .map(|e| ns(&e[0]))
            .filter(|at| edges.contains(at))
            .collect()
    };
    // Nothing else runs on the server during a window: all that it sent belongs to the cell.
    let sent: usize = truth.iter().map(|row| inside(row).len()).sum();
    let total = count(sent) / cell.measured_s.unwrap();
    let measured = cell.total_tokens_per_s.unwrap();
    println!("{place}: {measured:.2} tok/s for {total:.2}");
    assert!(
        (measured / total - 1.0).abs() <= TOTAL,
        "{place}: {measured} for {total}"
    );

    let twins = twins(evidence, truth);
    assert!(!twins.is_empty(), "{place}: no request can be told apart");
    let mut paces = Vec::new();
    for (request, row) in &twins {
        let first = ns(&row["emissions"][0][0]) - offset - i128::from(request.sent_ns);
        let ttft = i128::from(request.ttft_ns().unwrap());
        near(&place, "TTFT", ms(ttft), ms(first));
        let inside = inside(row);
        let span = inside[inside.len() - 1] - inside[0];
        paces.push(ms(span) / count(inside.len() - 1));
    }
    let between = median(paces);
    println!(
        "{place}: {} ms between tokens for {between:.3}",
        cell.time_between_tokens_ms.unwrap()
    );
    near(
        &place,
        "time between tokens",
        cell.time_between_tokens_ms.unwrap(),
        between,
    );
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap())
}

fn near(place: &str, what: &str, measured: f64, truth: f64) {
    let allowed = (truth * TIME).max(1.0);
    assert!(
        (measured - truth).abs() <= allowed,
        "{place}: {what} {measured} for {truth}"
    );
}

fn ns(value: &Value) -> i128 {
    i128::from(value.as_u64().unwrap())
}

#[expect(
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "spans of seconds"
)]
fn ms(ns: i128) -> f64 {
    ns as f64 / 1e6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
