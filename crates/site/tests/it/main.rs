//! The site over a real store, asked through its router.
#![expect(clippy::unwrap_used, reason = "tests may fail loudly")]

mod calculator;
mod pages;
mod paths;
mod serving;
mod visitor;
