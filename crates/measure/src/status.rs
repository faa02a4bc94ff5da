//! The rules of methodology section 5: which statuses hold for a cell that was begun.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tokmark_run_format::cell::{DecodeCell, FailureCount};
use tokmark_run_format::evidence::{CellEnd, CellEvidence};
use tokmark_run_format::status::CellStatus;
use tokmark_units::format::percent;
use tokmark_units::{float, format};

use crate::bursts::Bursts;
use crate::client;
use crate::energy::MOST_THROTTLED;
use crate::timeline::Timeline;

/// Fewest streams in decode on time average, as a share of C.
const LEAST_ACTIVE: f64 = 0.95;
/// Most waiting requests on time average, as a share of C.
const MOST_WAITING: f64 = 0.05;
/// Most stream time spent on restarts.
const MOST_RESTARTING: f64 = 0.05;
/// Most tokens of the window from requests that loop.
const MOST_LOOPED: f64 = 0.1;

/// A status that holds, with its figures in a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) status: CellStatus,
    pub(crate) reason: String,
}

impl Finding {
    fn new(status: CellStatus, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
        }
    }
}

/// Whether a cell of this status shows rates.
///
/// A looped cell shows none: the rule excepts dense models without speculation, and evidence of
/// this version does not say whether a model is dense.
pub(crate) fn shows_numbers(status: CellStatus) -> bool {
    match status {
        CellStatus::Valid
        | CellStatus::Queued
        | CellStatus::Preempted
        | CellStatus::Restarts
        | CellStatus::ClientLimited
        | CellStatus::Throttled
        | CellStatus::Buffered => true,
        CellStatus::NotPlanned
        | CellStatus::Skipped
        | CellStatus::OverLength
        | CellStatus::OverCapacity
        | CellStatus::OverAdmission
        | CellStatus::BusyServer
        | CellStatus::NotReady
        | CellStatus::Interrupted
        | CellStatus::Failed
        | CellStatus::Looped => false,
    }
}

/// What the end of the work on a cell says, before any number.
pub(crate) fn of_end(evidence: &CellEvidence, failures: &[FailureCount]) -> Vec<Finding> {
    let told = |otherwise: &str| {
        let reason = evidence.end_reason.clone();
        reason.unwrap_or_else(|| otherwise.to_owned())
    };
    let has_window = evidence.window.is_some_and(|window| window.len_ns() > 0);
    let mut findings = Vec::new();
    match evidence.end {
        CellEnd::Measured if has_window => {}
        CellEnd::Measured => findings.push(Finding::new(
            CellStatus::Interrupted,
            "the evidence has no window",
        )),
        CellEnd::BusyServer => findings.push(Finding::new(
            CellStatus::BusyServer,
            told("the server did not become idle"),
        )),
        CellEnd::NotReady => findings.push(Finding::new(
            CellStatus::NotReady,
            told("no request had its first token in time"),
        )),
        CellEnd::Interrupted => {
            findings.push(Finding::new(
                CellStatus::Interrupted,
                told("stopped before its end"),
            ));
        }
        CellEnd::Skipped => {
            findings.push(Finding::new(
                CellStatus::Skipped,
                told("skipped while it ran"),
            ));
        }
        CellEnd::Failed if failures.is_empty() => {
            findings.push(Finding::new(
                CellStatus::Failed,
                told("the cell was given up"),
            ));
        }
        CellEnd::Failed => {}
    }
    if !failures.is_empty() {
        findings.push(Finding::new(CellStatus::Failed, failed(evidence, failures)));
    }
    findings
}

/// Failures by class and HTTP status, the most frequent first: a refused field and a broken server
/// have different remedies (case B092).
pub(crate) fn failures(evidence: &CellEvidence) -> Vec<FailureCount> {
    let mut classes: BTreeMap<(&str, Option<u16>), FailureCount> = BTreeMap::new();
    for failure in evidence
        .streams
        .iter()
        .filter_map(|request| request.failure.as_ref())
    {
        let counted = classes
            .entry((&failure.class, failure.http_status))
            .or_insert_with(|| FailureCount {
                class: failure.class.clone(),
                count: 0,
                http_status: failure.http_status,
                sample: failure.message.clone(),
            });
        counted.count += 1;
    }
    let mut counts: Vec<FailureCount> = classes.into_values().collect();
    counts.sort_by_key(|class| Reverse(class.count));
    counts
}

fn failed(evidence: &CellEvidence, failures: &[FailureCount]) -> String {
    let failed: u64 = failures.iter().map(|class| class.count).sum();
    let sent = evidence.streams.len();
    let one = |class: &FailureCount| match class.http_status {
        Some(status) => format!("{} ({status})", class.class),
        None => class.class.clone(),
    };
    let classes: Vec<String> = failures.iter().map(one).collect();
    let sample = failures.first().map_or("", |class| class.sample.as_str());
    let tries = if evidence.retry > 0 {
        ", also when tried again"
    } else {
        ""
    };
    format!(
        "{failed} of {sent} requests failed{tries}: {}: {sample}",
        classes.join(", ")
    )
}

