#![cfg(target_os = "linux")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokmark_machine::telemetry::{Pace, Sampler, SamplerSettings, Sources};
use tokmark_machine::{Look, NvmlLibrary};
use tokmark_run_format::{
    AcceleratorLink, DeviceKind, DeviceSample, Hardware, MachineClass, PcieLink, Slice, Throttle,
    UnknownFact,
};
use tokmark_units::Nanos;

use crate::fake_nvml::FakeNvml;
use crate::tree::Tree;

/// A tree as NVIDIA's driver leaves it, with everything private in it.
fn tree() -> Tree {
    Tree::new()
        .file(
            "proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 3090\nGPU UUID: \t GPU-PRIVATE\n",
        )
        .file(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.178.04  Tue Jun  2 2026\n",
        )
        .file("proc/sys/kernel/hostname", "private-box\n")
}

fn hardware(switches: &[&str]) -> Option<Hardware> {
    let tree = tree();
    let library = FakeNvml::build(switches)?;
    Some(library.look(tree.path()).hardware())
}

const MIB: u64 = 1 << 20;

#[test]
fn two_cards_of_which_one_is_divided() {
    let Some(hardware) = hardware(&[]) else {
        return;
    };
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.driver.as_deref(), Some("NVIDIA 580.178.04"));
    assert_eq!(
        hardware.name.as_deref(),
        Some("RTX 3090 24GB + A100-SXM4-80GB MIG")
    );
    let [consumer, divided] = hardware.accelerators.as_slice() else {
        panic!("{hardware:?}");
    };
    assert_eq!(consumer.memory_bytes, Some(24_576 * MIB));
    let facts = consumer.facts.as_ref().unwrap();
    assert_eq!(facts.power_limit_w, Some(350.0));
    assert_eq!(facts.power_limit_default_w, Some(370.0));
    assert_eq!(facts.core_clock_max_mhz, Some(2_100));
    assert_eq!(facts.memory_clock_max_mhz, Some(9_751));
    assert_eq!(
        facts.architecture.as_deref(),
        Some("compute capability 8.6")
    );
    assert_eq!(facts.resizable_bar, Some(false), "256 MiB of 24 GiB");
    assert_eq!(facts.unified_memory, Some(false));
    let link = PcieLink {
        generation: Some(1),
        generation_max: Some(4),
        width: Some(8),
        width_max: Some(16),
    };
    assert_eq!(facts.pcie, Some(link));
    assert_eq!((&facts.slices, &facts.unknown), (&vec![], &vec![]));
    assert_eq!(divided.name, "NVIDIA A100-SXM4-80GB MIG");
    let facts = divided.facts.as_ref().unwrap();
    assert_eq!(facts.resizable_bar, Some(true));
    let slice = |profile: &str, count: u32, mib: u64| Slice {
        profile: profile.to_owned(),
        count,
        memory_bytes: Some(mib * MIB),
    };
    assert_eq!(
        facts.slices,
        [slice("1g.10gb", 2, 9_856), slice("3g.40gb", 1, 40_960)]
    );
    assert_eq!(hardware.links, [way("host_bridge", None)]);
    assert_eq!(
        hardware.unknown.iter().find(|fact| fact.fact == "nvml"),
        None
    );
    let text = format!("{hardware:?}");
    assert!(!text.to_lowercase().contains("private"), "{text}");
    assert!(!text.contains("PR:IV"), "{text}");
}

fn way(path: &str, links: Option<u32>) -> AcceleratorLink {
    AcceleratorLink {
        from: 0,
        to: 1,
        path: path.to_owned(),
        links,
    }
}

#[test]
fn cards_that_are_linked_directly() {
    let Some(hardware) = hardware(&["NVLINK"]) else {
        return;
    };
    assert_eq!(hardware.links, [way("nvlink", Some(4))]);
}

#[test]
fn a_chip_without_memory_of_its_own() {
    let Some(hardware) = hardware(&["GB10"]) else {
        return;
    };
    assert_eq!(hardware.class, MachineClass::UnifiedMemory);
    assert_eq!(hardware.name.as_deref(), Some("GB10"));
    assert_eq!(hardware.accelerators[0].memory_bytes, None);
    let facts = hardware.accelerators[0].facts.as_ref().unwrap();
    assert_eq!(facts.unified_memory, Some(true));
    assert_eq!(
        (facts.power_limit_w, facts.core_clock_max_mhz),
        (None, Some(2_100))
    );
    let expected = [
        UnknownFact::new("memory_bytes", "it is the processor's memory"),
        UnknownFact::new("power_limit_w", "the card does not tell"),
        UnknownFact::new("power_limit_default_w", "the card does not tell"),
    ];
    assert_eq!(facts.unknown, expected);
}

#[test]
fn without_the_library_the_drivers_files_name_the_cards_and_the_reason_is_told() {
    let check = |nvml: NvmlLibrary, reason: &str| {
        let tree = tree();
        let look = Look {
            nvml,
            ..Look::at(tree.path())
        };
        let hardware = look.hardware();
        assert_eq!(
            hardware.accelerators[0].name, "NVIDIA GeForce RTX 3090",
            "{reason}"
        );
        assert_eq!(hardware.driver.as_deref(), Some("NVIDIA 580.178.04"));
        let told = hardware
            .unknown
            .iter()
            .find(|fact| fact.fact == "nvml")
            .unwrap();
        assert!(told.reason.contains(reason), "{told:?}");
        assert!(!told.reason.contains('/'), "a path in {told:?}");
        let sources = Sources::of(&look);
        let sampler = start(sources, 0).stop();
        let told = sampler
            .unknown
            .iter()
            .find(|fact| fact.fact == "nvml")
            .unwrap();
        assert!(told.reason.contains(reason), "{told:?}");
    };
    check(
        NvmlLibrary::At("/nowhere/libnvidia-ml.so.1".into()),
        "not installed",
    );
    // A file that is no library.
    let junk = Tree::new().file("libnvidia-ml.so.1", "no library");
    check(
        NvmlLibrary::At(junk.path().join("libnvidia-ml.so.1")),
        "cannot be loaded",
    );
    for (switch, reason) in [
        ("MISMATCH", "different versions"),
        ("NO_PERMISSION_AT_START", "may not read"),
    ] {
        if let Some(library) = FakeNvml::build(&[switch]) {
            check(NvmlLibrary::At(library.path.clone()), reason);
        }
    }
}

