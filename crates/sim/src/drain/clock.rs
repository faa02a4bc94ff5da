//! The clocks of the drain: it measures real sockets, so it reads real time.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

#[expect(
    clippy::disallowed_methods,
    reason = "a named clock module; the drain times real sockets"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// CPU time of this thread so far; zero where the kernel does not tell it.
pub(super) fn thread_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
