//! The driver against servers made of bytes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a panic is the failure"
)]

mod any_bytes;
mod corpus;
mod server;
mod stamps;
mod streams;
mod tls;
