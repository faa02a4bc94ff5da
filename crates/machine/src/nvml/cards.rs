//! What the library tells about each card. Serial number, UUID and bus address are not asked for.

use nvml_wrapper::enum_wrappers::device::Clock;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use tokmark_run_format::{AcceleratorFacts, PcieLink, Slice};
use tokmark_units::float;

use super::driver_files::is_unified;
use super::library::{reason, told};
use super::used::{self, Used};
use crate::card::Card;
use crate::pci;

/// A card that cannot be opened is one with an unknown name, so that the count stays right. `used`
/// says what of each card a server uses, where that is known.
pub(super) fn read(nvml: &Nvml, used: Option<&[Used]>) -> Result<Vec<Card>, String> {
    let count = told(nvml.device_count())?;
    let mut cards = Vec::new();
    for index in 0..count {
        let used = used.and_then(|used| used.get(usize::try_from(index).ok()?));
        match nvml.device_by_index(index) {
            Ok(device) => cards.extend(parts(&device, used).into_iter().map(|card| Card {
                index,
                used: used.map(|used| *used != Used::Not),
                ..card
            })),
            Err(error) => {
                let mut card = named("NVIDIA accelerator".to_owned());
                card.index = index;
                card.unknown("accelerator", reason(&error));
                cards.push(card);
            }
        }
    }
    Ok(cards)
}

/// The card, or the slices that are used of it.
fn parts(device: &Device<'_>, used: Option<&Used>) -> Vec<Card> {
    let whole = card(device);
    match used {
        Some(Used::Slices(places)) => used::slices(device)
            .into_iter()
            .filter(|(place, _)| places.contains(place))
            .map(|(_, slice)| part_of(&whole, &slice))
            .collect(),
        // No server uses a divided card as a whole (case B100).
        _ if !whole.facts.slices.is_empty() => vec![Card {
            name: format!("{} MIG", whole.name),
            ..whole
        }],
        _ => vec![whole],
    }
}

/// A slice as an accelerator of its own. Limits of power are those of the whole card and left out.
fn part_of(whole: &Card, slice: &Device<'_>) -> Card {
    let memory_bytes = told(slice.memory_info()).ok().map(|memory| memory.total);
    let profile = profile(&told(slice.name()).unwrap_or_default(), memory_bytes);
    Card {
        name: format!("{} MIG {profile}", whole.name),
        memory_bytes,
        facts: AcceleratorFacts {
            part_of: Some(whole.name.clone()),
            power_limit_w: None,
            power_limit_default_w: None,
            slices: Vec::new(),
            ..whole.facts.clone()
        },
        ..whole.clone()
    }
}

fn named(name: String) -> Card {
    Card {
        name,
        facts: AcceleratorFacts {
            vendor: Some("nvidia".to_owned()),
            ..AcceleratorFacts::default()
        },
        ..Card::default()
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

/// The slices of a card in MIG mode. Cards without the mode refuse the question, which is no missing
/// fact.
fn slices(device: &Device<'_>, card: &mut Card) {
    for (_, slice) in used::slices(device) {
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
