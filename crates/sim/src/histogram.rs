//! A histogram of durations that many threads may fill at once, in bounded memory.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use tokmark_units::Nanos;

/// Every power of two is cut into 2^6 buckets, so a bucket is at most 1/64 (1.6 %) wide.
const CUT_BITS: u32 = 6;
/// Buckets that any 64-bit value falls into.
const BUCKETS: u32 = (64 - CUT_BITS + 1) << CUT_BITS;

/// Durations by logarithmic buckets. Recording takes two atomic additions and no lock.
#[derive(Debug)]
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
    max: AtomicU64,
}

/// What a [`Histogram`] says of its values; all zero when there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spread {
    /// Number of values.
    pub count: u64,
    /// Half of the values are at most this; as all percentiles, the upper edge of its bucket.
    #[serde(rename = "p50_ns", serialize_with = "nanos")]
    pub p50: Nanos,
    /// 99 % are at most this.
    #[serde(rename = "p99_ns", serialize_with = "nanos")]
    pub p99: Nanos,
    /// The largest value, exactly.
    #[serde(rename = "max_ns", serialize_with = "nanos")]
    pub max: Nanos,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn nanos<S: serde::Serializer>(at: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(at.0)
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(),
            max: AtomicU64::new(0),
        }
    }
}

impl Histogram {
    /// Counts one value.
    pub fn record(&self, value: Nanos) {
        let at = usize::try_from(bucket(value.0)).unwrap_or(usize::MAX);
        if let Some(count) = self.buckets.get(at) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if value.0 > self.max.load(Ordering::Relaxed) {
            self.max.fetch_max(value.0, Ordering::Relaxed);
        }
    }

    /// Count, percentiles (nearest rank) and maximum of what was recorded so far.
    pub fn spread(&self) -> Spread {
        let counts: Vec<u64> = self
            .buckets
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .collect();
        let count: u64 = counts.iter().sum();
        let max = self.max.load(Ordering::Relaxed);
        let quantile = |percent: u64| {
            let rank = count.saturating_mul(percent).div_ceil(100).max(1);
            let mut below = 0;
            let found = (0_u64..).zip(&counts).find(|(_, count)| {
                below += **count;
                below >= rank
            });
            found.map_or(0, |(at, _)| upper_edge(at).min(max))
        };
        Spread {
            count,
            p50: Nanos(quantile(50)),
            p99: Nanos(quantile(99)),
            max: Nanos(max),
        }
    }
}

/// The bucket of a value: values below 64 have one each.
fn bucket(value: u64) -> u64 {
    let shift = (u64::BITS - CUT_BITS - 1).saturating_sub(value.leading_zeros());
    (u64::from(shift) << CUT_BITS) + (value >> shift)
}

/// The largest value of a bucket.
fn upper_edge(bucket: u64) -> u64 {
    let shift = (bucket >> CUT_BITS).saturating_sub(1);
    let mantissa = u128::from(bucket - (shift << CUT_BITS));
    u64::try_from(((mantissa + 1) << shift) - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spread(values: impl IntoIterator<Item = u64>) -> Spread {
        let histogram = Histogram::default();
        for value in values {
            histogram.record(Nanos(value));
        }
        histogram.spread()
    }

    #[test]
    fn percentiles_are_those_of_the_values() {
        let check = |values: Vec<u64>, p50: u64, p99: u64, max: u64| {
            let got = spread(values.iter().copied());
            assert_eq!(
                (got.p50.0, got.p99.0, got.max.0),
                (p50, p99, max),
                "{values:?}"
            );
            assert_eq!(got.count, u64::try_from(values.len()).unwrap());
        };
        check(vec![], 0, 0, 0);
        check(vec![7], 7, 7, 7);
        check((1..=50).collect(), 25, 50, 50);
        // 1,000 lies in the bucket that ends with 1,007.
        check(vec![1_000, 1_000, 5_000], 1_007, 5_000, 5_000);
        check(vec![u64::MAX], u64::MAX, u64::MAX, u64::MAX);
    }

    proptest! {
        #[test]
        fn a_bucket_holds_its_values_and_is_narrow(value: u64) {
            let edge = upper_edge(bucket(value));
            prop_assert!(edge >= value);
            prop_assert!(edge - value <= value >> CUT_BITS);
            prop_assert!(bucket(value) < u64::from(BUCKETS));
            if let Some(next) = edge.checked_add(1) {
                prop_assert_eq!(bucket(next), bucket(value) + 1);
            }
        }
    }
}
