//! What the library tells about each card. Serial number, UUID and bus address are not asked for.

use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use tokmark_run_format::{AcceleratorFacts, PcieLink, Slice};
use tokmark_units::float;

use super::driver_files::is_unified;
use super::library::{reason, told};
use crate::card::Card;
use crate::pci;

/// A card that cannot be opened is one with an unknown name, so that the count stays right.
pub(super) fn read(nvml: &Nvml) -> Result<Vec<Card>, String> {
    let count = told(nvml.device_count())?;
    Ok((0..count)
        .map(|index| match nvml.device_by_index(index) {
            Ok(device) => card(&device),
            Err(error) => {
                let mut card = named("NVIDIA accelerator".to_owned());
                card.unknown("accelerator", reason(&error));
                card
            }
        })
        .collect())
}

fn named(name: String) -> Card {
    Card {
        name,
        memory_bytes: None,
        facts: AcceleratorFacts {
            vendor: Some("nvidia".to_owned()),
            ..AcceleratorFacts::default()
        },
    }
}

fn card(device: &Device<'_>) -> Card {
    let name = told(device.name()).unwrap_or_else(|_| "NVIDIA accelerator".to_owned());
    let unified = is_unified(&name);
    let mut card = named(name);
    card.facts.unified_memory = Some(unified);
    // `[N/A]` in NVIDIA's own tool: such a chip has no memory of its own.
    card.memory_bytes = match device.memory_info() {
        Ok(memory) => Some(memory.total).filter(|total| *total > 0),
        Err(NvmlError::NotSupported) if unified => {
            card.unknown("memory_bytes", "it is the processor's memory");
            None
        }
        Err(error) => {
            card.unknown("memory_bytes", reason(&error));
            None
        }
    };
    power(device, &mut card);
    let clock = told(device.max_clock_info(Clock::Graphics));
    card.facts.core_clock_max_mhz = card.learn("core_clock_max_mhz", clock);
    let clock = told(device.max_clock_info(Clock::Memory));
    card.facts.memory_clock_max_mhz = card.learn("memory_clock_max_mhz", clock);
    let capability = told(device.cuda_compute_capability());
    card.facts.architecture = card
        .learn("architecture", capability)
        .map(|version| format!("compute capability {}.{}", version.major, version.minor));
    bus(device, &mut card);
    slices(device, &mut card);
    card
}

fn power(device: &Device<'_>, card: &mut Card) {
    let watts = |milliwatts: u32| f64::from(milliwatts) / 1e3;
    let limit = told(device.power_management_limit());
    card.facts.power_limit_w = card.learn("power_limit_w", limit).map(watts);
    let limit = told(device.power_management_limit_default());
    card.facts.power_limit_default_w = card.learn("power_limit_default_w", limit).map(watts);
}

fn bus(device: &Device<'_>, card: &mut Card) {
    let generation = told(device.current_pcie_link_gen());
    let generation_max = told(device.max_pcie_link_gen());
    let width = told(device.current_pcie_link_width());
    let width_max = told(device.max_pcie_link_width());
    let link = PcieLink {
        generation: card.learn("pcie.generation", generation),
        generation_max: card.learn("pcie.generation_max", generation_max),
        width: card.learn("pcie.width", width),
        width_max: card.learn("pcie.width_max", width_max),
    };
    card.facts.pcie = Some(link).filter(|link| *link != PcieLink::default());
    let region = told(device.bar1_memory_info());
    let region = card.learn("resizable_bar", region);
    card.facts.resizable_bar = region
        .zip(card.memory_bytes)
        .map(|(region, memory)| pci::covers(region.total, memory));
}

/// The slices of a card in MIG mode.
fn slices(device: &Device<'_>, card: &mut Card) {
    // Cards without the mode refuse the question; that is no missing fact.
    let is_divided = device.mig_mode().is_ok_and(|mode| mode.current == 1);
    if !is_divided {
        return;
    }
    let Some(most) = card.learn("slices", told(device.mig_device_count())) else {
        return;
    };
    for index in 0..most {
        // Places without a slice are refused.
        let Ok(slice) = device.mig_device_by_index(index) else {
            continue;
        };
        let name = told(slice.name()).unwrap_or_default();
        let memory_bytes = told(slice.memory_info()).ok().map(|memory| memory.total);
        let profile = profile(&name, memory_bytes);
        let is_equal =
            |known: &&mut Slice| known.profile == profile && known.memory_bytes == memory_bytes;
        match card.facts.slices.iter_mut().find(is_equal) {
            Some(known) => known.count += 1,
            None => card.facts.slices.push(Slice {
                profile,
                count: 1,
                memory_bytes,
            }),
        }
    }
}

/// `1g.10gb` of `NVIDIA A100-SXM4-80GB MIG 1g.10gb`.
fn profile(name: &str, memory_bytes: Option<u64>) -> String {
    let told = name.rsplit_once("MIG ").map(|(_, profile)| profile.trim());
    match (told, memory_bytes) {
        (Some(profile), _) => profile.to_owned(),
        (None, Some(bytes)) => {
            let gib = float::round_to_u64(float::from_u64(bytes) / f64::from(1 << 30));
            format!("{gib}gb")
        }
        (None, None) => "unknown".to_owned(),
    }
}
