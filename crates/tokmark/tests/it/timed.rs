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
struct Sim {
    child: Child,
    address: String,
}

impl Sim {
    fn start(truth: &Path) -> Self {
        let program = assert_cmd::cargo::cargo_bin("tokmark");
        let mut child = Command::new(program)
            .args(["--quiet", "sim", "--port", "0", "--truth"])
            .arg(truth)
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
    for (cell, evidence) in cells.iter().zip(&evidence) {
        assert_eq!(cell.status, CellStatus::Valid, "{:?}", cell.reason);
        compare(cell, evidence, truth);
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

/// The truth of a request: the one with its prompt and limit whose arrival is nearest to the
/// cell's others. Prompt and limit together tell the streams of a cell apart.
fn twin<'a>(request: &RequestEvidence, evidence: &CellEvidence, truth: &'a [Value]) -> &'a Value {
    let mut alike = truth.iter().filter(|row| {
        row["max_tokens"] == request.max_tokens
            && Some(&row["prompt_tokens"]) == request.prompt_tokens.map(Value::from).as_ref()
    });
    let first = alike.next().unwrap();
    assert!(
        alike.all(|row| row["arrival_ns"] != first["arrival_ns"]) || evidence.requests == 1,
        "two requests look the same"
    );
    first
}

fn compare(cell: &DecodeCell, evidence: &CellEvidence, truth: &[Value]) {
    let place = format!("{} x {}", cell.context, cell.requests);
    let window = evidence.window.unwrap();
    let twins: Vec<(&RequestEvidence, &Value)> = evidence
        .streams
        .iter()
        .map(|request| (request, twin(request, evidence, truth)))
        .collect();
    // Server clock less client clock: a request cannot arrive before it was sent.
    let offset = twins
        .iter()
        .map(|(request, row)| ns(&row["arrival_ns"]) - i128::from(request.sent_ns))
        .min()
        .unwrap();
    let edges = (
        i128::from(window.start_ns) + offset,
        i128::from(window.end_ns) + offset,
    );
    let (mut sent, mut ttfts, mut paces) = (0, Vec::new(), Vec::new());
    for (request, row) in &twins {
        let emissions = row["emissions"].as_array().unwrap();
        let inside: Vec<i128> = emissions
            .iter()
            .map(|emission| ns(&emission[0]))
            .filter(|at| (edges.0..edges.1).contains(at))
            .collect();
        sent += inside.len();
        let span = inside[inside.len() - 1] - inside[0];
        paces.push(ms(span) / f64::from(u32::try_from(inside.len() - 1).unwrap()));
        ttfts.push(ms(ns(&emissions[0][0])
            - offset
            - i128::from(request.sent_ns)));
    }
    let total = f64::from(u32::try_from(sent).unwrap()) / cell.measured_s.unwrap();
    let measured = cell.total_tokens_per_s.unwrap();
    println!("{place}: {measured} tok/s for {total}");
    assert!(
        (measured / total - 1.0).abs() <= TOTAL,
        "{place}: {measured} for {total}"
    );
    near(&place, "TTFT", cell.ttft_ms.unwrap(), median(ttfts));
    near(
        &place,
        "time between tokens",
        cell.time_between_tokens_ms.unwrap(),
        median(paces),
    );
}

fn near(place: &str, what: &str, measured: f64, truth: f64) {
    println!("{place}: {what} {measured:.3} ms for {truth:.3} ms");
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
