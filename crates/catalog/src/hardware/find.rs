//! Which row a name of hardware means.

use std::collections::BTreeMap;

use crate::matching::{Match, runs};

use super::Hardware;
use super::words::{RowWords, alternatives, of_name};

/// What is compared with names, made once for all rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HardwareNames {
    /// Place of the row that a written-out name means, and whether it is the row's own name.
    written: BTreeMap<String, (usize, bool)>,
    /// For each row its words, and whether its name states its memory.
    words: Vec<(RowWords, bool)>,
}

impl HardwareNames {
    pub(crate) fn of(rows: &[Hardware]) -> Self {
        let mut names = Self::default();
        for (place, row) in rows.iter().enumerate() {
            for alias in &row.aliases {
                names.written.entry(key(alias)).or_insert((place, false));
            }
            for own in [&row.id, &row.name, &row.full_name()] {
                names.written.insert(key(own), (place, true));
            }
            let states_memory = of_name(&row.name).memory_gib.is_some();
            names.words.push((words(row), states_memory));
        }
        names
    }

    /// The row that a name means, as drivers, `lspci`, makers and people write it; `memory_gib` is
    /// the memory that was measured or stated beside the name, in GiB.
    ///
    /// In this order: the row's id or name, or an alias; the words of the name, all of which the row
    /// has to explain. Memory rules rows out at each step. `RTX 4090 Laptop GPU` is not the desktop
    /// card, and a 3080 may be either of two as long as nobody says how much memory it has.
    pub(crate) fn find<'a>(
        &self,
        rows: &'a [Hardware],
        name: &str,
        memory_gib: Option<f64>,
    ) -> Match<'a, Hardware> {
        let fits =
            |row: &Hardware, memory: Option<f64>| memory.is_none_or(|gib| row.may_have_memory(gib));
        // What a row is called may look like a size of memory (`A10G`, `GH200 480GB`), so that only
        // memory from elsewhere speaks against a name that is written out.
        if let Some((place, own)) = self.written.get(&key(name))
            && let Some(row) = rows.get(*place).filter(|row| fits(row, memory_gib))
        {
            return if *own {
                Match::Exact(row)
            } else {
                Match::Alias(row)
            };
        }
        let memory = memory_gib.or(of_name(name).memory_gib);
        let with_words = rows.iter().zip(&self.words);
        let possible: Vec<Candidate<'a, '_>> = with_words
            .filter(|(row, _)| fits(row, memory))
            .map(|(row, (words, states_memory))| Candidate {
                row,
                words,
                states_memory: *states_memory,
            })
            .collect();
        by_words(&possible, name, memory.is_some())
    }
}

/// A row that its memory does not rule out.
struct Candidate<'a, 'w> {
    row: &'a Hardware,
    words: &'w RowWords,
    states_memory: bool,
}

/// A name as one word, so that blanks, dashes, marks and case do not matter.
fn key(name: &str) -> String {
    let name = name.replace("(R)", " ").replace("(TM)", " ");
    runs(&name).concat()
}

/// The rows that the words of a name mean. A row that states its memory beside its name has
/// siblings with other memory, in the catalog or out of it: without a size it is a candidate only.
fn by_words<'a>(
    possible: &[Candidate<'a, '_>],
    name: &str,
    memory_known: bool,
) -> Match<'a, Hardware> {
    let names: Vec<Vec<String>> = alternatives(name)
        .iter()
        .map(|name| of_name(name).said)
        .filter(|said| !said.is_empty())
        .collect();
    let meant: Vec<&Candidate<'a, '_>> = possible
        .iter()
        .filter(|candidate| {
            let is = |said: &Vec<String>| {
                candidate.words.are_meant_by(said) || has_model_number(candidate.row, said)
            };
            names.iter().any(is)
        })
        .collect();
    let rows: Vec<&Hardware> = match meant.as_slice() {
        [one] if memory_known || !one.states_memory => return Match::Words(one.row),
        [_, ..] => meant.iter().map(|candidate| candidate.row).collect(),
        [] => possible
            .iter()
            .filter(|candidate| names.iter().any(|said| candidate.words.explain(said)))
            .map(|candidate| candidate.row)
            .collect(),
    };
    if rows.is_empty() {
        Match::Unknown
    } else {
        Match::Candidates(rows)
    }
}

fn words(row: &Hardware) -> RowWords {
    let memory = row.memory_type.name();
    let link = row.link.map(|link| link.to_string()).unwrap_or_default();
    RowWords::of_row(&row.vendor, &row.name, &[memory, &link])
}

/// Whether one of the row's patterns is in the name, the maker's words around it aside.
fn has_model_number(row: &Hardware, said: &[String]) -> bool {
    let said: String = said.concat();
    let vendor: String = runs(&row.vendor).concat();
    let said = said.strip_prefix(vendor.as_str()).unwrap_or(&said);
    row.patterns.iter().any(|pattern| {
        let pattern: String = pattern
            .split_whitespace()
            .collect::<String>()
            .to_lowercase();
        let fits = |(wanted, given): (char, char)| {
            wanted == given || (wanted == '?' && given.is_alphanumeric())
        };
        pattern.chars().count() == said.chars().count()
            && pattern.chars().zip(said.chars()).all(fits)
    })
}
