//! The live picture of a cell, put together once a second.

use tokmark_measure::{interval, stats};
use tokmark_run_format::evidence::{Scrape, Window};
use tokmark_units::{Nanos, float};

use crate::collector::{Collector, LiveRequest};
use crate::progress::{Live, Sample, ServerNow, Stage};
use crate::task::CellTask;

/// How far behind the present seconds are counted: what arrived later is not handed over yet.
const BEHIND: Nanos = Nanos::from_millis(50);
/// Parts of a second whose tokens are counted for the interval.
const PARTS: u64 = 4;
/// Events of a stream for each wave of the interval; a wave must be slower than the parts.
const EVENTS_PER_WAVE: u64 = 4;
/// Most bytes of a stream's text that are shown.
const SAMPLE: usize = 4_096;

/// What is remembered from one picture to the next.
#[derive(Debug, Default)]
pub(crate) struct Picture {
    /// Where the last second ended.
    until: Nanos,
    /// When counting in the window began, and the tokens of each part of a second since.
    window: Option<(u64, Vec<(u64, u64)>)>,
}

/// What a picture is made of.
pub(crate) struct View<'a> {
    /// The cell.
    pub task: &'a CellTask,
    /// When it was launched.
    pub launch: Nanos,
    /// The window, once it is open.
    pub window: Option<Window>,
    /// What arrived.
    pub collector: &'a Collector,
    /// The first and the newest reading of the server's gauges.
    pub scrapes: Option<(Scrape, Scrape)>,
}

impl Picture {
    /// The picture at an instant.
    pub(crate) fn at(&mut self, now: Nanos, view: &View<'_>) -> Live {
        let until = now.saturating_sub(BEHIND);
        let from = self.until.max(view.launch);
        self.until = until;
        let recent = tokens(view.collector, from.0, until.0);
        let span = until.saturating_sub(from).as_secs_f64();
        let per_s = |tokens: u64, span: f64| {
            let rate = float::from_u64(tokens) / span;
            if span > 0.0 { rate } else { 0.0 }
        };
        let elapsed = |window: Window| now.saturating_sub(Nanos(window.start_ns));
        let in_window = view.window.map(|window| {
            let since = elapsed(window).min(Nanos(window.len_ns()));
            (since, Nanos(window.len_ns()))
        });
        let (total, each) = match view.window.zip(in_window) {
            None => (0.0, None),
            Some((window, (since, _))) => rates(view.collector, window, since.as_secs_f64()),
        };
        let interval = view
            .window
            .and_then(|window| self.interval(window, view.collector, from.0, until.0));
        Live {
            context: view.task.context,
            requests: view.task.requests,
            stage: stage(view, now),
            decoding: view.collector.started(),
            elapsed: now.saturating_sub(view.launch),
            window: in_window,
            tokens_per_s: total,
            per_request_tokens_per_s: each,
            interval,
            recent_tokens_per_s: per_s(recent, span),
            ttft: ttft(view.collector),
            server: view
                .scrapes
                .as_ref()
                .map_or_else(ServerNow::default, server),
        }
    }

    /// The interval as of a window that ends now.
    fn interval(
        &mut self,
        window: Window,
        collector: &Collector,
        from: u64,
        until: u64,
    ) -> Option<(f64, f64)> {
        let Some((began, counted)) = &mut self.window else {
            self.window = Some((until, Vec::new()));
            return None;
        };
        if until > window.end_ns {
            return None;
        }
        let part = until.saturating_sub(from) / PARTS;
        counted.extend((0..PARTS).map(|at| {
            let start = from + at * part;
            (start + part / 2, tokens(collector, start, start + part))
        }));
        let so_far = Window {
            start_ns: *began,
            end_ns: until,
        };
        let waves = float::len_u64(counted.len()).saturating_sub(1);
        let events = waves.saturating_mul(EVENTS_PER_WAVE);
        let steady = interval::steadiness(counted, so_far, events, interval::Rule::Cosines);
        steady.interval.map(|found| (found.low, found.high))
    }
}

fn stage(view: &View<'_>, now: Nanos) -> Stage {
    let wanted = usize::try_from(view.task.requests).unwrap_or(usize::MAX);
    match view.window {
        Some(window) if now.0 >= window.end_ns => Stage::Ending,
        Some(_) => Stage::Window,
        None if view.collector.started() >= wanted => Stage::Settling,
        None => Stage::Launching,
    }
}

