//! Letters and plays: what people write and say.

use crate::genre::{Author, MEMORY, SPEECH};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Paragraphs of a letter, its head among them.
const LETTER: u64 = 6;

impl Author {
    /// A paragraph of a letter; the first bears place, date and greeting, the last the signature.
    pub(crate) fn letter(&mut self) -> String {
        match self.written % LETTER {
            0 => {
                let (from, to) = (self.prose.town(), self.prose.person());
                let (day, year) = (
                    self.prose.dice.between(1, 28),
                    self.prose.dice.between(1_640, 1_899),
                );
                let month = self.prose.dice.pick(&MONTHS);
                let first = self.sentences(MEMORY, 2, 4);
                format!("{from}, {day} {month} {year}\n\nDear {to},\n\n{first}")
            }
            5 => {
                let last = self.sentences(SPEECH, 1, 3);
                let close =
                    self.prose
                        .dice
                        .pick(&["Yours", "Your friend", "Ever yours", "In haste"]);
                let who = self.prose.person();
                format!("{last}\n\n{close},\n{who}")
            }
            2 => self.sentences(SPEECH, 3, 5),
            _ => self.sentences(MEMORY, 3, 6),
        }
    }

    /// What one person of a play says, now and then behind a stage direction.
    pub(crate) fn dialogue(&mut self) -> String {
        let who = self.prose.person().to_uppercase();
        let voice = if self.prose.dice.chance(40) {
            MEMORY
        } else {
            SPEECH
        };
        let said = self.sentences(voice, 1, 4);
        if self.prose.dice.chance(15) {
            let adverb = self.prose.lexicon.adverbs.pick(&mut self.prose.dice);
            let thing = self.prose.lexicon.things.pick(&mut self.prose.dice);
            format!("{who} ({adverb}, with the {thing}): {said}")
        } else {
            format!("{who}: {said}")
        }
    }
}
