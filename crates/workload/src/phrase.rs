//! Phrases: what stands before, after and around a verb.

use crate::Generator;
use crate::inflection::{Verb, article, with_s};
use crate::lexicon::Lexicon;
use crate::names;
use crate::sentence::Sentence;

/// When a clause happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tense {
    /// As in a story.
    Past,
    /// As in a description.
    Present,
}

/// What a verb in the present agrees with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// He, she or it.
    Singular,
    /// They.
    Plural,
    /// I.
    First,
}

/// Writes phrases and clauses: the dice, the words, and the people and towns of the section.
#[derive(Debug, Clone)]
pub(crate) struct Prose {
    pub(crate) dice: Generator,
    pub(crate) lexicon: Lexicon,
    cast: Vec<String>,
    towns: Vec<String>,
}

const PREPOSITIONS: [&str; 20] = [
    "near", "behind", "beyond", "above", "below", "inside", "outside", "beside", "across", "along",
    "around", "past", "under", "over", "through", "towards", "opposite", "at", "in", "from",
];

const SMALL_NUMBERS: [&str; 14] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "fifteen", "twenty", "forty",
];

const DETERMINERS: [&str; 8] = [
    "this", "that", "each", "another", "every", "their", "his", "her",
];

const PLURAL_DETERMINERS: [&str; 10] = [
    "several", "many", "most", "all", "both", "these", "those", "few", "some", "their",
];

impl Prose {
    pub(crate) fn new(dice: Generator) -> Self {
        let mut prose = Self {
            dice,
            lexicon: Lexicon::new(),
            cast: Vec::new(),
            towns: Vec::new(),
        };
        prose.new_section();
        prose
    }

    /// Starts a section: another subject, other people, other towns.
    pub(crate) fn new_section(&mut self) {
        let dice = &mut self.dice;
        self.lexicon.change_subject(dice);
        self.cast = (0..7).map(|_| names::person(dice)).collect();
        self.towns = (0..4).map(|_| names::place(dice)).collect();
    }

    /// One of the section's people.
    pub(crate) fn person(&mut self) -> String {
        let at = self.dice.index(self.cast.len());
        self.cast.get(at).cloned().unwrap_or_default()
    }

    /// One of the section's towns.
    pub(crate) fn town(&mut self) -> String {
        let at = self.dice.index(self.towns.len());
        self.towns.get(at).cloned().unwrap_or_default()
    }

    /// A noun of any kind, in the singular.
    pub(crate) fn noun(&mut self) -> &'static str {
        let list = match self.dice.below(20) {
            0..=6 => &self.lexicon.things,
            7..=10 => &self.lexicon.people,
            11..=13 => &self.lexicon.places,
            _ => &self.lexicon.ideas,
        };
        list.pick(&mut self.dice)
    }

    pub(crate) fn adjective(&mut self) -> &'static str {
        self.lexicon.adjectives.pick(&mut self.dice)
    }

    pub(crate) fn transitive(&mut self) -> Verb<'static> {
        Verb::read(self.lexicon.transitive.pick(&mut self.dice))
    }

    /// A count: a small one as a word, a large one in digits.
    pub(crate) fn number(&mut self) -> String {
        match self.dice.below(10) {
            0..=5 => self.dice.pick(&SMALL_NUMBERS).to_owned(),
            6..=8 => self.dice.between(13, 999).to_string(),
            _ => {
                let (thousands, rest) = (self.dice.between(1, 60), self.dice.below(1_000));
                format!("{thousands},{rest:03}")
            }
        }
    }

    /// Perhaps an adjective, then the noun as given.
    fn described(&mut self, s: &mut Sentence, noun: &str) {
        if self.dice.chance(42) {
            s.word(self.adjective());
        }
        s.word(noun);
    }

    /// A noun phrase in the singular behind its article or determiner.
    fn singular(&mut self, s: &mut Sentence) {
        let noun = self.noun();
        let adjective = self.dice.chance(42).then(|| self.adjective());
        match self.dice.below(20) {
            0..=7 => s.word("the"),
            8..=15 => s.word(article(adjective.unwrap_or(noun))),
            _ => s.word(self.dice.pick(&DETERMINERS)),
        }
        if let Some(adjective) = adjective {
            s.word(adjective);
        }
        s.word(noun);
    }

    /// A noun phrase in the plural.
    fn plural(&mut self, s: &mut Sentence) {
        match self.dice.below(10) {
            0..=1 => s.word("the"),
            2..=4 => s.word(&self.number()),
            5..=7 => s.word(self.dice.pick(&PLURAL_DETERMINERS)),
            _ => {}
        }
        let nouns = with_s(self.noun());
        self.described(s, &nouns);
    }

    /// A noun phrase; `depth` is how many more phrases may hang on it. Says what a verb after it
    /// agrees with.
    pub(crate) fn noun_phrase(&mut self, s: &mut Sentence, depth: u8) -> Agreement {
        let agreement = match self.dice.below(20) {
            0..=2 => {
                s.word(&self.person());
                return Agreement::Singular;
            }
            3 => {
                let owner = self.person();
                s.word(&format!("{owner}'s"));
                let noun = self.noun();
                self.described(s, noun);
                Agreement::Singular
            }
            4 => {
                let material = self.lexicon.materials.pick(&mut self.dice);
                self.described(s, material);
                Agreement::Singular
            }
            5..=9 => {
                self.plural(s);
                Agreement::Plural
            }
            _ => {
                self.singular(s);
                Agreement::Singular
            }
        };
        if depth > 0 && self.after_noun(s, depth - 1) {
            return Agreement::Plural;
        }
        agreement
    }

    /// What may hang on a noun. True when it made the phrase a plural one.
    fn after_noun(&mut self, s: &mut Sentence, depth: u8) -> bool {
        match self.dice.below(20) {
            0..=3 => {
                s.word("of");
                self.noun_phrase(s, depth);
            }
            4 => {
                s.word("from");
                s.word(&self.town());
            }
            5 => {
                s.word("that");
                let verb = self.transitive().past();
                s.word(&verb);
                self.noun_phrase(s, 0);
            }
            6 => {
                s.word("and");
                self.singular(s);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Where, how or when: a phrase behind a preposition.
    pub(crate) fn prepositional(&mut self, s: &mut Sentence) {
        match self.dice.below(20) {
            0..=8 => {
                s.word(self.dice.pick(&PREPOSITIONS));
                s.word("the");
                let place = self.lexicon.places.pick(&mut self.dice);
                self.described(s, place);
            }
            9..=11 => {
                s.word(self.dice.pick(&["in", "near", "from", "at"]));
                s.word(&self.town());
            }
            12..=15 => {
                s.word(
                    self.dice
                        .pick(&["with", "without", "for", "by", "against", "like"]),
                );
                self.noun_phrase(s, 0);
            }
            16..=17 => {
                s.word(self.dice.pick(&["after", "before", "within", "for"]));
                s.word(self.dice.pick(&SMALL_NUMBERS));
                s.word(
                    self.dice
                        .pick(&["days", "weeks", "months", "hours", "years"]),
                );
            }
            _ => {
                s.word(
                    self.dice
                        .pick(&["out of", "because of", "in spite of", "instead of"]),
                );
                let idea = self.lexicon.ideas.pick(&mut self.dice);
                s.word(article(idea));
                s.word(idea);
            }
        }
    }
}
