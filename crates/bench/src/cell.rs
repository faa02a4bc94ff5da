//! One cell: launch, readiness, window, landing. Methodology section 4.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokmark_driver::{Health, HealthSample};
use tokmark_run_format::cell::ClientHealth;
use tokmark_run_format::evidence::{CellEnd, CellEvidence, Scrape, Window};
use tokmark_units::{Nanos, float};

use crate::flight::Flight;
use crate::gauges::Watch;
use crate::live::{self, Picture};
use crate::progress::{Listener, Progress};
use crate::requests::Requests;
use crate::session::Session;
use crate::steering::Steering;
use crate::task::CellTask;

/// How often a launching or running cell is looked at.
const LOOK: Nanos = Nanos::from_millis(100);
/// How often the texts are checked for loops and the listener is told.
const TELL: Nanos = Nanos::from_secs(1);
/// How often the text of a stream that somebody looks at is told.
const SAMPLE: Nanos = Nanos::from_millis(250);
/// Least patience for a first event (4.2.4).
const NOT_READY: Nanos = Nanos::from_secs(60);
/// Least patience before fewer than C streams count as admitted (4.2.5).
const ADMISSION: Nanos = Nanos::from_secs(10);
/// How often a stream's looping request is replaced before the window.
const REPLACEMENTS: u32 = 2;
/// A cell in which this computer was suspended for longer is measured again. Below it are the two
/// readings of the clocks.
const ASLEEP: Nanos = Nanos::from_millis(100);
/// After this long what arrived before an instant has been handed over.
const ARRIVED: Nanos = Nanos::from_millis(250);
/// Half-width of the interval, as a share of the rate, at which a window may end early (4.3.13).
const SETTLED: f64 = 0.02;
/// How long requests without running counts may take to end after the window, besides a quarter
/// of the window (4.3.6).
const FINISHING: Nanos = Nanos::from_secs(10);

/// Runs one cell and gives its evidence. Never fails: what went wrong is part of the evidence.
pub async fn run(
    session: &Session,
    task: &CellTask,
    requests: Arc<dyn Requests>,
    listener: &Listener,
    stop: &CancellationToken,
    steering: &Steering,
) -> CellEvidence {
    session.connector.forget_clock_step();
    let suspended = session.connector.suspended();
    let watch = Watch::start(session);
    let mut flight = Flight::prepare(session, task.requests, requests);
    let launch = flight.launch().await;
    let mut running = Running {
        session,
        task,
        listener,
        stop,
        steering,
        watch: &watch,
        launch,
        told: launch,
        shown: launch,
        picture: Picture::default(),
        replaced: BTreeMap::new(),
        client: None,
    };
    running.tell(&flight, None, launch);
    let (mut end, window) = running.measure(&mut flight).await;
    let asleep = session.connector.suspended().saturating_sub(suspended);
    if asleep > ASLEEP && end.end == CellEnd::Measured {
        let reason = format!("this computer slept for {asleep} during the cell");
        end = Ending::new(CellEnd::Failed, reason);
    }
    let client = running.client;
    let telemetry = session.watched(launch).await;
    let admitted = u32::try_from(flight.collector.started()).unwrap_or(u32::MAX);
    let scrapes = watch.stop(session).await;
    let mut notes = Vec::new();
    if session.connector.clock_stepped() {
        notes.push(
            "the wall clock was changed during this cell: read times replace kernel stamps".into(),
        );
    }
    let speculative = speculates(&scrapes);
    CellEvidence {
        context: task.context,
        requests: task.requests,
        not_run: None,
        end: end.end,
        end_reason: end.reason,
        launch_ns: launch.0,
        window,
        admitted,
        cold_ttft_ns: task.cold_ttft.map(|span| span.0),
        fixed_ttft_ns: task.fixed_ttft.map(|span| span.0),
        speculative,
        draft_tokens: None,
        admission_limit: task.admission_limit,
        loop_check: task.loop_check,
        retry: task.retry,
        pass: 0,
        streams: flight.land(task.loop_check).await,
        scrapes,
        client,
        telemetry,
        idle_power_w: task.idle_power_w,
        notes,
    }
}

