//! The driver against servers made of bytes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "test code: a panic is the failure"
)]

mod any_bytes;
mod corpus;
mod families;
mod http2;
mod proxies;
mod server;
mod stamps;
mod streams;
mod tls;
#[cfg(unix)]
mod unix;
