//! The only HTTP client on the measured path.
//!
//! It opens connections before the clock runs, writes requests, and reports what arrived with the
//! best time stamp that the socket offers. While receiving it does what the measurement needs and
//! no more: frames are told apart and their tokens counted ([`answer`]); loops, text and drawing
//! are other threads' business, and results leave in batches, so that nothing delays a read
//! (methodology section 1).

pub mod answer;
mod body;
pub mod clock;
mod coalesce;
pub mod connect;
pub mod connection;
pub mod cores;
pub mod exchange;
pub mod health;
mod http1;
mod http2;
pub mod no_proxy;
pub mod proxy;
mod race;
mod registered;
mod slice;
pub mod stamp;
pub mod stream;
mod target;
mod tcp;
pub mod threads;
mod tls;
mod unix;

pub use answer::{Batch, Event, Partial, TokenSource};
pub use body::BodyError;
pub use clock::Clock;
pub use connect::{Connect, ConnectError, Connected, MemoryConnect, TcpConnect};
pub use connection::Connection;
pub use exchange::{ExchangeError, Head, Outgoing, Piece};
pub use health::{Health, HealthSample, ThreadHealth};
pub use no_proxy::{Chosen, ProxyVariables, VariableError, is_this_machine};
pub use proxy::{Proxy, ProxyError};
pub use stamp::{Stamp, StampSource};
pub use stream::{Arrival, Feed, StreamStart, What, run_stream};
pub use target::{Protocol, Target, Way};
pub use threads::LoadThreads;
pub use tls::{TlsError, TlsSettings};

/// An ordered byte stream of any kind: TCP, TLS or an in-memory pipe.
pub trait Io: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}

impl<T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin> Io for T {}
