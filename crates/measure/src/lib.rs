//! Event timelines into the numbers and statuses of the methodology.
//!
//! Everything here is a pure function of its arguments: no IO, clock, randomness or global state.
//! [`cell::evaluate`] and [`prefill::rows`] make a run's figures from its evidence, while it is
//! measured and whenever [`verify::run`] makes them again. [`capacity`] decides which cells fit.
//! [`request`], [`throughput`], [`goodput`] and [`compare`] hold the definitions that other modes
//! and comparisons share.

mod bursts;
pub mod capacity;
pub mod cell;
mod client;
pub mod compare;
pub mod counters;
pub mod energy;
pub mod goodput;
pub mod histogram;
pub mod interval;
mod launch;
pub mod passes;
pub mod prefill;
pub mod request;
pub mod roofline;
pub mod stats;
mod status;
pub mod student;
pub mod throughput;
mod timeline;
mod tokens;
pub mod verify;
