//! What `/sys` tells about a device on the PCI bus. Its address and serial number stay inside.

use std::path::Path;

use tokmark_run_format::PcieLink;

use crate::files;

/// Where the names of PCI devices lie.
const NAMES: [&str; 3] = [
    "usr/share/misc/pci.ids",
    "usr/share/hwdata/pci.ids",
    "var/lib/pciutils/pci.ids",
];

/// A region at least this large is the memory of a card, not its registers.
const LEAST_MEMORY_REGION: u64 = 64 << 20;

/// The link now and at best; `None` when the folder tells nothing, as for a chip on the board.
pub(crate) fn link(device: &Path) -> Option<PcieLink> {
    let generation =
        |name: &str| generation_of(files::text(&device.join(name)).as_deref().unwrap_or(""));
    let width = |name: &str| {
        // 255 and 0 are what a device without a link reads.
        files::small_number(&device.join(name)).filter(|lanes| (1..=32).contains(lanes))
    };
    let link = PcieLink {
        generation: generation("current_link_speed"),
        generation_max: generation("max_link_speed"),
        width: width("current_link_width"),
        width_max: width("max_link_width"),
    };
    (link != PcieLink::default()).then_some(link)
}

/// The generation of `16.0 GT/s PCIe`.
fn generation_of(speed: &str) -> Option<u32> {
    match speed.split_whitespace().next()? {
        "2.5" => Some(1),
        "5.0" | "5" => Some(2),
        "8.0" | "8" => Some(3),
        "16.0" | "16" => Some(4),
        "32.0" | "32" => Some(5),
        "64.0" | "64" => Some(6),
        _ => None,
    }
}

/// Whether the largest region that the processor can address covers the card's memory.
pub(crate) fn resizable_bar(device: &Path, memory_bytes: u64) -> Option<bool> {
    let table = files::whole(&device.join("resource"))?;
    let region = |line: &str| {
        let mut words = line.split_whitespace();
        let mut hexadecimal =
            || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
        let (start, end) = (hexadecimal()?, hexadecimal()?);
        (end > start).then(|| end - start + 1)
    };
    let largest = table.lines().filter_map(region).max()?;
    (largest >= LEAST_MEMORY_REGION).then(|| covers(largest, memory_bytes))
}

/// Drivers keep a part of the memory back, and regions are powers of two.
pub(crate) fn covers(region: u64, memory: u64) -> bool {
    region >= memory - memory / 8
}

/// Vendor and device, four hexadecimal digits each, from the device's `uevent`.
pub(crate) fn ids(device: &Path) -> Option<(String, String)> {
    let uevent = files::whole(&device.join("uevent"))?;
    let ids = files::value(&uevent, "PCI_ID")?.to_ascii_lowercase();
    let (vendor, device) = ids.split_once(':')?;
    Some((vendor.to_owned(), device.to_owned()))
}

/// The device's name in the system's list.
pub(crate) fn name(root: &Path, vendor: &str, device: &str) -> Option<String> {
    NAMES
        .iter()
        .find_map(|path| name_in(&files::whole(&root.join(path))?, vendor, device))
}

fn name_in(list: &str, vendor: &str, device: &str) -> Option<String> {
    let mut lines = list.lines();
    lines.find(|line| line.starts_with(vendor))?;
    lines
        .take_while(|line| line.starts_with('\t') || line.is_empty() || line.starts_with('#'))
        .find_map(|line| line.strip_prefix('\t')?.strip_prefix(device))
        .map(|name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_link_speeds() {
        let check = |text: &str, expected: Option<u32>| assert_eq!(generation_of(text), expected);
        check("2.5 GT/s PCIe", Some(1));
        check("16.0 GT/s PCIe", Some(4));
        check("32.0 GT/s PCIe", Some(5));
        check("Unknown", None);
        check("", None);
    }

    #[test]
    fn names_stand_below_their_vendor() {
        let list = "# list\n1002  AMD\n\t744c  Navi 31 [Radeon RX 7900 XTX]\n\t\t1002 0e3b  A board\n\
                    10de  NVIDIA\n\t744c  Something else\n";
        assert_eq!(
            name_in(list, "1002", "744c").as_deref(),
            Some("Navi 31 [Radeon RX 7900 XTX]")
        );
        assert_eq!(name_in(list, "10de", "0001"), None);
        assert_eq!(name_in(list, "8086", "744c"), None);
    }
}
