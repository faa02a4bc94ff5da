//! The real monotonic clock of the agent and of the bandwidth probe: the one place of this crate
//! that reads time. A run passes its own.

use std::sync::Arc;
use std::time::Instant;

use tokmark_units::Nanos;

use crate::telemetry::SharedNow;

/// A clock whose origin is now.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is the crate's clock; a run passes its own"
)]
pub fn real_clock() -> SharedNow {
    let origin = Instant::now();
    Arc::new(move || Nanos::from(Instant::now().saturating_duration_since(origin)))
}
