//! HTTP proxies: what a person writes, and the tunnel through one.

use std::fmt;
use std::io;

use data_encoding::BASE64;
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::{Host, Url};

use crate::Io;

/// Most bytes that a proxy's answer to `CONNECT` may have.
const ANSWER_LIMIT: usize = 16 * 1024;

/// A proxy that speaks HTTP. Its credentials are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Name or address, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Whether the proxy itself is reached over TLS.
    pub tls: bool,
    /// `Proxy-Authorization`, marked as sensitive.
    pub authorization: Option<HeaderValue>,
}

/// Why a text names no proxy. The text itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    /// A kind of proxy that is not spoken.
    #[error("`{scheme}` proxies are not spoken here, only `http` and `https` ones")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// Not an address.
    #[error("the proxy's address cannot be understood: {reason}")]
    Address {
        /// What the URL rules say.
        reason: String,
    },
}

impl Proxy {
    /// Understands `http://user:password@host:port`, with or without scheme, credentials and port
    /// (80 and 443 by default). User and password may be percent-encoded.
    pub fn parse(text: &str) -> Result<Self, ProxyError> {
        let text = text.trim();
        let address = |reason: &str| ProxyError::Address {
            reason: reason.to_owned(),
        };
        if text.is_empty() {
            return Err(address("it is empty"));
        }
        let whole = if text.contains("://") {
            text.to_owned()
        } else {
            format!("http://{text}")
        };
        let url = Url::parse(&whole).map_err(|error| address(&error.to_string()))?;
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            other => {
                return Err(ProxyError::Scheme {
                    scheme: other.to_owned(),
                });
            }
        };
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            None => return Err(address("there is no host")),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(address("a proxy has no path, query or fragment"));
        }
        let port = url.port_or_known_default().unwrap_or(80);
        if port == 0 {
            return Err(address("0 is not a port"));
        }
        Ok(Self {
            host,
            port,
            tls,
            authorization: authorization(&url),
        })
    }

    /// `host:port`, with brackets around IPv6; without the credentials.
    pub fn address(&self) -> String {
        authority(&self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("address", &self.address())
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

fn authorization(url: &Url) -> Option<HeaderValue> {
    let user = percent_decode_str(url.username()).collect::<Vec<u8>>();
    let password = percent_decode_str(url.password().unwrap_or_default()).collect::<Vec<u8>>();
    if user.is_empty() && password.is_empty() {
        return None;
    }
    let pair = [user.as_slice(), b":", password.as_slice()].concat();
    let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64.encode(&pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// `host:port` as it stands in a request line.
pub(crate) fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// Why a proxy opened no tunnel.
#[derive(Debug, thiserror::Error)]
pub enum TunnelError {
    /// 407.
    #[error("it wants a user name and a password, or others (407)")]
    Credentials,
    /// Any other refusal.
    #[error("it answers `{status}`")]
    Refused {
        /// Status code and reason, on one line.
        status: String,
    },
    /// What came back is no answer to `CONNECT`.
    #[error("its answer is not HTTP")]
    NotHttp,
    /// The connection to it broke, or it was silent for too long.
    #[error("the connection to it failed: {0}")]
    Io(#[from] io::Error),
}

/// Asks the proxy at the other end of `io` for a tunnel to `host:port`. The bytes after its answer
/// are the server's.
pub(crate) async fn open_tunnel<T: Io>(
    io: &mut T,
    proxy: &Proxy,
    host: &str,
    port: u16,
) -> Result<(), TunnelError> {
    let to = authority(host, port);
    let mut request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n").into_bytes();
    if let Some(value) = &proxy.authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(value.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    io.write_all(&request).await?;
    io.flush().await?;
    let head = read_head(io).await?;
    let (version, status) = head.split_once(' ').ok_or(TunnelError::NotHttp)?;
    let code: u16 = status
        .get(..3)
        .and_then(|code| code.parse().ok())
        .filter(|_| version.starts_with("HTTP/1."))
        .ok_or(TunnelError::NotHttp)?;
    match code {
        200..=299 => Ok(()),
        407 => Err(TunnelError::Credentials),
        _ => Err(TunnelError::Refused {
            status: status
                .chars()
                .filter(|c| !c.is_control())
                .take(80)
                .collect(),
        }),
    }
}

/// The first line of the answer, once its head is whole. Read byte by byte: what follows the head
/// belongs to the server, and there is no way to give it back.
async fn read_head<T: Io>(io: &mut T) -> Result<String, TunnelError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= ANSWER_LIMIT {
            return Err(TunnelError::NotHttp);
        }
        let byte = io.read_u8().await.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof if !head.is_empty() => TunnelError::NotHttp,
            _ => TunnelError::Io(error),
        })?;
        head.push(byte);
    }
    let text = String::from_utf8_lossy(&head);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, address: &str, tls: bool, credentials: Option<&str>) {
        let proxy = Proxy::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(proxy.address(), address, "{text}");
        assert_eq!(proxy.tls, tls, "{text}");
        let pair = proxy.authorization.map(|value| {
            assert!(value.is_sensitive());
            let encoded = value.to_str().unwrap().strip_prefix("Basic ").unwrap();
            String::from_utf8(BASE64.decode(encoded.as_bytes()).unwrap()).unwrap()
        });
        assert_eq!(pair.as_deref(), credentials, "{text}");
    }

    #[test]
    fn what_people_write() {
        check("proxy:3128", "proxy:3128", false, None);
        check(" http://proxy:3128/ ", "proxy:3128", false, None);
        check("http://proxy", "proxy:80", false, None);
        check("https://proxy", "proxy:443", true, None);
        check("10.0.0.1:8080", "10.0.0.1:8080", false, None);
        check("http://[::1]:8080", "[::1]:8080", false, None);
        check("http://me:pass@proxy:1", "proxy:1", false, Some("me:pass"));
        check("me:pass@proxy:1", "proxy:1", false, Some("me:pass"));
        check("http://me@proxy:1", "proxy:1", false, Some("me:"));
        check(
            "http://me:p%40ss%3A@proxy:1",
            "proxy:1",
            false,
            Some("me:p@ss:"),
        );
    }

    fn fault(text: &str, says: &str) {
        let error = Proxy::parse(text).expect_err(text).to_string();
        assert!(error.contains(says), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{text}: {error}");
    }

    #[test]
    fn faults_are_told_without_the_text() {
        fault("", "empty");
        fault("socks5://me:hunter2@proxy:1080", "`socks5`");
        fault("http://me:hunter2@proxy:port", "port");
        fault("http://me:hunter2@", "host");
        fault("http://me:hunter2@proxy:1/path", "path");
        fault("http://proxy:0", "port");
    }

    #[test]
    fn credentials_are_not_in_the_debug_text() {
        let proxy = Proxy::parse("http://me:hunter2@proxy:1").unwrap();
        let text = format!("{proxy:?}");
        assert!(text.contains("proxy:1"), "{text}");
        let encoded = BASE64.encode(b"me:hunter2");
        assert!(
            !text.contains("hunter2") && !text.contains(&encoded),
            "{text}"
        );
    }

    async fn tunnel(answer: &[u8]) -> Result<(), TunnelError> {
        let (mut ours, mut theirs) = tokio::io::duplex(64);
        let proxy = Proxy::parse("http://me:pw@proxy:1").unwrap();
        let serve = async {
            let mut got = Vec::new();
            while !got.ends_with(b"\r\n\r\n") {
                got.push(theirs.read_u8().await.unwrap());
            }
            theirs.write_all(answer).await.unwrap();
            drop(theirs);
            String::from_utf8(got).unwrap()
        };
        let (opened, asked) =
            tokio::join!(open_tunnel(&mut ours, &proxy, "2001:db8::1", 443), serve);
        assert_eq!(
            asked,
            "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\
             Proxy-Authorization: Basic bWU6cHc=\r\n\r\n"
        );
        let mut rest = String::new();
        ours.read_to_string(&mut rest).await.unwrap();
        if opened.is_ok() {
            assert_eq!(rest, "after", "nothing behind the head is lost");
        }
        opened
    }

    #[tokio::test]
    async fn a_tunnel_opens_or_says_why_not() {
        tunnel(b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nafter")
            .await
            .unwrap();
        let said = async |answer: &[u8]| tunnel(answer).await.unwrap_err().to_string();
        let credentials = said(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await;
        assert!(credentials.contains("password"), "{credentials}");
        let refused = said(b"HTTP/1.0 403 Forbidden\r\n\r\n").await;
        assert!(refused.contains("`403 Forbidden`"), "{refused}");
        assert_eq!(said(b"SSH-2.0-x\r\n\r\n").await, "its answer is not HTTP");
        assert_eq!(said(b"HTTP/1.1 2").await, "its answer is not HTTP");
        assert!(said(b"").await.contains("failed"));
    }
}
