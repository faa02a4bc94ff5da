//! How well a load thread keeps up (methodology section 5, `client_limited`).
//!
//! Every figure has one writer, its thread, and may be read by any: relaxed atomics, no locks.

use std::sync::atomic::{AtomicU64, Ordering};

use tokmark_units::{Nanos, float};

use crate::stamp::Stamp;

/// Buckets of a [`Lags`]: four for each doubling from 1 µs, so that a quantile is good to 19 %.
const BUCKETS: usize = 104;
const PER_DOUBLING: u32 = 4;
/// A thread whose tick is late by more than this was not scheduled.
const STALL: Nanos = Nanos::from_millis(20);

/// A histogram of waiting times.
#[derive(Debug)]
struct Lags([AtomicU64; BUCKETS]);

impl Lags {
    fn new() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    fn record(&self, lag: Nanos) {
        if let Some(bucket) = self.0.get(bucket(lag)) {
            add(bucket, 1);
        }
    }

    fn counts(&self) -> Vec<u64> {
        self.0.iter().map(load).collect()
    }
}

/// The bucket of a time: the doublings of a microsecond in quarters.
fn bucket(lag: Nanos) -> usize {
    let quarters = (lag.0 / 250).max(4);
    let doublings = quarters.ilog2() - 2;
    let quarter = (quarters >> doublings) - 4;
    let index = u64::from(doublings * PER_DOUBLING) + quarter;
    usize::try_from(index).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The upper edge of a bucket.
fn upper_edge(bucket: usize) -> Nanos {
    let index = u64::try_from(bucket).unwrap_or(0) + 1;
    let (doublings, quarter) = (
        index / u64::from(PER_DOUBLING),
        index % u64::from(PER_DOUBLING),
    );
    Nanos(((4 + quarter) << doublings) * 250)
}

/// Adds to a figure that only this thread writes.
fn add(figure: &AtomicU64, more: u64) {
    figure.store(load(figure) + more, Ordering::Relaxed);
}

fn load(figure: &AtomicU64) -> u64 {
    figure.load(Ordering::Relaxed)
}

/// The figures of one load thread since its start.
#[derive(Debug)]
pub struct ThreadHealth {
    read_lags: Lags,
    tick_lags: Lags,
    reads: AtomicU64,
    full_reads: AtomicU64,
    stalled_ns: AtomicU64,
    cpu_ns: AtomicU64,
    /// When `cpu_ns` was read, on the thread's own clock.
    cpu_at_ns: AtomicU64,
    active: AtomicU64,
}

impl Default for ThreadHealth {
    fn default() -> Self {
        Self {
            read_lags: Lags::new(),
            tick_lags: Lags::new(),
            reads: AtomicU64::new(0),
            full_reads: AtomicU64::new(0),
            stalled_ns: AtomicU64::new(0),
            cpu_ns: AtomicU64::new(0),
            cpu_at_ns: AtomicU64::new(0),
            active: AtomicU64::new(0),
        }
    }
}

impl ThreadHealth {
    /// One read of a measured connection.
    pub(crate) fn read(&self, stamp: Stamp) {
        add(&self.reads, 1);
        if stamp.full {
            add(&self.full_reads, 1);
        }
        if let Some(lag) = stamp.lag() {
            self.read_lags.record(lag);
        }
    }

    /// A tick that came `late`, at `at`, when the thread had used `cpu` of processor time.
    pub(crate) fn tick(&self, late: Nanos, at: Nanos, cpu: Option<Nanos>) {
        self.tick_lags.record(late);
        if late > STALL {
            add(&self.stalled_ns, late.0);
        }
        if let Some(cpu) = cpu {
            self.cpu_ns.store(cpu.0, Ordering::Relaxed);
            self.cpu_at_ns.store(at.0, Ordering::Relaxed);
        }
    }

    /// Counts a stream as active as long as the result lives.
    pub(crate) fn stream(&self) -> ActiveStream<'_> {
        add(&self.active, 1);
        ActiveStream(self)
    }

    /// Reads so far.
    pub(crate) fn reads(&self) -> u64 {
        load(&self.reads)
    }

    /// Streams that wait for an answer or receive one.
    pub(crate) fn active(&self) -> u64 {
        load(&self.active)
    }

    /// The figures now.
    pub fn sample(&self) -> HealthSample {
        HealthSample {
            read_lags: self.read_lags.counts(),
            tick_lags: self.tick_lags.counts(),
            reads: load(&self.reads),
            full_reads: load(&self.full_reads),
            stalled: Nanos(load(&self.stalled_ns)),
            cpu: Nanos(load(&self.cpu_ns)),
            cpu_at: Nanos(load(&self.cpu_at_ns)),
        }
    }
}

/// A stream that counts as active on its thread.
#[derive(Debug)]
pub(crate) struct ActiveStream<'a>(&'a ThreadHealth);

impl Drop for ActiveStream<'_> {
    fn drop(&mut self) {
        let active = load(&self.0.active).saturating_sub(1);
        self.0.active.store(active, Ordering::Relaxed);
    }
}

/// The figures of a thread at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthSample {
    read_lags: Vec<u64>,
    tick_lags: Vec<u64>,
    reads: u64,
    full_reads: u64,
    stalled: Nanos,
    cpu: Nanos,
    cpu_at: Nanos,
}

/// How well the load threads kept up between two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Load threads.
    pub threads: u32,
    /// Reads of measured connections.
    pub reads: u64,
    /// Reads that found the receive buffer more than half full.
    pub full_reads: u64,
    /// Median time that bytes waited in the kernel; `None` without kernel stamps.
    pub read_lag_p50: Option<Nanos>,
    /// 99th percentile of the same.
    pub read_lag_p99: Option<Nanos>,
    /// 99th percentile of how late the threads' own timers fired.
    pub timer_lag_p99: Option<Nanos>,
    /// The longest time that any of the threads was not scheduled, summed over its stalls.
    pub stalled: Nanos,
    /// Processor time of the busiest thread as a share of the time, 0 to 1; `None` where the
    /// system does not tell.
    pub busiest_cpu: Option<f64>,
}

