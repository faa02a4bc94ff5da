//! Intel accelerators through the files of the `xe` and `i915` drivers.

use std::path::{Path, PathBuf};

use tokmark_run_format::{
    AcceleratorFacts, DeviceKind, DeviceSample, DeviceSeries, Throttle, UnknownFact,
};

use crate::amd::watts;
use crate::card::Card;
use crate::drm::{self, DrmCard};
use crate::telemetry::{Now, Source};
use crate::{files, pci};

const DRIVERS: [&str; 2] = ["xe", "i915"];

/// Reasons that the drivers name, `reason_…` with `xe` and `throttle_reason_…` with `i915`.
const REASONS: [(&str, Throttle); 11] = [
    ("pl1", Throttle::POWER_CAP),
    ("pl2", Throttle::POWER_CAP),
    ("pl4", Throttle::CURRENT),
    ("vr_tdc", Throttle::CURRENT),
    ("thermal", Throttle::THERMAL),
    ("soc_thermal", Throttle::THERMAL),
    ("mem_thermal", Throttle::THERMAL),
    ("vr_thermal", Throttle::THERMAL),
    ("vr_thermalert", Throttle::THERMAL),
    ("ratl", Throttle::THERMAL),
    ("prochot", Throttle::POWER_BRAKE),
];

fn found(root: &Path) -> impl Iterator<Item = DrmCard> + use<> {
    drm::cards(root)
        .into_iter()
        .filter(|card| DRIVERS.contains(&card.driver.as_str()))
}

/// The driver's name; it is a part of the kernel and has no version of its own.
pub(crate) fn driver(root: &Path) -> Option<String> {
    let card = discrete(root).next()?;
    Some(card.driver)
}

/// Cards with memory of their own. Graphics inside a processor is no accelerator that a server
/// would be measured on unless it is alone, and then the processor's name says it.
fn discrete(root: &Path) -> impl Iterator<Item = DrmCard> + use<> {
    found(root).filter(|card| memory_bytes(card).is_some() || has_sensors(card))
}

fn has_sensors(card: &DrmCard) -> bool {
    card.sensors(&["energy1_input", "power1_max"]).is_some()
}

pub(crate) fn cards(root: &Path) -> Vec<Card> {
    let found = discrete(root).zip(0..);
    found
        .map(|(card, index)| Card {
            index,
            ..read(root, &card)
        })
        .collect()
}

fn read(root: &Path, found: &DrmCard) -> Card {
    let mut card = Card {
        name: name(root, found),
        memory_bytes: memory_bytes(found),
        facts: AcceleratorFacts {
            vendor: Some("intel".to_owned()),
            unified_memory: Some(false),
            pcie: pci::link(&found.device),
            ..AcceleratorFacts::default()
        },
        ..Card::default()
    };
    if card.memory_bytes.is_none() {
        card.unknown("memory_bytes", "the driver does not tell");
    }
    let sensors = found.sensors(&["energy1_input", "power1_max"]);
    let limit = |file: &str| watts(&sensors.as_ref()?.join(file)).filter(|watts| *watts > 0.0);
    card.facts.power_limit_w = limit("power1_max");
    card.facts.power_limit_default_w = limit("power1_rated_max");
    card.facts.core_clock_max_mhz = clock(found, "rp0_freq", "rps_RP0_freq_mhz");
    card.facts.resizable_bar = card
        .memory_bytes
        .and_then(|memory| pci::resizable_bar(&found.device, memory));
    card
}

fn name(root: &Path, found: &DrmCard) -> String {
    match pci::ids(&found.device) {
        Some((vendor, device)) => pci::name(root, &vendor, &device).map_or_else(
            || format!("Intel {vendor}:{device}"),
            |name| format!("Intel {name}"),
        ),
        None => "Intel accelerator".to_owned(),
    }
}

