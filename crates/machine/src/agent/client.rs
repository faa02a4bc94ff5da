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
            Self::Address { .. } => {
                "write it as http://HOST:PORT; through TLS, forward a local port to it"
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

impl AgentClient {
    /// A client of the agent at `http://host:port`, over plain TCP.
    pub fn new(url: &str, token: Token) -> Result<Self, AgentError> {
        let authority = authority(url).ok_or_else(|| AgentError::Address {
            given: url.to_owned(),
        })?;
        let dial = Arc::new(Tcp {
            authority: authority.clone(),
        });
        Ok(Self::dialing(dial, authority, token))
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

/// `host:port` of an address.
fn authority(url: &str) -> Option<String> {
    let rest = match url.split_once("://") {
        Some(("http", rest)) => rest,
        Some(_) => return None,
        None => url,
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let is_plain = !rest.is_empty()
        && rest
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']'));
    if !is_plain {
        return None;
    }
    // The port's colon is the one behind an IPv6 address's bracket.
    let after_bracket = rest.rsplit(']').next().unwrap_or(rest);
    match after_bracket.rsplit_once(':') {
        Some((_, port)) => port.parse::<u16>().ok().map(|_| rest.to_owned()),
        None => Some(format!("{rest}:{DEFAULT_PORT}")),
    }
}

#[cfg(test)]
mod tests {
    use super::authority;

    #[test]
    fn addresses_of_agents() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(authority(url).as_deref(), expected, "{url}");
        };
        check("http://10.0.0.7:9000", Some("10.0.0.7:9000"));
        check("http://10.0.0.7:9000/", Some("10.0.0.7:9000"));
        check("box", Some("box:9417"));
        check("http://[::1]", Some("[::1]:9417"));
        check("[::1]:80", Some("[::1]:80"));
        check("https://box:9417", None);
        check("http://box:x", None);
        check("http://user@box", None);
        check("", None);
    }
}
