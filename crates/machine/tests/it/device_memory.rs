#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use std::sync::atomic::{AtomicU64, Ordering};

use tokmark_machine::{ComputeApi, ComputeLibrary, DeviceBandwidth, measure_device_bandwidth};
use tokmark_run_format::{AcceleratorBandwidth, UnknownFact};
use tokmark_units::Nanos;

use crate::fake_nvml::FakeCompute;
use crate::tree::Tree;

/// Measures on a clock that goes on by 80 ms at each look, so that every round takes that long.
fn measure(libraries: &[ComputeLibrary], vendors: &[&str]) -> DeviceBandwidth {
    let clock = AtomicU64::new(0);
    let now = move || Nanos(clock.fetch_add(80_000_000, Ordering::SeqCst));
    let normalise = |name: &str, memory: Option<u64>| {
        (name == "NVIDIA GeForce RTX 3090" && memory == Some(24 << 30))
            .then(|| "NVIDIA RTX 3090".to_owned())
    };
    measure_device_bandwidth(libraries, vendors, &normalise, &now)
}

fn with(api: ComputeApi, switches: &[&str]) -> Option<DeviceBandwidth> {
    let fake = FakeCompute::build(api, switches)?;
    Some(measure(&[fake.library], &["nvidia", "amd"]))
}

#[test]
fn copies_count_both_ways_and_fills_one() {
    for (api, name, said) in [
        (ComputeApi::Cuda, "NVIDIA RTX 3090", "CUDA driver API"),
        (ComputeApi::Hip, "AMD Radeon RX 7900 XTX", "HIP"),
    ] {
        let Some(found) = with(api, &[]) else {
            return;
        };
        let card = AcceleratorBandwidth {
            name: name.to_owned(),
            memory_bytes: Some(24 << 30),
            // 32 copies of 1 GiB, read and written, in 80 ms: 64 · 1.073741824 / 0.08 GB/s.
            copy_gb_s: Some(858.993_459_2),
            fill_gb_s: Some(429.496_729_6),
            method: format!(
                "{said}, 2 buffers of 1024 MiB, best of 5 rounds of 32; a copy counts its bytes \
                 read and written, a fill its bytes written"
            ),
            unknown: Vec::new(),
        };
        assert_eq!(found.accelerators, [card.clone(), card]);
        assert_eq!(found.unknown, []);
        assert_eq!(found.accelerators[0].best_gb_s(), Some(858.993_459_2));
    }
}

/// What a card's record says instead of figures.
fn check(switches: &[&str], expect: &[(&str, &str)]) {
    for api in [ComputeApi::Cuda, ComputeApi::Hip] {
        let Some(found) = with(api, switches) else {
            return;
        };
        assert_eq!(found.accelerators.len(), 2, "{switches:?}");
        let first = &found.accelerators[0];
        assert_eq!((first.copy_gb_s, first.fill_gb_s), (None, None));
        let unknown: Vec<(&str, &str)> = first
            .unknown
            .iter()
            .map(|fact| (fact.fact.as_str(), fact.reason.as_str()))
            .collect();
        assert_eq!(unknown, expect, "{switches:?}");
        assert_eq!(first.memory_bytes, Some(24 << 30));
    }
}

#[test]
fn a_card_that_cannot_be_measured_says_why() {
    check(
        &["FULL"],
        &[(
            "bandwidth",
            "300 MiB of its memory are free, and the probe needs 1024: stop the server, or measure \
             before it starts",
        )],
    );
    check(
        &["OUT_OF_MEMORY"],
        &[("bandwidth", "not enough of its memory is free")],
    );
    // The copy before the rounds fails already.
    let stopped = "the accelerator stopped with an error; see the system's log";
    check(
        &["BREAKS=1"],
        &[("copy_gb_s", stopped), ("fill_gb_s", stopped)],
    );
    // The third round's 5th copy: what was measured until then is no result.
    check(
        &["BREAKS=70"],
        &[("copy_gb_s", stopped), ("fill_gb_s", stopped)],
    );
}

