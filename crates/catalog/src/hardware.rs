//! Accelerators, machines with one memory, and processors.

mod find;
mod words;

pub(crate) use find::HardwareNames;

use crate::link::Link;
use crate::memory::MemoryType;

/// One row of the hardware files: an accelerator, a machine with one memory for processor and
/// accelerator, or a processor with its memory channels.
#[derive(Debug, Clone, PartialEq)]
pub struct Hardware {
    /// Stable name for addresses and documents, for example `nvidia-rtx-3090`.
    pub id: String,
    /// The maker.
    pub vendor: String,
    /// The name that is shown, without the maker's.
    pub name: String,
    /// What kind of thing it is.
    pub kind: HardwareKind,
    /// The generation, for example `Ampere`.
    pub architecture: String,
    /// Year in which it came out.
    pub year: u16,
    /// Memory in GiB (2^30 bytes; makers write GB for the same size). For one memory shared with
    /// the processor: the largest that is sold. `None` for processors.
    pub memory_gib: Option<f64>,
    /// All sizes that are sold, in GiB, where there are several; else empty.
    pub memory_options_gib: Vec<f64>,
    /// What the memory is.
    pub memory_type: MemoryType,
    /// Theoretical bandwidth of the memory in GB/s (10^9 bytes a second).
    pub bandwidth_gb_per_s: f64,
    /// Arithmetic.
    pub rates: Rates,
    /// Thermal design or board power in watts.
    pub tdp_w: Option<f64>,
    /// Connection to host or neighbours.
    pub link: Option<Link>,
    /// Price at launch in US dollars.
    pub msrp_usd: Option<f64>,
    /// Other names that mean exactly this row.
    pub aliases: Vec<String>,
    /// Model numbers that this row stands for, `?` for any digit or letter: `EPYC 9??4`.
    pub patterns: Vec<String>,
    /// Where the figures come from.
    pub sources: Sources,
}

/// What kind of thing a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HardwareKind {
    /// A card or module with memory of its own.
    DiscreteGpu,
    /// Accelerator and processor share one memory.
    UnifiedMemory,
    /// A processor alone.
    Cpu,
}

/// Arithmetic of a row, in 10^12 operations a second, dense (without structured sparsity). `None`
/// where no figure is known, or the hardware cannot do it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// 16-bit floats with 32-bit accumulation, in the matrix units where there are some.
    pub fp16_tflops: Option<f64>,
    /// 16-bit floats with 16-bit accumulation, where it is faster: on `GeForce` it is twice.
    pub fp16_accumulate_tflops: Option<f64>,
    /// 8-bit floats.
    pub fp8_tflops: Option<f64>,
    /// 8-bit whole numbers.
    pub int8_tops: Option<f64>,
    /// 4-bit floats.
    pub fp4_tflops: Option<f64>,
}

/// Where the figures of a row come from: a text for each group of figures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    /// Of size and bandwidth of the memory.
    pub memory: String,
    /// Of the arithmetic; `None` where no rate is given.
    pub rates: Option<String>,
    /// Of the power; `None` where none is given.
    pub power: Option<String>,
    /// Of the price; `None` where none is given.
    pub price: Option<String>,
}

impl Hardware {
    /// Maker and name, for example `NVIDIA RTX 3090`.
    pub fn full_name(&self) -> String {
        if self.name.starts_with(&self.vendor) {
            return self.name.clone();
        }
        format!("{} {}", self.vendor, self.name)
    }

    /// Whether the rates are a ceiling. Apple's leave the matrix units out, and a laptop's are those of
    /// its smallest configuration, so that both may be surpassed.
    pub fn rates_are_a_ceiling(&self) -> bool {
        self.vendor != "Apple" && !self.name.contains("Laptop")
    }

    /// Whether a memory size that was measured or stated in GiB can be this hardware's.
    ///
    /// Drivers report 1 to 3 % less than the nominal size, and a machine that shares its memory
    /// reports less by what is reserved. Modified cards have another size, and are other hardware.
    pub fn may_have_memory(&self, gib: f64) -> bool {
        let near = |nominal: f64| gib >= nominal * 0.9 && gib <= nominal * 1.04;
        match (self.kind, self.memory_gib) {
            (HardwareKind::Cpu, _) | (_, None) => true,
            (_, Some(_)) if !self.memory_options_gib.is_empty() => {
                self.memory_options_gib.iter().copied().any(near)
            }
            (HardwareKind::UnifiedMemory, Some(most)) => gib <= most * 1.04,
            (HardwareKind::DiscreteGpu, Some(nominal)) => near(nominal),
        }
    }
}
