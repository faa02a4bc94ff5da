//! What the columns of a run say, made from its document.

use std::collections::BTreeSet;

use tokmark_run_format::hardware::MachineClass;
use tokmark_run_format::{CellStatus, RunDocument};
use tokmark_units::float;

/// The version of these rules, in the column `derived`.
pub(crate) const VERSION: i64 = 1;

/// Sizes of memory that people choose by, in GiB; a machine belongs to the smallest that holds it.
const TIERS: [u32; 14] = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1_024];

/// Most words of a run that are searched, and most letters of one.
const MOST_WORDS: usize = 200;
const LONGEST_WORD: usize = 64;

/// Columns for filters and orders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Derived {
    pub(crate) family: Option<String>,
    pub(crate) class: &'static str,
    pub(crate) accelerators: Option<i64>,
    pub(crate) memory_tier: Option<i64>,
    pub(crate) submitter: Option<String>,
    pub(crate) organization: Option<String>,
    pub(crate) single_rate: Option<i64>,
    pub(crate) highest_rate: Option<i64>,
    pub(crate) words: String,
}

impl Derived {
    pub(crate) fn of(run: &RunDocument) -> Self {
        let (single_rate, highest_rate) = rates(run);
        let count = run.hardware.accelerators.iter();
        let count: i64 = count.map(|one| i64::from(one.count)).sum();
        Self {
            family: family(&run.model.name),
            class: class_word(run.hardware.class),
            accelerators: (count > 0).then_some(count),
            memory_tier: memory_tier(run).map(i64::from),
            submitter: run.submitted_by.clone().filter(|name| !name.is_empty()),
            organization: organization(run),
            single_rate,
            highest_rate,
            words: words_of(run),
        }
    }
}

/// The word of a class in the database and in addresses.
pub(crate) fn class_word(class: MachineClass) -> &'static str {
    match class {
        MachineClass::DiscreteGpu => "discrete_gpu",
        MachineClass::UnifiedMemory => "unified_memory",
        MachineClass::Cpu => "cpu",
        MachineClass::Simulated => "simulated",
        MachineClass::Unknown => "unknown",
    }
}

/// A class by its word.
pub(crate) fn class_of(word: &str) -> Option<MachineClass> {
    [
        MachineClass::DiscreteGpu,
        MachineClass::UnifiedMemory,
        MachineClass::Cpu,
        MachineClass::Simulated,
        MachineClass::Unknown,
    ]
    .into_iter()
    .find(|class| class_word(*class) == word)
}

/// The words of a text as they are indexed and asked for: letters and digits in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().chars().take(LONGEST_WORD).collect())
}

/// The first word of a model's name: `Qwen/Qwen3-32B-AWQ` is of `qwen3`.
fn family(model: &str) -> Option<String> {
    let name = model.rsplit('/').next().unwrap_or(model);
    words(name).next()
}

/// Who publishes the model: the owner of its repository.
fn organization(run: &RunDocument) -> Option<String> {
    let name = run.model.repository.as_deref().unwrap_or(&run.model.name);
    let (owner, _) = name.split_once('/')?;
    (!owner.is_empty() && !name.starts_with('.')).then(|| owner.to_owned())
}

/// All accelerators together, or the memory they share with the processor.
fn memory_tier(run: &RunDocument) -> Option<u32> {
    let hardware = &run.hardware;
    let own = hardware.accelerators.iter().map(|one| {
        let bytes = one.memory_bytes.unwrap_or(0);
        bytes.saturating_mul(u64::from(one.count.max(1)))
    });
    let own: u64 = own.fold(0, u64::saturating_add);
    let bytes = if own > 0 { own } else { hardware.memory_bytes? };
    // Cards of 24 GB report a little more or less than that many GiB.
    let gib = float::from_u64(bytes) / float::from_u64(1 << 30);
    let tier = TIERS
        .into_iter()
        .find(|tier| gib <= f64::from(*tier) * 1.04);
    Some(tier.unwrap_or(2_048))
}

/// Valid cells only: one request at the smallest context, and the highest total.
fn rates(run: &RunDocument) -> (Option<i64>, Option<i64>) {
    let valid = || {
        run.decode.iter().filter_map(|cell| {
            let rate = cell.total_tokens_per_s.filter(|rate| *rate >= 0.0)?;
            let valid = cell.status == CellStatus::Valid && rate.is_finite();
            let thousandths = i64::try_from(float::round_to_u64(rate * 1_000.0)).ok()?;
            valid.then_some((cell.context, cell.requests, thousandths))
        })
    };
    let single = valid()
        .filter(|(_, requests, _)| *requests == 1)
        .min_by_key(|(context, ..)| *context)
        .map(|(.., rate)| rate);
    (single, valid().map(|(.., rate)| rate).max())
}

fn words_of(run: &RunDocument) -> String {
    let engine = &run.engine;
    let named = [
        Some(run.model.name.as_str()),
        run.model.repository.as_deref(),
        run.hardware.name.as_deref(),
        run.hardware.cpu.as_deref(),
        Some(engine.name.as_str()),
        engine.version.as_deref(),
        engine.quantization.as_deref(),
        run.submitted_by.as_deref(),
        run.note.as_deref(),
    ];
    let cards = run.hardware.accelerators.iter();
    let texts = named
        .into_iter()
        .flatten()
        .chain(cards.map(|card| card.name.as_str()));
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for word in texts.flat_map(words).take(MOST_WORDS) {
        if seen.insert(word.clone()) {
            all.push(word);
        }
    }
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::hardware::Accelerator;
    use tokmark_run_format::{RunDocument, Tool};

    use super::*;

    #[test]
    fn columns_come_from_the_document() {
        let mut run = RunDocument::new("a".into(), Tool::default());
        run.model.name = "Qwen/Qwen3-32B-AWQ".into();
        run.hardware.name = Some("2x RTX 3090".into());
        run.note = Some("Undervolted; RTX!".into());
        run.hardware.accelerators.push(Accelerator {
            name: "RTX 3090".into(),
            count: 2,
            memory_bytes: Some(25_769_803_776),
            ..Accelerator::default()
        });
        let derived = Derived::of(&run);
        assert_eq!(derived.family.as_deref(), Some("qwen3"));
        assert_eq!(derived.organization.as_deref(), Some("Qwen"));
        assert_eq!(derived.accelerators, Some(2));
        assert_eq!(derived.memory_tier, Some(48));
        assert_eq!(derived.single_rate, None);
        assert_eq!(derived.words, "qwen qwen3 32b awq 2x rtx 3090 undervolted");
    }

    #[test]
    fn every_class_has_a_word_of_its_own() {
        for word in [
            "discrete_gpu",
            "unified_memory",
            "cpu",
            "simulated",
            "unknown",
        ] {
            assert_eq!(class_of(word).map(class_word), Some(word));
        }
        assert_eq!(class_of("gpu"), None);
    }
}
