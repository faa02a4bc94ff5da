//! The word lists, and how often each word of them comes.

use crate::Generator;

/// Words of one kind with Zipf-like frequencies: the word of rank r comes in proportion to
/// 1 / (r + 4), which is Mandelbrot's form of Zipf's law with a flat head, since the words that
/// head the law in English prose are the grammar's own (`the`, `of`, `and`).
#[derive(Debug, Clone)]
pub(crate) struct WordList {
    ranked: Vec<&'static str>,
    /// Sums of the weights up to and with each rank, in units of 1 / `WEIGHT`. Whole numbers, so
    /// that the same seed gives the same words on every machine.
    sums: Vec<u64>,
}

const WEIGHT: u64 = 1_000_000;
const FLAT_HEAD: u64 = 4;

impl WordList {
    fn read(file: &'static str) -> Self {
        let ranked: Vec<_> = file
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_ascii_whitespace)
            .collect();
        let sums = (1_u64..)
            .zip(&ranked)
            .scan(0, |sum, (rank, _)| {
                *sum += WEIGHT / (rank + FLAT_HEAD);
                Some(*sum)
            })
            .collect();
        Self { ranked, sums }
    }

    /// A word by its frequency.
    pub(crate) fn pick(&self, dice: &mut Generator) -> &'static str {
        let drawn = dice.below(self.sums.last().copied().unwrap_or(0));
        let rank = self.sums.partition_point(|sum| *sum <= drawn);
        self.ranked.get(rank).copied().unwrap_or_default()
    }
}

/// All lists. Ranks are dealt anew for each section of a text ([`Lexicon::change_subject`]), as the
/// subject of a real text decides which words are common in it.
#[derive(Debug, Clone)]
pub(crate) struct Lexicon {
    pub(crate) people: WordList,
    pub(crate) things: WordList,
    pub(crate) places: WordList,
    pub(crate) ideas: WordList,
    pub(crate) materials: WordList,
    pub(crate) adjectives: WordList,
    pub(crate) adverbs: WordList,
    pub(crate) transitive: WordList,
    pub(crate) intransitive: WordList,
    pub(crate) reporting: WordList,
}

impl Lexicon {
    /// The lists in the order of their files, which is the alphabet's.
    pub(crate) fn new() -> Self {
        Self {
            people: WordList::read(include_str!("../words/people.txt")),
            things: WordList::read(include_str!("../words/things.txt")),
            places: WordList::read(include_str!("../words/places.txt")),
            ideas: WordList::read(include_str!("../words/ideas.txt")),
            materials: WordList::read(include_str!("../words/materials.txt")),
            adjectives: WordList::read(include_str!("../words/adjectives.txt")),
            adverbs: WordList::read(include_str!("../words/adverbs.txt")),
            transitive: WordList::read(include_str!("../words/transitive.txt")),
            intransitive: WordList::read(include_str!("../words/intransitive.txt")),
            reporting: WordList::read(include_str!("../words/reporting.txt")),
        }
    }

    /// Deals the ranks anew.
    pub(crate) fn change_subject(&mut self, dice: &mut Generator) {
        for list in [
            &mut self.people,
            &mut self.things,
            &mut self.places,
            &mut self.ideas,
            &mut self.materials,
            &mut self.adjectives,
            &mut self.adverbs,
            &mut self.transitive,
            &mut self.intransitive,
            &mut self.reporting,
        ] {
            dice.shuffle(&mut list.ranked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_full_and_without_repeats() {
        let lexicon = Lexicon::new();
        for (list, least) in [
            (&lexicon.people, 100),
            (&lexicon.things, 200),
            (&lexicon.places, 100),
            (&lexicon.ideas, 250),
            (&lexicon.materials, 60),
            (&lexicon.adjectives, 300),
            (&lexicon.adverbs, 100),
            (&lexicon.transitive, 300),
            (&lexicon.intransitive, 100),
            (&lexicon.reporting, 50),
        ] {
            assert!(list.ranked.len() >= least, "{:?}", list.ranked);
            let distinct: std::collections::HashSet<_> = list.ranked.iter().collect();
            assert_eq!(distinct.len(), list.ranked.len(), "{:?}", list.ranked);
            let plain = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'/');
            assert!(list.ranked.iter().all(plain), "{:?}", list.ranked);
        }
    }

    #[test]
    fn the_first_rank_comes_as_often_as_its_weight_says() {
        let mut dice = Generator::new(5);
        let lexicon = Lexicon::new();
        let list = &lexicon.things;
        let drawn: Vec<_> = (0..20_000).map(|_| list.pick(&mut dice)).collect();
        let times = |rank: usize| drawn.iter().filter(|w| **w == list.ranked[rank]).count();
        // 1/5 against 1/14, of a sum of 1/5 + ... + 1/264 = 3.49.
        assert!((1_000..1_300).contains(&times(0)), "{}", times(0));
        assert!((330..490).contains(&times(9)), "{}", times(9));
        let tail = list.ranked.len() - 1;
        assert!((5..50).contains(&times(tail)), "{}", times(tail));
    }
}
