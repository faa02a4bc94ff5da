//! A machine's name in the title of a run.

use tokmark_run_format::{Accelerator, Hardware};
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
        return groups.join(" + ");
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

fn memory(accelerator: &Accelerator) -> Option<String> {
    if let Some(bytes) = accelerator.memory_bytes {
        let gib = float::round_to_u64(float::from_u64(bytes) / GIB);
        return (gib > 0).then(|| format!("{gib}GB"));
    }
    let text = accelerator.memory_text.as_deref()?;
    Some(text.split_whitespace().collect())
}
