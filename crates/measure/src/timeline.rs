//! What the streams of a cell did in its window: methodology 4.3.6 to 4.3.12.

use std::ops::Range;

use tokmark_run_format::cell::Gaps;
use tokmark_run_format::evidence::{CellEvidence, RequestEvidence, Window};
use tokmark_units::float;

use crate::{stats, tokens};

/// More streams than any cell has. Evidence that claims more is not believed, so that a made-up
/// file cannot fill the memory of whoever verifies it.
const MOST_STREAMS: u32 = 65_536;

/// When an event arrived and what it carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at_ns: u64,
    pub(crate) tokens: u64,
}

/// A request with the tokens of its events.
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    pub(crate) request: &'a RequestEvidence,
    /// Every event, in order of time.
    pub(crate) arrivals: Vec<Arrival>,
    inside: Range<usize>,
}

impl<'a> Flow<'a> {
    fn new(request: &'a RequestEvidence, tokens: &[u64], window: Window) -> Self {
        // A stamp before its predecessor's (a correction of the clock's offset) counts as the same
        // moment: one connection delivers in order.
        let mut latest = 0;
        let arrivals: Vec<Arrival> = request
            .events
            .iter()
            .zip(tokens)
            .map(|(event, tokens)| {
                latest = event.at_ns.max(latest);
                Arrival {
                    at_ns: latest,
                    tokens: *tokens,
                }
            })
            .collect();
        let before = |edge: u64| arrivals.partition_point(|arrival| arrival.at_ns < edge);
        let inside = before(window.start_ns)..before(window.end_ns);
        Self {
            request,
            arrivals,
            inside,
        }
    }

    /// The events in the window.
    pub(crate) fn inside(&self) -> &[Arrival] {
        self.arrivals.get(self.inside.clone()).unwrap_or_default()
    }

    fn tokens_inside(&self) -> u64 {
        self.inside()
            .iter()
            .fold(0, |sum: u64, arrival| sum.saturating_add(arrival.tokens))
    }

    /// Tokens after the first in-window event, and the nanoseconds that they took. What arrived at
    /// the same moment as the first event is not after it.
    fn pace(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.inside().first()?, self.inside().last()?);
        let after = self
            .inside()
            .iter()
            .filter(|arrival| arrival.at_ns > first.at_ns);
        let tokens = after.fold(0, |sum: u64, arrival| sum.saturating_add(arrival.tokens));
        Some((tokens, last.at_ns - first.at_ns))
    }

    /// From the first event to the end. A request that never ended decodes until its last event
    /// and the longest gap that it has shown: then the next one was due.
    fn decoding(&self, window: Window) -> Option<Window> {
        let (first, last) = (self.arrivals.first()?, self.arrivals.last()?);
        let end = self.request.ended_ns.unwrap_or_else(|| {
            let longest = self.gaps_ns().map(|(_, gap)| gap).max().unwrap_or(0);
            last.at_ns.saturating_add(longest)
        });
        let clipped = Window {
            start_ns: first.at_ns.max(window.start_ns),
            end_ns: end.min(window.end_ns),
        };
        (clipped.start_ns < clipped.end_ns).then_some(clipped)
    }

    /// Every gap with the moment of its later event.
    fn gaps_ns(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.arrivals
            .iter()
            .zip(self.arrivals.iter().skip(1))
            .map(|(before, after)| (after.at_ns, after.at_ns - before.at_ns))
    }

    /// Events in the window whose stamp a neighbour of the same connection shares.
    fn shared_stamps(&self) -> usize {
        let inside = self.inside();
        let alike = |a: Option<&Arrival>, b: &Arrival| a.is_some_and(|a| a.at_ns == b.at_ns);
        inside
            .iter()
            .enumerate()
            .filter(|(index, arrival)| {
                let before = index.checked_sub(1).and_then(|index| inside.get(index));
                alike(before, arrival) || alike(inside.get(index + 1), arrival)
            })
            .count()
    }

    /// Nanoseconds of decode in the window, and the same weighted with the tokens in the cache.
    fn depth(&self, window: Window, prompt: u64) -> (f64, f64) {
        let Some(decoding) = self.decoding(window) else {
            return (0.0, 0.0);
        };
        let mut held = prompt;
        let (mut from, mut weighted) = (decoding.start_ns, 0.0);
        for arrival in &self.arrivals {
            let until = arrival.at_ns.clamp(from, decoding.end_ns);
            weighted += float::from_u64(held) * float::from_u64(until - from);
            (from, held) = (until, held.saturating_add(arrival.tokens));
        }
        weighted += float::from_u64(held) * float::from_u64(decoding.end_ns - from);
        (float::from_u64(decoding.len_ns()), weighted)
    }
}

