use tokmark_machine::{inventory, inventory_of};
use tokmark_run_format::{Hardware, MachineClass, UnknownFact};

use crate::tree::Tree;

fn cpuinfo(name: &str, sockets: u32, cores: u32) -> String {
    let one = |socket: u32, core: u32| {
        format!(
            "processor\t: 0\nmodel name\t: {name}\nphysical id\t: {socket}\nsiblings\t: {}\n\
             core id\t\t: {core}\ncpu cores\t: {cores}\nserial\t: S3RIAL\n\n",
            cores * 2
        )
    };
    let all: Vec<String> = (0..sockets)
        .flat_map(|socket| (0..cores).map(move |core| (socket, core)))
        .map(|(socket, core)| one(socket, core))
        .collect();
    // Two threads per core.
    all.concat().repeat(2)
}

fn gpu(name: &str) -> String {
    format!(
        "Model: \t\t {name}\nIRQ:   \t\t 146\nGPU UUID: \t GPU-5d0e3a5c-1111-2222-3333-444455556666\n\
         Video BIOS: \t 94.02.42.40.58\nBus Type: \t PCIe\nGPU Excluded:\t No\n"
    )
}

const VERSION: &str = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.178.04  \
    Tue Jun  2 10:00:00 UTC 2026\nGCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2)\n";

fn box_with(gpus: &[&str]) -> Tree {
    let mut tree = Tree::new()
        .file(
            "proc/cpuinfo",
            cpuinfo("AMD Ryzen 9 7900X 12-Core Processor", 1, 12),
        )
        .file(
            "proc/meminfo",
            "MemTotal:       32000000 kB\nMemFree:  100 kB\n",
        )
        .file(
            "etc/os-release",
            "PRETTY_NAME=\"Ubuntu 24.04.5 LTS\"\nNAME=\"Ubuntu\"\nVERSION_ID=\"24.04\"\n",
        )
        .file("etc/hostname", "secret-box\n")
        .file("proc/sys/kernel/hostname", "secret-box\n");
    for (at, name) in gpus.iter().enumerate() {
        let path = format!(
            "proc/driver/nvidia/gpus/0000:{:02x}:00.0/information",
            at + 1
        );
        tree = tree.file(&path, gpu(name));
    }
    if gpus.is_empty() {
        tree
    } else {
        tree.file("proc/driver/nvidia/version", VERSION)
    }
}

#[test]
fn a_box_with_one_gpu() {
    let tree = box_with(&["NVIDIA GeForce RTX 3090"]);
    let hardware = inventory_of(tree.path());
    assert_eq!(hardware.class, MachineClass::DiscreteGpu);
    assert_eq!(hardware.name.as_deref(), Some("RTX 3090"));
    assert_eq!(hardware.accelerators.len(), 1);
    assert_eq!(hardware.accelerators[0].name, "NVIDIA GeForce RTX 3090");
    assert_eq!(
        hardware.accelerators[0].memory_bytes, None,
        "the driver's files do not tell"
    );
    assert_eq!(hardware.cpu.as_deref(), Some("AMD Ryzen 9 7900X (12C)"));
    assert_eq!(hardware.cpu_cores, Some(12));
    assert_eq!(hardware.memory_bytes, Some(32_000_000 * 1024));
    assert_eq!(hardware.os.as_deref(), Some("Ubuntu 24.04.5 LTS"));
    assert_eq!(hardware.driver.as_deref(), Some("NVIDIA 580.178.04"));
    assert_eq!(hardware.source.as_deref(), Some("detected"));
}

#[test]
fn equal_gpus_are_one_group() {
    let tree = box_with(&[
        "NVIDIA H100 80GB HBM3",
        "NVIDIA L4",
        "NVIDIA H100 80GB HBM3",
    ]);
    let hardware = inventory_of(tree.path());
    let counts: Vec<u32> = hardware.accelerators.iter().map(|a| a.count).collect();
    assert_eq!(counts, [2, 1]);
    assert_eq!(hardware.name.as_deref(), Some("2x H100 80GB HBM3 + L4"));
}

#[test]
fn a_box_without_accelerators_is_its_processor() {
    let tree = box_with(&[]).file(
        "proc/cpuinfo",
        cpuinfo("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", 2, 28),
    );
    let hardware = inventory_of(tree.path());
    assert_eq!(hardware.class, MachineClass::Cpu);
    assert_eq!(
        hardware.cpu.as_deref(),
        Some("2x Intel Xeon Gold 6330 (56C)")
    );
    assert_eq!(hardware.cpu_cores, Some(56));
    assert_eq!(hardware.name.as_deref(), Some("2x Intel Xeon Gold 6330"));
    assert_eq!(hardware.driver, None);
}

#[test]
fn the_open_kernel_module_has_another_version_line() {
    let line = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  595.99.02  Release Build  (builder@host)  Mon 1 Jun 2026\n";
    let tree = box_with(&["NVIDIA GB10"]).file("proc/driver/nvidia/version", line);
    let hardware = inventory_of(tree.path());
    assert_eq!(hardware.driver.as_deref(), Some("NVIDIA 595.99.02"));
    assert_eq!(hardware.class, MachineClass::UnifiedMemory);
}

#[test]
fn what_is_not_known_stays_unknown() {
    let nothing = inventory_of(Tree::new().path());
    let expected = Hardware {
        class: MachineClass::Cpu,
        source: Some("detected".to_owned()),
        unknown: vec![UnknownFact::new(
            "memory_speed_mt_s",
            "the system shows no tables of the firmware",
        )],
        ..Hardware::default()
    };
    assert_eq!(nothing, expected);
    // Another maker's accelerator is there, and nothing more is known.
    let other = box_with(&[]).file("dev/kfd", "");
    assert_eq!(inventory_of(other.path()).class, MachineClass::Unknown);
    // ARM: no name, no topology.
    let arm = Tree::new().file(
        "proc/cpuinfo",
        "processor\t: 0\nCPU part\t: 0xd40\n\nprocessor\t: 1\nCPU part\t: 0xd40\n",
    );
    let hardware = inventory_of(arm.path());
    assert_eq!((hardware.cpu, hardware.cpu_cores), (None, Some(2)));
    let broken = Tree::new()
        .file("proc/meminfo", "MemTotal: many kB\n")
        .file(
            "proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t Unknown\n",
        )
        .file("proc/driver/nvidia/version", "?");
    let hardware = inventory_of(broken.path());
    assert_eq!((hardware.memory_bytes, hardware.driver), (None, None));
    assert!(hardware.accelerators.is_empty());
}

#[test]
fn nothing_personal_gets_in() {
    let tree = box_with(&["NVIDIA GeForce RTX 3090"]);
    let text = format!("{:?}", inventory_of(tree.path()));
    for word in [
        "secret-box",
        "GPU-5d0e3a5c",
        "S3RIAL",
        "0000:01:00.0",
        "94.02",
    ] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn this_machine_has_a_processor_and_memory() {
    let hardware = inventory();
    assert!(hardware.cpu_cores.unwrap() >= 1);
    assert!(hardware.memory_bytes.unwrap() > 1 << 20);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let text = format!("{hardware:?}");
    assert!(
        host.trim().len() < 4 || !text.contains(host.trim()),
        "{text}"
    );
}
