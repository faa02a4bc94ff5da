//! What servers stream, and what is made of it.
//!
//! Tests named `bNNN_…` hold a case of the collection of faults that tools like this one had.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "test code: a panic is the failure"
)]

mod any_bytes;
mod captures;
mod chunks;
mod corpus;
mod errors;
mod events;
mod feed;
mod parsing_cases;
mod properties;
mod refusals;
mod requests;
mod sse;
mod token_cases;
