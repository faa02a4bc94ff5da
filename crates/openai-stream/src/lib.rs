//! Server-sent events and OpenAI-style answers: bytes in, meaning out. No IO, no clock.

pub mod chunk;
pub mod failure;
pub mod reply;
pub mod request;
pub mod sse;
