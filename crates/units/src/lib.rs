//! Quantities that tokmark measures, as types, and their plain (English, ASCII) formatting.
//!
//! Nothing here reads a clock or does IO. Locale-aware formatting belongs to the site's `text`.

pub mod context;
pub mod duration;
pub mod float;
pub mod format;
pub mod level;
pub mod nanos;
pub mod timestamp;

pub use context::{Context, parse_context_list};
pub use duration::parse_duration;
pub use level::parse_level_list;
pub use nanos::Nanos;
pub use timestamp::Timestamp;

/// A quantity that was typed and could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not {wanted}")]
pub struct ParseError {
    /// What was typed, unchanged.
    pub given: String,
    /// What would have been understood, with an example.
    pub wanted: &'static str,
}

impl ParseError {
    pub(crate) fn new(given: &str, wanted: &'static str) -> Self {
        Self {
            given: given.to_owned(),
            wanted,
        }
    }
}