#[test]
fn one_card_that_fails_leaves_the_other_its_figures() {
    for (api, name) in [
        (ComputeApi::Cuda, "NVIDIA GeForce RTX 3090"),
        (ComputeApi::Hip, "AMD Radeon RX 7900 XTX"),
    ] {
        let Some(found) = with(api, &["TAKEN"]) else {
            return;
        };
        let [free, taken] = found.accelerators.as_slice() else {
            panic!("{found:?}");
        };
        assert!(free.copy_gb_s.is_some() && free.unknown.is_empty());
        let expect = AcceleratorBandwidth {
            name: name.to_owned(),
            unknown: vec![UnknownFact::new(
                "bandwidth",
                "another program has the accelerator for itself",
            )],
            ..AcceleratorBandwidth::default()
        };
        assert_eq!(*taken, expect);
        // 161 copies are right on the first card, and the second one's are not reached.
        let late = with(api, &["BREAKS=162"]).unwrap();
        let figures: Vec<bool> = late
            .accelerators
            .iter()
            .map(|card| card.copy_gb_s.is_some())
            .collect();
        assert_eq!(figures, [true, false]);
    }
}

#[test]
fn a_library_that_cannot_be_used_is_a_reason_where_its_cards_are() {
    let nowhere = |api| ComputeLibrary {
        api,
        files: vec!["/nowhere/lib.so".into(), "/nowhere/lib.so.1".into()],
    };
    let junk = Tree::new().file("libcuda.so.1", "no library");
    let junk = ComputeLibrary {
        api: ComputeApi::Cuda,
        files: vec![junk.path().join("libcuda.so.1")],
    };
    let check = |library: ComputeLibrary, fact: &str, reason: &str| {
        let vendor = match library.api {
            ComputeApi::Cuda => "nvidia",
            ComputeApi::Hip => "amd",
        };
        let found = measure(std::slice::from_ref(&library), &[vendor]);
        assert_eq!(found.accelerators, []);
        assert_eq!(found.unknown, [UnknownFact::new(fact, reason)]);
        // A machine without such cards has nothing to explain.
        assert_eq!(measure(&[library], &["intel"]), DeviceBandwidth::default());
    };
    let missing = |whose: &str| format!("{whose} is not installed or cannot be loaded");
    let (nvidia, amd) = ("NVIDIA's compute library", "AMD's compute library");
    check(nowhere(ComputeApi::Cuda), "cuda", &missing(nvidia));
    check(nowhere(ComputeApi::Hip), "hip", &missing(amd));
    check(junk, "cuda", &missing(nvidia));
    for (api, fact, switch, reason) in [
        (
            ComputeApi::Cuda,
            "cuda",
            "NO_DEVICE",
            "no accelerator is visible to this program".to_owned(),
        ),
        (
            ComputeApi::Cuda,
            "cuda",
            "LACKS_FILL",
            format!("{nvidia} has no `cuMemsetD32Async`: it is too old"),
        ),
        (
            ComputeApi::Hip,
            "hip",
            "LACKS_FILL",
            format!("{amd} has no `hipMemsetD32Async`: it is too old"),
        ),
    ] {
        if let Some(fake) = FakeCompute::build(api, &[switch]) {
            check(fake.library.clone(), fact, &reason);
        }
    }
}

#[test]
fn both_makers_cards_in_one_machine() {
    let Some(cuda) = FakeCompute::build(ComputeApi::Cuda, &[]) else {
        return;
    };
    let hip = FakeCompute::build(ComputeApi::Hip, &["NO_DEVICE"]).unwrap();
    let found = measure(
        &[cuda.library.clone(), hip.library.clone()],
        &["nvidia", "amd"],
    );
    assert_eq!(found.accelerators.len(), 2);
    assert_eq!(found.unknown.len(), 1);
    assert_eq!(found.unknown[0].fact, "hip");
}
