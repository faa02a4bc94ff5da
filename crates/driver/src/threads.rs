//! The threads that send, read and stamp, and do nothing else.

use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokmark_units::Nanos;

use crate::clock::Clock;
use crate::coalesce::Coalescing;
use crate::cores;
use crate::health::{HealthSample, ThreadHealth};
use crate::slice::ask_for_a_short_slice;

/// How often a load thread looks at itself.
const TICK: Nanos = Nanos::from_millis(10);

/// Where streams run. Threads of [`LoadThreads::start`] end when the last copy is dropped.
#[derive(Debug, Clone)]
pub struct LoadThreads {
    threads: Arc<[LoadThread]>,
    cores: Arc<[usize]>,
}

#[derive(Debug)]
struct LoadThread {
    handle: Handle,
    health: Option<Arc<ThreadHealth>>,
    _stop: Option<oneshot::Sender<()>>,
}

impl LoadThreads {
    /// Starts `count` threads, at least one, each with a runtime of its own. All of them stay on
    /// `cores`, each on any of them; with none they run where the system puts them, as also where
    /// it refuses.
    pub fn start(count: usize, cores: &[usize]) -> io::Result<Self> {
        let started: io::Result<Vec<(LoadThread, bool)>> = (0..count.max(1))
            .map(|index| start_thread(index, cores))
            .collect();
        let started = started?;
        // Where one of them may run anywhere, no core is free of them.
        let all_kept = started.iter().all(|(_, is_kept)| *is_kept);
        Ok(Self {
            threads: started.into_iter().map(|(thread, _)| thread).collect(),
            cores: if all_kept { cores.into() } else { [].into() },
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
            cores: [].into(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.threads.len()
    }

    /// The cores that the threads keep to, for others to leave alone; empty when they run anywhere.
    pub fn cores(&self) -> &[usize] {
        &self.cores
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

/// A thread, and whether it stays on its cores.
fn start_thread(index: usize, cores: &[usize]) -> io::Result<(LoadThread, bool)> {
    let health = Arc::new(ThreadHealth::default());
    let coalescing = Coalescing::new(Arc::clone(&health), Clock::start());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || coalescing.before_park())
        .build()?;
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel::<()>();
    let ticking = Arc::clone(&health);
    let (kept, is_kept) = mpsc::channel();
    let cores = cores.to_vec();
    std::thread::Builder::new()
        .name(format!("load-{index}"))
        .spawn(move || {
            // A kernel that does not know it changes nothing.
            ask_for_a_short_slice();
            let is_kept = !cores.is_empty() && cores::keep_to(&cores).is_ok();
            // The other side waits for it.
            let _told = kept.send(is_kept);
            runtime.block_on(async move {
                tokio::select! {
                    // Ends when the sender is dropped, which is the only signal there is.
                    _dropped = stopped => {}
                    () = tick(&ticking) => {}
                }
            });
        })?;
    let thread = LoadThread {
        handle,
        health: Some(health),
        _stop: Some(stop),
    };
    Ok((thread, is_kept.recv().unwrap_or(false)))
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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// Where each thread may run, told by itself.
    fn places(load: &LoadThreads) -> Vec<Vec<usize>> {
        let count = u32::try_from(load.count()).unwrap();
        (0..count)
            .map(|stream| {
                let (told, place) = mpsc::channel();
                let (handle, _) = load.of_stream(stream).unwrap();
                handle.spawn(async move { told.send(cores::allowed()) });
                place.recv().unwrap()
            })
            .collect()
    }

    #[test]
    fn threads_stay_on_the_cores_that_they_are_given() {
        let all = cores::allowed();
        let last = vec![*all.last().unwrap()];
        let kept = LoadThreads::start(2, &last).unwrap();
        assert_eq!(kept.cores(), last);
        assert_eq!(places(&kept), [last.clone(), last]);
        // This thread is where it was.
        assert_eq!(cores::allowed(), all);
        let free = LoadThreads::start(2, &[]).unwrap();
        assert_eq!(free.cores(), [0_usize; 0]);
        assert_eq!(places(&free), [all.clone(), all.clone()]);
        // A core that does not exist: the threads run anyway, and nobody is told to avoid it.
        let absent = LoadThreads::start(1, &[1_000]).unwrap();
        assert_eq!(absent.cores(), [0_usize; 0]);
        assert_eq!(places(&absent), [all]);
    }
}
