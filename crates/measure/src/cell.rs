//! The numbers and the status of a cell: methodology sections 4.2 to 5.

use tokmark_run_format::cell::{ClientHealth, DecodeCell};
use tokmark_run_format::evidence::{CellEnd, CellEvidence, NotRun, Scrape, StampSource, Window};
use tokmark_run_format::status::CellStatus;
use tokmark_units::format::percent;
use tokmark_units::{float, format};

use crate::counters::{CounterFault, Readings};
use crate::energy;
use crate::interval::{self, Basis, Outliers, Rule};
use crate::launch;
use crate::stats;
use crate::status::{self, Finding};
use crate::timeline::{self, Timeline};
use crate::tokens::Attribution;

/// How far the server's own token counter may be from the events before a note says so.
const COUNTER_TOLERANCE: f64 = 0.02;
/// Trend over the window above which a note says so.
const DRIFT_TOLERANCE: f64 = 0.05;
/// How far rate per request times average active may be from the total (case B016).
const PRODUCT_TOLERANCE: f64 = 0.1;
/// How far the server's count of a prompt may be from the context before a note says so. What
/// calibration misses at worst is well below.
const PROMPT_TOLERANCE: f64 = 0.05;

/// The cell that the evidence gives: a pure function, used while measuring and to verify.
pub fn evaluate(evidence: &CellEvidence) -> DecodeCell {
    evaluate_by(evidence, Rule::default())
}

/// As [`evaluate`], with the interval of an older methodology.
pub fn evaluate_by(evidence: &CellEvidence, rule: Rule) -> DecodeCell {
    let mut cell = match &evidence.not_run {
        Some(not_run) => left_out(evidence, not_run),
        None => begun(evidence, rule),
    };
    cell.evidence = Some(DecodeCell::evidence_name(
        evidence.context,
        evidence.requests,
    ));
    cell
}

/// Whether the cell is to be tried once more: it looped or failed, and was not tried again yet.
pub fn wants_retry(evidence: &CellEvidence) -> bool {
    let status = evaluate(evidence).status;
    evidence.retry == 0 && matches!(status, CellStatus::Looped | CellStatus::Failed)
}

/// A cell that a rule left out before any request was sent.
fn left_out(evidence: &CellEvidence, not_run: &NotRun) -> DecodeCell {
    DecodeCell {
        need_tokens: not_run.need_tokens,
        budget_tokens: not_run.budget_tokens,
        admission_limit: not_run.admission_limit,
        notes: evidence.notes.clone(),
        ..DecodeCell::without_numbers(
            evidence.context,
            evidence.requests,
            not_run.status,
            Some(not_run.reason.clone()),
        )
    }
}

fn begun(evidence: &CellEvidence, rule: Rule) -> DecodeCell {
    let (context, requests) = (evidence.context, evidence.requests);
    let mut cell = DecodeCell::without_numbers(context, requests, CellStatus::Valid, None);
    cell.notes.clone_from(&evidence.notes);
    cell.failures = status::failures(evidence);
    let mut findings = status::of_end(evidence, &cell.failures);
    let window = evidence.window.filter(|window| window.len_ns() > 0);
    let readings = Readings::of(&evidence.scrapes);
    preemptions(&mut cell, evidence, window, &readings);
    if let (CellEnd::Measured, Some(window)) = (evidence.end, window) {
        let (timeline, attribution) = timeline::of(evidence, window);
        fill_sources(&mut cell, &timeline, attribution, evidence.client.as_ref());
        fill_rates(&mut cell, &timeline, rule);
        fill_streams(&mut cell, evidence, &timeline);
        launch::fill(&mut cell, evidence, &timeline, &readings);
        fill_server(&mut cell, evidence, window, &readings);
        fill_energy(&mut cell, evidence, window);
        findings.extend(status::of_window(evidence, &timeline, &cell));
        let loops = loop_note(&cell, evidence, &timeline);
        cell.notes.extend(loops);
        cell.notes.extend(clock_note(&timeline));
        let product = product_note(&cell);
        cell.notes.extend(product);
        let prompt = prompt_note(&cell);
        cell.notes.extend(prompt);
    }
    settle(cell, evidence, findings)
}

