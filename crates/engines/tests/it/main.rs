//! The adapters against recorded answers, through an in-memory server and under paused time.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "a test harness: its modules are only used inside, and a failure is meant to stop it"
)]

mod adapters;
mod address;
mod any_bytes;
mod capacity;
mod captured;
mod conformance;
mod control;
mod corpus;
mod fake;
mod fields;
mod gauges;
mod identify;
mod launched;
mod models;
mod prometheus;
mod simulated;
mod told;
mod transport;
