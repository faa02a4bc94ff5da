//! The text that the simulated model writes: seeded prose from a word list of our own, one token a
//! piece, so that the tokenizer's count of what was written equals the number of tokens written.

mod words;

use std::ops::RangeInclusive;

use crate::rng::Rng;
use crate::tokenizer::{END, PIECE_LETTERS, TokenId, Tokenizer};
use words::Slot;

/// What kind of text requests get.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextStyle {
    /// Which requests fall into a loop, if any.
    pub loops: Option<LoopRule>,
    /// How the start of every answer is given out as reasoning, if at all.
    pub reasoning: Option<Reasoning>,
}

/// Requests that repeat one sentence for ever, as a model does that lost its way.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopRule {
    /// Prompt lengths in tokens whose requests loop.
    pub prompt_tokens: RangeInclusive<u32>,
    /// Tokens of ordinary prose before the loop begins.
    pub after_tokens: u32,
    /// Probability that a request of these lengths loops, in [0, 1].
    pub share: f64,
}

/// The first tokens of an answer as reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reasoning {
    /// How many tokens.
    pub tokens: u32,
    /// Under which name they are sent.
    pub field: ReasoningField,
}

/// Where chat chunks carry reasoning. Servers differ by age (facts on engines, section 1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningField {
    /// `reasoning_content`, the older name.
    ReasoningContent,
    /// `reasoning`, the newer name.
    Reasoning,
    /// The same text under both names, as in the time between.
    Both,
    /// Nowhere: frames with an empty `content` whose running usage rises.
    Hidden,
}

/// One piece of a sentence that waits to be written.
#[derive(Debug, Clone, Copy)]
struct Piece {
    text: &'static str,
    space: bool,
    capital: bool,
}

/// Writes one answer, token by token. Equal seeds write equal text.
#[derive(Debug, Clone)]
pub struct Writer {
    rng: Rng,
    tokenizer: Tokenizer,
    /// Tokens of prose before the loop; `None` when this answer does not loop.
    loop_after: Option<u32>,
    looping: bool,
    written: u32,
    sentences: u32,
    sentence: Vec<Piece>,
    next: usize,
}

impl Writer {
    /// A writer of an answer to a prompt of `prompt_tokens` in a given style.
    pub fn new(seed: u64, tokenizer: Tokenizer, style: &TextStyle, prompt_tokens: u32) -> Self {
        let mut rng = Rng::new(seed);
        let loop_after = style
            .loops
            .as_ref()
            .filter(|rule| rule.prompt_tokens.contains(&prompt_tokens) && rng.chance(rule.share))
            .map(|rule| rule.after_tokens);
        Self {
            rng,
            tokenizer,
            loop_after,
            looping: false,
            written: 0,
            sentences: 0,
            sentence: Vec::new(),
            next: 0,
        }
    }

    /// Whether this answer repeats itself once it is long enough.
    pub fn loops(&self) -> bool {
        self.loop_after.is_some()
    }

    /// Appends the next token's text and returns the token's id.
    pub fn write(&mut self, into: &mut String) -> TokenId {
        if self.next >= self.sentence.len() {
            self.next_sentence();
        }
        let Some(piece) = self.sentence.get(self.next).copied() else {
            return END;
        };
        self.next += 1;
        let from = into.len();
        if piece.space && self.written > 0 {
            into.push(' ');
        }
        let mut letters = piece.text.chars();
        if piece.capital
            && let Some(first) = letters.next()
        {
            into.push(first.to_ascii_uppercase());
        }
        into.push_str(letters.as_str());
        self.written = self.written.saturating_add(1);
        self.tokenizer.id(into.get(from..).unwrap_or_default())
    }

