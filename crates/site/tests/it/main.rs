//! The site over a real store, asked through its router.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests may fail loudly, and a skipped one says so"
)]

mod calculator;
mod pages;
mod paths;
mod serving;
mod visitor;