fn speculates(scrapes: &[Scrape]) -> bool {
    scrapes
        .iter()
        .any(|scrape| scrape.drafted.is_some_and(|drafted| drafted > 0.0))
}

struct Ending {
    end: CellEnd,
    reason: Option<String>,
}

impl Ending {
    fn new(end: CellEnd, reason: impl Into<Option<String>>) -> Self {
        Self {
            end,
            reason: reason.into(),
        }
    }
}

/// What the launch came to.
enum Launch {
    Ready(Nanos),
    Over(Ending),
}

struct Running<'a> {
    session: &'a Session,
    task: &'a CellTask,
    listener: &'a Listener,
    stop: &'a CancellationToken,
    steering: &'a Steering,
    watch: &'a Watch,
    launch: Nanos,
    told: Nanos,
    shown: Nanos,
    picture: Picture,
    replaced: BTreeMap<u32, u32>,
    client: Option<ClientHealth>,
}

impl Running<'_> {
    async fn measure(&mut self, flight: &mut Flight<'_>) -> (Ending, Option<Window>) {
        let start = match self.until_ready(flight).await {
            Launch::Ready(start) => start,
            Launch::Over(ending) => return (ending, None),
        };
        let window = Window {
            start_ns: start.0,
            end_ns: (start + self.task.window).0,
        };
        let before = self.session.load.sample();
        let (ending, end) = self.through_window(flight, window, &before).await;
        let window = Window {
            end_ns: end.0,
            ..window
        };
        (ending, Some(window))
    }

    async fn until_ready(&mut self, flight: &mut Flight<'_>) -> Launch {
        loop {
            let now = self.look(flight, None).await;
            if let Some(ending) = self.trouble(flight, now) {
                return Launch::Over(ending);
            }
            match self.readiness(flight, now) {
                Readiness::Ready => return Launch::Ready(now),
                Readiness::Wait => {}
                Readiness::Never(reason) => {
                    return Launch::Over(Ending::new(CellEnd::NotReady, reason));
                }
            }
        }
    }

    /// Waits for the next thing to look at; tells the listener and checks for loops once a second.
    async fn look(&mut self, flight: &mut Flight<'_>, window: Option<Window>) -> Nanos {
        let next = self.session.clock.now() + LOOK;
        let until = window.map_or(next, |w| next.min(Nanos(w.end_ns)));
        // A failure ends the cell without waiting for the rest of the time.
        while flight.advance(until).await && flight.collector.failure().is_none() {}
        let now = self.session.clock.now();
        if now.saturating_sub(self.told) >= TELL {
            self.told = now;
            if window.is_none() && self.task.loop_check {
                self.replace_loops(flight);
            }
            self.tell(flight, window, now);
        }
        self.show(flight, now);
        now
    }

    /// Before the window a looping request is replaced; a stream that loops again and again is left
    /// alone after a while, or a model that always loops would never come to its window.
    fn replace_loops(&mut self, flight: &mut Flight<'_>) {
        for (stream, _) in flight.collector.looping() {
            let replaced = self.replaced.entry(stream).or_default();
            if *replaced < REPLACEMENTS {
                *replaced += 1;
                flight.replace(stream);
            }
        }
    }

    fn tell(&mut self, flight: &Flight<'_>, window: Option<Window>, now: Nanos) {
        let view = live::View {
            task: self.task,
            launch: self.launch,
            window,
            collector: &flight.collector,
            scrapes: self.watch.ends(),
        };
        // Nobody has to listen.
        let live = self.picture.at(now, &view);
        let _unheard = self.listener.send(Progress::CellLive(live));
    }

    /// Tells what the stream writes that somebody looks at.
    fn show(&mut self, flight: &Flight<'_>, now: Nanos) {
        let Some(stream) = self.steering.looked_at() else {
            return;
        };
        if now.saturating_sub(self.shown) >= SAMPLE {
            self.shown = now;
            let sample = live::sample(self.task, &flight.collector, stream);
            let _unheard = self.listener.send(Progress::Sample(Box::new(sample)));
        }
    }

    /// What ends a cell at any time.
    fn trouble(&self, flight: &mut Flight<'_>, now: Nanos) -> Option<Ending> {
        if self.stop.is_cancelled() {
            return Some(Ending::new(
                CellEnd::Interrupted,
                "stopped by the user".to_owned(),
            ));
        }
        let silent_since = now.saturating_sub(self.task.stall);
        if let Some((stream, attempt)) = flight.collector.stalled(silent_since) {
            let collector = &mut flight.collector;
            collector.mark_stalled(stream, attempt, now, self.task.stall);
        }
        let failure = flight.collector.failure()?;
        Some(Ending::new(
            CellEnd::Failed,
            format!("{}: {}", failure.class, failure.message),
        ))
    }

    fn readiness(&self, flight: &Flight<'_>, now: Nanos) -> Readiness {
        let started = flight.collector.started();
        let Some(last_start) = flight.collector.last_start() else {
            return self.patience(now);
        };
        let wanted = usize::try_from(self.task.requests).unwrap_or(usize::MAX);
        if started >= wanted {
            let settled = now.saturating_sub(last_start) >= self.task.settle;
            return if settled {
                Readiness::Ready
            } else {
                Readiness::Wait
            };
        }
        let running = self.watch.latest().and_then(|scrape| scrape.running);
        let quiet_for = admission_patience(self.task, started, running);
        let gauges_changed = self.watch.last_change().unwrap_or(last_start);
        let last_change = last_start.max(gauges_changed).max(self.launch);
        let quiet = now.saturating_sub(last_change) >= quiet_for;
        if quiet && all_decode(flight, now, quiet_for) {
            Readiness::Ready
        } else {
            Readiness::Wait
        }
    }

    fn patience(&self, now: Nanos) -> Readiness {
        let cold = self.task.cold_ttft.unwrap_or(Nanos::ZERO);
        let patience = NOT_READY.max(Nanos(cold.0.saturating_mul(3)));
        let waited = now.saturating_sub(self.launch);
        if waited < patience {
            return Readiness::Wait;
        }
        Readiness::Never(format!(
            "no request had its first token within {patience} of the launch"
        ))
    }

    /// Measures through the window; gives how and when it ended.
    async fn through_window(
        &mut self,
        flight: &mut Flight<'_>,
        window: Window,
        before: &[HealthSample],
    ) -> (Ending, Nanos) {
        let mut end = Nanos(window.end_ns);
        let mut early = early_ends(self.task, window).into_iter().peekable();
        loop {
            let now = self.look(flight, Some(window)).await;
            if let Some(ending) = self.trouble(flight, now) {
                return (ending, end);
            }
            if let Some(sooner) = early.next_if(|sooner| now >= *sooner + ARRIVED)
                && is_settled(flight, self.task, window, sooner)
            {
                end = sooner;
            }
            if now >= end {
                break;
            }
        }
        self.client = Health::between(before, &self.session.load.sample())
            .as_ref()
            .map(client_health);
        flight.advance_to(end).await;
        if !self.task.counted {
            self.let_requests_end(flight, end).await;
        }
        (Ending::new(CellEnd::Measured, None), end)
    }

    /// Without running counts the totals of requests that end tell the tokens per event.
    async fn let_requests_end(&mut self, flight: &mut Flight<'_>, end: Nanos) {
        let limit = end + FINISHING + Nanos(self.task.window.0 / 4);
        let wanted = flight.collector.streams.len();
        while !self.stop.is_cancelled() && self.session.clock.now() < limit {
            let ended = flight
                .collector
                .streams
                .iter()
                .filter(|requests| requests.iter().any(|request| !request.is_open()))
                .count();
            if ended >= wanted || flight.collector.failure().is_some() {
                return;
            }
            let next = (self.session.clock.now() + LOOK).min(limit);
            while flight.advance(next).await && flight.collector.failure().is_none() {}
        }
    }
}

