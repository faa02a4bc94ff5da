//! What NVIDIA's kernel driver writes below `/proc/driver/nvidia`.
//!
//! It names the models and the driver, but not the memory, which stays unknown here. Identifiers of
//! single boards are not read.

use std::path::Path;

use tokmark_run_format::AcceleratorFacts;

use crate::card::Card;
use crate::files;

/// Chips whose memory is the processor's, too.
const UNIFIED_CHIPS: [&str; 4] = ["GB10", "Orin", "Thor", "Xavier"];

/// Whether a name is that of such a chip.
pub(crate) fn is_unified(name: &str) -> bool {
    UNIFIED_CHIPS.iter().any(|chip| name.contains(chip))
}

/// Whether the driver is loaded.
pub(crate) fn is_there(root: &Path) -> bool {
    root.join("proc/driver/nvidia/version").exists()
}

/// The accelerators in the order of their slots.
pub(crate) fn cards(root: &Path) -> Vec<Card> {
    files::entries(&root.join("proc/driver/nvidia/gpus"))
        .iter()
        .filter_map(|slot| model(&slot.join("information")))
        .zip(0..)
        .map(|(name, index)| Card {
            index,
            facts: AcceleratorFacts {
                vendor: Some("nvidia".to_owned()),
                unified_memory: Some(is_unified(&name)),
                ..AcceleratorFacts::default()
            },
            name,
            ..Card::default()
        })
        .collect()
}

fn model(path: &Path) -> Option<String> {
    let text = files::whole(path)?;
    text.lines()
        .find_map(|line| line.strip_prefix("Model:"))
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("unknown"))
}

/// `NVIDIA 580.178.04`.
pub(crate) fn driver(root: &Path) -> Option<String> {
    let text = files::whole(&root.join("proc/driver/nvidia/version"))?;
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
