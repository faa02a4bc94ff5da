//! What the run document and the evidence file promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a panic is the failure"
)]

mod any_bytes;
mod corpus;
mod document;
mod evidence;
mod telemetry;
