use tokmark_machine::inventory_of;
use tokmark_run_format::{Hardware, Host, ProcessorFacts};

use crate::tree::Tree;

/// A memory module's structure of the firmware's tables, with its texts.
fn module(size_mb: u16, rated: u16, configured: u16) -> Vec<u8> {
    let mut formatted = vec![0_u8; 0x22];
    formatted[0] = 17;
    formatted[1] = 0x22;
    formatted[0x0c..0x0e].copy_from_slice(&size_mb.to_le_bytes());
    formatted[0x15..0x17].copy_from_slice(&rated.to_le_bytes());
    formatted[0x20..0x22].copy_from_slice(&configured.to_le_bytes());
    formatted.extend(b"DIMM_A1\0SERIAL-PRIVATE\0\0");
    formatted
}

fn with_tables(structures: &[Vec<u8>]) -> Hardware {
    let end = [127, 4, 0, 0, 0, 0].to_vec();
    let table: Vec<u8> = structures.iter().chain([&end]).flatten().copied().collect();
    inventory_of(
        Tree::new()
            .file("sys/firmware/dmi/tables/DMI", table)
            .path(),
    )
}

#[test]
fn speed_of_the_memory() {
    let check = |structures: &[Vec<u8>], expected: Result<u32, &str>| {
        let hardware = with_tables(structures);
        let told = hardware
            .unknown
            .iter()
            .find(|fact| fact.fact == "memory_speed_mt_s");
        let found = hardware
            .memory_speed_mt_s
            .ok_or_else(|| told.unwrap().reason.as_str());
        assert_eq!(found, expected);
    };
    let board = {
        let mut structure = vec![2, 8, 0, 0, 1, 2, 3, 4];
        structure.extend(b"Maker\0PRIVATE-BOARD-SERIAL\0\0");
        structure
    };
    check(
        &[
            board,
            module(16_384, 5_600, 4_800),
            module(16_384, 5_600, 4_800),
        ],
        Ok(4_800),
    );
    // An empty slot, and a module that only tells what it could.
    check(&[module(0, 0, 0), module(16_384, 3_200, 0)], Ok(3_200));
    check(
        &[module(16_384, 3_200, 3_200), module(16_384, 3_200, 2_666)],
        Err("the modules run at different speeds"),
    );
    check(&[], Err("the firmware does not tell"));
    let none = inventory_of(Tree::new().path());
    assert_eq!(
        none.unknown[0].reason,
        "the system shows no tables of the firmware"
    );
}

fn host(tree: &Tree) -> Host {
    inventory_of(tree.path()).host.unwrap_or_default()
}

