//! A simulated language-model server, for tests, demonstrations and self-checks.
//!
//! [`model`] is an engine in virtual time: batching, prefill, KV cache, queue. [`server`] puts it
//! behind HTTP, in the dialects of real servers, with the faults of real servers, and keeps the
//! truth: what was sent when. [`presets`] are machines whose speeds are known.
//!
//! Nothing of these reads real time by itself: under tokio's paused clock hours of simulated decoding
//! take as long as the bytes take to move, and the same seed gives the same bytes. Real time is for
//! streams that bypass the engine over TCP ([`TokenSource`]), so that clients can be measured, and
//! for `drain`, the least client there can be, which is for Linux only.

pub mod config;
pub mod dialect;
#[cfg(target_os = "linux")]
pub mod drain;
pub mod faults;
pub mod histogram;
pub mod model;
pub mod parameters;
pub mod presets;
pub mod rng;
pub mod server;
pub mod text;
pub mod tokenizer;

pub use config::{ModelCard, Pace, SimConfig, TokenSource};
pub use dialect::{Dialect, DialectError};
pub use faults::{FAULTS, Fault, FaultError, FaultRule, Faults, Hits};
pub use histogram::Spread;
pub use parameters::{PARAMETERS, Parameter, ParameterError};
pub use presets::{Preset, UnknownPreset};
pub use server::{SimServer, Truth, listen};
