//! Opening connections: TCP, a Unix socket or a proxy, with or without TLS; or a pipe inside the
//! process.

use std::future::Future;
use std::io;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokmark_units::Nanos;

use crate::Io;
use crate::clock::{Clock, RealtimeOffset};
use crate::proxy::{self, Proxy, TunnelError};
use crate::race::first_to_open;
use crate::stamp::Wire;
use crate::target::{Protocol, Target, Way};
use crate::tcp::{StampedReads, StampedSocket, keep_stamping};
use crate::tls::{TlsError, TlsSettings, client_config, speaks_http2};
use crate::unix;

/// A future that can be stored and sent.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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
    /// The Unix socket cannot be used.
    #[error("cannot connect to the socket `{}`: {source}", path.display())]
    Unix {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The proxy cannot be reached.
    #[error("the proxy `{proxy}` cannot be reached: {source}")]
    Proxy {
        /// Its `host:port`.
        proxy: String,
        /// Why.
        #[source]
        source: Box<ConnectError>,
    },
    /// The proxy opened no tunnel.
    #[error("the proxy `{proxy}` opens no tunnel to `{to}`: {source}")]
    Tunnel {
        /// Its `host:port`.
        proxy: String,
        /// The server's `host:port`.
        to: String,
        /// Why.
        #[source]
        source: TunnelError,
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
    /// HTTP/2 was not agreed on in the TLS handshake.
    #[error("`{host}` does not offer HTTP/2 in its TLS handshake")]
    NotOffered {
        /// The name.
        host: String,
    },
    /// The peer does not speak HTTP/2.
    #[error("no HTTP/2 on this connection: {0}")]
    Http2(#[source] io::Error),
}

impl ConnectError {
    /// Whether TLS, rather than the network, was the fault.
    pub fn is_tls(&self) -> bool {
        match self {
            Self::Handshake { .. } | Self::NotOffered { .. } => true,
            Self::Proxy { source, .. } => source.is_tls(),
            _ => false,
        }
    }

    /// The words that a run may keep: without names, addresses and paths (methodology section 8).
    pub fn kept(&self) -> String {
        match self {
            Self::Resolve { .. } => "the server's name has no address".to_owned(),
            Self::Tcp { source, .. } => format!("cannot connect: {source}"),
            Self::Unix { source, .. } => format!("cannot connect to the socket: {source}"),
            Self::Proxy { source, .. } => {
                format!("the proxy cannot be reached: {}", source.kept())
            }
            Self::Tunnel { source, .. } => format!("the proxy opens no tunnel: {source}"),
            Self::Handshake { source, .. } => {
                let words = source.to_string();
                // rustls goes on with the names that the certificate has.
                let fault = words.split(" for name").next().unwrap_or_default();
                format!("TLS handshake failed: {fault}")
            }
            Self::NotOffered { .. } => {
                "the server does not offer HTTP/2 in its TLS handshake".to_owned()
            }
            Self::Http2(_) => self.to_string(),
        }
    }

    /// The kind of the system's error at the bottom. A proxy in the way is `NotConnected`, TLS that
    /// fails mostly `InvalidData`, a version of HTTP that is not spoken `Unsupported`.
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Tcp { source, .. }
            | Self::Unix { source, .. }
            | Self::Handshake { source, .. } => source.kind(),
            Self::Resolve { .. } => io::ErrorKind::HostUnreachable,
            Self::Proxy { .. } | Self::Tunnel { .. } => io::ErrorKind::NotConnected,
            Self::NotOffered { .. } | Self::Http2(_) => io::ErrorKind::Unsupported,
        }
    }
}

/// An open byte stream with its stamps.
pub struct Connected {
    pub(crate) io: Box<dyn Io>,
    pub(crate) wire: Arc<Wire>,
    /// Time from the first packet to the end of the TLS handshake, a proxy's tunnel included.
    pub took: Nanos,
    /// The address that answered, for the log.
    pub address: String,
    /// What is to be spoken on it.
    pub protocol: Protocol,
    /// Whether the server is reached over TLS.
    pub secure: bool,
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

