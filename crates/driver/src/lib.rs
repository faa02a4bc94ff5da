//! The only HTTP client on the measured path.
//!
//! It opens connections before the clock runs, writes requests, and reports what arrived with the
//! best time stamp that the socket offers. It decodes nothing: bytes leave through a channel, so
//! that no parsing, counting or drawing can delay a read (methodology section 1).

pub mod clock;
pub mod connect;
pub mod connection;
pub mod stamp;
pub mod stream;
mod tcp;
mod tls;

pub use clock::Clock;
pub use connect::{Connect, ConnectError, Connected, MemoryConnect, Target, TcpConnect};
pub use connection::{Connection, Head, Outgoing, Piece};
pub use stamp::{Stamp, StampSource};
pub use stream::{Arrival, Feed, StreamStart, What, run_stream};
pub use tls::{TlsError, TlsSettings};

/// An ordered byte stream of any kind: TCP, TLS or an in-memory pipe.
pub trait Io: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}

impl<T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin> Io for T {}
