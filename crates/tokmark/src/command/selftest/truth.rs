//! What was measured beside what the simulated server knows it did.
//!
//! The two clocks are brought together by the requests: none can arrive before it was sent, so the
//! smallest difference of arrival and send is the clocks' difference, to the time of the fastest
//! way through the kernel.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokmark_measure::stats::percentile;
use tokmark_run_format::evidence::{CellEvidence, RequestEvidence, Window};
use tokmark_units::{Nanos, float};

/// The server's own account of what it sent.
#[derive(Debug, Deserialize)]
pub(super) struct Truth {
    lateness: Lateness,
    requests: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Lateness {
    p99_ns: u64,
}

#[derive(Debug, Deserialize)]
struct Row {
    max_tokens: u64,
    arrival_ns: u64,
    first_sent_ns: Option<u64>,
    ended_ns: Option<u64>,
    /// Sent, due, tokens.
    emissions: Vec<(u64, u64, u32)>,
}

/// How often, and how many times, the server is asked until it has noticed that its clients left.
const ASK_EVERY: Duration = Duration::from_millis(100);
const ASK_TIMES: usize = 50;

impl Truth {
    /// Asks the server, until all its requests have ended.
    pub(super) fn settled(address: SocketAddr) -> Option<Self> {
        for _ in 0..ASK_TIMES {
            let truth = Self::fetch(address)?;
            if truth.requests.iter().all(|row| row.ended_ns.is_some()) {
                return Some(truth);
            }
            std::thread::sleep(ASK_EVERY);
        }
        None
    }

    fn fetch(address: SocketAddr) -> Option<Self> {
        let mut stream = TcpStream::connect(address).ok()?;
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .ok()?;
        let request = format!("GET /truth HTTP/1.0\r\nhost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }
}

/// Measured less true, in milliseconds; the total as a share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accuracy {
    pub(super) ttft_p50_ms: f64,
    pub(super) ttft_p99_ms: f64,
    pub(super) gap_p50_ms: f64,
    pub(super) gap_p99_ms: f64,
    pub(super) total: f64,
    /// 99th percentile of how late the server itself was, in milliseconds.
    pub(super) server_late_p99_ms: f64,
}

impl Accuracy {
    /// The largest error, in milliseconds.
    pub(super) fn worst_ms(&self) -> f64 {
        let all = [
            self.ttft_p50_ms,
            self.ttft_p99_ms,
            self.gap_p50_ms,
            self.gap_p99_ms,
        ];
        all.into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    /// Compares a cell with the truth. Every request has an output limit of its own, which tells it
    /// from the others. `None` when the truth knows none of them.
    pub(super) fn of(evidence: &CellEvidence, truth: &Truth) -> Option<Self> {
        let rows: HashMap<u64, &Row> = truth
            .requests
            .iter()
            .map(|row| (row.max_tokens, row))
            .collect();
        let pairs: Vec<_> = evidence
            .streams
            .iter()
            .filter_map(|request| Some((request, *rows.get(&request.max_tokens)?)))
            .collect();
        let offset = pairs
            .iter()
            .map(|(request, row)| i128::from(row.arrival_ns) - i128::from(request.sent_ns))
            .min()?;
        let window = evidence.window?;
        let (mut ttft, mut true_ttft) = (Vec::new(), Vec::new());
        let (mut gaps, mut true_gaps) = (Vec::new(), Vec::new());
        let (mut tokens, mut true_tokens) = (0, 0);
        for (request, row) in pairs {
            ttft.extend(request.ttft_ns().map(|ns| Nanos(ns).as_millis_f64()));
            let first = row
                .first_sent_ns
                .map(|at| i128::from(at) - offset - i128::from(request.sent_ns));
            true_ttft.extend(first.map(ms));
            let seen = times(request);
            let sent: Vec<i128> = row
                .emissions
                .iter()
                .map(|(at, ..)| i128::from(*at) - offset)
                .collect();
            tokens += inside(&seen, window, &mut gaps);
            true_tokens += inside(&sent, window, &mut true_gaps);
        }
        let error = |measured: &[f64], truth: &[f64], share| {
            Some(percentile(measured, share)? - percentile(truth, share)?)
        };
        Some(Self {
            ttft_p50_ms: error(&ttft, &true_ttft, 0.5)?,
            ttft_p99_ms: error(&ttft, &true_ttft, 0.99)?,
            gap_p50_ms: error(&gaps, &true_gaps, 0.5)?,
            gap_p99_ms: error(&gaps, &true_gaps, 0.99)?,
            total: float::from_u64(tokens) / float::from_u64(true_tokens) - 1.0,
            server_late_p99_ms: Nanos(truth.lateness.p99_ns).as_millis_f64(),
        })
    }
}

fn times(request: &RequestEvidence) -> Vec<i128> {
    let events = request.events.iter();
    events.map(|event| i128::from(event.at_ns)).collect()
}

/// How many of the moments lie in the window; the gaps that end there are added.
fn inside(times: &[i128], window: Window, gaps: &mut Vec<f64>) -> u64 {
    let edges = i128::from(window.start_ns)..i128::from(window.end_ns);
    let ends = times
        .iter()
        .zip(times.iter().skip(1))
        .filter(|(_, end)| edges.contains(end));
    gaps.extend(ends.map(|(start, end)| ms(end - start)));
    float::len_u64(times.iter().filter(|at| edges.contains(at)).count())
}

fn ms(ns: i128) -> f64 {
    let ns = i64::try_from(ns).unwrap_or(i64::MAX);
    float::from_i64(ns) / 1e6
}
