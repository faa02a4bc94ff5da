//! Memory bandwidth of the processor, measured: `tokmark machine --probe`.
//!
//! Two loops over arrays far larger than the caches, one thread per core: the triad of the STREAM
//! benchmark, `a[i] = b[i] + s * c[i]`, of which two reads and one write are counted (what the write
//! reads before it is not), and a sum, which only reads. The best of several rounds counts, since
//! whatever disturbs a round makes it slower.

use std::hint::black_box;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use tokmark_run_format::MeasuredBandwidth;
use tokmark_units::{Nanos, float};

use crate::telemetry::Now;
use crate::{files, processor};

/// An array is at least this large in all, and so many times the last-level caches.
const LEAST_ARRAY: u64 = 64 << 20;
const CACHES: u64 = 4;

/// Share of the memory that is free which three arrays may take: one in so many.
const MEMORY_SHARE: u64 = 4;

/// Values of each part that are added up beside each other, so that no addition waits for the last
/// one.
const LANES: usize = 4;

/// Whether the loops run at full speed. Built without optimisation they wait for themselves and not
/// for the memory, so that their figures are none of the machine's.
pub const PROBE_IS_OPTIMISED: bool = !cfg!(debug_assertions);

/// How to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BandwidthSettings {
    /// The cores, one thread on each.
    pub cores: Vec<usize>,
    /// Bytes of one array, of all threads together.
    pub array_bytes: u64,
    /// Rounds of each loop.
    pub rounds: u32,
}

impl BandwidthSettings {
    /// All cores that this process may use, and arrays that fit the machine below `root`.
    pub fn here(root: &Path) -> Self {
        let caches = processor::read(root).facts.cache_bytes.unwrap_or(0);
        let wanted = caches.saturating_mul(CACHES).max(LEAST_ARRAY);
        let most = free_bytes(root).map_or(wanted, |free| free / MEMORY_SHARE / 3);
        Self {
            cores: allowed_cores(),
            array_bytes: wanted.min(most),
            rounds: 8,
        }
    }
}

fn free_bytes(root: &Path) -> Option<u64> {
    let text = files::whole(&root.join("proc/meminfo"))?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

/// What one thread found: start and end of every round.
#[derive(Debug, Default)]
struct Rounds {
    triad: Vec<(Nanos, Nanos)>,
    read: Vec<(Nanos, Nanos)>,
}

/// Measures. Takes about a second per gigabyte of arrays and ten rounds.
pub fn measure_bandwidth(settings: &BandwidthSettings, now: &Now) -> MeasuredBandwidth {
    let threads = settings.cores.len().max(1);
    let per_thread = settings.array_bytes / float::len_u64(threads).max(1);
    let length = usize::try_from(per_thread / 8)
        .unwrap_or(usize::MAX)
        .max(4 * LANES);
    let barrier = Barrier::new(threads);
    let all: Vec<Rounds> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|at| {
                let core = settings.cores.get(at).copied();
                let barrier = &barrier;
                scope.spawn(move || rounds(core, length, settings.rounds, barrier, now))
            })
            .collect();
        started
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect()
    });
    let array = float::from_usize(length) * 8.0 * float::from_usize(threads);
    let rate = |arrays: f64, pick: fn(&Rounds) -> &[(Nanos, Nanos)]| {
        let best = best(&all, settings.rounds, pick)?;
        (best.0 > 0).then(|| arrays * array / float::from_u64(best.0))
    };
    MeasuredBandwidth {
        read_gb_s: rate(1.0, |rounds| &rounds.read),
        triad_gb_s: rate(3.0, |rounds| &rounds.triad),
        method: method(settings, threads, length),
        ..MeasuredBandwidth::default()
    }
}

fn method(settings: &BandwidthSettings, threads: usize, length: usize) -> String {
    let mib = float::len_u64(length * threads) * 8 / (1 << 20);
    let optimised = if PROBE_IS_OPTIMISED {
        ""
    } else {
        "; this program was built without optimisation, so that the figures are too low"
    };
    format!(
        "{threads} pinned threads, 3 arrays of {mib} MiB, best of {} rounds; triad counts two reads \
         and one write{optimised}",
        settings.rounds
    )
}

