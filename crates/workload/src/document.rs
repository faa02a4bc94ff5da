//! A document: an opening unlike any other, a body, and a long-form task at the end.

use crate::prose::{Prose, name};
use crate::seed::Seed;
use crate::words::{ADJECTIVES, ANGLES, FORMS, NOUNS};

/// A text of a certain length whose last part, the task, can be exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    body: String,
    seed: Seed,
    first_task: u32,
}

impl Document {
    /// With `words` words of body and `padding` short words behind it. Two seeds never share their
    /// opening: it begins with rare names and a number made from the whole seed.
    pub(crate) fn build(seed: Seed, words: usize, padding: usize) -> Self {
        let mut body = opening(seed);
        let prose = Prose::new(seed.named("body"));
        for word in prose.take(words) {
            body.push_str(&word);
        }
        if padding > 0 {
            body.push_str("\n\nIndex:");
            for word in (0..padding).map(short_word) {
                body.push(' ');
                body.push_str(word);
            }
        }
        Self {
            body,
            seed,
            first_task: 0,
        }
    }

    /// The prompt with its n-th task; 0 is the one that it was fitted with.
    pub fn text(&self, task: u32) -> String {
        let mut text = self.body.clone();
        text.push_str("\n\n");
        text.push_str(&task_text(self.seed, self.first_task + task));
        text
    }
}

/// A prompt for context 0: a task without a document.
pub fn short_prompt(seed: Seed) -> Document {
    let number = seed.number() % 1_000_000;
    Document {
        body: format!("Task {number}."),
        seed,
        first_task: 0,
    }
}

/// About 16 tokens, for the fixed part of a first-token time.
pub fn probe_prompt(seed: Seed) -> String {
    let mut generator = seed.named("probe").generator();
    let a = name(&mut generator);
    let noun = generator.pick(NOUNS);
    format!("{a} {noun}: write a long story about it.")
}

fn opening(seed: Seed) -> String {
    let mut generator = seed.named("opening").generator();
    let number = generator.next() % 100_000_000;
    let (a, b, c) = (
        name(&mut generator),
        name(&mut generator),
        name(&mut generator),
    );
    let (adjective, noun) = (generator.pick(ADJECTIVES), generator.pick(NOUNS));
    format!("{a} {number} {b} {noun} {c} {adjective}: a dossier.\n\n")
}

/// Every task has the same number of words, so that a restart's prompt has nearly the same length.
fn task_text(seed: Seed, n: u32) -> String {
    let mut generator = seed.named("task").numbered(u64::from(n)).generator();
    let form = generator.pick(FORMS);
    let angle = generator.pick(ANGLES);
    let name = name(&mut generator);
    let noun = generator.pick(NOUNS);
    format!(
        "Continue as {form}, {angle}. Begin with {name} and the {noun}. Number every paragraph, \
         never repeat a sentence, and do not stop."
    )
}

/// Words that most vocabularies hold as one token with the space before them.
const SHORT: [&str; 16] = [
    "the", "of", "to", "in", "is", "it", "on", "as", "at", "by", "an", "or", "we", "so", "no", "up",
];

fn short_word(n: usize) -> &'static str {
    // A stride prime to the list's length, turning once per round, so that no pattern repeats soon.
    SHORT.get((n * 7 + n / 16) % 16).copied().unwrap_or("the")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn b071_no_two_documents_begin_alike() {
        let run = Seed::new(1).named("run");
        let mut openings = HashSet::new();
        for context in [0, 2_048, 8_192] {
            for stream in 0..128 {
                let seed = run.numbered(context).numbered(stream);
                let text = Document::build(seed, 100, 0).text(0);
                let begun: Vec<&str> = text.split_whitespace().take(2).collect();
                assert!(openings.insert(begun.join(" ")), "{context} {stream}");
            }
        }
    }

    #[test]
    fn a_restart_changes_only_the_task() {
        let document = Document::build(Seed::new(5), 300, 10);
        let (a, b) = (document.text(0), document.text(1));
        assert_ne!(a, b);
        let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
        assert!(shared >= document.body.len());
        let words = |text: &str| text.split_whitespace().count();
        assert!(
            words(&a).abs_diff(words(&b)) <= 12,
            "{} {}",
            words(&a),
            words(&b)
        );
    }

    #[test]
    fn padding_does_not_repeat_soon() {
        let all: Vec<&str> = (0..200).map(short_word).collect();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