    /// How long this machine has been suspended since it was started.
    fn suspended(&self) -> Nanos {
        Nanos::ZERO
    }
}

/// Connections over the network or a Unix socket, with TLS when the target asks for it.
pub struct TcpConnect {
    target: Target,
    tls: Option<TlsConnector>,
    proxy_tls: Option<TlsConnector>,
    offset: Arc<RealtimeOffset>,
    kernel_stamps: bool,
    _stamping: Option<UdpSocket>,
}

impl TcpConnect {
    /// For one target. Reads the system's certificates when TLS is wanted.
    pub fn new(target: Target, tls: &TlsSettings, clock: Clock) -> Result<Self, TlsError> {
        let connector = |wanted: bool, protocol: Protocol| {
            let config = wanted.then(|| client_config(tls, protocol)).transpose()?;
            Ok::<_, TlsError>(config.map(TlsConnector::from))
        };
        let to_proxy = target.way.proxy().is_some_and(|proxy| proxy.tls);
        Ok(Self {
            tls: connector(target.tls, target.protocol)?,
            proxy_tls: connector(to_proxy, Protocol::Http1)?,
            target,
            offset: Arc::new(RealtimeOffset::new(clock)),
            kernel_stamps: true,
            _stamping: keep_stamping(),
        })
    }

    /// Stamps arrivals when reads return, as on a system without receive timestamps.
    #[must_use]
    pub fn with_read_times(self) -> Self {
        Self {
            kernel_stamps: false,
            ..self
        }
    }

    async fn open(&self, clock: Clock) -> Result<Connected, ConnectError> {
        let started = clock.now();
        let wire = Wire::new();
        let target = &self.target;
        let (io, address) = match &target.way {
            Way::Direct => {
                let tcp = self.tcp(&target.host, target.port, clock, &wire).await?;
                (self.secure(tcp.0).await?, tcp.1)
            }
            Way::Unix(path) => {
                let opened = unix::open(path, target.connect_timeout, clock, &wire).await;
                let failed = |source| ConnectError::Unix {
                    path: path.clone(),
                    source,
                };
                let io = self.secure(opened.map_err(failed)?).await?;
                (io, path.display().to_string())
            }
            Way::Forwarded(proxy) => self.to_proxy(proxy, clock, &wire).await?,
            Way::Tunnelled(proxy) => {
                let (mut io, address) = self.to_proxy(proxy, clock, &wire).await?;
                self.tunnel(&mut io, proxy).await?;
                (self.secure(io).await?, address)
            }
        };
        Ok(Connected {
            io,
            wire,
            took: clock.now().saturating_sub(started),
            address,
            protocol: target.protocol,
            secure: target.tls,
        })
    }

    /// A connection to a name or address, and the address that answered.
    async fn tcp(
        &self,
        host: &str,
        port: u16,
        clock: Clock,
        wire: &Arc<Wire>,
    ) -> Result<(StampedSocket, String), ConnectError> {
        let resolve = |source| ConnectError::Resolve {
            host: host.to_owned(),
            source,
        };
        let addresses: Vec<_> = tokio::net::lookup_host((host, port))
            .await
            .map_err(resolve)?
            .collect();
        let patience = self.target.connect_timeout;
        let stream = first_to_open(addresses, patience, TcpStream::connect)
            .await
            .map_err(|(address, source)| match address {
                None if source.kind() == io::ErrorKind::NotFound => resolve(source),
                None => ConnectError::Tcp {
                    address: proxy::authority(host, port),
                    source,
                },
                Some(address) => ConnectError::Tcp {
                    address: address.to_string(),
                    source,
                },
            })?;
        let address = stream
            .peer_addr()
            .map_or_else(|_| host.to_owned(), |address| address.to_string());
        let offset = Arc::clone(&self.offset);
        let socket = stream
            .into_std()
            .and_then(|stream| {
                let socket = StampedSocket::tcp(stream, clock, offset, Arc::clone(wire))?;
                Ok(if self.kernel_stamps {
                    socket.with_kernel_stamps()
                } else {
                    socket
                })
            })
            .map_err(|source| ConnectError::Tcp {
                address: address.clone(),
                source,
            })?;
        Ok((socket, address))
    }

