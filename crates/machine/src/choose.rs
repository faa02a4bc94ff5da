//! Which of a machine's accelerators a run is about (case B101).

use tokmark_run_format::{Accelerator, AcceleratorSelection};

use crate::card::{self, Card, Normalise};

/// An accelerator whose readings are a run's.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UsedDevice {
    /// Its maker: `nvidia`, `amd`, `intel` or `apple`.
    pub vendor: String,
    /// Its place among those of its maker, in the driver's order.
    pub index: u32,
    /// Whether the server uses a part of it only, while its readings are of all of it.
    pub shared: bool,
}

/// The accelerators of a machine, sorted by whether the server uses them.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    used: Vec<Card>,
    unused: Vec<Card>,
    pub(crate) selection: Option<AcceleratorSelection>,
}

impl Chosen {
    /// Where it is known of some that the server uses them, the others are not used. Else all of
    /// them may be, but for the one inside the processor beside cards of their own.
    pub(crate) fn of(cards: Vec<Card>, selection: Option<AcceleratorSelection>) -> Self {
        let any_used = cards.iter().any(|card| card.used == Some(true));
        let is_inside = |card: &Card| card.facts.unified_memory == Some(true);
        let any_card = cards.iter().any(|card| !is_inside(card));
        let is_used = |card: &Card| match card.used {
            Some(known) => known,
            None if any_used => false,
            None => !(any_card && is_inside(card)),
        };
        let (used, unused) = cards.into_iter().partition(is_used);
        Self {
            used,
            unused,
            selection,
        }
    }

    /// Those that are used, as groups.
    pub(crate) fn accelerators(&self, normalise: Normalise<'_>) -> Vec<Accelerator> {
        card::groups(self.used.clone(), normalise)
    }

    /// The others, as groups.
    pub(crate) fn unused(&self, normalise: Normalise<'_>) -> Vec<Accelerator> {
        card::groups(self.unused.clone(), normalise)
    }

    /// Whose readings belong to the run. Slices of one card are one device.
    pub(crate) fn devices(&self) -> Vec<UsedDevice> {
        let mut devices: Vec<UsedDevice> = Vec::new();
        for card in &self.used {
            let device = UsedDevice {
                vendor: card.facts.vendor.clone().unwrap_or_default(),
                index: card.index,
                shared: card.facts.part_of.is_some(),
            };
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        devices
    }
}

/// The maker behind a source of readings.
pub(crate) fn vendor_of(source: &str) -> &str {
    match source {
        "nvml" => "nvidia",
        "amdgpu" => "amd",
        "xe" | "i915" => "intel",
        other => other,
    }
}
