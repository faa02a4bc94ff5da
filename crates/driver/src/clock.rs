//! The run's clock: the one place of the measured path that reads time.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::SystemTime;

use tokio::time::Instant;
use tokmark_units::Nanos;

/// A monotonic clock with a chosen origin. Under tokio's paused time it follows the virtual time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock whose origin is now.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is the measured path's clock"
    )]
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
        }
    }

    /// Time since the origin.
    #[expect(
        clippy::disallowed_methods,
        reason = "this module is the measured path's clock"
    )]
    pub fn now(&self) -> Nanos {
        Instant::now().saturating_duration_since(self.origin).into()
    }

    /// The tokio instant of a moment on this clock, for sleeping until it.
    pub fn instant(&self, at: Nanos) -> Instant {
        self.origin + at.into()
    }
}

/// How long this machine has been suspended since it was started; zero where the system does not
/// tell. The monotonic clock stands still meanwhile, so that a window would not notice.
pub fn suspended() -> Nanos {
    #[cfg(target_os = "linux")]
    {
        use nix::time::{ClockId, clock_gettime};
        let read = |clock| {
            let time = clock_gettime(clock).ok()?;
            let seconds = u64::try_from(time.tv_sec()).ok()?;
            let rest = u64::try_from(time.tv_nsec()).ok()?;
            Some(Nanos(
                seconds.saturating_mul(1_000_000_000).saturating_add(rest),
            ))
        };
        // The later reading second: the little time in between counts as awake.
        let monotonic = read(ClockId::CLOCK_MONOTONIC);
        let since_boot = read(ClockId::CLOCK_BOOTTIME);
        if let (Some(awake), Some(all)) = (monotonic, since_boot) {
            return all.saturating_sub(awake);
        }
    }
    Nanos::ZERO
}

/// A change of the realtime clock against the monotonic one by more than this makes kernel stamps
/// unusable for the cell (methodology section 1).
const STEP_LIMIT_NS: i128 = 100_000;
/// How old a comparison of the two clocks may be.
const SAMPLE_EVERY: Nanos = Nanos::from_secs(1);

/// Converts kernel stamps, which are realtime, to the run's clock. Reading it takes no lock.
#[derive(Debug)]
pub struct RealtimeOffset {
    clock: Clock,
    /// Realtime less monotonic, in nanoseconds.
    offset_ns: AtomicI64,
    /// When the two clocks were compared, in nanoseconds; [`NEVER`] before the first time.
    compared_at: AtomicU64,
    stepped: AtomicBool,
}

const NEVER: u64 = u64::MAX;

impl RealtimeOffset {
    /// For stamps on `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            offset_ns: AtomicI64::new(0),
            compared_at: AtomicU64::new(NEVER),
            stepped: AtomicBool::new(false),
        }
    }

    /// The run-clock moment of a realtime stamp in nanoseconds since 1970, looked at `now`; `None`
    /// once the realtime clock was seen to step, or when the stamp lies outside the run.
    pub fn convert(&self, realtime_ns: i128, now: Nanos) -> Option<Nanos> {
        let compared_at = self.compared_at.load(Ordering::Acquire);
        if compared_at == NEVER || now.0.saturating_sub(compared_at) >= SAMPLE_EVERY.0 {
            self.compare(compared_at != NEVER);
        }
        if self.stepped() {
            return None;
        }
        let offset = i128::from(self.offset_ns.load(Ordering::Relaxed));
        u64::try_from(realtime_ns - offset).ok().map(Nanos)
    }

    /// Two threads that do this at once come to the same result.
    fn compare(&self, known: bool) {
        let offset = compare_clocks(&self.clock);
        let before = i128::from(self.offset_ns.load(Ordering::Relaxed));
        if known && (offset - before).abs() > STEP_LIMIT_NS {
            self.stepped.store(true, Ordering::Relaxed);
        }
        let offset = i64::try_from(offset).unwrap_or(i64::MAX);
        self.offset_ns.store(offset, Ordering::Relaxed);
        self.compared_at
            .store(self.clock.now().0, Ordering::Release);
    }

    /// Forgets an earlier step: called between cells.
    pub fn forget_step(&self) {
        self.stepped.store(false, Ordering::Relaxed);
        self.compared_at.store(NEVER, Ordering::Release);
    }

    /// Whether the realtime clock stepped since the last [`Self::forget_step`].
    pub fn stepped(&self) -> bool {
        self.stepped.load(Ordering::Relaxed)
    }
}

/// Realtime less monotonic. Of five comparisons the one with the least time between its two
/// monotonic readings counts, so that a preemption in between does not look like a clock step.
fn compare_clocks(clock: &Clock) -> i128 {
    let compare = || {
        let before = clock.now();
        let real = realtime_ns();
        let after = clock.now();
        let middle = i128::from(before.0.midpoint(after.0));
        (after.saturating_sub(before), real - middle)
    };
    (0..5)
        .map(|_| compare())
        .min_by_key(|(width, _)| *width)
        .map_or(0, |(_, offset)| offset)
}

#[expect(
    clippy::disallowed_methods,
    reason = "kernel stamps are realtime: converting them needs this clock"
)]
fn realtime_ns() -> i128 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_taken_now_converts_to_now() {
        let clock = Clock::start();
        let offset = RealtimeOffset::new(clock);
        let before = clock.now();
        let converted = offset.convert(realtime_ns(), before).unwrap();
        let after = clock.now();
        // The comparison is good to the width of its readings: microseconds, never a millisecond.
        assert!(
            converted + Nanos(500_000) >= before,
            "{converted:?} {before:?}"
        );
        assert!(
            converted <= after + Nanos(500_000),
            "{converted:?} {after:?}"
        );
    }

    #[test]
    fn b053_a_step_of_the_wall_clock_is_noticed_and_forgotten_on_request() {
        let clock = Clock::start();
        let offset = RealtimeOffset::new(clock);
        assert!(offset.convert(realtime_ns(), clock.now()).is_some());
        // As if the last comparison, long ago, had found the wall clock two seconds earlier.
        offset.offset_ns.fetch_sub(2_000_000_000, Ordering::Relaxed);
        let later = clock.now() + Nanos::from_secs(5);
        assert_eq!(offset.convert(realtime_ns(), later), None);
        assert!(offset.stepped());
        offset.forget_step();
        assert!(offset.convert(realtime_ns(), clock.now()).is_some());
    }
}
