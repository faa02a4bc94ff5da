//! Technical manuals: numbered steps in the imperative, notes and explanations.

use crate::genre::{Author, DESCRIPTION};
use crate::sentence::Sentence;

const UNITS: [&str; 8] = [
    "degrees",
    "millimetres",
    "litres",
    "turns",
    "minutes",
    "grams",
    "volts",
    "seconds",
];

impl Author {
    /// A heading, a run of steps, a note or a paragraph of explanation.
    pub(crate) fn manual(&mut self) -> String {
        if self.written.is_multiple_of(6) {
            return self.chapter_heading();
        }
        match self.prose.dice.below(10) {
            0..=4 => self.steps(),
            5..=6 => {
                let kind = self
                    .prose
                    .dice
                    .pick(&["Note", "Caution", "Hint", "Exception"]);
                let text = self.sentences(DESCRIPTION, 1, 2);
                format!("{kind}: {text}")
            }
            _ => self.sentences(DESCRIPTION, 2, 5),
        }
    }

    fn chapter_heading(&mut self) -> String {
        let chapter = self.written / 6 + 1;
        let task = self.prose.transitive().gerund();
        let adjective = self.prose.adjective();
        let thing = self.prose.lexicon.things.pick(&mut self.prose.dice);
        let mut title = Sentence::default();
        for word in [&task, "the", adjective, thing] {
            title.word(word);
        }
        let first = self.prose.sentence(DESCRIPTION);
        format!("{chapter}. {}\n\n{first}", title.finish(""))
    }

    fn steps(&mut self) -> String {
        let count = self.prose.dice.between(3, 6);
        let lines: Vec<_> = (1..=count)
            .map(|step| format!("{step}) {}", self.step()))
            .collect();
        lines.join("\n")
    }

    fn step(&mut self) -> String {
        let mut s = Sentence::default();
        if self.prose.dice.chance(25) {
            s.word(self.prose.dice.pick(&["If", "When", "Once", "As soon as"]));
            self.prose.clause(&mut s, DESCRIPTION, 0);
            s.mark(",");
        }
        s.word(self.prose.transitive().base());
        s.word(
            self.prose
                .dice
                .pick(&["the", "the", "each", "one", "its", "your"]),
        );
        if self.prose.dice.chance(50) {
            s.word(self.prose.adjective());
        }
        s.word(self.prose.lexicon.things.pick(&mut self.prose.dice));
        match self.prose.dice.below(10) {
            0..=2 => {
                let (amount, unit) = (
                    self.prose.dice.between(2, 480).to_string(),
                    self.prose.dice.pick(&UNITS),
                );
                s.word(self.prose.dice.pick(&["to", "by", "for", "after"]));
                s.word(&amount);
                s.word(unit);
            }
            3..=5 => self.prose.prepositional(&mut s),
            6..=7 => {
                s.word(
                    self.prose
                        .dice
                        .pick(&["until", "so that", "while", "before"]),
                );
                self.prose.clause(&mut s, DESCRIPTION, 0);
            }
            _ => {
                s.word("and");
                s.word(self.prose.transitive().base());
                self.prose.noun_phrase(&mut s, 0);
            }
        }
        s.finish(".")
    }
}
