//! The kinds of text, and a paragraph of each.

use crate::grammar::Voice;
use crate::inflection::{article, with_s};
use crate::phrase::{Prose, Tense};

/// What a document is. Several kinds, since speculative decoding and expert routing answer to the
/// kind of text; dealt out by the stream's number ([`Genre::of_stream`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Genre {
    /// A story in the past tense.
    Narrative,
    /// Articles about places and things, with years and figures.
    Encyclopaedia,
    /// Numbered instructions and notes.
    Manual,
    /// Letters in the first person, dated and signed.
    Letters,
    /// A play: names and what they say.
    Dialogue,
    /// A program in an invented language, with comments.
    Listing,
}

/// A paragraph's voice for stories.
pub(crate) const STORY: Voice = Voice {
    tense: Tense::Past,
    first_person: false,
};

/// A paragraph's voice for descriptions.
pub(crate) const DESCRIPTION: Voice = Voice {
    tense: Tense::Present,
    first_person: false,
};

/// A paragraph's voice for letters and speech about the past.
pub(crate) const MEMORY: Voice = Voice {
    tense: Tense::Past,
    first_person: true,
};

/// A paragraph's voice for speech about the present.
pub(crate) const SPEECH: Voice = Voice {
    tense: Tense::Present,
    first_person: true,
};

/// Paragraphs of one section, after which subject, people and towns change.
const SECTION: u64 = 14;

impl Genre {
    /// Every genre, in the order in which streams get them.
    pub const ALL: [Self; 6] = [
        Self::Narrative,
        Self::Encyclopaedia,
        Self::Manual,
        Self::Letters,
        Self::Dialogue,
        Self::Listing,
    ];

    /// The genre of a stream. By number and not by seed, so that cells of equal concurrency hold
    /// the same mix in every context and every run: drafts are accepted at different rates in
    /// stories and in programs, and a different mix would look like a different speed.
    pub fn of_stream(stream: u32) -> Self {
        match stream % 6 {
            0 => Self::Narrative,
            1 => Self::Encyclopaedia,
            2 => Self::Manual,
            3 => Self::Letters,
            4 => Self::Dialogue,
            _ => Self::Listing,
        }
    }
}

/// Writes one genre, paragraph by paragraph, without end.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    pub(crate) genre: Genre,
    pub(crate) prose: Prose,
    /// Paragraphs written.
    pub(crate) written: u64,
}

impl Author {
    pub(crate) fn new(genre: Genre, prose: Prose) -> Self {
        Self {
            genre,
            prose,
            written: 0,
        }
    }

    /// The next paragraph, without the blank line around it.
    pub(crate) fn paragraph(&mut self) -> String {
        if self.written > 0 && self.written.is_multiple_of(SECTION) {
            self.prose.new_section();
        }
        let paragraph = match self.genre {
            Genre::Narrative => self.story(),
            Genre::Encyclopaedia => self.article(),
            Genre::Manual => self.manual(),
            Genre::Letters => self.letter(),
            Genre::Dialogue => self.dialogue(),
            Genre::Listing => self.listing(),
        };
        self.written += 1;
        paragraph
    }

    /// Several sentences of one voice on one line.
    pub(crate) fn sentences(&mut self, voice: Voice, least: u64, most: u64) -> String {
        let count = self.prose.dice.between(least, most);
        let sentences: Vec<_> = (0..count).map(|_| self.prose.sentence(voice)).collect();
        sentences.join(" ")
    }

    fn story(&mut self) -> String {
        let told = self.sentences(STORY, 3, 7);
        if !self.prose.dice.chance(30) {
            return told;
        }
        let said = self.prose.sentence(SPEECH);
        let said = said.trim_end_matches('.');
        let how = self
            .prose
            .dice
            .pick(&["said", "answered", "asked", "called", "muttered"]);
        let who = self.prose.person();
        format!("\"{said},\" {how} {who}. {told}")
    }

    fn article(&mut self) -> String {
        if self.written.is_multiple_of(5) {
            return self.entry_heading();
        }
        let (start, end) = (
            self.sentences(DESCRIPTION, 1, 3),
            self.sentences(STORY, 1, 3),
        );
        let dice = &mut self.prose.dice;
        let fact = match dice.below(5) {
            0 => {
                let (year, count) = (dice.between(1_204, 1_893), dice.between(230, 96_000));
                let town = self.prose.town();
                format!("In {year} {town} counted {count} inhabitants. ")
            }
            1 => {
                let (whole, tenth) = (dice.between(2, 940), dice.below(10));
                let noun = self.prose.noun();
                format!("The {noun} measures {whole}.{tenth} metres. ")
            }
            2 => {
                let (from, years) = (dice.between(1_204, 1_853), dice.between(1, 40));
                let who = self.prose.person();
                let office = self.prose.lexicon.people.pick(&mut self.prose.dice);
                let until = from + years;
                format!("{who} was {office} from {from} until {until}. ")
            }
            _ => String::new(),
        };
        format!("{start} {fact}{end}")
    }

    fn entry_heading(&mut self) -> String {
        let town = self.prose.town();
        let adjective = self.prose.adjective();
        let place = self.prose.lexicon.places.pick(&mut self.prose.dice);
        let nouns = with_s(self.prose.lexicon.things.pick(&mut self.prose.dice));
        let article = article(adjective);
        let north = self.prose.dice.between(34, 71);
        let first = self.prose.sentence(DESCRIPTION);
        format!(
            "## {town}\n\n{town} is {article} {adjective} {place} at latitude {north}, known for \
             {nouns}. {first}"
        )
    }
}
