//! The threads that send, read and stamp, and do nothing else: one for each core.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokmark_units::Nanos;

use crate::clock::Clock;
use crate::coalesce::Coalescing;
use crate::health::{HealthSample, ThreadHealth};
use crate::slice::ask_for_a_short_slice;

/// How often a load thread looks at itself.
const TICK: Nanos = Nanos::from_millis(10);

/// Where streams run. Threads of [`LoadThreads::start`] end when the last copy is dropped.
#[derive(Debug, Clone)]
pub struct LoadThreads {
    threads: Arc<[LoadThread]>,
}

#[derive(Debug)]
struct LoadThread {
    handle: Handle,
    health: Option<Arc<ThreadHealth>>,
    _stop: Option<oneshot::Sender<()>>,
}

impl LoadThreads {
    /// Starts `count` threads, at least one, each with a runtime of its own.
    pub fn start(count: usize) -> io::Result<Self> {
        let threads: io::Result<Vec<_>> = (0..count.max(1)).map(start_thread).collect();
        Ok(Self {
            threads: threads?.into(),
        })
    }

    /// No threads: streams run on a runtime that exists. For tests under paused time.
    pub fn on(handle: Handle) -> Self {
        let thread = LoadThread {
            handle,
            health: None,
            _stop: None,
        };
        Self {
            threads: [thread].into(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.threads.len()
    }

    /// The runtime of a stream, and where its reads are counted. Streams are dealt out in turn.
    pub fn of_stream(&self, stream: u32) -> Option<(&Handle, Option<&Arc<ThreadHealth>>)> {
        let count = u32::try_from(self.threads.len()).unwrap_or(u32::MAX).max(1);
        let index = usize::try_from(stream % count).ok()?;
        let thread = self.threads.get(index)?;
        Some((&thread.handle, thread.health.as_ref()))
    }

    /// The figures of the threads now; none when there are no threads.
    pub fn sample(&self) -> Vec<HealthSample> {
        let health = self
            .threads
            .iter()
            .filter_map(|thread| thread.health.as_ref());
        health.map(|health| health.sample()).collect()
    }
}

fn start_thread(index: usize) -> io::Result<LoadThread> {
    let health = Arc::new(ThreadHealth::default());
    let coalescing = Coalescing::new(Arc::clone(&health), Clock::start());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || coalescing.before_park())
        .build()?;
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel::<()>();
    let ticking = Arc::clone(&health);
    std::thread::Builder::new()
        .name(format!("load-{index}"))
        .spawn(move || {
            // A kernel that does not know it changes nothing.
            ask_for_a_short_slice();
            runtime.block_on(async move {
                tokio::select! {
                    // Ends when the sender is dropped, which is the only signal there is.
                    _dropped = stopped => {}
                    () = tick(&ticking) => {}
                }
            });
        })?;
    Ok(LoadThread {
        handle,
        health: Some(health),
        _stop: Some(stop),
    })
}

/// Notes, again and again, how late this thread's timer fires and what processor time it has used.
async fn tick(health: &ThreadHealth) {
    let clock = Clock::start();
    let mut due = clock.now() + TICK;
    loop {
        tokio::time::sleep_until(clock.instant(due)).await;
        let now = clock.now();
        health.tick(now.saturating_sub(due), now, thread_cpu());
        due = now + TICK;
    }
}

/// Processor time of the calling thread; `None` where the system does not tell.
pub fn thread_cpu() -> Option<Nanos> {
    cpu(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of this process; `None` where the system does not tell.
pub fn process_cpu() -> Option<Nanos> {
    cpu(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn cpu(clock: ClockId) -> Option<Nanos> {
    let used = Duration::from(clock_gettime(clock).ok()?);
    Some(used.into())
}