    fn next_sentence(&mut self) {
        self.next = 0;
        if self.looping && !self.sentence.is_empty() {
            return;
        }
        self.sentence.clear();
        self.looping = self.loop_after.is_some_and(|after| self.written >= after);
        let paragraph = !self.looping && self.sentences > 0 && self.rng.chance(0.18);
        self.sentences = self.sentences.saturating_add(1);
        if paragraph {
            let line_break = Piece {
                text: "\n",
                space: false,
                capital: false,
            };
            self.sentence.extend([line_break; 2]);
        }
        let shape = self.rng.pick(words::SHAPES).copied().unwrap_or_default();
        for (at, slot) in shape.iter().enumerate() {
            let text = self.word(*slot);
            let glued = matches!(slot, Slot::Mark(_)) || (paragraph && at == 0);
            self.push_word(text, !glued, at == 0);
        }
    }

    fn word(&mut self, slot: Slot) -> &'static str {
        let list = match slot {
            Slot::Word(text) | Slot::Mark(text) => return text,
            Slot::Noun => words::NOUNS,
            Slot::Nouns => words::PLURALS,
            Slot::Verb => words::VERBS,
            Slot::Adjective => words::ADJECTIVES,
            Slot::Adverb => words::ADVERBS,
            Slot::Person => words::PERSONS,
            Slot::Place => words::PLACES,
            Slot::Time => words::TIMES,
        };
        self.rng.pick(list).copied().unwrap_or("thing")
    }

    /// Cuts a word where the tokenizer would; the words are ASCII, so bytes are characters.
    fn push_word(&mut self, text: &'static str, space: bool, capital: bool) {
        let mut rest = text;
        let mut first = true;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at_checked(PIECE_LETTERS).unwrap_or((rest, ""));
            self.sentence.push(Piece {
                text: piece,
                space: space && first,
                capital: capital && first,
            });
            first = false;
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokenizer() -> Tokenizer {
        Tokenizer::new(32_000)
    }

    fn written(writer: &mut Writer, tokens: u32) -> (String, Vec<TokenId>) {
        let mut text = String::new();
        let ids = (0..tokens).map(|_| writer.write(&mut text)).collect();
        (text, ids)
    }

    fn looping(after_tokens: u32) -> TextStyle {
        TextStyle {
            loops: Some(LoopRule {
                prompt_tokens: 100..=200,
                after_tokens,
                share: 1.0,
            }),
            reasoning: None,
        }
    }

    proptest! {
        #[test]
        fn every_token_is_one_piece_with_its_id(seed: u64, tokens in 1u32..400, after in 0u32..60, long in any::<bool>()) {
            let prompt = if long { 150 } else { 50 };
            let mut writer = Writer::new(seed, tokenizer(), &looping(after), prompt);
            let (text, ids) = written(&mut writer, tokens);
            prop_assert_eq!(tokenizer().encode(&text), ids);
        }
    }

    #[test]
    fn a_loop_repeats_one_sentence_and_only_where_the_rule_says() {
        let mut writer = Writer::new(3, tokenizer(), &looping(30), 150);
        assert!(writer.loops());
        let (text, _) = written(&mut writer, 600);
        let last = text.rsplit_once(". ").map(|(before, _)| before).unwrap();
        let sentence = last
            .rsplit_once(". ")
            .map(|(_, sentence)| sentence)
            .unwrap();
        assert!(last.matches(sentence).count() > 20, "{text}");

        let elsewhere = Writer::new(3, tokenizer(), &looping(30), 99);
        assert!(!elsewhere.loops());
    }

    #[test]
    fn prose_has_no_repeated_sentence_in_a_long_answer() {
        let mut writer = Writer::new(5, tokenizer(), &TextStyle::default(), 10);
        let (text, _) = written(&mut writer, 4_000);
        let mut sentences: Vec<_> = text.split_inclusive(['.', '?']).map(str::trim).collect();
        let all = sentences.len();
        sentences.sort_unstable();
        sentences.dedup();
        assert!(
            sentences.len() * 50 >= all * 49,
            "{} of {all}",
            sentences.len()
        );
    }

    #[test]
    fn the_share_of_looping_answers_is_as_asked() {
        let mut style = looping(0);
        style.loops.as_mut().unwrap().share = 0.25;
        let loops = (0..1_000)
            .filter(|seed| Writer::new(*seed, tokenizer(), &style, 150).loops())
            .count();
        assert!((200..300).contains(&loops), "{loops}");
    }
}
