//! Evidence in, numbers and statuses out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code: a panic is the failure"
)]

mod any_bytes;
mod build;
mod capacity_examples;
mod cases_cells;
mod cases_counters;
mod cases_requests;
mod cells;
mod client;
mod compare;
mod compare_runs;
mod corpus;
mod coverage;
mod energy;
mod launch;
mod prefill;
mod properties;
mod roofline;
mod roofline_inputs;
mod statuses;
mod strangers;
mod verify;
