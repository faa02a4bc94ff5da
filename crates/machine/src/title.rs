//! A machine's name in the title of a run.

use tokmark_run_format::{Accelerator, Hardware, MachineClass};
use tokmark_units::float;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Words of makers and product lines that a title does without.
const LEFT_OUT: [&str; 6] = ["NVIDIA", "GeForce", "AMD", "Intel", "Instinct", "(R)"];

/// `RTX 3090 24GB`, `2x H100 80GB HBM3`, groups joined by ` + `; the processor's name without
/// accelerators. A name that was declared wins.
pub fn name_for_title(hardware: &Hardware) -> String {
    if let Some(name) = &hardware.name {
        return name.clone();
    }
    let groups: Vec<String> = hardware.accelerators.iter().map(group).collect();
    if !groups.is_empty() {
        let title = groups.join(" + ");
        // One memory for all is a part of such a machine's identity.
        let memory = one_memory(hardware).and_then(size);
        return memory.map_or_else(|| title.clone(), |memory| format!("{title} {memory}"));
    }
    match &hardware.cpu {
        // The cores stand in the card, not in the title.
        Some(cpu) => cpu
            .rsplit_once(" (")
            .map_or(cpu.as_str(), |(name, _)| name)
            .to_owned(),
        None => "Unknown hardware".to_owned(),
    }
}

fn group(accelerator: &Accelerator) -> String {
    let short = accelerator
        .name
        .split_whitespace()
        .filter(|word| !LEFT_OUT.contains(word))
        .collect::<Vec<_>>()
        .join(" ");
    let name = if short.is_empty() {
        accelerator.name.as_str()
    } else {
        short.as_str()
    };
    let memory = if names_memory(name) {
        None
    } else {
        memory(accelerator)
    };
    let times = match accelerator.count {
        0 | 1 => String::new(),
        several => format!("{several}x "),
    };
    match memory {
        Some(memory) => format!("{times}{name} {memory}"),
        None => format!("{times}{name}"),
    }
}

/// Whether a name such as `H100 80GB HBM3` or `A100-SXM4-80GB` says how much memory there is.
fn names_memory(name: &str) -> bool {
    name.split([' ', '-']).any(|word| {
        let digits = word.strip_suffix("GB").or_else(|| word.strip_suffix('G'));
        digits
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The memory of a machine whose accelerators have none of their own.
fn one_memory(hardware: &Hardware) -> Option<u64> {
    let has_none = |one: &Accelerator| one.memory_bytes.is_none() && one.memory_text.is_none();
    let is_one = hardware.class == MachineClass::UnifiedMemory;
    let all = is_one && hardware.accelerators.iter().all(has_none);
    hardware.memory_bytes.filter(|_| all)
}

fn size(bytes: u64) -> Option<String> {
    let gib = float::round_to_u64(float::from_u64(bytes) / GIB);
    (gib > 0).then(|| format!("{gib}GB"))
}

fn memory(accelerator: &Accelerator) -> Option<String> {
    if let Some(bytes) = accelerator.memory_bytes {
        return size(bytes);
    }
    let text = accelerator.memory_text.as_deref()?;
    Some(text.split_whitespace().collect())
}