    /// A connection to the proxy itself.
    async fn to_proxy(
        &self,
        proxy: &Proxy,
        clock: Clock,
        wire: &Arc<Wire>,
    ) -> Result<(Box<dyn Io>, String), ConnectError> {
        let failed = |source| ConnectError::Proxy {
            proxy: proxy.address(),
            source: Box::new(source),
        };
        let opened = self.tcp(&proxy.host, proxy.port, clock, wire).await;
        let (tcp, address) = opened.map_err(failed)?;
        let io: Box<dyn Io> = match &self.proxy_tls {
            None => Box::new(tcp),
            Some(tls) => Box::new(
                self.handshake(tls, &proxy.host, tcp)
                    .await
                    .map_err(failed)?,
            ),
        };
        Ok((io, address))
    }

    async fn tunnel(&self, io: &mut Box<dyn Io>, proxy: &Proxy) -> Result<(), ConnectError> {
        let (host, port) = (self.target.host.as_str(), self.target.port);
        let opening = proxy::open_tunnel(io, proxy, host, port);
        let opened = tokio::time::timeout(self.target.connect_timeout, opening)
            .await
            .unwrap_or_else(|_| {
                let silent = io::Error::new(io::ErrorKind::TimedOut, "no answer in time");
                Err(TunnelError::Io(silent))
            });
        opened.map_err(|source| ConnectError::Tunnel {
            proxy: proxy.address(),
            to: proxy::authority(host, port),
            source,
        })
    }

    /// TLS to the server, where the target asks for it.
    async fn secure<T: Io + 'static>(&self, io: T) -> Result<Box<dyn Io>, ConnectError> {
        let Some(tls) = &self.tls else {
            return Ok(Box::new(io));
        };
        let target = &self.target;
        let name = target.server_name.as_deref().unwrap_or(&target.host);
        let stream = self.handshake(tls, name, io).await?;
        if target.protocol == Protocol::Http2 && !speaks_http2(&stream) {
            return Err(ConnectError::NotOffered {
                host: name.to_owned(),
            });
        }
        Ok(Box::new(stream))
    }

    async fn handshake<T: Io>(
        &self,
        tls: &TlsConnector,
        name: &str,
        io: T,
    ) -> Result<tokio_rustls::client::TlsStream<T>, ConnectError> {
        let failed = |source| ConnectError::Handshake {
            host: name.to_owned(),
            source,
        };
        let server_name = ServerName::try_from(name.to_owned())
            .map_err(|e| failed(io::Error::new(io::ErrorKind::InvalidInput, e)))?;
        let handshake = tls.connect(server_name, io);
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

    fn suspended(&self) -> Nanos {
        crate::clock::suspended()
    }
}

/// What [`MemoryConnect`] calls for each connection.
type Open = dyn Fn() -> Box<dyn Io> + Send + Sync;

/// Connections through pipes inside the process, stamped when the read returns: for simulated
/// servers in tests under paused time.
pub struct MemoryConnect {
    open: Box<Open>,
    protocol: Protocol,
}

impl MemoryConnect {
    /// Calls `open` for each connection.
    pub fn new(open: impl Fn() -> Box<dyn Io> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
            protocol: Protocol::default(),
        }
    }

    /// With this version of HTTP on each connection.
    #[must_use]
    pub fn speaking(self, protocol: Protocol) -> Self {
        Self { protocol, ..self }
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
                protocol: self.protocol,
                secure: false,
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