/// The streams of a cell, each with its requests in order.
#[derive(Debug)]
pub(crate) struct Timeline<'a> {
    pub(crate) window: Window,
    pub(crate) streams: Vec<Vec<Flow<'a>>>,
}

impl<'a> Timeline<'a> {
    /// `tokens` are those of each event of each request of the evidence.
    pub(crate) fn new(evidence: &'a CellEvidence, window: Window, tokens: &[Vec<u64>]) -> Self {
        let count = usize::try_from(evidence.requests.min(MOST_STREAMS)).unwrap_or(0);
        let mut streams: Vec<Vec<Flow<'a>>> = Vec::new();
        streams.resize_with(count, Vec::new);
        for (request, tokens) in evidence.streams.iter().zip(tokens) {
            let stream = usize::try_from(request.stream).ok();
            if let Some(flows) = stream.and_then(|stream| streams.get_mut(stream)) {
                flows.push(Flow::new(request, tokens, window));
            }
        }
        for flows in &mut streams {
            flows.sort_by_key(|flow| flow.request.attempt);
        }
        Self { window, streams }
    }

    pub(crate) fn flows(&self) -> impl Iterator<Item = &Flow<'a>> {
        self.streams.iter().flatten()
    }

    /// Tokens of each stream in the window.
    pub(crate) fn stream_tokens(&self) -> Vec<u64> {
        let sum = |sum: u64, flow: &Flow<'_>| sum.saturating_add(flow.tokens_inside());
        self.streams
            .iter()
            .map(|flows| flows.iter().fold(0, sum))
            .collect()
    }

    /// Tokens per second of each stream that has two moments in the window; pieces around a restart
    /// are joined without the gap.
    pub(crate) fn stream_rates(&self) -> Vec<f64> {
        let rate = |flows: &Vec<Flow<'_>>| {
            let (tokens, ns) = flows.iter().filter_map(Flow::pace).fold(
                (0_u64, 0_u64),
                |(tokens, ns), (more, longer)| {
                    (tokens.saturating_add(more), ns.saturating_add(longer))
                },
            );
            (ns > 0).then(|| float::from_u64(tokens) / (float::from_u64(ns) / 1e9))
        };
        self.streams.iter().filter_map(rate).collect()
    }

    /// `(nanosecond, tokens)` of every event in the window.
    pub(crate) fn arrivals(&self) -> Vec<(u64, u64)> {
        let pair = |arrival: &Arrival| (arrival.at_ns, arrival.tokens);
        self.flows()
            .flat_map(|flow| flow.inside().iter().map(pair))
            .collect()
    }

    /// Events in the window of the median stream that has any.
    pub(crate) fn median_events(&self) -> u64 {
        let events = |flows: &Vec<Flow<'_>>| flows.iter().map(|flow| flow.inside().len()).sum();
        let counts: Vec<f64> = self
            .streams
            .iter()
            .map(events)
            .filter(|count| *count > 0)
            .map(float::from_usize)
            .collect();
        stats::median(&counts).map_or(0, |count| float::len_u64(float::floor_to_usize(count)))
    }

    /// Gaps whose later event lies in the window.
    pub(crate) fn gaps(&self) -> Option<Gaps> {
        let mut gaps: Vec<f64> = self
            .flows()
            .flat_map(Flow::gaps_ns)
            .filter(|(later, _)| self.window.contains(*later))
            .map(|(_, gap)| float::from_u64(gap) / 1e6)
            .collect();
        gaps.sort_unstable_by(f64::total_cmp);
        let events: usize = self.flows().map(|flow| flow.inside().len()).sum();
        let tokens = self
            .stream_tokens()
            .into_iter()
            .fold(0, u64::saturating_add);
        Some(Gaps {
            n: float::len_u64(gaps.len()),
            p50_ms: stats::percentile_sorted(&gaps, 0.5)?,
            p95_ms: stats::percentile_sorted(&gaps, 0.95)?,
            p99_ms: stats::percentile_sorted(&gaps, 0.99)?,
            max_ms: stats::percentile_sorted(&gaps, 1.0)?,
            tokens_per_event: float::from_u64(tokens) / float::from_usize(events),
        })
    }

    /// Time average of streams in decode.
    pub(crate) fn average_active(&self) -> f64 {
        let decoding: f64 = self
            .flows()
            .filter_map(|flow| flow.decoding(self.window))
            .map(|span| float::from_u64(span.len_ns()))
            .sum();
        decoding / float::from_u64(self.window.len_ns())
    }

    /// Share of the streams' time from a request's end to the next one's first event.
    pub(crate) fn restart_fraction(&self) -> f64 {
        let restarting: f64 = self
            .streams
            .iter()
            .map(|flows| self.restarting_ns(flows))
            .sum();
        let all = float::from_usize(self.streams.len()) * float::from_u64(self.window.len_ns());
        if all > 0.0 { restarting / all } else { 0.0 }
    }

    fn restarting_ns(&self, flows: &[Flow<'_>]) -> f64 {
        let mut spent = 0.0;
        for (index, flow) in flows.iter().enumerate() {
            let Some(end) = flow.request.ended_ns else {
                continue;
            };
            let next = flows.get(index + 1).and_then(|next| next.arrivals.first());
            let until = next.map_or(self.window.end_ns, |arrival| arrival.at_ns);
            let from = end.max(self.window.start_ns);
            spent += float::from_u64(until.min(self.window.end_ns).saturating_sub(from));
        }
        spent
    }

    /// Requests that ended in the window. (A cell with a failed one shows no numbers.)
    pub(crate) fn completed(&self) -> u64 {
        let ended = |flow: &&Flow<'_>| {
            let end = flow.request.ended_ns;
            end.is_some_and(|end| self.window.contains(end))
        };
        float::len_u64(self.flows().filter(ended).count())
    }

    /// Mean tokens in the KV cache per decoding stream. `prompt` stands where usage is missing.
    pub(crate) fn mean_depth(&self, prompt: u64) -> Option<f64> {
        let (ns, weighted) = self
            .flows()
            .map(|flow| flow.depth(self.window, flow.request.prompt_tokens.unwrap_or(prompt)))
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (ns > 0.0).then(|| weighted / ns)
    }

    /// Share of the window's events whose stamp another one shares.
    pub(crate) fn shared_stamps(&self) -> Option<f64> {
        let events: usize = self.flows().map(|flow| flow.inside().len()).sum();
        let shared: usize = self.flows().map(Flow::shared_stamps).sum();
        (events > 0).then(|| float::from_usize(shared) / float::from_usize(events))
    }

    /// Tokens in the window of requests that were found to loop, and how many streams they are.
    pub(crate) fn looped(&self) -> (u64, usize) {
        let is_loop = |flow: &&Flow<'_>| flow.request.looped.is_some();
        let tokens = self
            .flows()
            .filter(is_loop)
            .fold(0, |sum: u64, flow| sum.saturating_add(flow.tokens_inside()));
        let streams = self
            .streams
            .iter()
            .filter(|flows| flows.iter().any(|flow| is_loop(&flow)))
            .count();
        (tokens, streams)
    }

    /// Streams that had their first event before the window opened.
    pub(crate) fn admitted(&self) -> usize {
        let early = |flow: &Flow<'_>| {
            let first = flow.arrivals.first();
            first.is_some_and(|arrival| arrival.at_ns < self.window.start_ns)
        };
        self.streams
            .iter()
            .filter(|flows| flows.iter().any(early))
            .count()
    }

    /// Requests with an event before they were sent: the clock went wrong.
    pub(crate) fn clock_faults(&self) -> usize {
        let fault =
            |flow: &&Flow<'_>| flow.request.ttft_ns().is_none() && !flow.request.events.is_empty();
        self.flows().filter(fault).count()
    }
}

/// Attribution and timeline of a cell in one step.
pub(crate) fn of(evidence: &CellEvidence, window: Window) -> (Timeline<'_>, tokens::Attribution) {
    let attribution = tokens::attribute(&evidence.streams, window);
    let timeline = Timeline::new(evidence, window, &attribution.tokens);
    (timeline, attribution)
}
