//! Opening connections: TCP with or without TLS, or a pipe inside the process.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokmark_units::Nanos;

use crate::Io;
use crate::clock::{Clock, RealtimeOffset};
use crate::stamp::Wire;
use crate::tcp::{StampedReads, StampedSocket};
use crate::tls::{TlsError, TlsSettings, client_config};

/// A future that can be stored and sent.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where requests go, and how they are addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Host name or address to connect to, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Whether TLS is spoken.
    pub tls: bool,
    /// Name that the certificate must carry, when it differs from `host`.
    pub server_name: Option<String>,
    /// Longest wait for one connection.
    pub connect_timeout: Duration,
}

/// Why a connection could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The name has no address.
    #[error("`{host}` has no address")]
    Resolve {
        /// The name.
        host: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// TCP failed.
    #[error("cannot connect to {address}: {source}")]
    Tcp {
        /// The address tried last.
        address: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The handshake failed.
    #[error("TLS handshake with {host} failed: {source}")]
    Handshake {
        /// The name.
        host: String,
        /// What rustls said.
        #[source]
        source: io::Error,
    },
}

impl ConnectError {
    /// Whether TLS, rather than the network, was the fault.
    pub fn is_tls(&self) -> bool {
        matches!(self, Self::Handshake { .. })
    }
}

/// An open byte stream with its stamps.
pub struct Connected {
    pub(crate) io: Box<dyn Io>,
    pub(crate) wire: Arc<Wire>,
    /// Time from the first packet to the end of the TLS handshake.
    pub took: Nanos,
    /// The address that answered, for the log.
    pub address: String,
}

/// Something that opens connections to one server.
pub trait Connect: Send + Sync {
    /// Opens one connection.
    fn connect(&self, clock: Clock) -> BoxFuture<'_, Result<Connected, ConnectError>>;

    /// Called between cells: an earlier step of the wall clock no longer matters.
    fn forget_clock_step(&self) {}

    /// Whether the wall clock stepped since the last [`Self::forget_clock_step`].
    fn clock_stepped(&self) -> bool {
        false
    }
}

/// Connections over TCP, with TLS when the target asks for it.
pub struct TcpConnect {
    target: Target,
    tls: Option<TlsConnector>,
    offset: Arc<RealtimeOffset>,
}

impl TcpConnect {
    /// For one target. Reads the system's certificates when TLS is wanted.
    pub fn new(target: Target, tls: &TlsSettings, clock: Clock) -> Result<Self, TlsError> {
        let connector = if target.tls {
            Some(TlsConnector::from(client_config(tls)?))
        } else {
            None
        };
        Ok(Self {
            target,
            tls: connector,
            offset: Arc::new(RealtimeOffset::new(clock)),
        })
    }

    async fn open(&self, clock: Clock) -> Result<Connected, ConnectError> {
        let started = clock.now();
        let stream = self.open_tcp().await?;
        let address = stream
            .peer_addr()
            .map_or_else(|_| self.target.host.clone(), |a| a.to_string());
        let wire = Wire::new();
        let tcp = stream
            .into_std()
            .and_then(|stream| {
                StampedSocket::tcp(stream, clock, Arc::clone(&self.offset), Arc::clone(&wire))
            })
            .map_err(|source| ConnectError::Tcp {
                address: address.clone(),
                source,
            })?;
        let io: Box<dyn Io> = match &self.tls {
            None => Box::new(tcp),
            Some(tls) => Box::new(self.handshake(tls, tcp).await?),
        };
        Ok(Connected {
            io,
            wire,
            took: clock.now().saturating_sub(started),
            address,
        })
    }

    /// Tries every address of the name in the resolver's order. All but the last get a second:
    /// a dead first family must not eat the whole patience (B088).
    async fn open_tcp(&self) -> Result<TcpStream, ConnectError> {
        let host = &self.target.host;
        let resolve = |source| ConnectError::Resolve {
            host: host.clone(),
            source,
        };
        let addresses: Vec<_> = tokio::net::lookup_host((host.as_str(), self.target.port))
            .await
            .map_err(resolve)?
            .collect();
        let mut failure = resolve(io::Error::from(io::ErrorKind::NotFound));
        let count = addresses.len();
        for (index, address) in addresses.into_iter().enumerate() {
            let patience = if index + 1 < count {
                self.target.connect_timeout.min(Duration::from_secs(1))
            } else {
                self.target.connect_timeout
            };
            let outcome = tokio::time::timeout(patience, TcpStream::connect(address)).await;
            let source = match outcome {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(source)) => source,
                Err(_) => io::Error::new(io::ErrorKind::TimedOut, "no answer in time"),
            };
            failure = ConnectError::Tcp {
                address: address.to_string(),
                source,
            };
        }
        Err(failure)
    }

    async fn handshake(
        &self,
        tls: &TlsConnector,
        tcp: StampedSocket,
    ) -> Result<tokio_rustls::client::TlsStream<StampedSocket>, ConnectError> {
        let name = self
            .target
            .server_name
            .clone()
            .unwrap_or_else(|| self.target.host.clone());
        let failed = |source| ConnectError::Handshake {
            host: name.clone(),
            source,
        };
        let server_name = ServerName::try_from(name.clone())
            .map_err(|e| failed(io::Error::new(io::ErrorKind::InvalidInput, e)))?;
        let handshake = tls.connect(server_name, tcp);
        match tokio::time::timeout(self.target.connect_timeout, handshake).await {
            Ok(done) => done.map_err(failed),
            Err(_) => Err(failed(io::Error::new(
                io::ErrorKind::TimedOut,
                "no answer in time; does this port speak TLS?",
            ))),
        }
    }
}

impl Connect for TcpConnect {
    fn connect(&self, clock: Clock) -> BoxFuture<'_, Result<Connected, ConnectError>> {
        Box::pin(self.open(clock))
    }

    fn forget_clock_step(&self) {
        self.offset.forget_step();
    }

    fn clock_stepped(&self) -> bool {
        self.offset.stepped()
    }
}

/// What [`MemoryConnect`] calls for each connection.
type Open = dyn Fn() -> Box<dyn Io> + Send + Sync;

/// Connections through pipes inside the process, stamped when the read returns: for simulated
/// servers in tests under paused time.
pub struct MemoryConnect {
    open: Box<Open>,
}

impl MemoryConnect {
    /// Calls `open` for each connection.
    pub fn new(open: impl Fn() -> Box<dyn Io> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
        }
    }
}

impl Connect for MemoryConnect {
    fn connect(&self, clock: Clock) -> BoxFuture<'_, Result<Connected, ConnectError>> {
        Box::pin(async move {
            let wire = Wire::new();
            let io = StampedReads::new((self.open)(), clock, Arc::clone(&wire));
            Ok(Connected {
                io: Box::new(io),
                wire,
                took: Nanos::ZERO,
                address: "memory".to_owned(),
            })
        })
    }
}

impl Connected {
    /// The byte stream alone, for traffic that is not measured.
    pub fn into_io(self) -> Box<dyn Io> {
        self.io
    }
}
