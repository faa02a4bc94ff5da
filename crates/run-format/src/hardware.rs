//! The machine that the server ran on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of machine carries the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MachineClass {
    /// One or more discrete accelerators.
    DiscreteGpu,
    /// Accelerator and processor share one memory.
    UnifiedMemory,
    /// The processor alone.
    Cpu,
    /// The simulated server.
    Simulated,
    /// Not known, for example a remote server that says nothing.
    #[default]
    Unknown,
}

impl MachineClass {
    /// The words that a page shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::DiscreteGpu => "Discrete GPU",
            Self::UnifiedMemory => "Unified memory",
            Self::Cpu => "CPU only",
            Self::Simulated => "Simulated",
            Self::Unknown => "Unknown",
        }
    }
}

/// How it is known which accelerators the server used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AcceleratorSelection {
    /// Its processes ran on them.
    Processes,
    /// Its environment let it see them.
    Visible,
}

/// A group of equal accelerators, or of equal slices of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Accelerator {
    /// The name as given by driver or user.
    pub name: String,
    /// How many of them.
    pub count: u32,
    /// Memory of one, in bytes (GiB are binary).
    pub memory_bytes: Option<u64>,
    /// The memory as the source wrote it, for example `24 GB`, when it was text.
    pub memory_text: Option<String>,
    /// How they are set up and connected, when their driver was asked.
    pub facts: Option<AcceleratorFacts>,
}

/// What a driver tells about an accelerator. In a group of several, a value that differs between
/// them is `null` and stands in `unknown`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AcceleratorFacts {
    /// `nvidia`, `amd`, `intel` or `apple`.
    pub vendor: Option<String>,
    /// The name as the driver gives it, where a catalogue's stands in its place.
    pub driver_name: Option<String>,
    /// The accelerator that this is a slice of. Power and clocks are those of the whole.
    pub part_of: Option<String>,
    /// The chip's generation as the driver names it, for example `compute capability 9.0`.
    pub architecture: Option<String>,
    /// Whether its memory is the processor's.
    pub unified_memory: Option<bool>,
    /// Most bytes of the processor's memory that the system lets it use, where somebody set that.
    pub memory_limit_bytes: Option<u64>,
    /// The power limit that was set, in watts.
    pub power_limit_w: Option<f64>,
    /// The power limit as delivered, in watts.
    pub power_limit_default_w: Option<f64>,
    /// Highest core clock, in MHz.
    pub core_clock_max_mhz: Option<u32>,
    /// Highest memory clock, in MHz.
    pub memory_clock_max_mhz: Option<u32>,
    /// The link to the processor.
    pub pcie: Option<PcieLink>,
    /// Whether the processor can address all of its memory.
    pub resizable_bar: Option<bool>,
    /// The slices that it is divided into.
    pub slices: Vec<Slice>,
    /// What could not be read, and why.
    pub unknown: Vec<UnknownFact>,
}

/// A PCIe link, as it is at this moment and at best. Idle links run slower than they can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PcieLink {
    /// Generation now.
    pub generation: Option<u32>,
    /// Highest generation of card and slot.
    pub generation_max: Option<u32>,
    /// Lanes now.
    pub width: Option<u32>,
    /// Most lanes of card and slot.
    pub width_max: Option<u32>,
}

/// Equal slices of a divided accelerator.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Slice {
    /// For example `1g.10gb`.
    pub profile: String,
    /// How many of them.
    pub count: u32,
    /// Memory of one, in bytes.
    pub memory_bytes: Option<u64>,
}

/// Something that could not be found out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnknownFact {
    /// What: a field's name, or a source such as `nvml`.
    pub fact: String,
    /// Why not.
    pub reason: String,
}

impl UnknownFact {
    /// What, and why not.
    pub fn new(fact: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            fact: fact.into(),
            reason: reason.into(),
        }
    }
}

/// The processor in numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProcessorFacts {
    /// Sockets.
    pub sockets: Option<u32>,
    /// Physical cores of all sockets.
    pub cores: Option<u32>,
    /// Logical processors.
    pub threads: Option<u32>,
    /// Groups of processors with memory of their own.
    pub numa_nodes: Option<u32>,
    /// How the system chooses clocks, for example `performance`.
    pub governor: Option<String>,
    /// Highest clock, in MHz.
    pub clock_max_mhz: Option<u32>,
    /// Last-level caches in all, in bytes.
    pub cache_bytes: Option<u64>,
}

