//! Endless natural text from a seed: sentences of several genres in paragraphs.

use crate::seed::{Generator, Seed};
use crate::words::{
    ADJECTIVES, ADVERBS, LINKS, NAME_ENDS, NAME_STARTS, NOUNS, OPENERS, PLACES, VERBS,
};

/// Words of an endless text, one after the other, each with the white space before it.
pub(crate) struct Prose {
    generator: Generator,
    pending: std::collections::VecDeque<String>,
    sentences: usize,
    names: Vec<String>,
    genre: Genre,
}

#[derive(Debug, Clone, Copy)]
enum Genre {
    Narrative,
    Report,
    Manual,
    Letter,
    Dialogue,
}

impl Prose {
    pub(crate) fn new(seed: Seed) -> Self {
        let mut generator = seed.generator();
        let names = (0..9).map(|_| name(&mut generator)).collect();
        let genre = match generator.below(5) {
            0 => Genre::Narrative,
            1 => Genre::Report,
            2 => Genre::Manual,
            3 => Genre::Letter,
            _ => Genre::Dialogue,
        };
        Self {
            generator,
            pending: std::collections::VecDeque::new(),
            sentences: 0,
            names,
            genre,
        }
    }

    fn refill(&mut self) {
        let sentence = self.sentence();
        let paragraph = self.sentences > 0 && self.generator.one_in(6);
        if paragraph && self.generator.one_in(3) {
            let name = name(&mut self.generator);
            let index = self.generator.below(self.names.len());
            if let Some(old) = self.names.get_mut(index) {
                *old = name;
            }
        }
        self.sentences += 1;
        for (index, word) in sentence.split(' ').enumerate() {
            let space = match (index, paragraph) {
                (0, true) => "\n\n",
                _ => " ",
            };
            self.pending.push_back(format!("{space}{word}"));
        }
    }

    fn sentence(&mut self) -> String {
        let clause = self.clause();
        let mut text = match self.genre {
            Genre::Dialogue if self.generator.one_in(2) => return self.speech(&clause),
            Genre::Manual if self.generator.one_in(3) => return self.step(),
            Genre::Report if self.generator.one_in(3) => return self.figure(),
            Genre::Letter if self.generator.one_in(5) => {
                format!("My dear {}, {clause}", self.name())
            }
            _ if self.generator.one_in(4) => format!("{} {clause}", self.generator.pick(OPENERS)),
            _ => clause,
        };
        if self.generator.one_in(2) {
            let link = self.generator.pick(LINKS);
            let more = self.clause();
            text = format!("{text} {link} {more}");
        }
        finish(&text)
    }

    fn clause(&mut self) -> String {
        let subject = self.subject();
        let verb = self.generator.pick_frequent(VERBS);
        let object = self.thing();
        match self.generator.below(5) {
            0 => format!("{subject} {verb} {object} {}", self.generator.pick(PLACES)),
            1 => format!("{subject} {} {verb} {object}", self.generator.pick(ADVERBS)),
            2 => format!("{subject} {verb} {object} and {}", self.thing()),
            3 => format!("{object} was {} than {}", self.comparison(), self.thing()),
            _ => format!("{subject} {verb} {object}"),
        }
    }

    fn subject(&mut self) -> String {
        match self.generator.below(3) {
            0 => self.name(),
            _ => self.thing(),
        }
    }

    fn thing(&mut self) -> String {
        let article =
            self.generator
                .pick(&["the", "a certain", "another", "this", "their", "every"]);
        let noun = self.generator.pick_frequent(NOUNS);
        match self.generator.below(3) {
            0 => format!("{article} {noun}"),
            1 => format!(
                "{article} {} {noun}",
                self.generator.pick_frequent(ADJECTIVES)
            ),
            _ => format!("{article} {noun} of {}", self.name()),
        }
    }

    fn comparison(&mut self) -> String {
        format!("more {}", self.generator.pick(ADJECTIVES))
    }

    fn speech(&mut self, clause: &str) -> String {
        let name = self.name();
        let how = self.generator.pick(ADVERBS);
        format!("\"{},\" said {name} {how}.", capital(clause))
    }

    fn step(&mut self) -> String {
        let number = self.generator.below(900) + 100;
        let noun = self.generator.pick(NOUNS);
        let adjective = self.generator.pick(ADJECTIVES);
        let place = self.generator.pick(PLACES);
        format!("Step {number}: check the {adjective} {noun} {place} and note the result.")
    }

    fn figure(&mut self) -> String {
        let year = self.generator.below(400) + 1_600;
        let amount = self.generator.below(9_000) + 11;
        let noun = self.generator.pick(NOUNS);
        let thing = self.thing();
        finish(&format!(
            "in {year} the {noun} held {amount} entries about {thing}"
        ))
    }

    fn name(&mut self) -> String {
        let index = self.generator.below(self.names.len());
        self.names.get(index).cloned().unwrap_or_default()
    }
}

impl Iterator for Prose {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while self.pending.is_empty() {
            self.refill();
        }
        self.pending.pop_front()
    }
}

pub(crate) fn name(generator: &mut Generator) -> String {
    let start = generator.pick(NAME_STARTS);
    format!("{start}{}", generator.pick(NAME_ENDS))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn finish(text: &str) -> String {
    format!("{}.", capital(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn words(seed: u64, n: usize) -> Vec<String> {
        Prose::new(Seed::new(seed)).take(n).collect()
    }

    #[test]
    fn a_longer_text_begins_with_the_shorter_one() {
        assert_eq!(words(1, 50), words(1, 500)[..50]);
        assert_ne!(words(1, 50), words(2, 50));
    }

    #[test]
    fn long_stretches_do_not_repeat() {
        for seed in 0..20 {
            let all = words(seed, 2_000);
            let mut seen = HashSet::new();
            let repeats = all
                .windows(12)
                .filter(|some| !seen.insert(some.join(" ")))
                .count();
            assert_eq!(repeats, 0, "seed {seed}");
        }
    }

    #[test]
    fn it_has_the_look_of_prose() {
        let all = words(3, 5_000);
        let text = all.concat();
        let sentences = text.matches(['.']).count();
        let mean = 5_000 / sentences;
        assert!((6..=24).contains(&mean), "{mean} words a sentence");
        let distinct: HashSet<&str> = all.iter().map(|w| w.trim()).collect();
        assert!(distinct.len() > 500, "{}", distinct.len());
        assert!(text.contains("\n\n"));
    }
}
