//! Which cards and slices a server uses: those on which its processes run, else those that it was
//! let see.

use nvml_wrapper::{Device, Nvml};
use tokmark_run_format::AcceleratorSelection;

use crate::server_use::ServerUse;

/// What a server uses of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Used {
    /// Nothing.
    Not,
    /// The card.
    Whole,
    /// These slices, by their places.
    Slices(Vec<u32>),
}

/// For every card in the driver's order; `None` where nothing tells.
pub(super) fn of(nvml: &Nvml, server: &ServerUse) -> Option<(Vec<Used>, AcceleratorSelection)> {
    let count = nvml.device_count().ok()?;
    let devices: Vec<Device<'_>> = (0..count)
        .map(|index| nvml.device_by_index(index).ok())
        .collect::<Option<_>>()?;
    let running: Vec<Used> = devices
        .iter()
        .map(|device| parts(device, |part| runs_on(part, server)))
        .collect();
    if running.iter().any(|used| *used != Used::Not) {
        return Some((running, AcceleratorSelection::Processes));
    }
    Some((visible(&devices, server)?, AcceleratorSelection::Visible))
}

/// The card or its slices for which something holds.
fn parts(device: &Device<'_>, holds: impl Fn(&Device<'_>) -> bool) -> Used {
    let slices: Vec<(u32, Device<'_>)> = slices(device);
    let held: Vec<u32> = slices
        .iter()
        .filter(|(_, slice)| holds(slice))
        .map(|(index, _)| *index)
        .collect();
    if !held.is_empty() {
        Used::Slices(held)
    } else if slices.is_empty() && holds(device) {
        Used::Whole
    } else {
        Used::Not
    }
}

/// The slices of a divided card with their places.
pub(super) fn slices<'a>(device: &Device<'a>) -> Vec<(u32, Device<'a>)> {
    let is_divided = device.mig_mode().is_ok_and(|mode| mode.current == 1);
    let most = device.mig_device_count().ok().filter(|_| is_divided);
    // Places without a slice are refused.
    (0..most.unwrap_or_default())
        .filter_map(|index| Some((index, device.mig_device_by_index(index).ok()?)))
        .collect()
}

fn runs_on(device: &Device<'_>, server: &ServerUse) -> bool {
    device
        .running_compute_processes()
        .is_ok_and(|processes| processes.iter().any(|process| server.has(process.pid)))
}

/// By `CUDA_VISIBLE_DEVICES`, else by what a container was given. `None` where neither is set, or
/// where a number could mean another card than the driver's of that number.
fn visible(devices: &[Device<'_>], server: &ServerUse) -> Option<Vec<Used>> {
    let given = server
        .variable("NVIDIA_VISIBLE_DEVICES")
        .filter(|given| !matches!(*given, "all" | "void" | "none" | ""));
    let list = match (server.variable("CUDA_VISIBLE_DEVICES"), given) {
        // The numbers of one count in the list of the other.
        (Some(own), Some(_)) if !names_boards(own) => return None,
        (Some(own), _) => own,
        (None, Some(given)) => given,
        (None, None) => return None,
    };
    let names: Vec<String> = devices
        .iter()
        .map(|device| device.name().unwrap_or_default())
        .collect();
    let in_order = server.variable("CUDA_DEVICE_ORDER") == Some("PCI_BUS_ID")
        || names.windows(2).all(|pair| pair.first() == pair.last());
    let mut wanted = Vec::new();
    for word in list.split(',').map(str::trim) {
        let number: Option<usize> = word.parse().ok();
        match number {
            Some(index) if in_order && devices.get(index).is_some_and(is_whole) => {
                wanted.push(Word::Place(index));
            }
            Some(_) => return None,
            None if names_boards(word) => wanted.push(Word::Board(word)),
            // What follows a word that means nothing is not read: `-1` hides every card.
            None => break,
        }
    }
    let is_wanted = |at: usize, device: &Device<'_>| {
        let board = device.uuid().unwrap_or_default();
        wanted.iter().any(|word| match word {
            Word::Place(place) => *place == at,
            Word::Board(name) => board.starts_with(name),
        })
    };
    let each = devices.iter().enumerate();
    Some(
        each.map(|(at, device)| parts(device, |part| is_wanted(at, part)))
            .collect(),
    )
}

fn is_whole(device: &Device<'_>) -> bool {
    slices(device).is_empty()
}

/// A word of the variable.
enum Word<'a> {
    /// A card's number.
    Place(usize),
    /// The beginning of a board's own name.
    Board(&'a str),
}

fn names_boards(list: &str) -> bool {
    list.starts_with("GPU-") || list.starts_with("MIG-")
}
