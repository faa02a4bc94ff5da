//! Moments and spans on a run's monotonic clock.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use crate::float;

/// Nanoseconds since the origin of a run's monotonic clock, or a span of them.
///
/// The origin is chosen by whoever owns the clock (a run's start, the simulator's start), so two
/// values compare only within one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The origin, or an empty span.
    pub const ZERO: Self = Self(0);

    /// A span of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// The nearest nanosecond to a span in seconds; negative and NaN become zero.
    pub fn from_secs_f64(s: f64) -> Self {
        Self(float::round_to_u64(s * 1e9))
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        float::from_u64(self.0) / 1e9
    }

    /// The span in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        float::from_u64(self.0) / 1e6
    }

    /// `self - earlier`, or zero when `earlier` is later.
    #[must_use]
    pub fn saturating_sub(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// `self - earlier`, or `None` when `earlier` is later: a clock fault, never a latency.
    pub fn checked_sub(self, earlier: Self) -> Option<Self> {
        self.0.checked_sub(earlier.0).map(Self)
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl From<Duration> for Nanos {
    fn from(d: Duration) -> Self {
        Self(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    fn from(n: Nanos) -> Self {
        Self::from_nanos(n.0)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::format::span(*self))
    }
}
