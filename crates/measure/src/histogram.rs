//! Percentiles of the histograms that servers export, over a span between two readings.

/// One bucket of a cumulative histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Upper edge; infinite for the last one.
    pub le: f64,
    /// Samples at or below it.
    pub count: f64,
}

/// A percentile read from buckets: never an exact value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimate {
    /// Somewhere in a bucket; linear inside it.
    About(f64),
    /// In the bucket without an upper edge: above its lower one.
    Above(f64),
}

/// The `p`-quantile of the samples that came between two readings of the same buckets; `None`
/// without samples, or when the readings do not belong together.
pub fn percentile(before: &[Bucket], after: &[Bucket], p: f64) -> Option<Estimate> {
    let gained = gained(before, after)?;
    let total = gained.last()?.count;
    if total <= 0.0 {
        return None;
    }
    let rank = p.clamp(0.0, 1.0) * total;
    let mut lower = Bucket {
        le: 0.0,
        count: 0.0,
    };
    for bucket in gained {
        if bucket.count >= rank && bucket.count > lower.count {
            return Some(inside(lower, bucket, rank));
        }
        lower = bucket;
    }
    None
}

fn inside(lower: Bucket, bucket: Bucket, rank: f64) -> Estimate {
    if bucket.le.is_infinite() {
        return Estimate::Above(lower.le);
    }
    let share = (rank - lower.count) / (bucket.count - lower.count);
    Estimate::About(lower.le + (bucket.le - lower.le) * share)
}

fn gained(before: &[Bucket], after: &[Bucket]) -> Option<Vec<Bucket>> {
    if before.len() != after.len() {
        return None;
    }
    let one = |(before, after): (&Bucket, &Bucket)| {
        let alike = before.le.to_bits() == after.le.to_bits();
        (alike && after.count >= before.count).then_some(Bucket {
            le: after.le,
            count: after.count - before.count,
        })
    };
    before.iter().zip(after).map(one).collect()
}
