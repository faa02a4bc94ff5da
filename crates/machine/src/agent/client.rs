//! The client of an agent.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokmark_run_format::Hardware;

use super::DEFAULT_PORT;
use super::message::{Launched, Reading};
use super::token::Token;

/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Largest answer.
const LARGEST: usize = 64 << 20;

/// A connection's two directions.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection that is being opened.
pub type Dialing<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Io>>> + Send + 'a>>;

/// The way to an agent.
pub trait Dial: Send + Sync {
    /// Opens a connection.
    fn dial(&self) -> Dialing<'_>;
}

/// Plain TCP.
struct Tcp {
    authority: String,
}

impl Dial for Tcp {
    fn dial(&self) -> Dialing<'_> {
        Box::pin(async {
            let stream = TcpStream::connect(&self.authority).await?;
            stream.set_nodelay(true)?;
            let stream: Box<dyn Io> = Box::new(stream);
            Ok(stream)
        })
    }
}

/// Why an agent did not answer.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The address is not one.
    #[error("`{given}` is not the address of an agent")]
    Address {
        /// What was given.
        given: String,
    },
    /// It cannot be reached.
    #[error("the machine agent cannot be reached")]
    Unreachable(#[source] io::Error),
    /// It took too long.
    #[error("the machine agent did not answer within {} s", PATIENCE.as_secs())]
    Slow,
    /// The connection broke, or it is no HTTP.
    #[error("the machine agent's answer broke off")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The token is another one.
    #[error("the machine agent refused the token")]
    Token,
    /// Another status.
    #[error("the machine agent answered with status {0}")]
    Status(u16),
    /// Not what an agent answers.
    #[error("the machine agent's answer is not understood; is it another program, or version?")]
    Foreign(#[source] serde_json::Error),
}

impl AgentError {
    /// What to try next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Address { .. } => "write it as http://HOST:PORT or https://HOST:PORT",
            // What a handshake that fails comes as.
            Self::Unreachable(error) if error.kind() == io::ErrorKind::InvalidData => {
                "trust a private authority with --ca FILE, or accept any certificate with --insecure"
            }
            Self::Unreachable(_) | Self::Slow => {
                "run `tokmark machine-agent --token-file FILE` on the server's host, and forward \
                 its port with `ssh -L 9417:127.0.0.1:9417 HOST`"
            }
            Self::Token => "give the file that the agent was started with to --machine-token-file",
            Self::Broken(_) | Self::Status(_) | Self::Foreign(_) => {
                "check that the address is the agent's and not the model server's"
            }
        }
    }
}

/// A client. Every question takes a connection of its own.
#[derive(Clone)]
pub struct AgentClient {
    dial: Arc<dyn Dial>,
    authority: String,
    token: Token,
}

impl fmt::Debug for AgentClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentClient").finish_non_exhaustive()
    }
}

