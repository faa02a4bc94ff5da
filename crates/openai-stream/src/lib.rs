//! What OpenAI-style servers stream, decoded: bytes in, meaning out.
//!
//! Layers, each usable alone: [`sse`] cuts bytes into server-sent events, [`chunk`] reads the JSON
//! of one event, [`reply`] follows one answer from its head to its end and names every event that
//! counts (methodology section 1), [`request`] writes request bodies and finds out which field a
//! server refused; [`encoding`] unpacks compressed answers, [`redirect`] words redirections. Nothing here does IO, reads a clock or is asynchronous: times come in as
//! [`tokmark_units::Nanos`].

pub mod chunk;
pub mod encoding;
pub mod redirect;
pub mod reply;
pub mod request;
pub mod sse;

mod lenient;