/// What the window's numbers say.
pub(crate) fn of_window(
    evidence: &CellEvidence,
    timeline: &Timeline<'_>,
    cell: &DecodeCell,
) -> Vec<Finding> {
    [
        looped(evidence, timeline, cell),
        client::limit(evidence, cell).map(|reason| Finding::new(CellStatus::ClientLimited, reason)),
        throttled(cell),
        preempted(cell),
        queued(evidence, timeline, cell),
        restarts(cell),
        buffered(evidence, timeline),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn throttled(cell: &DecodeCell) -> Option<Finding> {
    let share = cell.energy.as_ref()?.throttled_share?;
    (share > MOST_THROTTLED).then(|| {
        let reason = format!(
            "heat or the power brake lowered an accelerator's clocks on {} of the samples",
            percent(share)
        );
        Finding::new(CellStatus::Throttled, reason)
    })
}

/// What looping requests gave in the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loops {
    streams: usize,
    share: f64,
}

impl Loops {
    /// `None` when nothing loops.
    pub(crate) fn of(timeline: &Timeline<'_>, cell: &DecodeCell) -> Option<Self> {
        let all = cell.output_tokens.filter(|tokens| *tokens > 0)?;
        let (tokens, streams) = timeline.looped();
        (streams > 0).then(|| Self {
            streams,
            share: float::from_u64(tokens) / float::from_u64(all),
        })
    }

    /// Whether they make the cell's status.
    pub(crate) fn decide(self, evidence: &CellEvidence) -> bool {
        evidence.loop_check && self.share > MOST_LOOPED
    }

    pub(crate) fn sentence(self) -> String {
        let repeating = match self.streams {
            1 => "1 stream that repeats itself".to_owned(),
            many => format!("{many} streams that repeat themselves"),
        };
        format!(
            "{} of the window's tokens come from {repeating}",
            percent(self.share)
        )
    }
}

fn looped(evidence: &CellEvidence, timeline: &Timeline<'_>, cell: &DecodeCell) -> Option<Finding> {
    let loops = Loops::of(timeline, cell).filter(|loops| loops.decide(evidence))?;
    let tries = if evidence.retry > 0 {
        ", also with new tasks"
    } else {
        ""
    };
    let reason = format!("{}{tries}", loops.sentence());
    Some(Finding::new(CellStatus::Looped, reason))
}

fn preempted(cell: &DecodeCell) -> Option<Finding> {
    let count = cell.preemptions.filter(|count| *count > 0)?;
    let often = match count {
        1 => "once".to_owned(),
        _ => format!("{} times", format::count(count)),
    };
    Some(Finding::new(
        CellStatus::Preempted,
        format!("the server took a running request out of its cache {often} in launch and window"),
    ))
}

fn queued(evidence: &CellEvidence, timeline: &Timeline<'_>, cell: &DecodeCell) -> Option<Finding> {
    let requests = f64::from(evidence.requests);
    let active = cell.average_active_requests?;
    let restarting = cell.restart_fraction.unwrap_or(0.0) * requests;
    let few = active + restarting < LEAST_ACTIVE * requests;
    let waiting = cell
        .server_waiting
        .filter(|waiting| *waiting > MOST_WAITING * requests);
    let above = evidence
        .admission_limit
        .filter(|limit| evidence.requests > *limit);
    let admitted = timeline.admitted();
    // Where answers end by themselves every stream has its turn, and what looks like restarts is the
    // wait for one: no more than the limit decode at any time.
    let no_more = |limit: u32| active < f64::from(limit) + 0.5;
    let over_limit = above.filter(|limit| admitted < timeline.streams.len() || no_more(*limit));
    if !few && waiting.is_none() && over_limit.is_none() {
        return None;
    }
    let decoded = format!(
        "{} of {} requests decoded on time average",
        format::decimal(active, 1),
        evidence.requests
    );
    let waited = waiting.map(|n| format!("the server had {} waiting", format::decimal(n, 1)));
    let limited = over_limit.map(|limit| format!("it was measured to run {limit} at once"));
    let parts: Vec<String> = [Some(decoded), waited, limited]
        .into_iter()
        .flatten()
        .collect();
    let reason = parts.join("; ");
    Some(Finding::new(CellStatus::Queued, reason))
}

fn restarts(cell: &DecodeCell) -> Option<Finding> {
    let share = cell
        .restart_fraction
        .filter(|share| *share > MOST_RESTARTING)?;
    Some(Finding::new(
        CellStatus::Restarts,
        format!(
            "answers are so short that {} of the streams' time went to starting new requests",
            percent(share)
        ),
    ))
}

fn buffered(evidence: &CellEvidence, timeline: &Timeline<'_>) -> Option<Finding> {
    let bursts = Bursts::of(timeline)?;
    let buffered = bursts.are_buffered(evidence.speculative, evidence.draft_tokens);
    buffered.then(|| {
        Finding::new(
            CellStatus::Buffered,
            format!(
                "tokens arrive in bursts of {} every {}: something on the way collects them",
                format::decimal(bursts.tokens, 0),
                format::gap_ms(bursts.period_ms)
            ),
        )
    })
}
