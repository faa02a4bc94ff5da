//! What NVIDIA's kernel driver writes below `/proc/driver/nvidia`.
//!
//! It names the models and the driver, but not the memory, which stays unknown here. Identifiers of
//! single boards are not read.

use std::fs;
use std::path::Path;

use tokmark_run_format::Accelerator;

/// The accelerators, equal ones grouped, in the order of their slots.
pub(crate) fn accelerators(root: &Path) -> Vec<Accelerator> {
    let folder = root.join("proc/driver/nvidia/gpus");
    let mut slots: Vec<_> = fs::read_dir(folder)
        .map(|entries| {
            entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .collect()
        })
        .unwrap_or_default();
    slots.sort();
    let mut groups: Vec<Accelerator> = Vec::new();
    for slot in slots {
        let Some(name) = model(&slot.join("information")) else {
            continue;
        };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.count += 1,
            None => groups.push(Accelerator {
                name,
                count: 1,
                memory_bytes: None,
                memory_text: None,
            }),
        }
    }
    groups
}

fn model(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix("Model:"))
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("unknown"))
}

/// `NVIDIA 580.178.04`.
pub(crate) fn driver(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("proc/driver/nvidia/version")).ok()?;
    let line = text.lines().find(|line| line.contains("Kernel Module"))?;
    let version = line.split_whitespace().find(|word| is_version(word))?;
    Some(format!("NVIDIA {version}"))
}

/// Two or three groups of digits, as in `580.178.04`; dates and `x86_64` are not.
fn is_version(word: &str) -> bool {
    let groups: Vec<&str> = word.split('.').collect();
    let are_digits = groups
        .iter()
        .all(|group| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit()));
    are_digits && (2..=3).contains(&groups.len())
}