/// Power, energy and a note about the power limit: methodology sections 5 and 8.
fn fill_energy(cell: &mut DecodeCell, evidence: &CellEvidence, window: Window) {
    let Some(telemetry) = &evidence.telemetry else {
        return;
    };
    let tokens = energy::Tokens {
        output: cell.output_tokens,
        prompt: None,
    };
    let found = energy::energy(telemetry, window, tokens, evidence.idle_power_w);
    let capped = found.power_capped_share;
    if let Some(share) = capped.filter(|share| *share > energy::MOST_THROTTLED) {
        cell.notes.push(format!(
            "the power limit lowered an accelerator's clocks on {} of the samples",
            percent(share)
        ));
    }
    cell.energy = Some(found);
}

/// Chooses the first status that applies; the others that hold are notes.
fn settle(mut cell: DecodeCell, evidence: &CellEvidence, mut findings: Vec<Finding>) -> DecodeCell {
    // The order of the statuses is their precedence.
    findings.sort_by_key(|finding| finding.status);
    if findings
        .iter()
        .any(|finding| finding.status == CellStatus::Buffered)
    {
        // The gaps are those of the buffer, whatever else holds.
        cell.gaps = None;
    }
    let mut findings = findings.into_iter();
    if let Some(first) = findings.next() {
        cell.status = first.status;
        cell.reason = Some(first.reason);
    }
    let also = |finding: Finding| format!("{}: {}", finding.status.label(), finding.reason);
    cell.notes.extend(findings.map(also));
    if cell.status == CellStatus::Queued {
        let limit = evidence.admission_limit;
        cell.admission_limit = limit.filter(|limit| evidence.requests > *limit);
    }
    if status::shows_numbers(cell.status) {
        return cell;
    }
    DecodeCell {
        preemptions: cell.preemptions,
        failures: cell.failures,
        notes: cell.notes,
        ..DecodeCell::without_numbers(cell.context, cell.requests, cell.status, cell.reason)
    }
}

fn fill_sources(
    cell: &mut DecodeCell,
    timeline: &Timeline<'_>,
    attribution: Attribution,
    client: Option<&ClientHealth>,
) {
    let sources = &mut cell.sources;
    sources.tokens = attribution.source;
    sources.tokens_spread = attribution.spread;
    sources.shared_stamps = timeline.shared_stamps();
    cell.client = client.cloned();
    cell.notes.extend(attribution.note);
    cell.notes.extend(compression_note(timeline));
    let with_events = timeline.flows().filter(|flow| !flow.inside().is_empty());
    let (mut kernel, mut read) = (false, false);
    for flow in with_events {
        match flow.request.stamps {
            StampSource::Kernel => kernel = true,
            StampSource::Read => read = true,
        }
    }
    let arrival = match (kernel, read) {
        (true, true) => Some("mixed"),
        (true, false) => Some("kernel"),
        (false, true) => Some("read"),
        (false, false) => None,
    };
    sources.arrival = arrival.map(str::to_owned);
}

/// Totals, rates, gaps and their interval: 4.3.7 to 4.3.9 and 4.3.13.
fn fill_rates(cell: &mut DecodeCell, timeline: &Timeline<'_>, rule: Rule) {
    let seconds = float::from_u64(timeline.window.len_ns()) / 1e9;
    cell.stream_tokens = timeline.stream_tokens();
    let tokens = cell
        .stream_tokens
        .iter()
        .copied()
        .fold(0, u64::saturating_add);
    cell.output_tokens = Some(tokens);
    cell.measured_s = Some(seconds);
    cell.total_tokens_per_s = Some(float::from_u64(tokens) / seconds);
    cell.per_request_tokens_per_s = stats::median(&timeline.stream_rates());
    cell.time_between_tokens_ms = cell
        .per_request_tokens_per_s
        .filter(|rate| *rate > 0.0)
        .map(|rate| 1_000.0 / rate);
    cell.gaps = timeline.gaps();
    let arrivals = timeline.arrivals();
    let events = timeline.median_events();
    let steadiness = interval::steadiness(&arrivals, timeline.window, events, rule);
    cell.ci95_low = steadiness.interval.map(|interval| interval.low);
    cell.ci95_high = steadiness.interval.map(|interval| interval.high);
    match steadiness.interval.map(|interval| interval.basis) {
        Some(Basis::Batches(count)) => cell.ci_batches = Some(count),
        Some(Basis::Cosines(count)) => cell.ci_cosines = Some(count),
        None => {}
    }
    cell.drift = steadiness.drift;
    cell.notes.extend(drift_note(cell.drift));
    cell.notes.extend(steadiness.outliers.map(outlier_note));
}

