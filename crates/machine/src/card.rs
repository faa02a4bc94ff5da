//! One accelerator, and equal ones as a group.

use tokmark_run_format::{Accelerator, AcceleratorFacts, PcieLink, UnknownFact};

/// A maker's name as the driver gives it, with the memory in bytes, to the catalogue's name; `None`
/// keeps it as given.
pub type Normalise<'a> = &'a dyn Fn(&str, Option<u64>) -> Option<String>;

/// One accelerator. Nothing in it names the single board.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Card {
    pub(crate) name: String,
    /// Its place among those of its maker, in the driver's order.
    pub(crate) index: u32,
    pub(crate) memory_bytes: Option<u64>,
    /// Whether the server uses it; `None` is not known.
    pub(crate) used: Option<bool>,
    pub(crate) facts: AcceleratorFacts,
}

impl Card {
    /// Notes what could not be read.
    pub(crate) fn unknown(&mut self, fact: &str, reason: impl Into<String>) {
        self.facts.unknown.push(UnknownFact::new(fact, reason));
    }

    /// Takes a value, or notes why there is none.
    pub(crate) fn learn<T>(&mut self, fact: &str, found: Result<T, String>) -> Option<T> {
        match found {
            Ok(value) => Some(value),
            Err(reason) => {
                self.unknown(fact, reason);
                None
            }
        }
    }
}

/// Equal cards as groups, in the order of their first ones. This is the one place where a name is
/// replaced by the catalogue's.
pub(crate) fn groups(cards: Vec<Card>, normalise: Normalise<'_>) -> Vec<Accelerator> {
    let mut groups: Vec<Accelerator> = Vec::new();
    for mut card in cards {
        if let Some(name) = normalise(&card.name, card.memory_bytes) {
            let given = std::mem::replace(&mut card.name, name);
            card.facts.driver_name = Some(given).filter(|given| *given != card.name);
        }
        let is_equal = |group: &&mut Accelerator| {
            let slices = group.facts.as_ref().map(|facts| &facts.slices);
            group.name == card.name
                && group.memory_bytes == card.memory_bytes
                && slices.is_none_or(|slices| *slices == card.facts.slices)
        };
        match groups.iter_mut().find(is_equal) {
            Some(group) => {
                group.count += 1;
                if let Some(facts) = &mut group.facts {
                    merge(facts, card.facts);
                }
            }
            None => groups.push(Accelerator {
                name: card.name,
                count: 1,
                memory_bytes: card.memory_bytes,
                memory_text: None,
                facts: Some(card.facts).filter(|facts| *facts != AcceleratorFacts::default()),
            }),
        }
    }
    groups
}

/// Keeps what two cards have in common.
fn merge(all: &mut AcceleratorFacts, other: AcceleratorFacts) {
    let unknown = &mut all.unknown;
    let (name, other_name) = (&mut all.driver_name, other.driver_name);
    same(name, other_name.as_ref(), "driver_name", unknown);
    same(
        &mut all.architecture,
        other.architecture.as_ref(),
        "architecture",
        unknown,
    );
    same(
        &mut all.power_limit_w,
        other.power_limit_w.as_ref(),
        "power_limit_w",
        unknown,
    );
    let (limit, other_limit) = (&mut all.power_limit_default_w, other.power_limit_default_w);
    same(
        limit,
        other_limit.as_ref(),
        "power_limit_default_w",
        unknown,
    );
    let (clock, other_clock) = (&mut all.core_clock_max_mhz, other.core_clock_max_mhz);
    same(clock, other_clock.as_ref(), "core_clock_max_mhz", unknown);
    let (clock, other_clock) = (&mut all.memory_clock_max_mhz, other.memory_clock_max_mhz);
    same(clock, other_clock.as_ref(), "memory_clock_max_mhz", unknown);
    same(
        &mut all.resizable_bar,
        other.resizable_bar.as_ref(),
        "resizable_bar",
        unknown,
    );
    if let (Some(link), Some(other)) = (&mut all.pcie, other.pcie) {
        merge_links(link, other, unknown);
    }
    for fact in other.unknown {
        if !unknown.contains(&fact) {
            unknown.push(fact);
        }
    }
}

fn merge_links(link: &mut PcieLink, other: PcieLink, unknown: &mut Vec<UnknownFact>) {
    same(
        &mut link.generation,
        other.generation.as_ref(),
        "pcie.generation",
        unknown,
    );
    let (most, other_most) = (&mut link.generation_max, other.generation_max);
    same(most, other_most.as_ref(), "pcie.generation_max", unknown);
    same(&mut link.width, other.width.as_ref(), "pcie.width", unknown);
    same(
        &mut link.width_max,
        other.width_max.as_ref(),
        "pcie.width_max",
        unknown,
    );
}

/// A value that differs is not the group's.
fn same<T: PartialEq>(
    kept: &mut Option<T>,
    other: Option<&T>,
    fact: &str,
    unknown: &mut Vec<UnknownFact>,
) {
    if kept.as_ref() == other {
        return;
    }
    *kept = None;
    let fact = UnknownFact::new(fact, "it differs between these accelerators");
    if !unknown.contains(&fact) {
        unknown.push(fact);
    }
}
