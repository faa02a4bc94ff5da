use tokmark_machine::inventory_of;
use tokmark_run_format::{Hardware, MachineClass, PcieLink};

use crate::tree::Tree;

/// A discrete AMD card as its driver shows it, with its serial numbers beside.
pub fn amd(tree: Tree, card: u32, name: Option<&str>) -> Tree {
    let folder = format!("sys/class/drm/card{card}/device");
    let file = |tree: Tree, name: &str, text: &str| tree.file(&format!("{folder}/{name}"), text);
    let mut tree = file(
        tree,
        "uevent",
        "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:744C\nPCI_SLOT_NAME=0000:03:00.0\n",
    );
    for (name, text) in [
        ("mem_info_vram_total", "25753026560\n"),
        ("mem_info_vram_used", "20000000000\n"),
        ("gpu_busy_percent", "97\n"),
        ("mem_busy_percent", "60\n"),
        ("unique_id", "f00dPRIVATE1\n"),
        ("serial_number", "PRIVATE-SERIAL\n"),
        ("current_link_speed", "16.0 GT/s PCIe\n"),
        ("max_link_speed", "16.0 GT/s PCIe\n"),
        ("current_link_width", "16\n"),
        ("max_link_width", "16\n"),
        ("pp_dpm_sclk", "0: 500Mhz\n1: 2482Mhz *\n2: 2526Mhz\n"),
        ("pp_dpm_mclk", "0: 96Mhz\n1: 1249Mhz *\n"),
        (
            "resource",
            "0x0000007800000000 0x0000007fffffffff 0x000000000014220c\n\
             0x00000000fcf00000 0x00000000fcffffff 0x0000000000040200\n",
        ),
        ("hwmon/hwmon4/power1_cap", "339000000\n"),
        ("hwmon/hwmon4/power1_cap_default", "355000000\n"),
        ("hwmon/hwmon4/power1_average", "301500000\n"),
        ("hwmon/hwmon4/temp1_input", "61000\n"),
        ("hwmon/hwmon4/temp2_input", "84000\n"),
        ("hwmon/hwmon4/temp3_input", "78000\n"),
        ("hwmon/hwmon4/freq1_input", "2482000000\n"),
        ("hwmon/hwmon4/freq2_input", "1249000000\n"),
    ] {
        tree = file(tree, name, text);
    }
    if let Some(name) = name {
        tree = file(tree, "product_name", name);
    }
    tree.file(&format!("{folder}/gpu_metrics"), metrics(1, 3, 1 << 36))
}

/// The head of the driver's table, and its reasons.
fn metrics(format: u8, content: u8, reasons: u64) -> Vec<u8> {
    let mut table = vec![0_u8; 120];
    table[0] = 120;
    table[2] = format;
    table[3] = content;
    table[112..].copy_from_slice(&reasons.to_le_bytes());
    table
}

const PCI_IDS: &str = "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n\
    \t744c  Navi 31 [Radeon RX 7900 XTX]\n8086  Intel Corporation\n\te20b  Battlemage G21 [Arc B580]\n";

fn is_clean(hardware: &Hardware) {
    let text = format!("{hardware:?}");
    assert!(!text.to_lowercase().contains("private"), "{text}");
}

#[test]
fn amd_cards_through_their_drivers_files() {
    let tree = amd(Tree::new(), 1, None)
        .file("usr/share/misc/pci.ids", PCI_IDS)
        .file("sys/module/amdgpu/version", "6.12.12\n")
        .file("sys/class/drm/card1-DP-1/status", "connected\n");
    let hardware = inventory_of(amd(tree, 0, None).path());
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.driver.as_deref(), Some("amdgpu 6.12.12"));
    let [cards] = hardware.accelerators.as_slice() else {
        panic!("{hardware:?}");
    };
    assert_eq!(cards.name, "AMD Navi 31 [Radeon RX 7900 XTX]");
    assert_eq!((cards.count, cards.memory_bytes), (2, Some(25_753_026_560)));
    let facts = cards.facts.as_ref().unwrap();
    assert_eq!(facts.vendor.as_deref(), Some("amd"));
    assert_eq!(facts.power_limit_w, Some(339.0));
    assert_eq!(facts.power_limit_default_w, Some(355.0));
    assert_eq!(facts.core_clock_max_mhz, Some(2_526));
    assert_eq!(facts.memory_clock_max_mhz, Some(1_249));
    assert_eq!(facts.resizable_bar, Some(true), "32 GiB for 24 GiB");
    assert_eq!(facts.unified_memory, Some(false));
    let link = PcieLink {
        generation: Some(4),
        generation_max: Some(4),
        width: Some(16),
        width_max: Some(16),
    };
    assert_eq!(facts.pcie, Some(link));
    is_clean(&hardware);
}

#[test]
fn cards_that_differ_have_no_common_value() {
    let tree = amd(amd(Tree::new(), 0, Some("Radeon W")), 1, Some("Radeon W")).file(
        "sys/class/drm/card1/device/hwmon/hwmon4/power1_cap",
        "200000000\n",
    );
    let hardware = inventory_of(tree.path());
    assert_eq!(hardware.accelerators.len(), 1, "{hardware:?}");
    assert_eq!(hardware.accelerators[0].name, "Radeon W");
    let facts = hardware.accelerators[0].facts.as_ref().unwrap();
    assert_eq!(
        (facts.power_limit_w, facts.power_limit_default_w),
        (None, Some(355.0))
    );
    let told = facts
        .unknown
        .iter()
        .find(|fact| fact.fact == "power_limit_w");
    assert!(told.unwrap().reason.contains("differs"), "{facts:?}");
}

