//! Which measurements are left, in which order they are kept when time is short, and what each costs.

use std::collections::{BTreeMap, BTreeSet};

use tokmark_run_format::evidence::PrefillPurpose;
use tokmark_run_format::{DecodeCell, PrefillMode, Profile};
use tokmark_units::Nanos;

use crate::run::Run;

/// Passes of a thorough run over each cell.
const THOROUGH_PASSES: u32 = 3;

/// One measurement that is left: a pass over a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pass: u32,
    class: Class,
    context: u64,
    requests: u32,
}

/// What is kept first when time is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// The least requests at every context.
    Single,
    /// Every level at the shortest context.
    FirstRow,
    /// The most requests that run at the longest context.
    Corner,
    /// The others.
    Rest,
}

/// The class of a cell among cells that run, in the order that `--max-time` keeps them.
fn class(cells: &BTreeSet<(u64, u32)>, context: u64, requests: u32) -> Class {
    let shortest = cells.first().map(|(context, _)| *context);
    let longest = cells.last().copied();
    let least = cells.iter().map(|(_, requests)| *requests).min();
    if Some(requests) == least {
        Class::Single
    } else if Some(context) == shortest {
        Class::FirstRow
    } else if Some((context, requests)) == longest {
        Class::Corner
    } else {
        Class::Rest
    }
}

