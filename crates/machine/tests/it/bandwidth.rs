use std::sync::atomic::{AtomicU64, Ordering};

use tokmark_machine::{BandwidthSettings, measure_bandwidth};
use tokmark_units::Nanos;

use crate::tree::Tree;

#[test]
fn bytes_over_the_best_rounds_time() {
    // One thread; each look at the clock is 1 ms after the last.
    let clock = AtomicU64::new(0);
    let now = move || Nanos(clock.fetch_add(1_000_000, Ordering::SeqCst));
    let settings = BandwidthSettings {
        cores: Vec::new(),
        array_bytes: 8_000_000,
        rounds: 2,
    };
    let found = measure_bandwidth(&settings, &now);
    // 8 MB read in 1 ms is 8 GB/s, and the triad moves three such arrays.
    assert_eq!((found.read_gb_s, found.triad_gb_s), (Some(8.0), Some(24.0)));
    assert!(
        found
            .method
            .contains("1 pinned threads, 3 arrays of 7 MiB, best of 2 rounds"),
        "{found:?}"
    );
}

#[test]
fn arrays_are_far_larger_than_the_caches_and_fit_the_memory() {
    let cache = |size: &str| {
        let folder = "sys/devices/system/cpu/cpu0/cache/index3";
        Tree::new()
            .file(&format!("{folder}/level"), "3\n")
            .file(&format!("{folder}/size"), size)
            .file(&format!("{folder}/type"), "Unified\n")
            .file(&format!("{folder}/shared_cpu_list"), "0\n")
    };
    let check = |tree: Tree, mib: u64| {
        let settings = BandwidthSettings::here(tree.path());
        assert_eq!(settings.array_bytes >> 20, mib);
        assert!(!settings.cores.is_empty());
    };
    check(Tree::new(), 64);
    check(cache("98304K"), 384);
    // 1.2 GiB free: a quarter of it for three arrays.
    check(
        cache("98304K").file("proc/meminfo", "MemAvailable: 1258291 kB\n"),
        102,
    );
}