/// Tokens that arrived in `[from, until)`.
fn tokens(collector: &Collector, from: u64, until: u64) -> u64 {
    let of = |request: &LiveRequest| -> u64 {
        let events = request.evidence.events.iter().rev();
        events
            .skip_while(|event| event.at_ns >= until)
            .take_while(|event| event.at_ns >= from)
            .map(|event| u64::from(event.tokens.unwrap_or(1)))
            .sum()
    };
    collector.requests().map(of).sum()
}

/// The rate of all streams and the median of their own since the window opened.
fn rates(collector: &Collector, window: Window, elapsed_s: f64) -> (f64, Option<f64>) {
    if elapsed_s <= 0.0 {
        return (0.0, None);
    }
    let since = |request: &LiveRequest| -> u64 {
        let events = request.evidence.events.iter().rev();
        events
            .skip_while(|event| event.at_ns >= window.end_ns)
            .take_while(|event| event.at_ns >= window.start_ns)
            .map(|event| u64::from(event.tokens.unwrap_or(1)))
            .sum()
    };
    let streams: Vec<f64> = collector
        .streams
        .iter()
        .map(|requests| float::from_u64(requests.iter().map(since).sum()) / elapsed_s)
        .collect();
    (streams.iter().sum(), stats::median(&streams))
}

/// Median over the streams' first requests.
fn ttft(collector: &Collector) -> Option<Nanos> {
    let firsts = collector.streams.iter().filter_map(|requests| {
        let evidence = &requests.first()?.evidence;
        let first = evidence.events.first()?;
        Some(float::from_u64(
            first.at_ns.saturating_sub(evidence.sent_ns),
        ))
    });
    stats::median(&firsts.collect::<Vec<f64>>()).map(|ns| Nanos(float::round_to_u64(ns)))
}

fn server((first, last): &(Scrape, Scrape)) -> ServerNow {
    let gained = |value: fn(&Scrape) -> Option<f64>| {
        let (before, after) = (value(first)?, value(last)?);
        (after >= before).then_some(after - before)
    };
    let share = |part: Option<f64>, whole: Option<f64>| {
        let (part, whole) = part.zip(whole)?;
        (whole > 0.0).then(|| part / whole)
    };
    ServerNow {
        running: last.running,
        waiting: last.waiting,
        kv_use: last.kv_use,
        prefix_hits: share(
            gained(|scrape| scrape.prefix_hits),
            gained(|scrape| scrape.prefix_queries),
        ),
        accepted: share(
            gained(|scrape| scrape.accepted),
            gained(|scrape| scrape.drafted),
        ),
        preemptions: gained(|scrape| scrape.preemptions),
    }
}

/// The end of what a stream has written.
pub(crate) fn sample(task: &CellTask, collector: &Collector, stream: u32) -> Sample {
    let stream = stream.min(task.requests.saturating_sub(1));
    let requests = usize::try_from(stream)
        .ok()
        .and_then(|index| collector.streams.get(index));
    let last = requests.and_then(|requests| requests.last());
    Sample {
        context: task.context,
        requests: task.requests,
        stream,
        attempt: last.map_or(0, |request| request.evidence.attempt),
        is_open: last.is_some_and(LiveRequest::is_open),
        text: last.map_or("", |request| tail(&request.text)).to_owned(),
    }
}

fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(SAMPLE);
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at));
    from.and_then(|at| text.get(at..)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_cut_between_characters() {
        let check = |text: &str, expect: usize| assert_eq!(tail(text).len(), expect);
        check("", 0);
        check("short", 5);
        check(&"a".repeat(5_000), SAMPLE);
        // 1,365 characters of three bytes each are the most that fit.
        check(&"語".repeat(2_000), 4_095);
    }

    #[test]
    fn shares_are_of_what_was_gained_since_the_first_reading() {
        let scrape = |hits, queries, drafted| Scrape {
            prefix_hits: Some(hits),
            prefix_queries: Some(queries),
            drafted,
            accepted: Some(0.0),
            running: Some(3.0),
            ..Scrape::default()
        };
        let now = server(&(
            scrape(100.0, 1_000.0, None),
            scrape(190.0, 1_100.0, Some(0.0)),
        ));
        assert_eq!(now.running, Some(3.0));
        assert!((now.prefix_hits.unwrap() - 0.9).abs() < 1e-9, "{now:?}");
        assert_eq!((now.accepted, now.waiting), (None, None));
        // A server that was started again counts from zero.
        let again = server(&(scrape(100.0, 1_000.0, None), scrape(5.0, 10.0, None)));
        assert_eq!(again.prefix_hits, None);
    }
}
