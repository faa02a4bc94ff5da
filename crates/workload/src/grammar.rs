//! Clauses and sentences.

use crate::inflection::{Verb, article, with_s};
use crate::phrase::{Agreement, Prose, Tense};
use crate::sentence::Sentence;

/// Who tells it, and when it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Voice {
    pub(crate) tense: Tense,
    /// Some clauses have `I` as their subject.
    pub(crate) first_person: bool,
}

/// How much a sentence holds.
#[derive(Debug, Clone, Copy)]
struct Measure {
    clauses: u8,
    opener: bool,
    depth: u8,
}

const CONNECTIVES: [&str; 16] = [
    "Even so,",
    "However,",
    "For this reason,",
    "Later,",
    "Still,",
    "Besides,",
    "Instead,",
    "In the end,",
    "At first,",
    "Meanwhile,",
    "Elsewhere,",
    "By then,",
    "As before,",
    "Now and then,",
    "Above all,",
    "In turn,",
];

const SEASONS: [&str; 12] = [
    "winter", "spring", "summer", "autumn", "morning", "evening", "night", "harvest", "dawn",
    "tide", "frost", "storm",
];

const JOINTS: [&str; 14] = [
    ", and",
    ", but",
    ", so",
    ", yet",
    ", while",
    " because",
    " although",
    " until",
    " before",
    " where",
    " as",
    " when",
    "; ",
    " though",
];

impl Prose {
    /// A whole sentence with its full stop (rarely a question or exclamation mark).
    pub(crate) fn sentence(&mut self, voice: Voice) -> String {
        let mut s = Sentence::default();
        let (clauses, opener, depth) = match self.dice.below(20) {
            0..=3 => (1, false, 0),
            4..=9 => (1, self.dice.chance(40), 1),
            10..=16 => (2, self.dice.chance(25), 1),
            _ => (3, self.dice.chance(30), 2),
        };
        self.fill(
            &mut s,
            voice,
            Measure {
                clauses,
                opener,
                depth,
            },
        );
        let end = match self.dice.below(60) {
            0 => "!",
            1 => "?",
            _ => ".",
        };
        s.finish(end)
    }

    fn fill(&mut self, s: &mut Sentence, voice: Voice, measure: Measure) {
        if measure.opener {
            self.opener(s);
        }
        self.clause(s, voice, measure.depth);
        for _ in 1..measure.clauses {
            match self.dice.pick(&JOINTS) {
                "; " => s.mark(";"),
                joint => s.mark(joint),
            }
            self.clause(s, voice, measure.depth.min(1));
        }
    }

    fn opener(&mut self, s: &mut Sentence) {
        match self.dice.below(10) {
            0..=3 => s.word(self.dice.pick(&CONNECTIVES)),
            4..=5 => {
                s.word(
                    self.dice
                        .pick(&["By the", "During the", "After the", "Before the"]),
                );
                s.word(
                    self.dice
                        .pick(&["first", "second", "third", "fourth", "next", "last"]),
                );
                s.word(self.dice.pick(&SEASONS));
                s.mark(",");
            }
            6..=7 => {
                let verb = self.transitive().gerund();
                s.word(&verb);
                self.noun_phrase(s, 0);
                s.mark(",");
            }
            _ => {
                self.prepositional(s);
                s.mark(",");
            }
        }
    }

    /// A subject with its verb and what belongs to it.
    pub(crate) fn clause(&mut self, s: &mut Sentence, voice: Voice, depth: u8) {
        let agreement = if voice.first_person && self.dice.chance(45) {
            s.word("I");
            Agreement::First
        } else {
            match self.dice.below(12) {
                0 => {
                    s.word(self.dice.pick(&["he", "she", "it"]));
                    Agreement::Singular
                }
                1 => {
                    s.word(self.dice.pick(&["they", "we"]));
                    Agreement::Plural
                }
                _ => self.noun_phrase(s, depth),
            }
        };
        self.predicate(s, voice, agreement, depth);
        if self.dice.chance(38) {
            self.prepositional(s);
        }
    }

