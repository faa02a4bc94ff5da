//! Where requests go: the server, the way to it, and what is spoken there.

use std::path::PathBuf;
use std::time::Duration;

use crate::proxy::Proxy;

/// The way to a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Way {
    /// Straight over TCP.
    #[default]
    Direct,
    /// A Unix socket of this machine; host and port only name the server.
    Unix(PathBuf),
    /// Through a proxy that forwards plain requests. They must name the whole address, and carry
    /// the proxy's credentials: see [`Way::forwarded_by`].
    Forwarded(Proxy),
    /// Through a tunnel that a proxy opens (`CONNECT`).
    Tunnelled(Proxy),
}

impl Way {
    /// The proxy that forwards requests one by one, if one does.
    pub fn forwarded_by(&self) -> Option<&Proxy> {
        match self {
            Self::Forwarded(proxy) => Some(proxy),
            Self::Direct | Self::Unix(_) | Self::Tunnelled(_) => None,
        }
    }

    /// The proxy in between, whichever way it is used.
    pub fn proxy(&self) -> Option<&Proxy> {
        match self {
            Self::Forwarded(proxy) | Self::Tunnelled(proxy) => Some(proxy),
            Self::Direct | Self::Unix(_) => None,
        }
    }
}

/// The version of HTTP on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: chosen in the TLS handshake, or known beforehand on plain connections.
    Http2,
}

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
    /// The way there.
    pub way: Way,
    /// What is spoken there.
    pub protocol: Protocol,
    /// Longest wait for one connection.
    pub connect_timeout: Duration,
}