/// The shortest round, from the first thread's start to the last one's end.
fn best(all: &[Rounds], rounds: u32, pick: fn(&Rounds) -> &[(Nanos, Nanos)]) -> Option<Nanos> {
    (0..usize::try_from(rounds).ok()?)
        .filter_map(|round| {
            let spans = || all.iter().filter_map(|thread| pick(thread).get(round));
            let start = spans().map(|(start, _)| *start).min()?;
            let end = spans().map(|(_, end)| *end).max()?;
            Some(end.saturating_sub(start))
        })
        .min()
}

fn rounds(core: Option<usize>, length: usize, rounds: u32, barrier: &Barrier, now: &Now) -> Rounds {
    if let Some(core) = core {
        pin(core);
    }
    // Written by this thread, so that the pages lie in its core's own memory.
    let mut a = vec![1.0_f64; length];
    let b = vec![2.0_f64; length];
    let c = vec![0.5_f64; length];
    let mut found = Rounds::default();
    for round in 0..rounds {
        barrier.wait();
        let start = now();
        triad(&mut a, &b, &c, black_box(3.0 + f64::from(round)));
        black_box(&a);
        found.triad.push((start, now()));
        barrier.wait();
        let start = now();
        black_box(sum(black_box(&a)));
        found.read.push((start, now()));
    }
    found
}

fn triad(a: &mut [f64], b: &[f64], c: &[f64], s: f64) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = *b + s * *c;
    }
}

/// Four parts at once: one stream of reads does not fill the way to the memory.
fn sum(values: &[f64]) -> f64 {
    let (front, back) = values.split_at(values.len() / 2);
    let half = |values: &[f64]| values.len() / 2;
    let (first, second) = front.split_at(half(front));
    let (third, fourth) = back.split_at(half(back));
    let [first, second, third, fourth] =
        [first, second, third, fourth].map(|part| part.as_chunks::<LANES>().0);
    let mut sums = [[0.0_f64; LANES]; 4];
    for (((a, b), c), d) in first.iter().zip(second).zip(third).zip(fourth) {
        for (lanes, chunk) in sums.iter_mut().zip([a, b, c, d]) {
            for (lane, value) in lanes.iter_mut().zip(chunk) {
                *lane += *value;
            }
        }
    }
    sums.iter().flatten().sum()
}

#[cfg(target_os = "linux")]
fn pin(core: usize) {
    use nix::sched::{CpuSet, sched_setaffinity};
    let mut cores = CpuSet::new();
    if cores.set(core).is_ok() {
        // Refused: the thread runs where the system puts it.
        let _pinned = sched_setaffinity(nix::unistd::Pid::from_raw(0), &cores);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin(_core: usize) {}

#[cfg(target_os = "linux")]
fn allowed_cores() -> Vec<usize> {
    use nix::sched::{CpuSet, sched_getaffinity};
    let allowed = sched_getaffinity(nix::unistd::Pid::from_raw(0));
    allowed.map_or_else(
        |_| vec![0],
        |allowed| {
            (0..CpuSet::count())
                .filter(|core| allowed.is_set(*core) == Ok(true))
                .collect()
        },
    )
}

#[cfg(not(target_os = "linux"))]
fn allowed_cores() -> Vec<usize> {
    (0..thread::available_parallelism().map_or(1, std::num::NonZero::get)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_compute_what_they_say() {
        let mut a = vec![0.0; 40];
        triad(&mut a, &vec![2.0; 40], &vec![0.5; 40], 3.0);
        assert!(a.iter().all(|value| (value - 3.5).abs() < 1e-12));
        // Of four parts of ten, what does not fill the lanes is left out.
        assert!((sum(&a) - 32.0 * 3.5).abs() < 1e-9);
    }

    #[test]
    fn the_best_round_spans_all_threads() {
        let span = |start: u64, end: u64| (Nanos(start), Nanos(end));
        let thread = |triad: Vec<(Nanos, Nanos)>| Rounds {
            triad,
            read: Vec::new(),
        };
        let all = [
            thread(vec![span(0, 10), span(20, 26)]),
            thread(vec![span(1, 12), span(19, 25)]),
        ];
        assert_eq!(best(&all, 2, |rounds| &rounds.triad), Some(Nanos(7)));
        assert_eq!(best(&all, 2, |rounds| &rounds.read), None);
    }
}