#[test]
fn boards_and_virtual_machines() {
    let check = |files: &[(&str, &str)], board: Option<&str>, machine: Option<&str>| {
        let tree = files.iter().fold(Tree::new(), |tree, (name, text)| {
            tree.file(&format!("sys/class/dmi/id/{name}"), text)
        });
        let host = host(&tree);
        assert_eq!(
            (host.board.as_deref(), host.virtualization.as_deref()),
            (board, machine),
            "{files:?}"
        );
    };
    check(
        &[
            ("board_vendor", "ASRock\n"),
            ("board_name", "X670E Taichi\n"),
            ("board_serial", "PRIVATE\n"),
        ],
        Some("ASRock X670E Taichi"),
        None,
    );
    check(
        &[
            ("board_vendor", "Default string\n"),
            ("board_name", "Default string\n"),
            ("sys_vendor", "Supermicro\n"),
            ("product_name", "Super Server\n"),
        ],
        Some("Supermicro Super Server"),
        None,
    );
    check(
        &[
            ("sys_vendor", "QEMU\n"),
            ("product_name", "Standard PC (Q35 + ICH9, 2009)\n"),
        ],
        Some("QEMU Standard PC (Q35 + ICH9, 2009)"),
        Some("kvm"),
    );
    check(
        &[
            ("sys_vendor", "Microsoft Corporation\n"),
            ("product_name", "Virtual Machine\n"),
        ],
        Some("Microsoft Corporation Virtual Machine"),
        Some("hyper-v"),
    );
    let arm = Tree::new().file("proc/device-tree/model", "NVIDIA Jetson AGX Orin\0");
    assert_eq!(host(&arm).board.as_deref(), Some("NVIDIA Jetson AGX Orin"));
    let wsl = Tree::new().file(
        "proc/sys/kernel/osrelease",
        "6.6.87.2-microsoft-standard-WSL2\n",
    );
    assert_eq!(host(&wsl).virtualization.as_deref(), Some("wsl"));
    let guest = Tree::new().file("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
    assert_eq!(
        host(&guest).virtualization.as_deref(),
        Some("unknown hypervisor")
    );
}

#[test]
fn containers() {
    let check = |path: &str, text: &str, expected: Option<&str>| {
        let tree = Tree::new()
            .file(path, text)
            .file("proc/sys/kernel/osrelease", "6.1.0\n");
        assert_eq!(host(&tree).container.as_deref(), expected, "{path}");
    };
    check(".dockerenv", "", Some("docker"));
    check("run/.containerenv", "", Some("podman"));
    check("proc/1/environ", "PATH=/bin\0container=lxc\0", Some("lxc"));
    check("proc/1/environ", "container=my box at 10.0.0.1\0", None);
    check(
        "proc/self/cgroup",
        "0::/kubepods.slice/cri-containerd-abc.scope\n",
        Some("kubernetes"),
    );
    check("proc/self/cgroup", "0::/init.scope\n", None);
}

#[test]
fn the_processor_in_numbers() {
    let cpuinfo = "processor : 0\nmodel name : EPYC\nphysical id : 0\ncore id : 0\n\n\
                   processor : 1\nmodel name : EPYC\nphysical id : 1\ncore id : 0\n\n\
                   processor : 2\nmodel name : EPYC\nphysical id : 0\ncore id : 0\n\n\
                   processor : 3\nmodel name : EPYC\nphysical id : 1\ncore id : 0\n";
    let mut tree = Tree::new().file("proc/cpuinfo", cpuinfo);
    for cpu in 0..4 {
        let folder = format!("sys/devices/system/cpu/cpu{cpu}");
        let shared = if cpu % 2 == 0 { "0,2" } else { "1,3" };
        tree = tree
            .file(
                &format!("{folder}/cpufreq/scaling_governor"),
                "performance\n",
            )
            .file(&format!("{folder}/cpufreq/cpuinfo_max_freq"), "3700000\n")
            .file(&format!("{folder}/cache/index2/level"), "2\n")
            .file(&format!("{folder}/cache/index2/size"), "1024K\n")
            .file(&format!("{folder}/cache/index2/type"), "Unified\n")
            .file(&format!("{folder}/cache/index2/shared_cpu_list"), shared)
            .file(&format!("{folder}/cache/index3/level"), "3\n")
            .file(&format!("{folder}/cache/index3/size"), "32768K\n")
            .file(&format!("{folder}/cache/index3/type"), "Unified\n")
            .file(&format!("{folder}/cache/index3/shared_cpu_list"), shared);
    }
    for node in 0..2 {
        tree = tree.file(
            &format!("sys/devices/system/node/node{node}/cpulist"),
            "0\n",
        );
    }
    let tree = tree.file("sys/devices/system/cpu/cpufreq/boost", "1\n");
    let expected = ProcessorFacts {
        sockets: Some(2),
        cores: Some(2),
        threads: Some(4),
        numa_nodes: Some(2),
        governor: Some("performance".to_owned()),
        clock_max_mhz: Some(3_700),
        cache_bytes: Some(64 << 20),
    };
    assert_eq!(inventory_of(tree.path()).processor, Some(expected));
    let mixed = tree.file(
        "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
        "powersave\n",
    );
    let governor = inventory_of(mixed.path()).processor.unwrap().governor;
    assert_eq!(governor.as_deref(), Some("performance, powersave"));
}

#[test]
fn the_machines_own_name_goes_wherever_it_stands() {
    let tree = Tree::new()
        .file("proc/sys/kernel/hostname", "alices-rig.lan\n")
        .file("proc/sys/kernel/osrelease", "6.9.1-alices-rig\n")
        .file(
            "sys/class/dmi/id/board_name",
            "Rig of alices-rig at 192.168.7.9\n",
        )
        .file("sys/class/dmi/id/board_vendor", "mail alice@example.org\n")
        .file("sys/class/dmi/id/product_uuid", "PRIVATE\n")
        .file("sys/class/net/eth0/address", "00:11:22:33:44:55\n")
        .file("etc/machine-id", "PRIVATE\n")
        .file("etc/os-release", "PRETTY_NAME=\"alices-rig.lan Linux 1\"\n");
    let hardware = inventory_of(tree.path());
    let text = format!("{hardware:?}");
    for word in ["alice", "192.168", "00:11", "PRIVATE"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let host = hardware.host.unwrap();
    assert_eq!(host.kernel.as_deref(), Some("6.9.1-***"));
    assert_eq!(hardware.os.as_deref(), Some("*** Linux 1"));
}
