//! What a benchmark sends: prompts and documents of exact length, seeded and distinct
//! (methodology section 3).
//!
//! Everything here is a pure function of its arguments. A prompt follows from a run's id, the
//! context, the stream, the purpose and the attempt ([`Seed`]); its length in tokens is found by a
//! search that asks its caller to count ([`Fitter`]), or is estimated ([`Calibration`]) where the
//! server tells nothing but usage. The lists of words in `words/` and the grammar are our own.

mod calibration;
mod document;
mod fitter;
mod generator;
mod genre;
mod grammar;
mod inflection;
mod letters;
mod lexicon;
mod listing;
mod manual;
mod manuscript;
mod names;
mod output_limit;
mod phrase;
mod seed;
mod sentence;
mod task;
mod token_ids;

pub use calibration::Calibration;
pub use document::{Document, Recipe, probe, short_prompt};
pub use fitter::{Fitted, Fitter, MOST_ROUNDS, Step};
pub use generator::Generator;
pub use genre::Genre;
pub use output_limit::{Ending, OutputNeed, output_limit};
pub use seed::{Key, Purpose, Seed, Slot};
pub use task::{SHORT_TASK_WORDS, TASK_WORDS, task};
pub use token_ids::token_ids;

/// A first guess at tokens per word of our text, for servers that were never asked before. On five
/// vocabularies of 32,000 to 200,000 entries prose needs 1.3 to 1.7, programs 2.0 to 2.6.
pub const TOKENS_PER_WORD: f64 = 1.5;