/// The computer around processor and accelerators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Host {
    /// Maker and model of the board or the whole machine.
    pub board: Option<String>,
    /// Version of the operating system's kernel.
    pub kernel: Option<String>,
    /// The container that the facts were read in: `docker`, `podman`, `kubernetes`, …
    pub container: Option<String>,
    /// The virtual machine that the system runs in: `kvm`, `vmware`, `hyper-v`, …
    pub virtualization: Option<String>,
}

/// The way between two accelerators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AcceleratorLink {
    /// One end, by its place in the driver's order.
    pub from: u32,
    /// The other end.
    pub to: u32,
    /// `nvlink`, `pcie_switch`, `host_bridge`, `numa_node`, `system`, …
    pub path: String,
    /// Links of that kind between the two.
    pub links: Option<u32>,
}

/// Memory bandwidth, measured on this machine by `tokmark machine --probe`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MeasuredBandwidth {
    /// The processor reading alone, in 10^9 bytes per second.
    pub read_gb_s: Option<f64>,
    /// The processor's `a[i] = b[i] + s * c[i]`, two reads and a write counted, in 10^9 bytes per
    /// second.
    pub triad_gb_s: Option<f64>,
    /// Threads, sizes and repeats on the processor in words.
    pub method: String,
    /// When, RFC 3339 with zone.
    pub measured_at: Option<String>,
    /// Each accelerator, in the order of the library that it was measured through.
    pub accelerators: Vec<AcceleratorBandwidth>,
    /// What could not be measured, and why.
    pub unknown: Vec<UnknownFact>,
}

/// Bandwidth of one accelerator's own memory, without any kernel: the driver's copies and fills.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AcceleratorBandwidth {
    /// Its name, as in the inventory.
    pub name: String,
    /// Its memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Copying from its memory to its memory, bytes read and bytes written counted, in 10^9 bytes
    /// per second.
    pub copy_gb_s: Option<f64>,
    /// Filling its memory with a value, bytes written counted, in 10^9 bytes per second.
    pub fill_gb_s: Option<f64>,
    /// Library, sizes and repeats in words.
    pub method: String,
    /// What could not be measured, and why.
    pub unknown: Vec<UnknownFact>,
}

impl AcceleratorBandwidth {
    /// The faster of both ways, in 10^9 bytes per second.
    pub fn best_gb_s(&self) -> Option<f64> {
        best([self.copy_gb_s, self.fill_gb_s])
    }
}

impl MeasuredBandwidth {
    /// The processor's faster way, in 10^9 bytes per second.
    pub fn processor_gb_s(&self) -> Option<f64> {
        best([self.read_gb_s, self.triad_gb_s])
    }
}

fn best(rates: [Option<f64>; 2]) -> Option<f64> {
    rates.into_iter().flatten().reduce(f64::max)
}

/// Hardware of the server. Every field that is not known is `null` and never guessed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hardware {
    /// What kind of machine.
    pub class: MachineClass,
    /// A name for titles, for example `RTX 3090 24GB`.
    pub name: Option<String>,
    /// The accelerators that the server used; all of the machine's that it may have used where
    /// `accelerators_known_by` is `null`.
    pub accelerators: Vec<Accelerator>,
    /// How it is known which those are.
    pub accelerators_known_by: Option<AcceleratorSelection>,
    /// The machine's other accelerators. They are in no figure.
    pub unused_accelerators: Vec<Accelerator>,
    /// Processor name with cores.
    pub cpu: Option<String>,
    /// Physical cores.
    pub cpu_cores: Option<u32>,
    /// Main memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The main memory as the source wrote it, when it was text.
    pub memory_text: Option<String>,
    /// Operating system with version.
    pub os: Option<String>,
    /// Accelerator driver with version.
    pub driver: Option<String>,
    /// Where the facts come from: `detected`, `agent`, `declared`, `imported` or `simulated`.
    pub source: Option<String>,
    /// The processor in numbers.
    pub processor: Option<ProcessorFacts>,
    /// Transfers per second of a memory module's line, in millions (MT/s).
    pub memory_speed_mt_s: Option<u32>,
    /// The computer around.
    pub host: Option<Host>,
    /// Ways between the accelerators.
    pub links: Vec<AcceleratorLink>,
    /// Memory bandwidth, when it was measured.
    pub measured_bandwidth: Option<MeasuredBandwidth>,
    /// What could not be read, and why.
    pub unknown: Vec<UnknownFact>,
}
