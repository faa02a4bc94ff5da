//! Fewer wake-ups under load.
//!
//! With hundreds of streams a token arrives every few microseconds, and going to sleep and waking
//! up for each of them costs more than reading it. A thread that was just woken by many reads
//! therefore waits a little before it sleeps again, and then reads what has come for all its
//! streams at once. The kernel's stamps keep every arrival time. One read gives one stamp, so the
//! wait is far shorter than the time between two tokens of one stream: two of them must not be
//! found by the same read (methodology section 1).

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use tokmark_units::Nanos;

use crate::clock::Clock;
use crate::health::ThreadHealth;

/// The longest wait: what a finished request may lose before the next one is sent.
const LONGEST: Nanos = Nanos(500_000);
/// A wait below this saves nothing: the system's timer alone is that coarse.
const SHORTEST: Nanos = Nanos(100_000);
/// The wait as a part of the time between two tokens of a stream.
const PART_OF_GAP: u64 = 8;
/// Fewer reads in a second than this are left alone.
const BUSY_READS_PER_S: u64 = 2_000;

/// Decides, for one thread, how long to wait before it sleeps.
#[derive(Debug)]
pub(crate) struct Coalescing {
    health: Arc<ThreadHealth>,
    clock: Clock,
}

impl Coalescing {
    pub(crate) fn new(health: Arc<ThreadHealth>, clock: Clock) -> Self {
        Self { health, clock }
    }

    /// Runs on the thread when nothing is left to do.
    pub(crate) fn before_park(&self) {
        let reads = self.health.reads();
        let Some((time, reads)) = since_last_park(self.clock.now(), reads) else {
            return;
        };
        if let Some(wait) = wait(time, reads, self.health.active()) {
            std::thread::sleep(Duration::from(wait));
        }
    }
}

thread_local! {
    static LAST_PARK: Cell<Option<(Nanos, u64)>> = const { Cell::new(None) };
}

/// What happened on this thread between two parks: time and reads. `None` the first time.
fn since_last_park(now: Nanos, reads: u64) -> Option<(Nanos, u64)> {
    let before = LAST_PARK.replace(Some((now, reads)));
    before.map(|(at, seen)| (now.saturating_sub(at), reads.saturating_sub(seen)))
}

/// How long to wait when `reads` came within `time` on `active` streams.
fn wait(time: Nanos, reads: u64, active: u64) -> Option<Nanos> {
    let rate = reads.saturating_mul(1_000_000_000) / time.0.max(1);
    if reads == 0 || rate < BUSY_READS_PER_S {
        return None;
    }
    let gap = active.saturating_mul(1_000_000_000) / rate;
    let wait = Nanos(gap / PART_OF_GAP).min(LONGEST);
    (wait >= SHORTEST).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_an_eighth_of_the_gap_within_its_bounds() {
        let check = |time_us: u64, reads: u64, active: u64, expect: Option<u64>| {
            let wait = wait(Nanos(time_us * 1_000), reads, active);
            assert_eq!(
                wait.map(|wait| wait.0 / 1_000),
                expect,
                "{time_us} {reads} {active}"
            );
        };
        // 256 streams at 5 ms: a read every 19.5 µs.
        check(195, 10, 256, Some(500));
        // 16 streams at 2 ms.
        check(125, 1, 16, Some(250));
        // 4 streams at 0.4 ms would lose stamps.
        check(100, 1, 4, None);
        // 64 streams at 50 ms: too few reads to matter.
        check(7_800, 10, 64, None);
        check(100, 0, 256, None);
        check(0, 3, 1, None);
    }
}
