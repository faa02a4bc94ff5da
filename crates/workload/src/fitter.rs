//! Exact length: a search for the document of so many tokens, in which somebody else counts.
//!
//! Decoding random ids and encoding them again is not the identity (case B064), and templates add
//! tokens of their own (B067); so text is generated, the server counts the whole request, and the
//! text is corrected. First by words, with the slope measured so far; from a few tokens off by short
//! words behind the body, each of which is one token in nearly every vocabulary. Vocabularies that
//! answer otherwise (tokens that merge across words, words of several tokens) only cost more rounds:
//! every step starts from the best trial, none is tried twice, and the nearest one is kept.

use tokmark_units::float::{floor_to_usize, from_u64, from_usize, len_u64, round_to_u64};

use crate::document::{Document, Layout, Recipe, Shape};
use crate::manuscript::Manuscript;

/// Rounds of counting after which the nearest document is kept with its residual.
pub const MOST_ROUNDS: u32 = 16;

/// From how many tokens off a difference is made up by short words instead of words of the body.
const FINE: u64 = 16;

/// What the caller has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Count the tokens of a request with this text and call [`Fitter::counted`].
    Count(String),
    /// Nothing: this is the document.
    Done(Fitted),
}

/// A document and how well it fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The document.
    pub document: Document,
    /// Tokens as counted; `None` when the search ended before the first count.
    pub tokens: Option<u64>,
    /// Counted less asked tokens: 0 is exact, above 0 too long. `None` as `tokens`.
    pub residual: Option<i64>,
    /// Counts that it took.
    pub rounds: u32,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    shape: Shape,
    tokens: u64,
}

/// The search. Pure: the same recipe and the same counts give the same document.
#[derive(Debug, Clone)]
pub struct Fitter {
    recipe: Recipe,
    manuscript: Manuscript,
    target: u64,
    trials: Vec<Trial>,
    /// The shape to count next; `None` when the search is over.
    pending: Option<Shape>,
    /// The shape to fall back on when nothing was counted.
    first: Shape,
}

impl Fitter {
    /// A search for `target` tokens. `tokens_per_word` is a guess ([`crate::TOKENS_PER_WORD`], or
    /// what the last document of this model had); a bad one costs a round or two.
    pub fn new(recipe: Recipe, target: u64, tokens_per_word: f64) -> Self {
        let guess = slope(tokens_per_word);
        let words = round_to_u64(from_u64(target) / guess);
        let first = Shape::of_words(usize::try_from(words).unwrap_or(usize::MAX));
        Self {
            recipe,
            manuscript: Manuscript::new(recipe.document, recipe.genre),
            target,
            trials: Vec::new(),
            pending: Some(first),
            first,
        }
    }

    /// What to do next. Asked again before the count is known, it answers the same.
    pub fn step(&mut self) -> Step {
        match self.pending {
            Some(shape) => Step::Count(self.compose(shape).text()),
            None => Step::Done(self.nearest()),
        }
    }

    /// Takes the count of the last text. Ignored once the search is over.
    pub fn counted(&mut self, tokens: u64) {
        if let Some(shape) = self.pending {
            self.trials.push(Trial { shape, tokens });
            self.pending = self.next_shape();
        }
    }

    /// Ends the search where it stands, as when counting fails or the nearest will do.
    pub fn finish(mut self) -> Fitted {
        self.nearest()
    }

    fn rounds(&self) -> u32 {
        u32::try_from(self.trials.len()).unwrap_or(u32::MAX)
    }

    fn compose(&mut self, shape: Shape) -> Document {
        Document::compose(&self.recipe, &mut self.manuscript, shape)
    }

    fn nearest(&mut self) -> Fitted {
        let best = self.best();
        let target = i64::try_from(self.target).unwrap_or(i64::MAX);
        Fitted {
            document: self.compose(best.map_or(self.first, |trial| trial.shape)),
            tokens: best.map(|trial| trial.tokens),
            residual: best.map(|trial| i64::try_from(trial.tokens).unwrap_or(i64::MAX) - target),
            rounds: self.rounds(),
        }
    }

    /// The trial nearest to the target; of two equally near ones the shorter, since a prompt that
    /// is too long may be refused and one that is too short is not.
    fn best(&self) -> Option<Trial> {
        let order = |trial: &&Trial| (trial.tokens.abs_diff(self.target), trial.tokens);
        self.trials.iter().min_by_key(order).copied()
    }

    fn next_shape(&self) -> Option<Shape> {
        let best = self.best()?;
        if best.tokens == self.target || self.rounds() >= MOST_ROUNDS {
            return None;
        }
        let off = best.tokens.abs_diff(self.target);
        let coarse = (off > (self.target / 16).clamp(3, FINE)).then(|| self.by_words(best));
        let near = self.near_trials();
        let candidates = coarse
            .into_iter()
            .chain(near.iter().filter_map(|trial| self.by_pads(*trial)))
            .chain(near.iter().filter_map(|trial| self.by_marks(*trial)))
            .chain(near.iter().flat_map(|trial| self.by_cuts(*trial)));
        candidates
            .filter(|shape| shape.words >= shape.layout.least_words())
            .find(|shape| self.trials.iter().all(|trial| trial.shape != *shape))
    }

