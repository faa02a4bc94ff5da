//! A run as text: CSV, Markdown, a table for terminals.

mod csv;
mod markdown;
mod terminal;

pub use csv::csv;
pub use markdown::markdown;
pub(crate) use markdown::{escaped, table};
pub use terminal::{TableOptions, text_table, text_table_with_prediction};