/// When a window may end before its time (4.3.13): after a third, half and two thirds of it, which
/// are 10, 15 and 20 s of the usual one.
fn early_ends(task: &CellTask, window: Window) -> Vec<Nanos> {
    let at = |share: u64| Nanos(window.start_ns + window.len_ns() * share / 6);
    if task.may_end_early {
        vec![at(2), at(3), at(4)]
    } else {
        Vec::new()
    }
}

/// Whether the rate until `end` is known to 2 %, the half-width of its interval.
fn is_settled(flight: &Flight<'_>, task: &CellTask, window: Window, end: Nanos) -> bool {
    let so_far = CellEvidence {
        context: task.context,
        requests: task.requests,
        window: Some(Window {
            end_ns: end.0,
            ..window
        }),
        streams: flight
            .collector
            .requests()
            .map(|request| request.evidence.clone())
            .collect(),
        ..CellEvidence::default()
    };
    let cell = tokmark_measure::cell::evaluate(&so_far);
    let (Some(low), Some(high), Some(rate)) =
        (cell.ci95_low, cell.ci95_high, cell.total_tokens_per_s)
    else {
        return false;
    };
    (high - low) / 2.0 <= SETTLED * rate
}

fn client_health(health: &Health) -> ClientHealth {
    let ms = |lag: Option<Nanos>| lag.map(Nanos::as_millis_f64);
    ClientHealth {
        threads: health.threads,
        reads: health.reads,
        full_reads: health.full_reads,
        read_lag_p50_ms: ms(health.read_lag_p50),
        read_lag_p99_ms: ms(health.read_lag_p99),
        timer_lag_p99_ms: ms(health.timer_lag_p99),
        stalled_ms: health.stalled.as_millis_f64(),
        busiest_cpu: health.busiest_cpu,
    }
}