impl Run<'_> {
    /// The levels of the decode matrix; none where only prefill is measured.
    pub(crate) fn decode_levels(&self) -> Vec<u32> {
        match self.settings.prefill {
            PrefillMode::Standalone => Vec::new(),
            PrefillMode::WarmUp | PrefillMode::Off => self.matrix.levels.clone(),
        }
    }

    /// Passes over each cell.
    pub(crate) fn passes(&self) -> u32 {
        match self.settings.profile {
            Profile::Rigorous => THOROUGH_PASSES,
            Profile::Quick | Profile::Standard => 1,
        }
    }

    /// Passes over a cell that are on record.
    pub(crate) fn passes_done(&self, context: u64, requests: u32) -> u32 {
        let passes = self.cells.get(&(context, requests));
        passes.map_or(0, |passes| u32::try_from(passes.len()).unwrap_or(u32::MAX))
    }

    /// Whether nothing is left to do for a cell. One that gave no numbers is not measured again.
    pub(crate) fn is_decided(&self, context: u64, requests: u32) -> bool {
        let Some(passes) = self.cells.get(&(context, requests)) else {
            return false;
        };
        let gave_numbers = |cell: &DecodeCell| cell.total_tokens_per_s.is_some();
        self.passes_done(context, requests) >= self.passes()
            || !passes.last().is_some_and(gave_numbers)
    }

    /// Whether a pass over a cell is the next thing to do with it.
    pub(crate) fn is_due(&self, context: u64, requests: u32, pass: u32) -> bool {
        !self.is_decided(context, requests) && self.passes_done(context, requests) == pass
    }

    /// What is left of `--max-time`; `None` without it.
    fn budget(&self) -> Option<Nanos> {
        let most: Nanos = self.settings.max_time?.into();
        let used = self.session.clock.now().saturating_sub(self.began);
        Some(most.saturating_sub(used))
    }

    /// Whether there is time for a cell after everything that is kept before it.
    pub(crate) fn affords(&self, context: u64, requests: u32) -> bool {
        self.budget().is_none_or(|left| {
            let kept = self.kept(left);
            kept.iter()
                .any(|item| (item.context, item.requests) == (context, requests))
        })
    }

    /// Whether something that takes so long leaves the time that the least requests at every context
    /// need.
    pub(crate) fn spares(&self, wanted: Nanos) -> bool {
        self.budget().is_none_or(|left| {
            let mut documents = self.warmed.clone();
            let single = self.left_items().into_iter();
            let single = single.filter(|item| item.class == Class::Single && item.pass == 0);
            let reserved = single.fold(Nanos::ZERO, |sum, item| {
                sum + self.cost(item, &mut documents)
            });
            reserved + wanted <= left
        })
    }

    /// The measurements that fit into a time, the most wanted ones first.
    fn kept(&self, time: Nanos) -> Vec<Item> {
        let mut documents = self.warmed.clone();
        let mut used = Nanos::ZERO;
        let mut kept = Vec::new();
        for item in self.left_items() {
            let mut with_it = documents.clone();
            let cost = self.cost(item, &mut with_it);
            if used + cost <= time {
                used = used + cost;
                documents = with_it;
                kept.push(item);
            }
        }
        kept
    }

    /// What is left, the most wanted first.
    fn left_items(&self) -> Vec<Item> {
        if self.settings.prefill == PrefillMode::Standalone {
            return Vec::new();
        }
        let running = self.running_cells();
        let open = running
            .iter()
            .filter(|(context, requests)| !self.is_decided(*context, *requests));
        let mut items: Vec<Item> = open
            .flat_map(|(context, requests)| {
                let class = class(&running, *context, *requests);
                let passes = self.passes_done(*context, *requests)..self.passes();
                passes.map(move |pass| Item {
                    pass,
                    class,
                    context: *context,
                    requests: *requests,
                })
            })
            .collect();
        items.sort_unstable();
        items
    }

    /// Cells that no rule leaves out.
    fn running_cells(&self) -> BTreeSet<(u64, u32)> {
        let levels = &self.matrix.levels;
        let contexts = self.matrix.contexts.iter();
        let all = contexts.flat_map(|c| levels.iter().map(move |r| (*c, *r)));
        all.filter(|(context, requests)| self.left_out(*context, *requests).is_none())
            .collect()
    }

    /// Expected time of a measurement with the prefills that it needs besides those of `documents`
    /// (by context, the streams whose documents are in the cache), which are counted in.
    fn cost(&self, item: Item, documents: &mut BTreeMap<u64, u32>) -> Nanos {
        let (context, requests) = (item.context, item.requests);
        let cell = self.cell_time(context, requests);
        if context == 0 {
            return cell;
        }
        let needed = self.documents(self.admitted(requests));
        let warmed = documents.entry(context).or_default();
        let missing = needed.saturating_sub(*warmed);
        *warmed = needed.max(*warmed);
        let each = self.expected_prefill(context);
        cell + Nanos(each.0.saturating_mul(u64::from(missing)))
    }

    /// Expected time of everything that is not done yet and will be.
    pub(crate) fn time_left(&self) -> Nanos {
        let budget = self.budget();
        let items = match budget {
            None => self.left_items(),
            Some(left) => self.kept(left),
        };
        let mut documents = self.warmed.clone();
        let cells = items.into_iter().fold(Nanos::ZERO, |sum, item| {
            sum + self.cost(item, &mut documents)
        });
        let all = cells + self.samples_left(&documents);
        budget.map_or(all, |left| all.min(left))
    }

    /// Expected time of prefill samples beyond the documents of streams.
    fn samples_left(&self, documents: &BTreeMap<u64, u32>) -> Nanos {
        if self.settings.prefill == PrefillMode::Off {
            return Nanos::ZERO;
        }
        let contexts = self.matrix.prefill_contexts.iter();
        let open = contexts.filter(|context| self.prefill_left_out(**context).is_none());
        open.map(|context| {
            let done = self.samples_of(*context, PrefillPurpose::Extra);
            let of_streams = documents.get(context).copied().unwrap_or(0);
            let recorded = of_streams.max(self.recalled_documents(*context));
            let target = self.sample_target(*context);
            let missing = target.saturating_sub(recorded.saturating_add(done));
            Nanos(
                self.expected_prefill(*context)
                    .0
                    .saturating_mul(missing.into()),
            )
        })
        .fold(Nanos::ZERO, |sum, one| sum + one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_requests_come_first_then_the_first_row_then_the_corner() {
        // The longest context holds four requests.
        let cells: BTreeSet<(u64, u32)> = [0, 16_384, 65_536]
            .into_iter()
            .flat_map(|context| [1, 4, 16].map(|requests| (context, requests)))
            .filter(|cell| *cell != (65_536, 16))
            .collect();
        let mut items: Vec<Item> = cells
            .iter()
            .map(|(context, requests)| Item {
                pass: 0,
                class: class(&cells, *context, *requests),
                context: *context,
                requests: *requests,
            })
            .collect();
        items.sort_unstable();
        let order: Vec<(u64, u32)> = items.iter().map(|i| (i.context, i.requests)).collect();
        assert_eq!(
            order,
            [
                (0, 1),
                (16_384, 1),
                (65_536, 1),
                (0, 4),
                (0, 16),
                (65_536, 4),
                (16_384, 4),
                (16_384, 16),
            ]
        );
    }
}