    fn predicate(&mut self, s: &mut Sentence, voice: Voice, agreement: Agreement, depth: u8) {
        match self.dice.below(20) {
            0..=8 => {
                let verb = self.transitive();
                self.verb(s, verb, voice.tense, agreement);
                self.noun_phrase(s, depth);
            }
            9..=11 => {
                let verb = Verb::read(self.lexicon.intransitive.pick(&mut self.dice));
                self.verb(s, verb, voice.tense, agreement);
                if self.dice.chance(50) {
                    self.prepositional(s);
                }
            }
            12..=14 => self.description(s, voice.tense, agreement),
            15..=16 => {
                s.word(be(voice.tense, agreement));
                let done = self.transitive().participle();
                s.word(&done);
                s.word("by");
                self.noun_phrase(s, 0);
            }
            17..=18 if depth > 0 => {
                let verb = Verb::read(self.lexicon.reporting.pick(&mut self.dice));
                self.verb(s, verb, voice.tense, agreement);
                s.word("that");
                self.clause(s, voice, depth - 1);
            }
            _ => {
                let verb = self.transitive();
                self.verb(s, verb, voice.tense, agreement);
                self.noun_phrase(s, 0);
                s.word("to");
                s.word(self.transitive().base());
                self.noun_phrase(s, 0);
            }
        }
    }

    /// `was old and quiet`, `is a matter of custom`.
    fn description(&mut self, s: &mut Sentence, tense: Tense, agreement: Agreement) {
        s.word(be(tense, agreement));
        match self.dice.below(10) {
            0..=4 => s.word(self.adjective()),
            5..=6 => {
                s.word(self.adjective());
                s.word(self.dice.pick(&["and", "but", "or", "yet"]));
                s.word(self.adjective());
            }
            7 => {
                s.word(self.dice.pick(&["more", "less"]));
                s.word(self.adjective());
                s.word("than");
                self.noun_phrase(s, 0);
            }
            _ => {
                let idea = self.lexicon.ideas.pick(&mut self.dice);
                s.word(article(idea));
                s.word(idea);
                s.word("of");
                let of = self.lexicon.ideas.pick(&mut self.dice);
                s.word(&with_s(of));
            }
        }
    }

    /// A verb in one of its tenses, perhaps behind an adverb.
    fn verb(&mut self, s: &mut Sentence, verb: Verb<'_>, tense: Tense, agreement: Agreement) {
        let adverb = self
            .dice
            .chance(14)
            .then(|| self.lexicon.adverbs.pick(&mut self.dice));
        let (helper, form) = match (self.dice.below(20), tense) {
            (0..=2, Tense::Past) => (Some("had"), verb.participle()),
            (0..=1, Tense::Present) if agreement == Agreement::Singular => {
                (Some("has"), verb.participle())
            }
            (0..=1, Tense::Present) => (Some("have"), verb.participle()),
            (3, _) => (Some(be(tense, agreement)), verb.gerund()),
            (4..=5, Tense::Past) => (
                Some(self.dice.pick(&["would", "could", "might", "did not"])),
                verb.base().to_owned(),
            ),
            (4..=5, Tense::Present) => (
                Some(self.dice.pick(&["can", "may", "must", "will", "should"])),
                verb.base().to_owned(),
            ),
            (_, Tense::Past) => (None, verb.past()),
            (_, Tense::Present) if agreement == Agreement::Singular => (None, verb.third_person()),
            (_, Tense::Present) => (None, verb.base().to_owned()),
        };
        for word in helper.into_iter().chain(adverb) {
            s.word(word);
        }
        s.word(&form);
    }
}

/// The form of `to be`.
fn be(tense: Tense, agreement: Agreement) -> &'static str {
    match (tense, agreement) {
        (Tense::Past, Agreement::Plural) => "were",
        (Tense::Past, _) => "was",
        (Tense::Present, Agreement::Singular) => "is",
        (Tense::Present, Agreement::Plural) => "are",
        (Tense::Present, Agreement::First) => "am",
    }
}
