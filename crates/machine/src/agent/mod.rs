//! `tokmark machine-agent`: inventory and telemetry of a server's host over HTTP, and the client
//! side of it.
//!
//! Every answer needs the token. Nothing but what a run document may hold goes over the wire.

mod client;
mod message;
mod remote;
mod server;
mod token;

pub use client::{AgentAddress, AgentClient, AgentError, Dial, Dialing, Io};
pub use message::{Launched, Reading};
pub use remote::RemoteSampler;
pub use server::{Agent, Inventory, serve};
pub use token::{LEAST_TOKEN, Token, TokenError};

/// The port where nothing else is said.
pub const DEFAULT_PORT: u16 = 9_417;
