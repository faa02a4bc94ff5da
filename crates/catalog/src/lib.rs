//! What is known before anything is measured: accelerators and machines, models, engines, weight
//! formats and KV cache types as checked data; readers of model files; and the roofline, the speed
//! that a machine's memory and arithmetic allow at most.
//!
//! Everything here is pure. The data files in `data/` are compiled in and read by
//! [`Catalog::bundled`]; model files are read from whatever the caller opens, with bounds on every
//! length that a file states.

mod alike;
mod bundled;
mod checkpoint;
pub mod engine;
pub mod hardware;
pub mod kv;
pub mod link;
pub mod matching;
pub mod memory;
pub mod model;
pub mod read;
mod rental;
pub mod roofline;
pub mod spec;
pub mod unknown;
pub mod weights;

pub use bundled::{Catalog, DataError};
pub use checkpoint::{CheckpointFormat, FormatSource};
pub use engine::Engine;
pub use hardware::{Hardware, HardwareKind, Rates};
pub use kv::{KvCache, KvType};
pub use link::Link;
pub use matching::Match;
pub use memory::MemoryType;
pub use model::{Model, RecurrentKind};
pub use rental::Rental;
pub use roofline::{Machine, Roofline};
pub use spec::ModelSpec;
pub use unknown::UnknownWord;
pub use weights::{GgmlType, GgufMix, WeightFormat};
