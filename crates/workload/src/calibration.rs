//! Length without counting: tokens as a line over words.

use tokmark_units::float::{from_u64, from_usize, round_to_u64};

/// `tokens = overhead + tokens_per_word x words`, for servers that tell nothing but usage. Holds
/// for one model and one genre (a program has half as many tokens again per word as a story); its
/// key in a cache is the server's model identity, never the served name alone (methodology section 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Tokens that one more word adds.
    pub tokens_per_word: f64,
    /// Tokens of a request without words: the chat template's, and the task's surplus. May be
    /// negative where the pairs scatter.
    pub overhead: f64,
}

impl Calibration {
    /// The least-squares line through pairs of (words, tokens). Pairs of one length only give their
    /// mean ratio and no overhead. `None` without pairs with words, or when tokens do not rise with
    /// words.
    pub fn fit(pairs: &[(u64, u64)]) -> Option<Self> {
        let n = from_usize(pairs.len());
        let mean = |values: &dyn Fn(&(u64, u64)) -> f64| pairs.iter().map(values).sum::<f64>() / n;
        let mean_words = mean(&|pair| from_u64(pair.0));
        let mean_tokens = mean(&|pair| from_u64(pair.1));
        let spread = mean(&|pair| (from_u64(pair.0) - mean_words).powi(2));
        let together =
            mean(&|pair| (from_u64(pair.0) - mean_words) * (from_u64(pair.1) - mean_tokens));
        let line = if spread > 0.0 {
            let tokens_per_word = together / spread;
            Self {
                tokens_per_word,
                overhead: mean_tokens - tokens_per_word * mean_words,
            }
        } else {
            Self {
                tokens_per_word: mean_tokens / mean_words,
                overhead: 0.0,
            }
        };
        (line.tokens_per_word.is_finite() && line.tokens_per_word > 0.0).then_some(line)
    }

    /// Tokens to expect of a request of so many words.
    pub fn estimate(&self, words: u64) -> u64 {
        round_to_u64(self.overhead + self.tokens_per_word * from_u64(words))
    }

    /// Words whose request should have so many tokens; at least one.
    pub fn words_for(&self, tokens: u64) -> u64 {
        round_to_u64((from_u64(tokens) - self.overhead) / self.tokens_per_word).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let pairs = [(100, 176), (1_000, 1_526), (20_000, 30_026)];
        let line = Calibration::fit(&pairs).unwrap();
        assert!((line.tokens_per_word - 1.5).abs() < 1e-9, "{line:?}");
        assert!((line.overhead - 26.0).abs() < 1e-6, "{line:?}");
        assert_eq!(line.estimate(4_000), 6_026);
        assert_eq!(line.words_for(6_026), 4_000);
        assert_eq!(line.words_for(3), 1);
    }

    #[test]
    fn the_line_is_the_one_of_least_squares() {
        // Worked by hand: means 2 and 4, sums of products 6 and of squares 2.
        let line = Calibration::fit(&[(1, 2), (2, 2), (3, 8)]).unwrap();
        assert!((line.tokens_per_word - 3.0).abs() < 1e-12, "{line:?}");
        assert!((line.overhead + 2.0).abs() < 1e-12, "{line:?}");
        assert_eq!(line.estimate(0), 0);
    }

    #[test]
    fn one_length_gives_a_ratio_and_nonsense_gives_nothing() {
        let line = Calibration::fit(&[(100, 140), (100, 160)]).unwrap();
        assert_eq!(line.estimate(1_000), 1_500);
        assert_eq!(Calibration::fit(&[]), None);
        assert_eq!(Calibration::fit(&[(0, 12)]), None);
        assert_eq!(Calibration::fit(&[(10, 0)]), None);
        assert_eq!(Calibration::fit(&[(10, 50), (20, 40)]), None);
    }
}
