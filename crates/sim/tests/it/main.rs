//! The simulator from outside: presets against published figures, and the server over in-memory
//! connections under paused time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code: a panic is the failure"
)]

mod answer_faults;
mod client;
mod dialects;
mod direct;
#[cfg(target_os = "linux")]
mod drain;
mod engines;
mod errors;
mod faults;
mod habits;
mod load;
mod presets;
mod server_faults;
mod streams;
mod timing;
mod views;
