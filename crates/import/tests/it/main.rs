//! Imports of whole files.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests may fail loudly"
)]

mod any_bytes;
mod corpus;
mod document;
mod example_page;
mod formats;
mod refused;
mod shared_seeds;
mod tools;
