//! A set of streams in the air: connected, launched together, watched, landed.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;
use tokmark_driver::{Arrival, Outgoing, StreamStart, run_stream};
use tokmark_run_format::evidence::RequestEvidence;
use tokmark_units::Nanos;

use crate::collector::Collector;
use crate::requests::Requests;
use crate::session::Session;

/// How long after the last moment of interest arrivals are still read: what was in the kernel by
/// then, and what the load threads had not handed on.
const GRACE: Nanos = Nanos::from_millis(50);
/// How often arrivals are taken in. Being woken for each of them would take processor time away
/// from the load threads.
const TICK: Nanos = Nanos::from_millis(20);

/// Streams in the air. Dropping it closes every connection.
pub(crate) struct Flight<'a> {
    session: &'a Session,
    requests: Arc<dyn Requests>,
    /// What arrived.
    pub collector: Collector,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    sender: mpsc::UnboundedSender<Arrival>,
    gate: watch::Sender<bool>,
    streams: Vec<Streaming>,
}

struct Streaming {
    task: Option<JoinHandle<()>>,
    next_attempt: u32,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        for stream in &self.streams {
            stream.abort();
        }
    }
}

impl Streaming {
    fn abort(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl<'a> Flight<'a> {
    /// Starts connecting `count` streams; nothing is sent before [`Self::launch`].
    pub(crate) fn prepare(session: &'a Session, count: u32, requests: Arc<dyn Requests>) -> Self {
        let (sender, arrivals) = mpsc::unbounded_channel();
        let (gate, _) = watch::channel(false);
        let streams = usize::try_from(count).unwrap_or(usize::MAX);
        let mut flight = Self {
            session,
            requests,
            collector: Collector::new(streams),
            arrivals,
            sender,
            gate,
            streams: Vec::new(),
        };
        for stream in 0..count {
            let task = flight.spawn(stream, 0);
            flight.streams.push(Streaming {
                task,
                next_attempt: 1,
            });
        }
        flight
    }

    fn spawn(&self, stream: u32, first_attempt: u32) -> Option<JoinHandle<()>> {
        let (handle, health) = self.session.load.of_stream(stream)?;
        let start = StreamStart {
            stream,
            first_attempt,
            connector: Arc::clone(&self.session.connector),
            clock: self.session.clock,
            endpoint: self.session.endpoint(),
            secrets: self.session.secrets(),
            health: health.map(Arc::clone),
            gate: self.gate.subscribe(),
            arrivals: self.sender.clone(),
        };
        let path = Arc::clone(&self.session.route.path);
        let headers = self.session.headers_for(self.requests.home(stream));
        let requests = Arc::clone(&self.requests);
        // The first body is made here, before anything is on the wire, not on the load thread.
        let mut ready = requests.body(stream, first_attempt);
        let feed = move |attempt: u32, now: Nanos| {
            let body = ready.take().or_else(|| requests.body(stream, attempt))?;
            Some(Outgoing {
                due: now,
                path: Arc::clone(&path),
                headers: Arc::clone(&headers),
                body,
            })
        };
        Some(handle.spawn(run_stream(start, feed)))
    }

    /// Waits until every stream is connected or has failed, then sends all first requests.
    pub(crate) async fn launch(&mut self) -> Nanos {
        while !self.collector.all_connected() {
            let Some(arrival) = self.arrivals.recv().await else {
                break;
            };
            self.take(arrival);
        }
        let at = self.session.clock.now();
        // No receiver means that every stream has failed, which the collector knows.
        let _nobody = self.gate.send(true);
        at
    }

    fn take(&mut self, arrival: Arrival) {
        self.collector.take(arrival, self.requests.as_ref());
    }

    /// Takes in what has arrived, after a moment's wait, so that the caller can look; `false` once
    /// the time is up.
    pub(crate) async fn advance(&mut self, until: Nanos) -> bool {
        let now = self.session.clock.now();
        sleep_until(self.session.clock.instant(until.min(now + TICK))).await;
        while let Ok(arrival) = self.arrivals.try_recv() {
            self.take(arrival);
        }
        self.session.clock.now() < until
    }

    /// Takes in everything until `until`, and what was in the kernel by then.
    pub(crate) async fn advance_to(&mut self, until: Nanos) {
        while self.advance(until + GRACE).await {}
    }

    /// Closes a stream's request and starts the next one in its place.
    pub(crate) fn replace(&mut self, stream: u32) {
        let Ok(index) = usize::try_from(stream) else {
            return;
        };
        let Some(next) = self.streams.get(index).map(|s| s.next_attempt) else {
            return;
        };
        let made = self.made(index).max(next);
        let task = self.spawn(stream, made);
        if let Some(streaming) = self.streams.get_mut(index) {
            streaming.abort();
            streaming.task = task;
            streaming.next_attempt = made + 1;
        }
        self.collector.forget(stream, made);
    }

    /// Requests that a stream has made so far.
    fn made(&self, index: usize) -> u32 {
        self.collector
            .streams
            .get(index)
            .and_then(|requests| requests.last())
            .map_or(1, |request| request.evidence.attempt + 1)
    }

    /// Closes every connection and gives the evidence.
    pub(crate) async fn land(mut self, loop_check: bool) -> Vec<RequestEvidence> {
        for stream in &self.streams {
            stream.abort();
        }
        // A stream hands on what it holds when it ends.
        for stream in &mut self.streams {
            if let Some(task) = stream.task.take() {
                let _cancelled = task.await;
            }
        }
        while let Ok(arrival) = self.arrivals.try_recv() {
            self.take(arrival);
        }
        std::mem::replace(&mut self.collector, Collector::new(0)).land(loop_check)
    }
}
