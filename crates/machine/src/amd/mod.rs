//! AMD accelerators through the kernel driver's files. Serial numbers (`unique_id`,
//! `serial_number`) lie beside them and are not read.

mod gpu_metrics;
mod readings;

use std::path::Path;

use tokmark_run_format::AcceleratorFacts;
use tokmark_units::float;

use crate::card::Card;
use crate::drm::{self, DrmCard};
use crate::{files, pci};

pub(crate) use readings::AmdSource;

/// The kernel driver.
const DRIVER: &str = "amdgpu";

pub(crate) fn cards(root: &Path) -> Vec<Card> {
    let found = found(root).zip(0..);
    found
        .map(|(card, index)| Card {
            index,
            ..read(root, &card)
        })
        .collect()
}

fn found(root: &Path) -> impl Iterator<Item = DrmCard> + use<> {
    drm::cards(root)
        .into_iter()
        .filter(|card| card.driver == DRIVER)
}

/// `amdgpu 6.12.12`, when the driver is not the kernel's own.
pub(crate) fn driver(root: &Path) -> Option<String> {
    let version = files::text(&root.join("sys/module/amdgpu/version"));
    found(root).next()?;
    Some(version.map_or_else(
        || DRIVER.to_owned(),
        |version| format!("{DRIVER} {version}"),
    ))
}

fn read(root: &Path, found: &DrmCard) -> Card {
    let device = &found.device;
    let mut card = Card {
        name: name(root, found),
        memory_bytes: files::number(&device.join("mem_info_vram_total")),
        facts: AcceleratorFacts {
            vendor: Some("amd".to_owned()),
            pcie: pci::link(device),
            ..AcceleratorFacts::default()
        },
        ..Card::default()
    };
    card.facts.unified_memory = gpu_metrics::is_part_of_processor(device);
    if card.facts.unified_memory == Some(true) {
        // What the firmware set aside is no measure of what the chip can use.
        card.memory_bytes = None;
        card.unknown("memory_bytes", "it is the processor's memory");
    } else if card.memory_bytes.is_none() {
        let reason = files::why_not(&device.join("mem_info_vram_total"));
        card.unknown("memory_bytes", reason);
    }
    let sensors = found.sensors(&[
        "power1_cap",
        "power1_average",
        "power1_input",
        "temp1_input",
    ]);
    let limit = |file: &str| watts(&sensors.as_ref()?.join(file));
    card.facts.power_limit_w = limit("power1_cap");
    card.facts.power_limit_default_w = limit("power1_cap_default");
    if card.facts.power_limit_w.is_none() {
        card.unknown("power_limit_w", "the driver does not tell");
    }
    card.facts.core_clock_max_mhz = highest(&device.join("pp_dpm_sclk"));
    card.facts.memory_clock_max_mhz = highest(&device.join("pp_dpm_mclk"));
    card.facts.resizable_bar = card
        .memory_bytes
        .and_then(|memory| pci::resizable_bar(device, memory));
    card
}

/// Names that boards of any kind give.
const GENERIC: [&str; 4] = [
    "AMD Radeon Graphics",
    "AMD Radeon(TM) Graphics",
    "Radeon Graphics",
    "Device",
];

/// The board's own name where it is one, else the system's list of PCI devices, else the numbers
/// (case B103).
fn name(root: &Path, found: &DrmCard) -> String {
    let told = files::text(&found.device.join("product_name"))
        .filter(|name| !GENERIC.contains(&name.as_str()));
    told.unwrap_or_else(|| match pci::ids(&found.device) {
        Some((vendor, device)) => pci::name(root, &vendor, &device).map_or_else(
            || format!("AMD {vendor}:{device}"),
            |name| format!("AMD {name}"),
        ),
        None => "AMD accelerator".to_owned(),
    })
}

/// Microwatts as watts.
pub(crate) fn watts(path: &Path) -> Option<f64> {
    files::number(path).map(|microwatts| float::from_u64(microwatts) / 1e6)
}

/// The highest clock of a list such as `1: 2482Mhz *`.
fn highest(path: &Path) -> Option<u32> {
    files::whole(path)?
        .lines()
        .filter_map(|line| {
            let word = line.split_whitespace().nth(1)?;
            let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.parse().ok()
        })
        .max()
}
