//! Prompts of exact length: natural, seeded, distinct. Pure: time and randomness are parameters.

mod document;
mod fitter;
mod limit;
mod prose;
mod seed;
mod words;

pub use document::{Document, probe_prompt, short_prompt};
pub use fitter::{Fitted, Fitter, Step};
pub use limit::output_limit;
pub use seed::Seed;
