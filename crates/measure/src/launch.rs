//! The launch of a cell: first-token times and how warm the prompts were (methodology 4.2, 4.3.10).

use tokmark_run_format::cell::{DecodeCell, LaunchTtft};
use tokmark_run_format::evidence::{CellEvidence, RequestEvidence, Window};
use tokmark_units::{float, format};

use crate::counters::Readings;
use crate::stats::{self, Quantile};
use crate::timeline::{Flow, Timeline};

/// First-token times of which some are only known to be later than the window's end.
#[derive(Debug, Default)]
struct Waits {
    seen_ms: Vec<f64>,
    censored_ms: Vec<f64>,
}

impl Waits {
    /// `moment` is when the request had what is waited for. A moment before the send is a fault of
    /// the clock and no wait at all.
    fn add(&mut self, sent_ns: u64, moment: Option<u64>, window: Window) {
        let wait = |until: u64| {
            until
                .checked_sub(sent_ns)
                .map(|ns| float::from_u64(ns) / 1e6)
        };
        match moment {
            Some(at_ns) if at_ns < window.end_ns => self.seen_ms.extend(wait(at_ns)),
            _ => self.censored_ms.extend(wait(window.end_ns)),
        }
    }

    fn percentile(&self, p: f64) -> Option<Quantile> {
        stats::censored_percentile(&self.seen_ms, &self.censored_ms, p)
    }

    fn exact(&self, p: f64) -> Option<f64> {
        self.percentile(p).and_then(Quantile::exact)
    }
}

/// Fills in the launch's figures.
pub(crate) fn fill(
    cell: &mut DecodeCell,
    evidence: &CellEvidence,
    timeline: &Timeline<'_>,
    readings: &Readings<'_>,
) {
    let window = timeline.window;
    let (first, answer, restart) = waits(evidence, timeline);
    let median = first.percentile(0.5);
    cell.ttft_ms = median.and_then(Quantile::exact);
    cell.ttft_ms_lower_bound = median.and_then(Quantile::lower_bound);
    cell.ttft_censored = u32::try_from(first.censored_ms.len()).unwrap_or(u32::MAX);
    cell.launch_ttft = LaunchTtft {
        min_ms: first.exact(0.0),
        p95_ms: first.exact(0.95),
        max_ms: first.exact(1.0),
        answer_ms: answer.exact(0.5),
        restart_ms: restart.exact(0.5),
        client_queue_ms: median_ms(timeline, |r| r.sent_ns.checked_sub(r.due_ns)),
        connect_ms: median_ms(timeline, |r| r.connect_ns),
        server_mean_ms: server_mean_ms(evidence, window, readings),
        outside_engine_ms: None,
    };
    // A mean over streams of which some are not seen yet would be too small.
    let ours = Some(&first.seen_ms).filter(|_| first.censored_ms.is_empty());
    let outside = ours
        .and_then(|seen| stats::mean(seen))
        .zip(cell.launch_ttft.server_mean_ms)
        .and_then(|(ours, theirs)| outside_engine_ms(ours, theirs));
    cell.launch_ttft.outside_engine_ms = outside;
    cell.notes.extend(outside.map(|ms| {
        let ms = format::ttft_ms(ms);
        format!("{ms} of the mean time to the first token were spent outside the engine")
    }));
    let launch_ns = window.start_ns.checked_sub(evidence.launch_ns);
    cell.launch_s = launch_ns.map(|ns| float::from_u64(ns) / 1e9);
    let warm = warm_by_usage(timeline)
        .or_else(|| warm_by_counters(evidence, window, readings))
        .or_else(|| warm_by_ttft(evidence, cell.ttft_ms));
    if let Some((fraction, source)) = warm {
        cell.warm_fraction = Some(fraction);
        cell.sources.warm_fraction = Some(source.to_owned());
    }
}