#[test]
fn an_older_library_leaves_single_facts_out() {
    let Some(hardware) = hardware(&["OLD"]) else {
        return;
    };
    assert_eq!(hardware.accelerators.len(), 2);
    assert_eq!(hardware.accelerators[0].memory_bytes, None);
    let facts = hardware.accelerators[0].facts.as_ref().unwrap();
    assert_eq!(facts.power_limit_w, Some(350.0), "all else is as before");
    let expected = UnknownFact::new("memory_bytes", "NVIDIA's library is too old for this");
    assert_eq!(facts.unknown, [expected]);
}

#[test]
fn a_card_that_answers_nothing_is_still_counted() {
    let Some(hardware) = hardware(&["QUIET"]) else {
        return;
    };
    assert_eq!(hardware.accelerators.len(), 2);
    let facts = hardware.accelerators[0].facts.as_ref().unwrap();
    assert_eq!((facts.power_limit_w, facts.pcie), (None, None));
    assert!(facts.unknown.len() >= 9, "{facts:?}");
}

/// A number of readings, one every 200 ms of a clock that only they move.
struct Readings {
    left: u32,
    clock: Arc<AtomicU64>,
}

impl Pace for Readings {
    fn wait(&mut self, span: std::time::Duration) -> bool {
        let span = Nanos::from(span);
        self.clock.fetch_add(span.0, Ordering::SeqCst);
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

fn start(sources: Sources, readings: u32) -> Sampler {
    let clock = Arc::new(AtomicU64::new(1_000));
    let now = Arc::clone(&clock);
    Sampler::start_paced(
        sources,
        &SamplerSettings::default(),
        Arc::new(move || Nanos(now.load(Ordering::SeqCst))),
        Box::new(Readings {
            left: readings,
            clock,
        }),
    )
    .unwrap()
}

#[test]
fn readings_of_two_cards() {
    let Some(library) = FakeNvml::build(&[]) else {
        return;
    };
    let tree = tree();
    let telemetry = start(Sources::of(&library.look(tree.path())), 6).stop();
    assert_eq!(telemetry.period_ns, 200_000_000);
    let cards: Vec<_> = telemetry
        .devices
        .iter()
        .filter(|device| device.kind == DeviceKind::Accelerator)
        .collect();
    assert_eq!(cards.len(), 2);
    assert_eq!(
        (cards[0].name.as_str(), cards[0].source.as_str()),
        ("NVIDIA GeForce RTX 3090", "nvml")
    );
    let samples: Vec<DeviceSample> = cards[0].samples().collect();
    assert_eq!(samples.len(), 6);
    let expected = DeviceSample {
        at_ns: 1_000,
        power_mw: Some(348_000),
        energy_uj: samples[0].energy_uj,
        core_clock_mhz: Some(1_695),
        memory_clock_mhz: Some(9_501),
        temperature_c: Some(83),
        memory_temperature_c: Some(96),
        memory_used_bytes: Some(1_000 * MIB),
        utilization_percent: Some(99),
        memory_utilization_percent: Some(71),
        // Counter 1 of the library is what the card receives.
        pcie_rx_kb_s: Some(1_200),
        pcie_tx_kb_s: Some(3_400),
        throttle: Some(Throttle::POWER_CAP),
    };
    assert_eq!(samples[0], expected);
    assert_eq!(samples[1].at_ns, 200_001_000);
    // Millijoules of the library as microjoules: 70 J from reading to reading.
    let gained = samples[1].energy_uj.unwrap() - samples[0].energy_uj.unwrap();
    assert_eq!(gained, 70_000_000);
    let with_traffic: Vec<bool> = samples.iter().map(|s| s.pcie_rx_kb_s.is_some()).collect();
    assert_eq!(with_traffic, [true, false, false, false, false, true]);
    let other: Vec<DeviceSample> = cards[1].samples().collect();
    assert_eq!(other[0].throttle, Some(Throttle::THERMAL));
    assert_eq!(
        other[0].utilization_percent, None,
        "a divided card does not tell"
    );
    let text = serde_json::to_string(&telemetry).unwrap();
    assert!(!text.to_lowercase().contains("private"), "{text}");
}

#[test]
fn the_catalogues_names_are_put_in_at_one_place() {
    let Some(library) = FakeNvml::build(&[]) else {
        return;
    };
    let tree = tree();
    let look = Look {
        normalise: &|name, memory| {
            (memory == Some(24_576 * MIB) && name == "NVIDIA GeForce RTX 3090")
                .then(|| "RTX 3090".to_owned())
        },
        ..library.look(tree.path())
    };
    let names: Vec<String> = look
        .hardware()
        .accelerators
        .into_iter()
        .map(|a| a.name)
        .collect();
    assert_eq!(names, ["RTX 3090", "NVIDIA A100-SXM4-80GB MIG"]);
    // What the driver said stays beside.
    let facts = look.hardware().accelerators.remove(0).facts.unwrap();
    assert_eq!(
        facts.driver_name.as_deref(),
        Some("NVIDIA GeForce RTX 3090")
    );
}