    /// The trials that padding may bring to the target, the least effort first: one that is too
    /// long with no pads to take away has to lose a word of unknown tokens before.
    fn near_trials(&self) -> Vec<Trial> {
        let off = |trial: &Trial| trial.tokens.abs_diff(self.target);
        let effort = |trial: &Trial| {
            let needs_cut = trial.tokens > self.target && self.by_pads(*trial).is_none();
            off(trial) + if needs_cut { FINE / 2 } else { 0 }
        };
        let mut near = self.trials.clone();
        near.retain(|trial| off(trial) <= 4 * FINE);
        near.sort_by_key(effort);
        near
    }

    /// The base with so many words of the body more or less as the measured slope asks for.
    fn by_words(&self, base: Trial) -> Shape {
        let off = base.tokens.abs_diff(self.target);
        let words = count(from_u64(off) / self.tokens_per_word(base)).max(1);
        let words = if base.tokens < self.target {
            base.shape.words.saturating_add(words)
        } else {
            base.shape.words.saturating_sub(words)
        };
        // The layout is settled by the third trial; a change then could be undone for ever.
        let layout = if self.trials.len() < 3 {
            Layout::of_words(words)
        } else {
            base.shape.layout
        };
        Shape {
            layout,
            words: words.max(layout.least_words()),
            ..base.shape
        }
    }

    /// The base with more or fewer short words; `None` when it has too few to take away, or when
    /// less is missing than one of them adds.
    fn by_pads(&self, base: Trial) -> Option<Shape> {
        let off = from_u64(base.tokens.abs_diff(self.target)) / self.tokens_per_pad(base);
        let pads = if base.tokens < self.target {
            let more = Some(floor_to_usize(off)).filter(|more| *more > 0);
            more.and_then(|more| base.shape.pads.checked_add(more))
        } else {
            base.shape.pads.checked_sub(count(off.ceil()))
        };
        pads.map(|pads| Shape { pads, ..base.shape })
    }

    /// The base with a digit for every missing token; `None` when none is missing.
    fn by_marks(&self, base: Trial) -> Option<Shape> {
        let missing = usize::try_from(self.target.checked_sub(base.tokens)?).ok()?;
        let marks = base.shape.marks.checked_add(missing)?;
        Some(Shape {
            marks,
            ..base.shape
        })
    }

    /// The base with its body cut a few words earlier, made up with short words: merges fall
    /// differently there.
    fn by_cuts(&self, base: Trial) -> impl Iterator<Item = Shape> {
        let shape = base.shape;
        let per_pad = self.tokens_per_pad(base);
        let per_word = self.tokens_per_word(base);
        let missing = from_u64(self.target) - from_u64(base.tokens);
        let least = count((-missing / per_word).ceil()).max(1);
        (least..least + 6).map(move |cut| Shape {
            words: shape.words.saturating_sub(cut),
            pads: shape.pads + count((from_usize(cut) * per_word + missing) / per_pad),
            marks: 0,
            ..shape
        })
    }

    /// Tokens per word between the base and the trial nearest to it in length that is far enough
    /// off to tell; without one the base's own ratio, the template's tokens included.
    fn tokens_per_word(&self, base: Trial) -> f64 {
        let apart = |trial: &&Trial| trial.shape.words.abs_diff(base.shape.words);
        let other = self
            .trials
            .iter()
            .filter(|trial| apart(trial) >= 8 && trial.shape.layout == base.shape.layout)
            .min_by_key(apart);
        let ratio = from_u64(base.tokens) / from_usize(base.shape.words);
        let measured = other.map(|trial| {
            let pads = len_u64(trial.shape.pads.abs_diff(base.shape.pads));
            let tokens = trial.tokens.abs_diff(base.tokens).saturating_sub(pads);
            from_u64(tokens) / from_usize(apart(&trial))
        });
        slope(measured.unwrap_or(ratio))
    }

    /// Tokens per short word, from the last two trials that differ from the base in nothing else.
    /// Without two, one; or three (its letters and the space) where even words of the body have as
    /// many tokens as letters.
    fn tokens_per_pad(&self, base: Trial) -> f64 {
        let alike = |trial: &&Trial| {
            let pads = base.shape.pads;
            Shape {
                pads,
                ..trial.shape
            } == base.shape
        };
        let mut latest = self.trials.iter().rev().filter(alike);
        let measured = latest.next().zip(latest.next()).map(|(one, other)| {
            let pads = one.shape.pads.abs_diff(other.shape.pads);
            from_u64(one.tokens.abs_diff(other.tokens)) / from_usize(pads)
        });
        slope(measured.unwrap_or_else(|| {
            if self.tokens_per_word(base) > 4.5 {
                3.0
            } else {
                1.0
            }
        }))
    }
}

/// A slope that can be divided by: vocabularies lie between a token per several words and a token
/// per letter.
fn slope(measured: f64) -> f64 {
    if measured.is_finite() {
        measured.clamp(0.25, 16.0)
    } else {
        1.0
    }
}

fn count(value: f64) -> usize {
    usize::try_from(round_to_u64(value)).unwrap_or(usize::MAX)
}
