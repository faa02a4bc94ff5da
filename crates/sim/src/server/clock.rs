//! The only place of the simulator that reads tokio's clock, which tests pause.

use std::time::Duration;

use tokio::time::{Instant, Sleep};
use tokmark_units::Nanos;

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

    /// Sleeps until `at`. tokio's timer has a grain of 1 ms and never fires early, so what is due
    /// between two ticks is sent at the second one; the engine's own times keep their exact value.
    pub(super) fn until(&self, at: Nanos) -> Sleep {
        tokio::time::sleep_until(self.origin + Duration::from(at))
    }
}

/// Sleeps for a while, before something that failed is tried again.
pub(super) fn pause(span: Duration) -> Sleep {
    tokio::time::sleep(span)
}
