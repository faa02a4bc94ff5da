//! The only place of this program that prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a checker's findings are its output"
)]

use std::fmt::Display;

/// A line of the result.
pub(crate) fn result(text: impl Display) {
    println!("{text}");
}

/// A line about the work.
pub(crate) fn progress(text: impl Display) {
    eprintln!("{text}");
}
