//! The hardware of this machine.

use std::path::{Path, PathBuf};

use sysinfo::{Cpu, CpuRefreshKind, System};
use tokmark_run_format::{Accelerator, Hardware, Host, MachineClass, ProcessorFacts, UnknownFact};

use crate::apple::{self, AppleFacts};
use crate::card::Normalise;
use crate::choose::{Chosen, UsedDevice};
use crate::nvml::{self, NvmlLibrary, driver_files};
use crate::private::Private;
use crate::server_use::ServerUse;
use crate::title::name_for_title;
use crate::{amd, files, host, intel, memory, processor};

/// Where facts that were read from the machine itself come from.
const DETECTED: &str = "detected";

/// Accelerators with drivers that are not read here, by the device files that they bring.
const OTHER_ACCELERATORS: [&str; 3] = ["dev/kfd", "dev/accel", "dev/davinci_manager"];

/// Where to look for a machine's facts, and how names are written.
pub struct Look<'a> {
    /// The root of the system's files: `/`, or a recorded tree.
    pub root: PathBuf,
    /// NVIDIA's library.
    pub nvml: NvmlLibrary,
    /// What `sysctl` and `ioreg` print on a Mac.
    pub apple: Option<AppleFacts>,
    /// A maker's name to the catalogue's; `None` keeps it as the driver gives it.
    pub normalise: Normalise<'a>,
    /// The server whose accelerators are wanted; without it those of the whole machine.
    pub server: Option<&'a ServerUse>,
}

/// What a look finds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The hardware.
    pub hardware: Hardware,
    /// The accelerators in it, whose readings belong to a run.
    pub devices: Vec<UsedDevice>,
}

impl Look<'_> {
    /// This machine, names as the drivers give them.
    pub fn here() -> Self {
        Self {
            root: PathBuf::from("/"),
            nvml: NvmlLibrary::System,
            apple: apple::ask(),
            normalise: &|_, _| None,
            server: None,
        }
    }

    /// Only the files below `root`.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            nvml: NvmlLibrary::Off,
            apple: None,
            normalise: &|_, _| None,
            server: None,
        }
    }

    /// The hardware, as far as the system tells. What it does not tell stands in `unknown` with the
    /// reason.
    pub fn hardware(&self) -> Hardware {
        self.found().hardware
    }

    /// The hardware, and which of its accelerators are read.
    pub fn found(&self) -> Found {
        let found = self.read();
        Found {
            hardware: finish(found.hardware, &self.root),
            ..found
        }
    }

    fn read(&self) -> Found {
        let root = self.root.as_path();
        let mut unknown = Vec::new();
        let nvidia = self.nvidia(&mut unknown);
        let mut cards = nvidia.cards;
        cards.extend(amd::cards(root));
        cards.extend(intel::cards(root));
        cards.extend(self.apple.as_ref().and_then(AppleFacts::card));
        let chosen = Chosen::of(cards, nvidia.selection);
        let accelerators = chosen.accelerators(self.normalise);
        let drivers = [nvidia.driver, amd::driver(root), intel::driver(root)];
        let drivers: Vec<String> = drivers.into_iter().flatten().collect();
        let speed = memory::speed_mt_s(root);
        if let Err(reason) = speed {
            unknown.push(UnknownFact::new("memory_speed_mt_s", reason));
        }
        let processor = processor::read(root);
        let mut hardware = Hardware {
            class: class_of(root, &accelerators),
            cpu: processor.describe(),
            cpu_cores: processor.cores(),
            processor: Some(processor.facts).filter(|facts| *facts != ProcessorFacts::default()),
            memory_bytes: memory::bytes(root),
            memory_speed_mt_s: speed.ok(),
            os: os(root),
            driver: Some(drivers.join(", ")).filter(|drivers| !drivers.is_empty()),
            host: host::read(root),
            links: nvidia.links,
            accelerators_known_by: chosen.selection,
            unused_accelerators: chosen.unused(self.normalise),
            source: Some(DETECTED.to_owned()),
            accelerators,
            unknown,
            ..Hardware::default()
        };
        if let Some(apple) = &self.apple {
            fill_from_apple(&mut hardware, apple);
        }
        Found {
            hardware,
            devices: chosen.devices(),
        }
    }

    /// The library's answer, else what the driver's own files name.
    fn nvidia(&self, unknown: &mut Vec<UnknownFact>) -> nvml::Told {
        let root = self.root.as_path();
        match nvml::ask(&self.nvml, self.server) {
            Ok(told) => told,
            Err(reason) => {
                let cards = driver_files::cards(root);
                if !cards.is_empty() && self.nvml != NvmlLibrary::Off {
                    unknown.push(UnknownFact::new("nvml", reason));
                }
                nvml::Told {
                    driver: driver_files::driver(root).filter(|_| !cards.is_empty()),
                    cards,
                    ..nvml::Told::default()
                }
            }
        }
    }
}

/// The hardware of this machine, as far as its system tells.
pub fn inventory() -> Hardware {
    inventory_named(&|_, _| None)
}

/// As [`inventory`], with names as a catalogue writes them.
pub fn inventory_named(normalise: Normalise<'_>) -> Hardware {
    look_named(normalise, None).hardware
}

/// As [`inventory_named`], of the accelerators that a server of this machine uses.
pub fn look_named(normalise: Normalise<'_>, server: Option<&ServerUse>) -> Found {
    let look = Look {
        normalise,
        server,
        ..Look::here()
    };
    let mut found = look.read();
    fill_from_system(&mut found.hardware);
    Found {
        hardware: finish(found.hardware, &look.root),
        ..found
    }
}

/// As [`inventory`], from the files of a Linux system below `root` alone.
pub fn inventory_of(root: &Path) -> Hardware {
    Look::at(root).hardware()
}

fn class_of(root: &Path, accelerators: &[Accelerator]) -> MachineClass {
    let is_unified = |accelerator: &Accelerator| {
        let facts = accelerator.facts.as_ref();
        facts.is_some_and(|facts| facts.unified_memory == Some(true))
    };
    if accelerators.iter().any(|one| !is_unified(one)) {
        MachineClass::DiscreteGpu
    } else if !accelerators.is_empty() {
        MachineClass::UnifiedMemory
    } else if OTHER_ACCELERATORS
        .iter()
        .any(|path| root.join(path).exists())
    {
        MachineClass::Unknown
    } else {
        MachineClass::Cpu
    }
}

fn os(root: &Path) -> Option<String> {
    let text = files::whole(&root.join("etc/os-release"))?;
    let value = |key: &str| files::value(&text, key);
    value("PRETTY_NAME").or_else(|| Some(format!("{} {}", value("NAME")?, value("VERSION_ID")?)))
}

fn fill_from_apple(hardware: &mut Hardware, apple: &AppleFacts) {
    let processor = apple.processor();
    hardware.cpu_cores = processor.cores;
    hardware.cpu = apple
        .chip()
        .and_then(|chip| processor::describe(&chip, 1, processor.cores));
    hardware.processor = Some(processor);
    hardware.memory_bytes = apple.memory_bytes();
    hardware.host = apple.model().map(|model| Host {
        board: Some(format!("Apple {model}")),
        ..Host::default()
    });
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

fn finish(mut hardware: Hardware, root: &Path) -> Hardware {
    Private::of(root).clean_hardware(&mut hardware);
    let is_known = !hardware.accelerators.is_empty() || hardware.cpu.is_some();
    hardware.name = is_known.then(|| name_for_title(&hardware));
    hardware
}
