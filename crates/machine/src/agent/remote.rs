//! The telemetry of another machine on the run's clock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokmark_run_format::{DeviceSample, DeviceSeries, Telemetry, UnknownFact};
use tokmark_units::Nanos;

use super::client::AgentClient;
use super::message::Reading;
use super::server::last_ns;
use crate::telemetry::SharedNow;

/// Time between two questions.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// What was fetched, on the agent's clock.
#[derive(Debug, Default)]
struct Fetched {
    telemetry: Telemetry,
    /// Our clock less the agent's, from the quickest answer so far, with that answer's time.
    offset: Option<(i128, Nanos)>,
    fault: Option<String>,
}

/// Follows an agent. Dropping it ends that.
#[derive(Debug)]
pub struct RemoteSampler {
    client: AgentClient,
    now: Clock,
    fetched: Arc<Mutex<Fetched>>,
    task: JoinHandle<()>,
}

/// The run's clock.
#[derive(Clone)]
struct Clock(SharedNow);

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}

impl RemoteSampler {
    /// Starts to follow, on the current runtime.
    pub fn start(client: AgentClient, now: SharedNow) -> Self {
        let now = Clock(now);
        let fetched = Arc::new(Mutex::new(Fetched::default()));
        let task = tokio::spawn(follow(client.clone(), now.clone(), Arc::clone(&fetched)));
        Self {
            client,
            now,
            fetched,
            task,
        }
    }

    /// The readings between two instants of the run's clock with the nearest one on each side, as
    /// far as the agent has them. What it did not answer stands in `unknown`.
    pub async fn between(&self, from: Nanos, to: Nanos) -> Telemetry {
        fetch(&self.client, &self.now, &self.fetched).await;
        self.known().around(from.0, to.0)
    }

    /// The newest reading of each device, on the agent's own clock.
    pub(crate) fn newest(&self) -> Telemetry {
        lock(&self.fetched).telemetry.around(u64::MAX, u64::MAX)
    }

    /// Whether the agent did not answer the last time.
    pub(crate) fn is_lost(&self) -> bool {
        lock(&self.fetched).fault.is_some()
    }

    /// Ends and gives all readings.
    pub fn stop(self) -> Telemetry {
        self.known()
    }

    /// All readings on the run's clock.
    fn known(&self) -> Telemetry {
        let fetched = lock(&self.fetched);
        let offset = fetched.offset.map_or(0, |(offset, _)| offset);
        let mut unknown = fetched.telemetry.unknown.clone();
        if let Some(fault) = &fetched.fault {
            unknown.push(UnknownFact::new("agent", fault.clone()));
        }
        Telemetry {
            period_ns: fetched.telemetry.period_ns,
            devices: fetched
                .telemetry
                .devices
                .iter()
                .map(|device| moved(device, offset))
                .collect(),
            unknown,
        }
    }
}

impl Drop for RemoteSampler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A panic while the lock was held leaves whole readings.
fn lock(fetched: &Mutex<Fetched>) -> MutexGuard<'_, Fetched> {
    fetched.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn follow(client: AgentClient, now: Clock, fetched: Arc<Mutex<Fetched>>) {
    loop {
        fetch(&client, &now, &fetched).await;
        tokio::time::sleep(ASK_EVERY).await;
    }
}

async fn fetch(client: &AgentClient, now: &Clock, fetched: &Mutex<Fetched>) {
    let after = last_ns(&lock(fetched).telemetry);
    let asked = (now.0)();
    let answer = client.telemetry(after).await;
    let answered = (now.0)();
    let mut fetched = lock(fetched);
    match answer {
        Ok(reading) => {
            fetched.fault = None;
            fetched.add(reading, asked, answered);
        }
        Err(error) => fetched.fault = Some(error.to_string()),
    }
}

impl Fetched {
    fn add(&mut self, reading: Reading, asked: Nanos, answered: Nanos) {
        let took = answered.saturating_sub(asked);
        // The agent read its clock somewhere between; the middle is off by half of that at most.
        let offset = i128::from(asked.0.midpoint(answered.0)) - i128::from(reading.now_ns);
        if self.offset.is_none_or(|(_, best)| took < best) {
            self.offset = Some((offset, took));
        }
        let given = reading.telemetry;
        if self.telemetry.devices.len() != given.devices.len() {
            // The first answer, or the agent was started again.
            self.telemetry = given;
            return;
        }
        self.telemetry.period_ns = given.period_ns;
        self.telemetry.unknown = given.unknown;
        for (known, more) in self.telemetry.devices.iter_mut().zip(&given.devices) {
            more.samples().for_each(|sample| known.push(&sample));
        }
    }
}

/// A series on a clock that is `offset` ahead.
fn moved(device: &DeviceSeries, offset: i128) -> DeviceSeries {
    let mut moved = device.emptied();
    for sample in device.samples() {
        let at = i128::from(sample.at_ns) + offset;
        // What was read before the run's clock began has no place on it.
        if let Ok(at_ns) = u64::try_from(at) {
            moved.push(&DeviceSample { at_ns, ..sample });
        }
    }
    moved
}