/// Where an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentAddress {
    /// Whether it is reached over TLS, which something in front of it ends.
    pub tls: bool,
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl AgentAddress {
    /// Of `http://host:port`, `https://host:port` or `host`.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(url: &str) -> Result<Self, AgentError> {
        parts(url).ok_or_else(|| AgentError::Address {
            given: url.to_owned(),
        })
    }

    /// `host:port`, as requests carry it.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl AgentClient {
    /// A client over plain TCP: the token goes over it in the clear.
    pub fn plain(address: &AgentAddress, token: Token) -> Self {
        let authority = address.authority();
        let dial = Arc::new(Tcp {
            authority: authority.clone(),
        });
        Self::dialing(dial, authority, token)
    }

    /// A client that reaches its agent in another way; `authority` is what requests carry as host.
    pub fn dialing(dial: Arc<dyn Dial>, authority: String, token: Token) -> Self {
        Self {
            dial,
            authority,
            token,
        }
    }

    /// The host's hardware; with a port the accelerators that the server there uses.
    pub async fn inventory(&self, port: Option<u16>) -> Result<Hardware, AgentError> {
        let query = port.map(|port| format!("?port={port}")).unwrap_or_default();
        let hardware = self.ask(&format!("/v1/inventory{query}")).await?;
        Ok(Hardware {
            source: Some("agent".to_owned()),
            ..hardware
        })
    }

    /// The readings after a moment of the agent's clock, or all.
    pub async fn telemetry(&self, after_ns: Option<u64>) -> Result<Reading, AgentError> {
        let query = after_ns.map(|after| format!("?after={after}"));
        let query = query.unwrap_or_default();
        self.ask(&format!("/v1/telemetry{query}")).await
    }

    /// How the server on a port of the agent's host was started.
    pub async fn launch(&self, port: u16) -> Result<Launched, AgentError> {
        self.ask(&format!("/v1/launch?port={port}")).await
    }

    async fn ask<T: DeserializeOwned>(&self, path: &str) -> Result<T, AgentError> {
        let asked = tokio::time::timeout(PATIENCE, self.get(path)).await;
        let body = asked.map_err(|_| AgentError::Slow)??;
        serde_json::from_slice(&body).map_err(AgentError::Foreign)
    }

    async fn get(&self, path: &str) -> Result<Bytes, AgentError> {
        let io = self.dial.dial().await.map_err(AgentError::Unreachable)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(io)).await.map_err(broken)?;
        let connection = tokio::spawn(connection);
        let mut token = http::HeaderValue::from_str(&self.token.header()).map_err(broken)?;
        token.set_sensitive(true);
        let request = Request::get(path)
            .header(header::HOST, &self.authority)
            .header(header::AUTHORIZATION, token)
            .header(header::CONNECTION, "close")
            .body(Empty::<Bytes>::new())
            .map_err(broken)?;
        let response = sender.send_request(request).await.map_err(broken)?;
        let status = response.status();
        let body = Limited::new(response.into_body(), LARGEST).collect().await;
        connection.abort();
        match status {
            StatusCode::OK => Ok(body.map_err(AgentError::Broken)?.to_bytes()),
            StatusCode::UNAUTHORIZED => Err(AgentError::Token),
            other => Err(AgentError::Status(other.as_u16())),
        }
    }
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> AgentError {
    AgentError::Broken(Box::new(error))
}

fn parts(url: &str) -> Option<AgentAddress> {
    let (tls, rest) = match url.split_once("://") {
        Some(("http", rest)) => (false, rest),
        Some(("https", rest)) => (true, rest),
        Some(_) => return None,
        None => (false, url),
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let is_plain = rest
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']'));
    // The port's colon is the one behind an IPv6 address's bracket.
    let (host, behind) = match rest.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => rest.split_at_checked(rest.find(':').unwrap_or(rest.len()))?,
    };
    let port = match behind.strip_prefix(':') {
        Some(port) => port.parse().ok()?,
        None if behind.is_empty() => DEFAULT_PORT,
        None => return None,
    };
    (is_plain && !host.is_empty()).then(|| AgentAddress {
        tls,
        host: host.to_owned(),
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::AgentAddress;

    #[test]
    fn addresses_of_agents() {
        let check = |url: &str, expected: Option<(bool, &str)>| {
            let found = AgentAddress::parse(url).ok();
            let found = found.map(|found| (found.tls, found.authority()));
            let expected = expected.map(|(tls, authority)| (tls, authority.to_owned()));
            assert_eq!(found, expected, "{url}");
        };
        check("http://10.0.0.7:9000", Some((false, "10.0.0.7:9000")));
        check("http://10.0.0.7:9000/", Some((false, "10.0.0.7:9000")));
        check("box", Some((false, "box:9417")));
        check("http://[::1]", Some((false, "[::1]:9417")));
        check("[::1]:80", Some((false, "[::1]:80")));
        check("https://box:9417", Some((true, "box:9417")));
        check("https://box.example/", Some((true, "box.example:9417")));
        check("ftp://box", None);
        check("http://box:x", None);
        check("http://box:1:2", None);
        check("http://[::1]80", None);
        check("http://user@box", None);
        check("http://box/path", None);
        check("http://", None);
        check("", None);
    }
}
