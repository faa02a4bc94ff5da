//! How the cards reach each other.

use nvml_wrapper::enum_wrappers::device::TopologyLevel;
use nvml_wrapper::{Device, Nvml};
use tokmark_run_format::AcceleratorLink;

/// Most links of a card so far.
const MOST_LINKS: u32 = 18;

/// A card with the other ends of its active links, by bus address. The addresses stay inside.
struct Node<'a> {
    index: u32,
    device: Device<'a>,
    address: Option<String>,
    far_ends: Vec<String>,
}

/// Every pair of cards once. A pair whose way is not told is left out.
pub(super) fn read(nvml: &Nvml) -> Vec<AcceleratorLink> {
    let nodes: Vec<Node<'_>> = (0..nvml.device_count().unwrap_or_default())
        .filter_map(|index| {
            let device = nvml.device_by_index(index).ok()?;
            Some(Node {
                index,
                address: device.pci_info().ok().map(|bus| address(&bus.bus_id)),
                far_ends: far_ends(&device),
                device,
            })
        })
        .collect();
    let mut links = Vec::new();
    for (at, from) in nodes.iter().enumerate() {
        for to in nodes.iter().skip(at + 1) {
            links.extend(between(nvml, &nodes, from, to));
        }
    }
    links
}

fn between(
    nvml: &Nvml,
    nodes: &[Node<'_>],
    from: &Node<'_>,
    to: &Node<'_>,
) -> Option<AcceleratorLink> {
    let is_card = |end: &String| nodes.iter().any(|node| node.address.as_ref() == Some(end));
    let direct = from
        .far_ends
        .iter()
        .filter(|end| Some(*end) == to.address.as_ref());
    let direct = direct.count();
    // Ends that are no cards are switches, through which each card reaches every other one.
    let switched = |node: &Node<'_>| node.far_ends.iter().filter(|end| !is_card(end)).count();
    let (path, links) = if direct > 0 {
        ("nvlink", Some(direct))
    } else if switched(from) > 0 && switched(to) > 0 {
        ("nvlink_switch", Some(switched(from).min(switched(to))))
    } else {
        let other = nvml.device_by_index(to.index).ok()?;
        (
            word(from.device.topology_common_ancestor(other).ok()?),
            None,
        )
    };
    Some(AcceleratorLink {
        from: from.index,
        to: to.index,
        path: path.to_owned(),
        links: links.and_then(|links| u32::try_from(links).ok()),
    })
}

fn far_ends(device: &Device<'_>) -> Vec<String> {
    (0..MOST_LINKS)
        .map(|link| device.link_wrapper_for(link))
        .filter(|link| link.is_active().unwrap_or(false))
        .filter_map(|link| Some(address(&link.remote_pci_info().ok()?.bus_id)))
        .collect()
}

/// Domains have four or eight digits.
fn address(text: &str) -> String {
    text.trim_start_matches('0').to_ascii_lowercase()
}

fn word(level: TopologyLevel) -> &'static str {
    match level {
        TopologyLevel::Internal => "same_board",
        TopologyLevel::Single => "pcie_switch",
        TopologyLevel::Multiple => "pcie_switches",
        TopologyLevel::HostBridge => "host_bridge",
        TopologyLevel::Node => "numa_node",
        TopologyLevel::System => "system",
    }
}