/// A rate that falls or rises through the window has no one value; what a growing context costs is
/// within the tolerance.
fn drift_note(drift: Option<f64>) -> Option<String> {
    let drift = drift.filter(|drift| drift.abs() > DRIFT_TOLERANCE)?;
    let direction = if drift < 0.0 { "fell" } else { "rose" };
    let share = percent(drift.abs());
    Some(format!("the rate {direction} by {share} over the window"))
}

fn outlier_note(outliers: Outliers) -> String {
    let direction = if outliers.worst < 0.0 {
        "slower"
    } else {
        "faster"
    };
    let worst = percent(outliers.worst.abs());
    let at = format::seconds(outliers.worst_at_s);
    format!(
        "{} of {} parts of the window stand apart from the others; the one at {at} was {worst} \
         {direction}",
        outliers.count, outliers.slices
    )
}

/// What the streams did: 4.3.11 and 4.3.12.
fn fill_streams(cell: &mut DecodeCell, evidence: &CellEvidence, timeline: &Timeline<'_>) {
    cell.average_active_requests = Some(timeline.average_active());
    cell.restart_fraction = Some(timeline.restart_fraction());
    cell.completed_requests = Some(timeline.completed());
    let prompts: Vec<f64> = timeline
        .flows()
        .filter_map(|flow| flow.request.prompt_tokens)
        .map(float::from_u64)
        .collect();
    cell.prompt_tokens = stats::median(&prompts).map(float::round_to_u64);
    cell.mean_depth = timeline.mean_depth(cell.prompt_tokens.unwrap_or(evidence.context));
}

/// What the server's gauges and counters say beside it.
fn fill_server(
    cell: &mut DecodeCell,
    evidence: &CellEvidence,
    window: Window,
    readings: &Readings<'_>,
) {
    cell.server_running = readings.average_in(window, |scrape| scrape.running);
    cell.server_waiting = readings.average_in(window, |scrape| scrape.waiting);
    cell.speculative_acceptance = acceptance(evidence, window, readings);
    match readings.increase_in(window, |scrape| scrape.output_tokens) {
        Ok(counted) => {
            cell.sources.server_output_tokens = Some(float::round_to_u64(counted));
            cell.notes.extend(counter_note(cell.output_tokens, counted));
        }
        Err(CounterFault::Backwards) => cell.notes.push(unreliable("generated tokens")),
        Err(CounterFault::TooFew) => {}
    }
}

fn preemptions(
    cell: &mut DecodeCell,
    evidence: &CellEvidence,
    window: Option<Window>,
    readings: &Readings<'_>,
) {
    let span = readings.launch_and_window(evidence.launch_ns, window);
    match span.increase(|scrape| scrape.preemptions) {
        Ok(count) => cell.preemptions = Some(float::round_to_u64(count)),
        Err(CounterFault::Backwards) => cell.notes.push(unreliable("preemptions")),
        Err(CounterFault::TooFew) => {}
    }
}

fn unreliable(counter: &str) -> String {
    format!(
        "the server's counter of {counter} went backwards (a restart, or several servers behind one \
         address): it is not used"
    )
}

