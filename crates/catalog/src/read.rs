//! Model files from disk: a Hugging Face configuration, a GGUF file, safetensors.
//!
//! All become a [`crate::ModelSpec`]. Nothing here opens a file: the caller hands over bytes, or
//! something to read and seek in. Files are strangers' work, so every length and count that they
//! state is held against what is there and against a bound before anything is allocated.

mod bounds;
mod config;
mod error;
mod gguf;
mod safetensors;

pub use config::read_config;
pub use error::ReadError;
pub use gguf::{GgufFile, GgufTensor, GgufValue, read_gguf, spec_of_gguf};
pub use safetensors::{
    SafetensorsFile, SafetensorsIndex, SafetensorsTensor, read_safetensors, read_safetensors_index,
    with_tensors,
};
