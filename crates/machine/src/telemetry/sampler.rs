//! The thread that asks the sources, away from the cores that measure.

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokmark_run_format::{DeviceSeries, Telemetry};
use tokmark_units::Nanos;

use super::pace::RealPace;
use super::{Now, Pace, SharedNow, Source, Sources, Store};

/// Periods that make sense: 2 to 10 readings per second.
pub const PERIODS: RangeInclusive<Duration> =
    Duration::from_millis(100)..=Duration::from_millis(500);

/// How to sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplerSettings {
    /// Time between two readings; what lies outside [`PERIODS`] is moved to its edge.
    pub period: Duration,
    /// Cores that the thread keeps away from, where the system lets it and others are left.
    pub avoid_cores: Vec<usize>,
}

impl Default for SamplerSettings {
    /// Five readings per second, on any core.
    fn default() -> Self {
        Self {
            period: Duration::from_millis(200),
            avoid_cores: Vec::new(),
        }
    }
}

/// A running sampler. Dropping it ends its thread.
#[derive(Debug)]
pub struct Sampler {
    store: Arc<Store>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts sampling on the given clock.
    pub fn start(sources: Sources, settings: &SamplerSettings, now: SharedNow) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let pace = Box::new(RealPace(stopped));
        let mut sampler = Self::start_paced(sources, settings, now, pace)?;
        sampler.stop = Some(stop);
        Ok(sampler)
    }

    /// As [`Self::start`], with waiting that a test controls.
    pub fn start_paced(
        sources: Sources,
        settings: &SamplerSettings,
        now: SharedNow,
        pace: Box<dyn Pace>,
    ) -> io::Result<Self> {
        let period = settings.period.clamp(*PERIODS.start(), *PERIODS.end());
        let devices: Vec<DeviceSeries> = sources
            .all
            .iter()
            .flat_map(|source| source.devices())
            .collect();
        let store = Arc::new(Store::new(period.into(), devices, sources.unknown));
        let work = Work {
            sources: sources.all,
            store: Arc::clone(&store),
            period: period.into(),
            now,
        };
        let avoid = settings.avoid_cores.clone();
        let thread = thread::Builder::new()
            .name("telemetry".to_owned())
            .spawn(move || {
                keep_off(&avoid);
                work.run(pace);
            })?;
        Ok(Self {
            store,
            stop: None,
            thread: Some(thread),
        })
    }

    /// The readings between two instants with the nearest one on each side, as far as they were
    /// taken.
    pub fn between(&self, from: Nanos, to: Nanos) -> Telemetry {
        self.store.around(from, to)
    }

    /// What is shared with the agent's server.
    pub(crate) fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// Ends the thread and gives all readings.
    pub fn stop(mut self) -> Telemetry {
        self.end();
        self.store.after(None)
    }

    fn end(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic in a source ends telemetry, not the run.
            let _ended = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

struct Work {
    sources: Vec<Box<dyn Source>>,
    store: Arc<Store>,
    period: Nanos,
    now: SharedNow,
}

impl Work {
    /// Readings lie on a grid from the start on, so that slow ones do not shift those after them; a
    /// place of the grid that passed meanwhile is left out.
    fn run(mut self, mut pace: Box<dyn Pace>) {
        let start = (self.now)();
        loop {
            self.read();
            let passed = (self.now)().saturating_sub(start);
            let step = self.period.0.max(1);
            let next = (passed.0 / step + 1).saturating_mul(step);
            let left = Nanos(next.saturating_sub(passed.0));
            if !pace.wait(left.into()) {
                return;
            }
        }
    }

    fn read(&mut self) {
        let now: &Now = &*self.now;
        let samples: Vec<_> = self
            .sources
            .iter_mut()
            .flat_map(|source| source.read(now))
            .collect();
        self.store.add(&samples);
    }
}

/// Moves this thread off the given cores, where others are left.
#[cfg(target_os = "linux")]
fn keep_off(avoid: &[usize]) {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;
    if avoid.is_empty() {
        return;
    }
    let this_thread = Pid::from_raw(0);
    let Ok(allowed) = sched_getaffinity(this_thread) else {
        return;
    };
    let mut kept = CpuSet::new();
    let mut is_any = false;
    for core in 0..CpuSet::count() {
        if allowed.is_set(core) == Ok(true) && !avoid.contains(&core) {
            is_any |= kept.set(core).is_ok();
        }
    }
    if is_any {
        // Refused: the thread runs where the system puts it.
        let _kept_off = sched_setaffinity(this_thread, &kept);
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_off(_avoid: &[usize]) {}
