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

/// A group of equal accelerators that the server used.
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
}

/// Hardware of the server. Every field that is not known is `null` and never guessed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hardware {
    /// What kind of machine.
    pub class: MachineClass,
    /// A name for titles, for example `RTX 3090 24GB`.
    pub name: Option<String>,
    /// The accelerators that the server used.
    pub accelerators: Vec<Accelerator>,
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
    /// Where the facts come from: `detected`, `declared`, `imported` or `simulated`.
    pub source: Option<String>,
}