/// Waits for the first token and the first answer token of the streams' first requests, and for
/// the first token of later ones.
fn waits(evidence: &CellEvidence, timeline: &Timeline<'_>) -> (Waits, Waits, Waits) {
    let (mut first, mut answer, mut restart) = Default::default();
    let window = timeline.window;
    for flows in &timeline.streams {
        let Some(launched) = flows.first() else {
            // A stream that never came to send waits since the launch.
            Waits::add(&mut first, evidence.launch_ns, None, window);
            continue;
        };
        for flow in flows {
            let (request, moment) = (flow.request, first_moment(flow));
            // A stream whose looping first request was replaced has no launch TTFT; what came
            // after it is a restart.
            if request.attempt > 0 {
                Waits::add(&mut restart, request.sent_ns, moment, window);
            }
        }
        if launched.request.attempt == 0 {
            let sent_ns = launched.request.sent_ns;
            Waits::add(&mut first, sent_ns, first_moment(launched), window);
            Waits::add(&mut answer, sent_ns, answer_moment(launched), window);
        }
    }
    (first, answer, restart)
}

fn first_moment(flow: &Flow<'_>) -> Option<u64> {
    flow.arrivals.first().map(|arrival| arrival.at_ns)
}

fn answer_moment(flow: &Flow<'_>) -> Option<u64> {
    let index = usize::try_from(flow.request.first_answer?).ok()?;
    flow.arrivals.get(index).map(|arrival| arrival.at_ns)
}

fn median_ms(
    timeline: &Timeline<'_>,
    span: impl Fn(&RequestEvidence) -> Option<u64>,
) -> Option<f64> {
    let all: Vec<f64> = timeline
        .flows()
        .filter_map(|flow| span(flow.request))
        .map(|ns| float::from_u64(ns) / 1e6)
        .collect();
    stats::median(&all)
}

/// Share of a time to the first token above which what is spent outside the engine is told.
const OUTSIDE: f64 = 0.2;

/// What of our time to the first token the server does not count, where that is more than a fifth
/// (case B020): both in milliseconds, over the same requests.
pub(crate) fn outside_engine_ms(ours: f64, theirs: f64) -> Option<f64> {
    let outside = ours - theirs;
    (outside > OUTSIDE * ours).then_some(outside)
}

/// The server's own mean over the launch.
fn server_mean_ms(evidence: &CellEvidence, window: Window, readings: &Readings<'_>) -> Option<f64> {
    let launch = readings.launch(evidence.launch_ns, window.start_ns)?;
    let seconds = launch.increase(|scrape| scrape.ttft_seconds).ok()?;
    let count = launch.increase(|scrape| scrape.ttft_count).ok()?;
    (count > 0.0).then(|| seconds * 1e3 / count)
}

/// From the first requests' usage, when at least half of them say so: fewer are no sample of the
/// launch but of those that happened to end.
fn warm_by_usage(timeline: &Timeline<'_>) -> Option<(f64, &'static str)> {
    let told: Vec<(u64, u64)> = timeline
        .streams
        .iter()
        .filter_map(|flows| {
            let request = flows.first()?.request;
            request.cached_tokens.zip(request.prompt_tokens)
        })
        .collect();
    let sum = |part: fn(&(u64, u64)) -> u64| told.iter().map(part).fold(0, u64::saturating_add);
    let (cached, prompt) = (sum(|pair| pair.0), sum(|pair| pair.1));
    let enough = 2 * told.len() >= timeline.streams.len() && prompt > 0;
    enough.then(|| (share(cached, prompt), "usage"))
}

fn share(part: u64, whole: u64) -> f64 {
    (float::from_u64(part) / float::from_u64(whole)).min(1.0)
}

/// From the server's prefix-cache counters over the launch.
fn warm_by_counters(
    evidence: &CellEvidence,
    window: Window,
    readings: &Readings<'_>,
) -> Option<(f64, &'static str)> {
    let launch = readings.launch(evidence.launch_ns, window.start_ns)?;
    let hits = launch.increase(|scrape| scrape.prefix_hits).ok()?;
    let queries = launch.increase(|scrape| scrape.prefix_queries).ok()?;
    (queries > 0.0).then(|| ((hits / queries).min(1.0), "counters"))
}

/// `1 - (TTFT - fixed) / (cold TTFT - fixed)`, from the median launch TTFT.
fn warm_by_ttft(evidence: &CellEvidence, ttft_ms: Option<f64>) -> Option<(f64, &'static str)> {
    let fixed = float::from_u64(evidence.fixed_ttft_ns?) / 1e6;
    let cold = float::from_u64(evidence.cold_ttft_ns?) / 1e6 - fixed;
    let fraction = 1.0 - (ttft_ms? - fixed) / cold;
    (cold > 0.0).then(|| (fraction.clamp(0.0, 1.0), "inferred"))
}