#[test]
fn an_amd_processor_with_graphics_has_one_memory() {
    let tree = amd(Tree::new(), 0, Some("Radeon 8060S"))
        .file("sys/class/drm/card0/device/gpu_metrics", metrics(3, 0, 0));
    let hardware = inventory_of(tree.path());
    assert_eq!(hardware.class, MachineClass::UnifiedMemory);
    assert_eq!(hardware.accelerators[0].memory_bytes, None);
    // Without name and list the numbers stand there.
    let tree = amd(Tree::new(), 0, None);
    assert_eq!(
        inventory_of(tree.path()).accelerators[0].name,
        "AMD 1002:744c"
    );
}

/// A card with the `xe` driver.
pub fn xe(tree: Tree) -> Tree {
    let folder = "sys/class/drm/card0/device";
    let throttle = "tile0/gt0/freq0/throttle";
    let mut tree = tree.file("usr/share/hwdata/pci.ids", PCI_IDS);
    for (name, text) in [
        (
            "uevent",
            "DRIVER=xe\nPCI_ID=8086:E20B\nPCI_SLOT_NAME=0000:03:00.0\n",
        ),
        ("tile0/physical_vram_size_bytes", "12884901888\n"),
        ("tile0/gt0/freq0/rp0_freq", "2850\n"),
        ("tile0/gt0/freq0/act_freq", "2400\n"),
        (&format!("{throttle}/status"), "1\n"),
        (&format!("{throttle}/reason_pl1"), "0\n"),
        (&format!("{throttle}/reason_thermal"), "1\n"),
        ("current_link_speed", "2.5 GT/s PCIe\n"),
        ("current_link_width", "1\n"),
        ("hwmon/hwmon2/name", "xe\n"),
        ("hwmon/hwmon2/power1_max", "190000000\n"),
        ("hwmon/hwmon2/power1_rated_max", "190000000\n"),
        ("hwmon/hwmon2/energy1_input", "1000000\n"),
        ("hwmon/hwmon2/temp2_input", "70000\n"),
    ] {
        tree = tree.file(&format!("{folder}/{name}"), text);
    }
    tree
}

#[test]
fn intel_cards_through_their_drivers_files() {
    let hardware = inventory_of(xe(Tree::new()).path());
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.driver.as_deref(), Some("xe"));
    let card = &hardware.accelerators[0];
    assert_eq!(card.name, "Intel Battlemage G21 [Arc B580]");
    assert_eq!(card.memory_bytes, Some(12 << 30));
    let facts = card.facts.as_ref().unwrap();
    assert_eq!(
        (facts.power_limit_w, facts.core_clock_max_mhz),
        (Some(190.0), Some(2_850))
    );
    // The older driver has its files elsewhere.
    let i915 = Tree::new()
        .file(
            "sys/class/drm/card0/device/uevent",
            "DRIVER=i915\nPCI_ID=8086:56A0\n",
        )
        .file("sys/class/drm/card0/lmem_total_bytes", "17179869184\n")
        .file("sys/class/drm/card0/gt/gt0/rps_RP0_freq_mhz", "2400\n");
    let hardware = inventory_of(i915.path());
    let card = &hardware.accelerators[0];
    assert_eq!(
        (card.name.as_str(), card.memory_bytes),
        ("Intel 8086:56a0", Some(16 << 30))
    );
    assert_eq!(card.facts.as_ref().unwrap().core_clock_max_mhz, Some(2_400));
}

/// An UHD 770 in a machine of 62.6 GB: no accelerator with all of that memory.
#[test]
fn b104_graphics_inside_a_processor_has_no_memory_of_its_own() {
    let inside = Tree::new()
        .file(
            "sys/class/drm/card0/device/uevent",
            "DRIVER=i915\nPCI_ID=8086:A780\n",
        )
        .file("proc/meminfo", "MemTotal: 65641000 kB\n");
    let hardware = inventory_of(inside.path());
    assert_eq!(
        (hardware.accelerators.len(), hardware.class),
        (0, MachineClass::Cpu)
    );
    assert_eq!(hardware.memory_bytes, Some(65_641_000 * 1_024));
}

/// An MI60, which its board calls what every board is called.
#[test]
fn b103_a_generic_name_gives_way_to_the_bus() {
    let check = |board: &str, list: Option<&str>, expect: &str| {
        let mut tree = amd(Tree::new(), 0, Some(board)).file(
            "sys/class/drm/card0/device/uevent",
            "DRIVER=amdgpu\nPCI_ID=1002:66A1\n",
        );
        if let Some(list) = list {
            tree = tree.file("usr/share/misc/pci.ids", list);
        }
        let hardware = inventory_of(tree.path());
        assert_eq!(hardware.accelerators[0].name, expect, "{board}");
    };
    let list =
        "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n\t66a1  Vega 20 [Radeon Instinct MI60]\n";
    let known = "AMD Vega 20 [Radeon Instinct MI60]";
    check("AMD Radeon Graphics\n", Some(list), known);
    check("AMD Radeon Graphics\n", None, "AMD 1002:66a1");
    check("AMD Instinct MI60\n", Some(list), "AMD Instinct MI60");
}
