//! What prompts promise: distinct, natural, of exact length.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a panic is the failure"
)]

mod distinct;
mod document;
mod fitter;
mod prose;
mod vocabulary;
