//! The site over a real store, asked through its router.
#![expect(clippy::unwrap_used, reason = "tests may fail loudly")]

mod calculator;
mod pages;
mod serving;
mod visitor;