/// Accepted over drafted tokens: the server's counters over launch and window, else what requests
/// said of themselves.
fn acceptance(evidence: &CellEvidence, window: Window, readings: &Readings<'_>) -> Option<f64> {
    let span = readings.launch_and_window(evidence.launch_ns, Some(window));
    let gained = |read: fn(&Scrape) -> Option<f64>| span.increase(read).ok();
    let by_counters = gained(|scrape| scrape.accepted).zip(gained(|scrape| scrape.drafted));
    let by_requests = || {
        let told = evidence
            .streams
            .iter()
            .filter_map(|request| request.drafted);
        let (drafted, accepted) = told.fold((0_u64, 0_u64), |sum, one| {
            (sum.0.saturating_add(one.0), sum.1.saturating_add(one.1))
        });
        Some((float::from_u64(accepted), float::from_u64(drafted)))
    };
    by_counters
        .filter(|(_, drafted)| *drafted > 0.0)
        .or_else(by_requests)
        .filter(|(_, drafted)| *drafted > 0.0)
        .map(|(accepted, drafted)| accepted / drafted)
}

/// The cross-check of 4.3.6: a note, never a substitute.
fn counter_note(output_tokens: Option<u64>, counted: f64) -> Option<String> {
    let tokens = float::from_u64(output_tokens?);
    let apart = (counted - tokens).abs() / tokens.max(1.0);
    (apart > COUNTER_TOLERANCE).then(|| {
        format!(
            "the server's own counter gained {} tokens in the window, {} away from the {} that \
             arrived",
            format::count(float::round_to_u64(counted)),
            percent(apart),
            format::count(float::round_to_u64(tokens))
        )
    })
}

/// Loops that decide nothing are worth knowing all the same.
fn loop_note(
    cell: &DecodeCell,
    evidence: &CellEvidence,
    timeline: &Timeline<'_>,
) -> Option<String> {
    let loops = status::Loops::of(timeline, cell)?;
    if loops.decide(evidence) {
        return None;
    }
    let decided = if evidence.loop_check {
        ""
    } else {
        " (the loop check is off)"
    };
    Some(format!("{}{decided}", loops.sentence()))
}

/// A compressor hands on what it has when it likes (case B034).
fn compression_note(timeline: &Timeline<'_>) -> Option<String> {
    let mut encodings: Vec<&str> = timeline
        .flows()
        .filter_map(|flow| flow.request.content_encoding.as_deref())
        .collect();
    encodings.sort_unstable();
    encodings.dedup();
    (!encodings.is_empty()).then(|| {
        format!(
            "answers came compressed with `{}` although `identity` was asked: the arrival times \
             are those of compressed pieces",
            encodings.join("`, `")
        )
    })
}

fn clock_note(timeline: &Timeline<'_>) -> Option<String> {
    let faults = timeline.clock_faults();
    (faults > 0).then(|| {
        format!("{faults} requests have an event before their send: they give no first-token time")
    })
}

/// A server may cut a prompt without a word; its usage then tells what is left. The context 0 has
/// no length of its own.
fn prompt_note(cell: &DecodeCell) -> Option<String> {
    let told = cell.prompt_tokens.filter(|_| cell.context > 0)?;
    let ratio = float::from_u64(told) / float::from_u64(cell.context);
    let otherwise = if ratio < 1.0 - PROMPT_TOLERANCE {
        "its end was cut, or it is counted otherwise"
    } else if ratio > 1.0 + PROMPT_TOLERANCE {
        "something was added, or it is counted otherwise"
    } else {
        return None;
    };
    Some(format!(
        "the server counted {} prompt tokens for a prompt of {}: {otherwise}",
        format::count(told),
        format::count(cell.context)
    ))
}

fn product_note(cell: &DecodeCell) -> Option<String> {
    let product = cell.per_request_tokens_per_s? * cell.average_active_requests?;
    let total = cell.total_tokens_per_s.filter(|total| *total > 0.0)?;
    let apart = (product - total).abs() / total;
    (apart > PRODUCT_TOLERANCE).then(|| {
        format!(
            "the streams differ: the median stream's rate times the average active requests is {} \
             tok/s, {} away from the total",
            format::rate(product),
            percent(apart)
        )
    })
}
