//! The hardware of this machine.

use std::fs;
use std::path::Path;

use sysinfo::{Cpu, CpuRefreshKind, System};
use tokmark_run_format::{Accelerator, Hardware, MachineClass};

use crate::title::name_for_title;
use crate::{nvidia, processor};

/// Where facts that were read from the machine itself come from.
const DETECTED: &str = "detected";

/// Accelerators with drivers that are not read here, by the device files that they bring.
const OTHER_ACCELERATORS: [&str; 3] = ["dev/kfd", "dev/accel", "dev/davinci_manager"];

/// NVIDIA chips whose memory is the processor's, too.
const UNIFIED_CHIPS: [&str; 4] = ["GB10", "Orin", "Thor", "Xavier"];

/// The hardware of this machine, as far as its system tells.
pub fn inventory() -> Hardware {
    let mut hardware = read_tree(Path::new("/"));
    fill_from_system(&mut hardware);
    finish(hardware)
}

/// As [`inventory`], from the files of a Linux system below `root` alone: `/proc`, `/etc/os-release`.
pub fn inventory_of(root: &Path) -> Hardware {
    finish(read_tree(root))
}

fn read_tree(root: &Path) -> Hardware {
    let processor = fs::read_to_string(root.join("proc/cpuinfo"))
        .map(|text| processor::read(&text))
        .unwrap_or_default();
    let accelerators = nvidia::accelerators(root);
    Hardware {
        class: class_of(root, &accelerators),
        name: None,
        cpu: processor.describe(),
        cpu_cores: processor.cores,
        memory_bytes: memory(root),
        memory_text: None,
        os: os(root),
        driver: nvidia::driver(root).filter(|_| !accelerators.is_empty()),
        source: Some(DETECTED.to_owned()),
        accelerators,
    }
}

fn class_of(root: &Path, accelerators: &[Accelerator]) -> MachineClass {
    let is_unified = |accelerator: &Accelerator| {
        UNIFIED_CHIPS
            .iter()
            .any(|chip| accelerator.name.contains(chip))
    };
    if accelerators.iter().any(is_unified) {
        MachineClass::UnifiedMemory
    } else if !accelerators.is_empty() {
        MachineClass::DiscreteGpu
    } else if OTHER_ACCELERATORS
        .iter()
        .any(|path| root.join(path).exists())
    {
        MachineClass::Unknown
    } else {
        MachineClass::Cpu
    }
}

/// `MemTotal` in bytes: what the system can use, a little less than what is built in.
fn memory(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kib.checked_mul(1024)
}

fn os(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("etc/os-release")).ok()?;
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .map(|value| value.trim().trim_matches(['"', '\'']).to_owned())
            .filter(|value| !value.is_empty())
    };
    value("PRETTY_NAME").or_else(|| Some(format!("{} {}", value("NAME")?, value("VERSION_ID")?)))
}

/// What the tree did not tell: other systems than Linux, or a hidden `/proc`.
fn fill_from_system(hardware: &mut Hardware) {
    let cores = System::physical_core_count().ok();
    let cores = cores.and_then(|cores| u32::try_from(cores).ok());
    hardware.cpu_cores = hardware.cpu_cores.or(cores);
    hardware.os = hardware
        .os
        .take()
        .or_else(|| System::long_os_version().ok());
    if let Ok(mut system) = System::new() {
        system.refresh_memory();
        let memory = Some(system.total_memory()).filter(|bytes| *bytes > 0);
        hardware.memory_bytes = hardware.memory_bytes.or(memory);
        system.refresh_cpu_list(CpuRefreshKind::nothing());
        let brand = system.cpus().first().map(Cpu::brand).unwrap_or_default();
        let described = processor::describe(brand, 1, hardware.cpu_cores);
        hardware.cpu = hardware.cpu.take().or(described);
    }
    let is_apple = hardware
        .cpu
        .as_deref()
        .is_some_and(|cpu| cpu.starts_with("Apple "));
    if is_apple && hardware.class == MachineClass::Cpu {
        hardware.class = MachineClass::UnifiedMemory;
    }
}

fn finish(mut hardware: Hardware) -> Hardware {
    let is_known = !hardware.accelerators.is_empty() || hardware.cpu.is_some();
    hardware.name = is_known.then(|| name_for_title(&hardware));
    hardware
}
