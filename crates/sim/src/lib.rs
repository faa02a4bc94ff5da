//! A simulated language-model server, for tests, demonstrations and self-checks.
//!
//! [`model`] is an engine in virtual time: batching, prefill, KV cache, queue. [`server`] puts it
//! behind HTTP, in the dialects of real servers, with the faults of real servers, and keeps the
//! truth: what was sent when. [`presets`] are machines whose speeds are known.
//!
//! Nothing here reads real time by itself: under tokio's paused clock hours of simulated decoding
//! take as long as the bytes take to move, and the same seed gives the same bytes.

pub mod config;
pub mod dialect;
pub mod drain;
pub mod faults;
pub mod histogram;
pub mod model;
pub mod presets;
pub mod rng;
pub mod server;
pub mod text;
pub mod tokenizer;

pub use config::{ModelCard, SimConfig};
pub use dialect::{Dialect, DialectError};
pub use faults::{Faults, RateLimit, StreamFault, StreamFaultKind};
pub use presets::{Preset, UnknownPreset};
pub use histogram::Spread;
pub use server::{SimServer, Truth};
