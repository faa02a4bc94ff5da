//! Waiting until the server is idle: methodology 4.1.1.

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tokmark_run_format::evidence::RequestFailure;
use tokmark_units::{Nanos, format};

use crate::gauges;
use crate::session::Session;
use crate::single::{self, Patience};

/// What the server was found to be doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Drained {
    /// Nothing runs and nothing waits.
    Idle,
    /// The gauges stick, but a probe is answered as on the idle server.
    IdleByProbe(String),
    /// It answered nobody for so long and is idle now: it was started again.
    Returned(Nanos),
    /// Other people's load.
    Busy(String),
    /// The server answers no request.
    Broken(RequestFailure),
    /// The user stopped the run.
    Stopped,
}

/// How long the gauges must read zero.
const QUIET: Nanos = Nanos::from_millis(500);
/// How often they are read meanwhile.
const POLL: Nanos = Nanos::from_millis(100);
/// How long the server gets.
const PATIENCE: Nanos = Nanos::from_secs(60);
/// A probe slower than this many idle TTFTs means load.
const SLOW: u64 = 2;
/// Failed probes in a row of which a server is called broken.
const FAILURES: u32 = 2;
/// Below this a slower probe proves nothing: timers and schedulers are no finer.
const LEAST_TTFT: Nanos = Nanos::from_millis(20);

/// What is known of the server before it is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// TTFT of a one-token request on the idle server, unknown before the first measurement.
    pub(crate) idle: Option<Nanos>,
    /// Whether it answered nothing the last time, so that its gauges are not waited for again.
    pub(crate) was_broken: bool,
    /// How long it is waited for when it answers nobody.
    pub(crate) away: Nanos,
}

/// Waits until the server is idle. `probe` makes a one-token request.
pub(crate) async fn until_idle(
    session: &Session,
    known: Known,
    probe: &(dyn Fn() -> Bytes + Send + Sync),
    stop: &CancellationToken,
) -> Drained {
    if known.was_broken
        && let Some(broken) = still_broken(session, probe, stop).await
    {
        return broken;
    }
    let started = session.clock.now();
    let mut quiet_since: Option<Nanos> = None;
    let stuck = loop {
        if stop.is_cancelled() {
            return Drained::Stopped;
        }
        let Some(scrape) = gauges::read(session).await else {
            return by_probe(session, known, probe, stop, None).await;
        };
        let (Some(running), waiting) = (scrape.running, scrape.waiting.unwrap_or(0.0)) else {
            return by_probe(session, known, probe, stop, None).await;
        };
        let now = session.clock.now();
        if running + waiting > 0.0 {
            quiet_since = None;
        } else {
            let since = *quiet_since.get_or_insert(now);
            if now.saturating_sub(since) >= QUIET {
                return Drained::Idle;
            }
        }
        if now.saturating_sub(started) >= PATIENCE {
            break (running, waiting);
        }
        tokio::time::sleep_until(session.clock.instant(now + POLL)).await;
    };
    by_probe(session, known, probe, stop, Some(stuck)).await
}

/// One probe of a server that was broken; `None` when it answers again.
async fn still_broken(
    session: &Session,
    probe: &(dyn Fn() -> Bytes + Send + Sync),
    stop: &CancellationToken,
) -> Option<Drained> {
    let patience = Patience {
        first: PATIENCE,
        stall: PATIENCE,
    };
    match single::run(session, probe(), 1, patience, None, stop).await {
        Err(_) => Some(Drained::Stopped),
        Ok(request) => request.failure.map(Drained::Broken),
    }
}

async fn by_probe(
    session: &Session,
    known: Known,
    probe: &(dyn Fn() -> Bytes + Send + Sync),
    stop: &CancellationToken,
    stuck: Option<(f64, f64)>,
) -> Drained {
    let Some(idle) = known.idle else {
        return match stuck {
            None => Drained::Idle,
            Some((running, waiting)) => Drained::Busy(format!(
                "the server runs {} and queues {} requests of somebody else",
                format::decimal(running, 0),
                format::decimal(waiting, 0)
            )),
        };
    };
    let limit = Nanos(idle.max(LEAST_TTFT).0.saturating_mul(SLOW));
    // With stuck gauges one probe decides; without gauges the server gets its minute.
    let mut tries = if stuck.is_some() { 2 } else { 60 };
    let started = session.clock.now();
    let mut slowest = None;
    let mut failures = 0;
    while tries > 0 {
        let patience = Patience {
            first: PATIENCE,
            stall: PATIENCE,
        };
        let Ok(request) = single::run(session, probe(), 1, patience, None, stop).await else {
            return Drained::Stopped;
        };
        let end = request
            .ended_ns
            .map(|end| end.saturating_sub(request.sent_ns));
        let ttft = request.ttft_ns().or(end).map(Nanos);
        let now = session.clock.now();
        match (ttft, request.failure) {
            (Some(ttft), None) if failures == 0 && ttft <= limit => return idle_by_probe(stuck),
            // Its first answer after a start may be slow.
            (_, None) if failures > 0 => return Drained::Returned(now.saturating_sub(started)),
            (ttft, None) => {
                slowest = ttft.max(slowest);
                tries -= 1;
            }
            (_, Some(failure)) => {
                failures += 1;
                // A server that is started again answers nobody for a while.
                let starts = matches!(failure.http_status, None | Some(502..=504));
                let away = starts && now.saturating_sub(started) < known.away;
                if failures >= FAILURES && !away {
                    return Drained::Broken(failure);
                }
            }
        }
        tokio::time::sleep_until(session.clock.instant(now + Nanos::from_secs(1))).await;
    }
    Drained::Busy(format!(
        "a one-token request took {} where the idle server takes {idle}",
        slowest.map_or_else(|| "too long".to_owned(), |ttft| ttft.to_string())
    ))
}

fn idle_by_probe(stuck: Option<(f64, f64)>) -> Drained {
    match stuck {
        None => Drained::Idle,
        Some((running, waiting)) => Drained::IdleByProbe(format!(
            "the server's gauges stay at {} running and {} waiting, but a probe is answered at once",
            format::decimal(running, 0),
            format::decimal(waiting, 0)
        )),
    }
}