impl Health {
    /// From samples of the same threads, in the same order; `None` when there are no threads.
    pub fn between(before: &[HealthSample], after: &[HealthSample]) -> Option<Self> {
        let threads: Vec<_> = before.iter().zip(after).collect();
        if threads.is_empty() {
            return None;
        }
        let sum = |figure: fn(&HealthSample) -> u64| {
            threads
                .iter()
                .map(|(before, after)| figure(after).saturating_sub(figure(before)))
                .sum()
        };
        let read_lags = gained(&threads, |sample| &sample.read_lags);
        let tick_lags = gained(&threads, |sample| &sample.tick_lags);
        Some(Self {
            threads: u32::try_from(threads.len()).unwrap_or(u32::MAX),
            reads: sum(|sample| sample.reads),
            full_reads: sum(|sample| sample.full_reads),
            read_lag_p50: quantile(&read_lags, 0.5),
            read_lag_p99: quantile(&read_lags, 0.99),
            timer_lag_p99: quantile(&tick_lags, 0.99),
            stalled: threads
                .iter()
                .map(|(before, after)| after.stalled.saturating_sub(before.stalled))
                .max()
                .unwrap_or(Nanos::ZERO),
            busiest_cpu: threads
                .iter()
                .filter_map(|(before, after)| cpu_share(before, after))
                .reduce(f64::max),
        })
    }
}

fn cpu_share(before: &HealthSample, after: &HealthSample) -> Option<f64> {
    let time = after.cpu_at.saturating_sub(before.cpu_at);
    let used = after.cpu.saturating_sub(before.cpu);
    (time > Nanos::ZERO && after.cpu > Nanos::ZERO).then(|| used.as_secs_f64() / time.as_secs_f64())
}

fn gained(
    threads: &[(&HealthSample, &HealthSample)],
    lags: fn(&HealthSample) -> &Vec<u64>,
) -> Vec<u64> {
    let mut all = vec![0; BUCKETS];
    for (before, after) in threads {
        let pairs = lags(before).iter().zip(lags(after));
        for (sum, (before, after)) in all.iter_mut().zip(pairs) {
            *sum += after.saturating_sub(*before);
        }
    }
    all
}

/// The upper edge of the bucket that holds the quantile.
fn quantile(counts: &[u64], share: f64) -> Option<Nanos> {
    let all: u64 = counts.iter().sum();
    if all == 0 {
        return None;
    }
    let rank = float::round_to_u64((float::from_u64(all) * share).ceil()).max(1);
    let mut seen = 0;
    let bucket = counts.iter().position(|count| {
        seen += count;
        seen >= rank
    })?;
    Some(upper_edge(bucket))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::StampSource;

    fn stamp(at: u64, read_at: u64, full: bool) -> Stamp {
        Stamp {
            at: Nanos(at),
            source: StampSource::Kernel,
            read_at: Nanos(read_at),
            full,
        }
    }

    #[test]
    fn every_time_lies_below_its_buckets_edge_and_within_a_fifth_of_it() {
        for lag in (1_000..100_000)
            .step_by(37)
            .chain([1_000_000, 7_777_777, 8_000_000_000])
        {
            let edge = upper_edge(bucket(Nanos(lag)));
            assert!(edge.0 > lag, "{lag} {edge:?}");
            assert!(
                float::from_u64(edge.0) <= 1.26 * float::from_u64(lag),
                "{lag} {edge:?}"
            );
        }
    }

    #[test]
    fn health_is_what_happened_between_two_samples() {
        let thread = ThreadHealth::default();
        thread.read(stamp(0, 9_000_000, true));
        thread.tick(
            Nanos::from_millis(900),
            Nanos::from_secs(1),
            Some(Nanos::from_millis(10)),
        );
        let before = [thread.sample()];
        for _ in 0..98 {
            thread.read(stamp(1_000_000, 1_050_000, false));
        }
        for _ in 0..2 {
            thread.read(stamp(1_000_000, 3_000_000, true));
        }
        thread.tick(
            Nanos::from_millis(1),
            Nanos::from_secs(2),
            Some(Nanos::from_millis(260)),
        );
        thread.tick(
            Nanos::from_millis(300),
            Nanos::from_secs(3),
            Some(Nanos::from_millis(510)),
        );
        let health = Health::between(&before, &[thread.sample()]).unwrap();
        assert_eq!(
            (health.threads, health.reads, health.full_reads),
            (1, 100, 2)
        );
        let p50 = health.read_lag_p50.unwrap();
        assert!((50_000..63_000).contains(&p50.0), "{p50:?}");
        let p99 = health.read_lag_p99.unwrap();
        assert!((2_000_000..2_600_000).contains(&p99.0), "{p99:?}");
        assert_eq!(health.stalled, Nanos::from_millis(300));
        assert!(
            (health.busiest_cpu.unwrap() - 0.25).abs() < 1e-9,
            "{health:?}"
        );
        assert_eq!(Health::between(&[], &[]), None);
    }

    #[test]
    fn reads_without_kernel_stamps_have_no_lag() {
        let thread = ThreadHealth::default();
        let before = [thread.sample()];
        thread.read(Stamp::of_read(Nanos(5)));
        let health = Health::between(&before, &[thread.sample()]).unwrap();
        assert_eq!(
            (health.reads, health.read_lag_p99, health.busiest_cpu),
            (1, None, None)
        );
    }
}
