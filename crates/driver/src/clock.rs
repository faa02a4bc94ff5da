//! The run's clock: the one place of the measured path that reads time.

use std::sync::Mutex;
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

/// A change of the realtime clock against the monotonic one by more than this makes kernel stamps
/// unusable for the cell (methodology section 1).
const STEP_LIMIT_NS: i128 = 100_000;
/// How old a comparison of the two clocks may be.
const SAMPLE_EVERY: Nanos = Nanos::from_secs(1);

/// Converts kernel stamps, which are realtime, to the run's clock.
#[derive(Debug)]
pub struct RealtimeOffset {
    clock: Clock,
    state: Mutex<OffsetState>,
}

#[derive(Debug, Default)]
struct OffsetState {
    /// Realtime less monotonic, in nanoseconds, with the moment of the comparison.
    sample: Option<(Nanos, i128)>,
    stepped: bool,
}

impl RealtimeOffset {
    /// For stamps on `clock`.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            state: Mutex::new(OffsetState::default()),
        }
    }

    /// The run-clock moment of a realtime stamp in nanoseconds since 1970; `None` once the
    /// realtime clock was seen to step, or when the stamp lies outside the run.
    pub fn convert(&self, realtime_ns: i128) -> Option<Nanos> {
        let now = self.clock.now();
        let mut state = self.state.lock().ok()?;
        let fresh = state
            .sample
            .is_some_and(|(at, _)| now.saturating_sub(at) < SAMPLE_EVERY);
        if !fresh {
            let offset = compare_clocks(&self.clock);
            if let Some((_, before)) = state.sample
                && (offset - before).abs() > STEP_LIMIT_NS
            {
                state.stepped = true;
            }
            state.sample = Some((self.clock.now(), offset));
        }
        if state.stepped {
            return None;
        }
        let (_, offset) = state.sample?;
        u64::try_from(realtime_ns - offset).ok().map(Nanos)
    }

    /// Forgets an earlier step: called between cells.
    pub fn forget_step(&self) {
        if let Ok(mut state) = self.state.lock() {
            *state = OffsetState::default();
        }
    }

    /// Whether the realtime clock stepped since the last [`Self::forget_step`].
    pub fn stepped(&self) -> bool {
        self.state.lock().is_ok_and(|state| state.stepped)
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
        let converted = offset.convert(realtime_ns()).unwrap();
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
        // As if the last comparison, long ago, had found the wall clock two seconds earlier.
        let real = compare_clocks(&clock);
        offset.state.lock().unwrap().sample = Some((Nanos(0), real - 2_000_000_000));
        let later = Clock {
            origin: clock.origin - std::time::Duration::from_secs(5),
        };
        let stale = RealtimeOffset {
            clock: later,
            state: Mutex::new(OffsetState {
                sample: Some((Nanos(0), compare_clocks(&later) - 2_000_000_000)),
                stepped: false,
            }),
        };
        assert_eq!(stale.convert(realtime_ns()), None);
        assert!(stale.stepped());
        stale.forget_step();
        assert!(stale.convert(realtime_ns()).is_some());
    }
}
