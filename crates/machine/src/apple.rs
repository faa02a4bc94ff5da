//! Apple's chips, from what `sysctl` and `ioreg` print.

use tokmark_run_format::{AcceleratorFacts, ProcessorFacts};

use crate::card::Card;

/// What the two programs printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppleFacts {
    /// `sysctl machdep.cpu hw iogpu`.
    pub sysctl: String,
    /// `ioreg -rc AGXAccelerator -d1`.
    pub ioreg: String,
}

/// Asks the system.
#[cfg(target_os = "macos")]
pub(crate) fn ask() -> Option<AppleFacts> {
    let print = |program: &str, arguments: &[&str]| {
        let output = std::process::Command::new(program)
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .output()
            .ok()?;
        String::from_utf8(output.stdout).ok()
    };
    Some(AppleFacts {
        sysctl: print("/usr/sbin/sysctl", &["machdep.cpu", "hw", "iogpu"])?,
        ioreg: print("/usr/sbin/ioreg", &["-rc", "AGXAccelerator", "-d1"]).unwrap_or_default(),
    })
}

/// Other systems have no such facts.
#[cfg(not(target_os = "macos"))]
pub(crate) fn ask() -> Option<AppleFacts> {
    None
}

impl AppleFacts {
    fn number(&self, key: &str) -> Option<u64> {
        self.text(key)?.parse().ok()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.sysctl
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    /// `Apple M4 Max`.
    pub(crate) fn chip(&self) -> Option<String> {
        self.text("machdep.cpu.brand_string").map(str::to_owned)
    }

    /// The chip's accelerator with its cores, as makers write it: `Apple M4 Max (40-core GPU)`.
    pub(crate) fn card(&self) -> Option<Card> {
        let chip = self.chip().filter(|chip| chip.starts_with("Apple "))?;
        let cores = self.registry_number("gpu-core-count");
        let mut card = Card {
            name: cores.map_or_else(|| chip.clone(), |n| format!("{chip} ({n}-core GPU)")),
            facts: AcceleratorFacts {
                vendor: Some("apple".to_owned()),
                unified_memory: Some(true),
                memory_limit_bytes: self.memory_limit_bytes(),
                ..AcceleratorFacts::default()
            },
            ..Card::default()
        };
        card.unknown("memory_bytes", "it is the processor's memory");
        card.unknown("power_limit_w", "the system does not tell");
        Some(card)
    }

    /// What somebody set as the accelerator's share of the memory; 0 is the system's own choice.
    fn memory_limit_bytes(&self) -> Option<u64> {
        let mib = self.number("iogpu.wired_limit_mb").filter(|mib| *mib > 0)?;
        mib.checked_mul(1 << 20)
    }

    /// `"gpu-core-count" = 40`.
    fn registry_number(&self, key: &str) -> Option<u64> {
        let (_, rest) = self.ioreg.split_once(&format!("\"{key}\" = "))?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    }

    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        self.number("hw.memsize")
    }

    /// `Mac16,5`: the model, shared by all machines of its kind.
    pub(crate) fn model(&self) -> Option<String> {
        self.text("hw.model").map(str::to_owned)
    }

    pub(crate) fn processor(&self) -> ProcessorFacts {
        let small = |key: &str| u32::try_from(self.number(key)?).ok();
        ProcessorFacts {
            sockets: small("hw.packages"),
            cores: small("hw.physicalcpu"),
            threads: small("hw.logicalcpu"),
            ..ProcessorFacts::default()
        }
    }
}