/// How long nothing may change before fewer than C streams count as admitted (4.2.5): three times
/// what one request takes to its first token. While the server runs more requests than have begun to
/// answer, the others are being prefilled, and cold where its cache has lost their documents.
fn admission_patience(task: &CellTask, started: usize, running: Option<f64>) -> Nanos {
    let prefills = running.is_some_and(|running| running > float::from_usize(started));
    let cold = task.cold_ttft.filter(|_| prefills);
    let ttft = task.single_ttft.max(cold).unwrap_or(Nanos::ZERO);
    ADMISSION.max(Nanos(ttft.0.saturating_mul(3)))
}

enum Readiness {
    Ready,
    Wait,
    Never(String),
}

/// Whether every stream that has started had an event lately.
fn all_decode(flight: &Flight<'_>, now: Nanos, lately: Nanos) -> bool {
    flight
        .collector
        .streams
        .iter()
        .filter_map(|requests| requests.last())
        .filter(|request| request.is_open())
        .filter_map(|request| request.evidence.events.last())
        .all(|event| now.saturating_sub(Nanos(event.at_ns)) < lately)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_the_server_prefills_are_waited_for_as_long_as_cold_ones_take() {
        let check = |single, cold, running, expect| {
            let task = CellTask {
                context: 8_192,
                requests: 4,
                window: Nanos::from_secs(4),
                settle: Nanos::from_secs(2),
                stall: Nanos::from_secs(60),
                cold_ttft: cold,
                single_ttft: single,
                fixed_ttft: None,
                counted: true,
                loop_check: true,
                admission_limit: None,
                may_end_early: false,
                idle_power_w: None,
                retry: 0,
            };
            let patience = admission_patience(&task, 2, running);
            assert_eq!(patience, Nanos::from_secs(expect), "{running:?}");
        };
        let warm = Some(Nanos::from_secs(1));
        let cold = Some(Nanos::from_secs(19));
        // As seen on a server that prefilled two lost documents of 8K for 40 s.
        check(warm, cold, Some(3.0), 57);
        check(warm, cold, Some(2.0), 10);
        check(warm, cold, None, 10);
        check(cold, cold, None, 57);
        check(None, None, Some(3.0), 10);
    }
}
