//! Reading the server's gauges while a cell runs, at most once a second.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokmark_engines::{Gauges, Server};
use tokmark_run_format::evidence::Scrape;
use tokmark_units::Nanos;

use crate::session::Session;

/// How often gauges are read.
pub(crate) const EVERY: Duration = Duration::from_secs(1);

/// One reading, or `None` when the server has no gauges.
pub(crate) async fn read(session: &Session) -> Option<Scrape> {
    let start = session.clock.now();
    let gauges = session.server.gauges(&session.control).await.ok()?;
    Some(scrape(&session.server, start, session.clock.now(), &gauges))
}

/// A count of waiting requests that is older than this may be of another moment of the cell: it
/// would make a launch look like a queue (methodology section 5).
const FRESH: Duration = Duration::from_secs(1);

fn scrape(server: &Server, start: Nanos, end: Nanos, gauges: &Gauges) -> Scrape {
    Scrape {
        start_ns: start.0,
        end_ns: end.0,
        running: gauges.running,
        waiting: gauges.waiting.filter(|_| server.gauge_age() <= FRESH),
        preemptions: gauges.preemptions,
        output_tokens: gauges.output_tokens.filter(|_| server.counts_output_live()),
        prefix_queries: gauges.prefix_queries,
        prefix_hits: gauges.prefix_hits,
        kv_use: gauges.kv_use_mean,
        drafted: gauges.drafted,
        accepted: gauges.accepted,
        ttft_seconds: gauges.ttft_seconds,
        ttft_count: gauges.ttft_count,
    }
}

/// Readings of one cell, taken beside it.
pub(crate) struct Watch {
    latest: watch::Receiver<Vec<Scrape>>,
    tasks: JoinSet<()>,
}

impl Watch {
    /// Starts reading at once, then every second until dropped.
    pub(crate) fn start(session: &Session) -> Self {
        let (sender, latest) = watch::channel(Vec::new());
        let (server, control, clock) = (
            session.server.clone(),
            Arc::clone(&session.control),
            session.clock,
        );
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            loop {
                let start = clock.now();
                match server.gauges(&control).await {
                    Ok(gauges) if gauges.running.is_none() && gauges.output_tokens.is_none() => {
                        // Nothing to read here, now or later.
                        return;
                    }
                    Ok(gauges) => {
                        let one = scrape(&server, start, clock.now(), &gauges);
                        sender.send_modify(|all: &mut Vec<Scrape>| all.push(one));
                    }
                    // A busy server may answer late; the next reading may succeed.
                    Err(_) => {}
                }
                tokio::time::sleep_until(clock.instant(start + EVERY.into())).await;
            }
        });
        Self { latest, tasks }
    }

    /// The newest reading.
    pub(crate) fn latest(&self) -> Option<Scrape> {
        self.latest.borrow().last().cloned()
    }

    /// The first reading and the newest.
    pub(crate) fn ends(&self) -> Option<(Scrape, Scrape)> {
        let all = self.latest.borrow();
        Some((all.first()?.clone(), all.last()?.clone()))
    }

    /// When `running` or `waiting` last changed; the first reading counts as a change.
    pub(crate) fn last_change(&self) -> Option<Nanos> {
        let all = self.latest.borrow();
        let changed = all
            .windows(2)
            .rev()
            .find_map(|pair| match pair {
                [before, after] => {
                    let differs =
                        before.running != after.running || before.waiting != after.waiting;
                    differs.then_some(after.end_ns)
                }
                _ => None,
            })
            .or_else(|| all.first().map(|first| first.end_ns));
        changed.map(Nanos)
    }

    /// Stops, and gives every reading after one last one.
    pub(crate) async fn stop(mut self, session: &Session) -> Vec<Scrape> {
        self.tasks.abort_all();
        let mut all = self.latest.borrow().clone();
        all.extend(read(session).await);
        all
    }
}
