//! Visible text in several languages (site.md section 3).
//!
//! Every word that a person reads on the site stands in a Fluent catalogue of its language and
//! area, `catalogues/{language}/{area}.ftl`. The English catalogues are the list of what there is:
//! `cargo xtask text` makes one typed function of each message, so that a missing key or a missing
//! argument does not compile. Numbers arrive already written, by [`Numbers`].

mod catalogue;
mod language;
pub mod messages;
mod number;

pub use language::{Direction, Language};
pub use number::Numbers;
