//! Whole pages and exports.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests may fail loudly"
)]

mod calculator;
mod compare;
mod contrast;
mod document;
mod escaping;
mod export;
mod html;
mod kit;
mod lists;
mod page;
mod picture;
mod seeds;
