//! Finding the text that a server counts as exactly N tokens, by asking it a few times.

use tokmark_units::float;

use crate::document::Document;
use crate::seed::Seed;

/// What the caller has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Count this text as it will be sent, then call [`Fitter::counted`].
    Count(String),
    /// The search is over.
    Done(Fitted),
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The document; its text with task 0 was counted.
    pub document: Document,
    /// Tokens as counted.
    pub tokens: u64,
    /// Counted less wanted: 0 when exact.
    pub residual: i64,
    /// Counts that it took.
    pub rounds: u32,
    /// Tokens per word of body, for the next search.
    pub tokens_per_word: f64,
}

/// Counts that one search may take.
const ROUNDS: u32 = 16;
/// Differences up to this are mended with short words, larger ones with words of body.
const FINE: i64 = 24;

/// A search. Pure: the caller counts.
#[derive(Debug)]
pub struct Fitter {
    seed: Seed,
    target: u64,
    tokens_per_word: f64,
    words: usize,
    padding: usize,
    rounds: u32,
    last: Option<(usize, u64)>,
    best: Option<(u64, usize, usize)>,
    tried: Vec<(usize, usize)>,
}

impl Fitter {
    /// Looks for `target` tokens; `tokens_per_word` is a guess, `overhead` what is sent besides
    /// the body (template and task).
    pub fn new(seed: Seed, target: u64, tokens_per_word: f64, overhead: u64) -> Self {
        let tokens_per_word = tokens_per_word.clamp(0.2, 20.0);
        let body = float::from_u64(target.saturating_sub(overhead));
        Self {
            seed,
            target,
            tokens_per_word,
            words: float::floor_to_usize(body / tokens_per_word),
            padding: 0,
            rounds: 0,
            last: None,
            best: None,
            tried: Vec::new(),
        }
    }

    /// What to do next.
    pub fn step(&self) -> Step {
        let exact = self.best.is_some_and(|(tokens, ..)| tokens == self.target);
        if exact || self.rounds >= ROUNDS {
            return self.done();
        }
        Step::Count(self.build(self.words, self.padding).text(0))
    }

    fn build(&self, words: usize, padding: usize) -> Document {
        Document::build(self.seed, words, padding)
    }

    fn done(&self) -> Step {
        let (tokens, words, padding) = self.best.unwrap_or((0, self.words, self.padding));
        Step::Done(Fitted {
            document: self.build(words, padding),
            tokens,
            residual: signed(tokens) - signed(self.target),
            rounds: self.rounds,
            tokens_per_word: self.tokens_per_word,
        })
    }

    /// Takes the count of the text that the last step asked about.
    pub fn counted(&mut self, tokens: u64) {
        self.rounds += 1;
        self.tried.push((self.words, self.padding));
        let off = |tokens: u64| tokens.abs_diff(self.target);
        if self.best.is_none_or(|(best, ..)| off(tokens) < off(best)) {
            self.best = Some((tokens, self.words, self.padding));
        }
        let missing = signed(self.target) - signed(tokens);
        if (0..=FINE).contains(&missing) {
            self.padding += usize::try_from(missing).unwrap_or(0);
        } else if missing < 0 && usize::try_from(-missing).is_ok_and(|n| n <= self.padding) {
            self.padding -= usize::try_from(-missing).unwrap_or(0);
        } else {
            self.coarse(tokens, missing);
        }
        self.leave_circle();
    }

    /// Tokenizers are not linear: a search that comes back to a text it has tried starts again
    /// from a little further below, where more padding mends what is missing.
    fn leave_circle(&mut self) {
        let mut below = 1;
        while self.tried.contains(&(self.words, self.padding)) && below < 64 {
            self.words = self.words.saturating_sub(below);
            self.padding = 0;
            below += 1;
        }
    }

    fn coarse(&mut self, tokens: u64, missing: i64) {
        if let Some((words, before)) = self.last
            && words != self.words
        {
            let slope = (float::from_u64(tokens) - float::from_u64(before))
                / (float::from_usize(self.words) - float::from_usize(words));
            if slope > 0.1 && slope < 20.0 {
                self.tokens_per_word = slope;
            }
        }
        self.last = Some((self.words, tokens));
        self.padding = 0;
        // Aim a little low: what is missing then is mended exactly with short words.
        let wanted = float::from_i64(missing - FINE / 3) / self.tokens_per_word;
        let step = wanted.abs().ceil();
        let step = float::floor_to_usize(step).max(1);
        self.words = if wanted < 0.0 {
            self.words.saturating_sub(step)
        } else {
            self.words + step
        };
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(target: u64, count: impl Fn(&str) -> u64) -> Fitted {
        let mut fitter = Fitter::new(Seed::new(target), target, 1.4, 60);
        loop {
            match fitter.step() {
                Step::Done(fitted) => return fitted,
                Step::Count(text) => fitter.counted(count(&text)),
            }
        }
    }

    fn words(text: &str) -> u64 {
        float::len_u64(text.split_whitespace().count())
    }

    fn pieces(text: &str, of: usize) -> u64 {
        let each = |word: &str| word.chars().count().div_ceil(of);
        float::len_u64(text.split_whitespace().map(each).sum::<usize>())
    }

    /// Pairs of equal-length neighbours merge: re-encoding is not additive (case B064).
    fn merging(text: &str) -> u64 {
        let all: Vec<usize> = text.split_whitespace().map(str::len).collect();
        let merged = all
            .windows(2)
            .filter(|p| p[0] == p[1] && p[0] % 2 == 0)
            .count();
        float::len_u64(all.len() + all.len() / 3 - merged / 2)
    }

    #[test]
    fn lengths_are_exact_on_additive_tokenizers() {
        for target in [100, 128, 500, 2_000, 2_048, 8_192] {
            for (name, fitted) in [
                ("words", fit(target, words)),
                ("pieces of 3", fit(target, |t| pieces(t, 3))),
                ("pieces of 6", fit(target, |t| pieces(t, 6))),
                ("template", fit(target, |t| words(t) + 36)),
            ] {
                assert_eq!(fitted.residual, 0, "{name} {target}");
                assert!(fitted.rounds <= 10, "{name} {target}: {}", fitted.rounds);
            }
        }
    }

    #[test]
    fn b064_a_tokenizer_that_merges_is_met_within_one_percent() {
        for target in [500, 2_000, 8_192] {
            let fitted = fit(target, merging);
            assert!(fitted.residual.unsigned_abs() * 100 <= target, "{fitted:?}");
            assert!(fitted.rounds <= ROUNDS);
        }
    }

    #[test]
    fn a_target_below_the_shortest_text_gives_the_nearest_one() {
        let fitted = fit(5, words);
        assert!(fitted.residual > 0);
    }

    #[test]
    fn a_long_document_takes_linear_time() {
        let fitted = fit(131_072, |t| pieces(t, 6));
        assert_eq!(fitted.residual, 0);
    }
}
