//! A document's text while its length is being chosen: grows on demand, is cut at any word.

use tokmark_units::float::len_u64;

use crate::genre::{Author, Genre};
use crate::names;
use crate::phrase::Prose;
use crate::seed::Seed;

/// Text of one seed and genre without an end. Every shorter cut is a prefix of every longer one,
/// and growing costs time in proportion to the words added.
#[derive(Debug, Clone)]
pub(crate) struct Manuscript {
    author: Author,
    text: String,
    /// Where each word ends in `text`, in bytes.
    ends: Vec<usize>,
}

/// Words of [`opening`]; the shortest document is a part of it.
pub(crate) const OPENING_WORDS: usize = 3;

/// The words that tell a document from every other, at its very start: a prefix cache compares from
/// the front, in blocks of 16 tokens and more, so a difference further on would leave a cached block
/// (methodology section 2: documents differ within their first 16 tokens). Two invented names and a
/// number hold 56 bits; the first name and the number alone, 16 bytes or less, hold 36.
pub(crate) fn opening(seed: Seed) -> String {
    let mut dice = seed.part(len_u64(OPENING_WORDS)).generator();
    let (first, number) = (names::rare(&mut dice), dice.between(10_000, 99_999));
    format!("{first} {number} {}", names::rare(&mut dice))
}

impl Manuscript {
    pub(crate) fn new(seed: Seed, genre: Genre) -> Self {
        let author = Author::new(genre, Prose::new(seed.part(0).generator()));
        let mut manuscript = Self {
            author,
            text: String::new(),
            ends: Vec::new(),
        };
        let prose = &mut manuscript.author.prose;
        let (adjective, noun, town) = (prose.adjective(), prose.noun(), prose.town());
        let title = format!("{}, on the {adjective} {noun} of {town}", opening(seed));
        manuscript.add(&title);
        manuscript
    }

    /// The first `words` words.
    pub(crate) fn cut(&mut self, words: usize) -> &str {
        while self.ends.len() < words {
            let paragraph = self.author.paragraph();
            self.text.push_str("\n\n");
            self.add(&paragraph);
        }
        let end = words.checked_sub(1).and_then(|last| self.ends.get(last));
        end.and_then(|end| self.text.get(..*end))
            .unwrap_or_default()
    }

    fn add(&mut self, piece: &str) {
        let mut at = self.text.len();
        for word in piece.split_inclusive([' ', '\n']) {
            let kept = word.trim_end_matches([' ', '\n']);
            if !kept.is_empty() {
                self.ends.push(at + kept.len());
            }
            at += word.len();
        }
        self.text.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_have_the_asked_words_and_are_prefixes_of_each_other() {
        for genre in Genre::ALL {
            let seed = Seed::of_run("cuts");
            let long = Manuscript::new(seed, genre).cut(700).to_owned();
            let mut grown = Manuscript::new(seed, genre);
            for words in [0, 1, 3, 9, 200, 90, 700] {
                let cut = grown.cut(words).to_owned();
                assert_eq!(cut.split_whitespace().count(), words, "{genre:?}");
                assert!(long.starts_with(&cut), "{genre:?} {words}");
            }
            let start = opening(seed);
            assert_eq!(start.split(' ').count(), OPENING_WORDS);
            assert!(long.starts_with(&start), "{genre:?}");
        }
    }
}