/// Folders of the tiles; older drivers have none and tell of one card.
fn tiles(found: &DrmCard) -> Vec<PathBuf> {
    files::entries(&found.device)
        .into_iter()
        .filter(|path| files::numbered(path, "tile").is_some())
        .collect()
}

fn memory_bytes(found: &DrmCard) -> Option<u64> {
    let of_tiles: Option<Vec<u64>> = tiles(found)
        .iter()
        .map(|tile| files::number(&tile.join("physical_vram_size_bytes")))
        .collect();
    let sum = of_tiles.map(|sizes| sizes.iter().sum::<u64>());
    sum.filter(|bytes| *bytes > 0)
        .or_else(|| files::number(&found.card.join("lmem_total_bytes")))
        .or_else(|| files::number(&found.device.join("lmem_total_bytes")))
}

/// The folder with the main engine's clocks.
fn clocks(found: &DrmCard) -> PathBuf {
    if found.driver == "xe" {
        found.device.join("tile0/gt0/freq0")
    } else {
        found.card.join("gt/gt0")
    }
}

fn clock(found: &DrmCard, xe: &str, i915: &str) -> Option<u32> {
    let file = if found.driver == "xe" { xe } else { i915 };
    files::small_number(&clocks(found).join(file))
}

fn throttle(found: &DrmCard) -> Option<Throttle> {
    let (folder, prefix) = if found.driver == "xe" {
        (clocks(found).join("throttle"), "reason_")
    } else {
        (clocks(found), "throttle_reason_")
    };
    // Without the summary the driver tells no reasons at all.
    let summary = if found.driver == "xe" {
        "status"
    } else {
        "throttle_reason_status"
    };
    files::number(&folder.join(summary))?;
    let holds = |word: &str| {
        files::number(&folder.join(format!("{prefix}{word}"))).is_some_and(|set| set != 0)
    };
    Some(
        REASONS
            .iter()
            .filter(|(word, _)| holds(word))
            .fold(Throttle::NONE, |found, (_, reason)| found.and(*reason)),
    )
}

/// All Intel accelerators of a machine.
pub(crate) struct IntelSource(Vec<(DrmCard, DeviceSeries)>);

impl IntelSource {
    /// `None` when there is no such accelerator.
    pub(crate) fn new(root: &Path) -> Option<Self> {
        let all: Vec<(DrmCard, DeviceSeries)> = (0..)
            .zip(discrete(root))
            .map(|(index, card)| {
                let kind = DeviceKind::Accelerator;
                let source = card.driver.clone();
                let mut series = DeviceSeries::new(kind, index, name(root, &card), &source);
                for fact in ["memory_used_bytes", "utilization_percent", "pcie_rx_kb_s"] {
                    let reason = "the driver does not tell";
                    series.unknown.push(UnknownFact::new(fact, reason));
                }
                (card, series)
            })
            .collect();
        (!all.is_empty()).then_some(Self(all))
    }
}

impl Source for IntelSource {
    fn devices(&self) -> Vec<DeviceSeries> {
        self.0.iter().map(|(_, series)| series.clone()).collect()
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        self.0
            .iter()
            .map(|(card, _)| {
                let sensors = card.sensors(&["energy1_input", "power1_max"]);
                let sensor = |file: &str| files::number(&sensors.as_ref()?.join(file));
                let degrees = |file: &str| u32::try_from(sensor(file)? / 1_000).ok();
                DeviceSample {
                    at_ns: now().0,
                    // Power is what this counter gains; there is no reading of its own.
                    energy_uj: sensor("energy1_input"),
                    power_mw: sensor("power1_input").and_then(|uw| u32::try_from(uw / 1_000).ok()),
                    core_clock_mhz: clock(card, "act_freq", "rps_act_freq_mhz"),
                    temperature_c: degrees("temp2_input").or_else(|| degrees("temp1_input")),
                    memory_temperature_c: degrees("temp3_input"),
                    throttle: throttle(card),
                    ..DeviceSample::default()
                }
            })
            .collect()
    }
}
