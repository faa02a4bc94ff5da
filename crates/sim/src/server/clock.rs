//! The only place of the simulator's server that reads clocks. Tests pause tokio's.

use std::time::{Duration, SystemTime};

use tokio::time::{Instant, Sleep};
use tokmark_units::Nanos;

/// Receive stamps older than this are not believed: the wall clock was set.
const OLDEST_STAMP: Duration = Duration::from_secs(1);

/// The server's clock: nanoseconds since it was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts at zero now.
    #[expect(
        clippy::disallowed_methods,
        reason = "a named clock module; tokio's clock, so that tests can pause it"
    )]
    pub(super) fn start() -> Self {
        Self {
            origin: Instant::now(),
        }
    }

    /// The time now.
    pub(super) fn now(&self) -> Nanos {
        Nanos::from(self.origin.elapsed())
    }

    /// The time of a receive stamp of the kernel, which counts from 1970; the time now for a stamp
    /// that is absent or not to be believed.
    pub(super) fn of_realtime(&self, stamp: Option<Duration>) -> Nanos {
        let now = self.now();
        let Some(stamp) = stamp else { return now };
        let age = since_1970().checked_sub(stamp);
        match age.filter(|age| *age < OLDEST_STAMP) {
            Some(age) => Nanos(now.0.saturating_sub(Nanos::from(age).0)),
            None => now,
        }
    }

    /// Sleeps until `at`. tokio's timer has a grain of 1 ms and never fires early, so what is due
    /// between two ticks is sent at the second one; the engine's own times keep their exact value.
    pub(super) fn until(&self, at: Nanos) -> Sleep {
        tokio::time::sleep_until(self.origin + Duration::from(at))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a named clock module; receive stamps of the kernel are in wall-clock time"
)]
fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

/// Sleeps for a while, before something that failed is tried again.
pub(super) fn pause(span: Duration) -> Sleep {
    tokio::time::sleep(span)
}
