//! The control plane: small requests about the server, beside the measured traffic.
//!
//! One HTTP/1 connection, kept alive and opened again when the server closed it. Requests run one
//! after the other. How a connection comes to be is the caller's business ([`Dial`]): TCP or TLS in
//! the binary, a pipe to the simulator in tests. Methodology section 4.3 counts on it that none of
//! this ever touches a measured connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, LOCATION, SERVER, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

use crate::address::Address;
use crate::answer::Answer;

/// Most bytes that an answer may have.
pub const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// Time that one request may take, dialling included, when the caller has no opinion.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// A byte stream to the server.
pub trait ControlIo: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ControlIo for T {}

/// Opens connections to one server.
pub trait Dial: Send + Sync {
    /// A new connection, with TLS done where the address asks for it.
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>>;
}

/// What is the same in every request to one server.
#[derive(Clone)]
pub struct Target {
    /// `host:port` as the `Host` header and messages carry it.
    pub authority: String,
    /// Path in front of every route, without a final slash; empty for none.
    pub path_prefix: String,
    /// Authorization and headers of the user's own. Values are never printed.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Target {
    /// The target that an address names.
    pub fn new(address: &Address, headers: Vec<(HeaderName, HeaderValue)>) -> Self {
        Self {
            authority: address.authority(),
            path_prefix: address.path_prefix.clone(),
            headers,
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Target")
            .field("authority", &self.authority)
            .field("path_prefix", &self.path_prefix)
            .field("headers", &names)
            .finish()
    }
}

/// How much an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time for the whole exchange, dialling and waiting for earlier ones included.
    pub time: Duration,
    /// Bytes of the answer's body.
    pub bytes: usize,
}

/// Why an exchange gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No connection could be opened.
    #[error("cannot connect to `{authority}`")]
    Dial {
        /// Where to.
        authority: String,
        /// What the system said.
        source: io::Error,
    },
    /// The server took too long.
    #[error("`{authority}{path}` did not answer within {} s", after.as_secs_f64())]
    Timeout {
        /// Which server.
        authority: String,
        /// Which route.
        path: String,
        /// The limit.
        after: Duration,
    },
    /// The answer is longer than any that makes sense.
    #[error("the answer of `{path}` is longer than {limit} bytes")]
    TooLarge {
        /// Which route.
        path: String,
        /// The limit.
        limit: usize,
    },
    /// The connection broke, or what came back is not HTTP.
    #[error("the connection to `{authority}{path}` failed")]
    Http {
        /// Which server.
        authority: String,
        /// Which route.
        path: String,
        /// What the HTTP library said.
        source: hyper::Error,
    },
    /// The request cannot be written, for example because of the path prefix.
    #[error("`{path}` cannot be requested")]
    Request {
        /// Which route.
        path: String,
        /// What is wrong with it.
        source: http::Error,
    },
}

/// One open connection and the task that drives it.
struct Link {
    sender: SendRequest<Full<Bytes>>,
    driver: AbortHandle,
}

impl Drop for Link {
    fn drop(&mut self) {
        // An abandoned request must not keep running on the server (a timeout ends here, too).
        self.driver.abort();
    }
}

/// A client for the routes that say something about the server.
pub struct Control {
    dial: Arc<dyn Dial>,
    target: Target,
    limits: Limits,
    link: Mutex<Option<Link>>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("target", &self.target)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A request that may have to be written twice.
struct Call<'a> {
    method: Method,
    path: &'a str,
    body: Bytes,
}

impl Control {
    /// A client of `target`; `timeout` is the time for one exchange ([`DEFAULT_TIMEOUT`]).
    pub fn new(dial: Arc<dyn Dial>, target: Target, timeout: Duration) -> Self {
        Self {
            dial,
            target,
            limits: Limits {
                time: timeout,
                bytes: MAX_ANSWER_BYTES,
            },
            link: Mutex::new(None),
        }
    }

    /// `host:port` of the server.
    pub fn authority(&self) -> &str {
        &self.target.authority
    }

    /// The limits of an exchange that names none.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// `GET path`, where `path` begins with a slash and may have a query.
    pub async fn get(&self, path: &str) -> Result<Answer, ControlError> {
        let call = Call {
            method: Method::GET,
            path,
            body: Bytes::new(),
        };
        self.exchange(call, self.limits).await
    }

    /// `POST path` with a JSON body.
    pub async fn post_json(&self, path: &str, body: &Value) -> Result<Answer, ControlError> {
        self.post_json_within(path, body, self.limits).await
    }

    /// As [`Control::post_json`], for work that takes the server longer or answers more.
    pub async fn post_json_within(
        &self,
        path: &str,
        body: &Value,
        limits: Limits,
    ) -> Result<Answer, ControlError> {
        let call = Call {
            method: Method::POST,
            path,
            body: Bytes::from(body.to_string()),
        };
        self.exchange(call, limits).await
    }

    async fn exchange(&self, call: Call<'_>, limits: Limits) -> Result<Answer, ControlError> {
        let answer = tokio::time::timeout(limits.time, self.attempt(&call, limits.bytes))
            .await
            .unwrap_or_else(|_| {
                Err(ControlError::Timeout {
                    authority: self.target.authority.clone(),
                    path: call.path.to_owned(),
                    after: limits.time,
                })
            });
        match &answer {
            Ok(answer) => tracing::debug!(path = call.path, status = %answer.status, "control"),
            Err(error) => tracing::debug!(path = call.path, %error, "control"),
        }
        answer
    }

    async fn attempt(&self, call: &Call<'_>, limit: usize) -> Result<Answer, ControlError> {
        let mut slot = self.link.lock().await;
        // The link is out of its slot while in use: a cancelled exchange drops it.
        if let Some(mut kept) = slot.take()
            && kept.sender.ready().await.is_ok()
        {
            match self.send(&mut kept, call, limit).await {
                // A server may close an idle connection in the moment that it is used again.
                Err(ControlError::Http { .. }) => {}
                Err(error) => return Err(error),
                Ok(answer) => {
                    *slot = Some(kept);
                    return Ok(answer);
                }
            }
        }
        let mut fresh = self.open(call.path).await?;
        let answer = self.send(&mut fresh, call, limit).await?;
        *slot = Some(fresh);
        Ok(answer)
    }

    async fn open(&self, path: &str) -> Result<Link, ControlError> {
        let io = self
            .dial
            .dial()
            .await
            .map_err(|source| ControlError::Dial {
                authority: self.target.authority.clone(),
                source,
            })?;
        let (sender, connection) = http1::handshake(TokioIo::new(io))
            .await
            .map_err(|source| self.broken(path, source))?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "control connection closed");
            }
        });
        Ok(Link {
            sender,
            driver: task.abort_handle(),
        })
    }

    async fn send(
        &self,
        link: &mut Link,
        call: &Call<'_>,
        limit: usize,
    ) -> Result<Answer, ControlError> {
        let request = self.request(call).map_err(|source| ControlError::Request {
            path: call.path.to_owned(),
            source,
        })?;
        let broken = |source| self.broken(call.path, source);
        let response = link.sender.send_request(request).await.map_err(broken)?;
        let (head, mut incoming) = response.into_parts();
        let body = read_body(&mut incoming, limit)
            .await
            .map_err(broken)?
            .ok_or_else(|| ControlError::TooLarge {
                path: call.path.to_owned(),
                limit,
            })?;
        Ok(Answer {
            status: head.status,
            server: text(&head.headers, &SERVER),
            content_type: text(&head.headers, &CONTENT_TYPE),
            location: text(&head.headers, &LOCATION),
            body,
        })
    }

    fn request(&self, call: &Call<'_>) -> Result<Request<Full<Bytes>>, http::Error> {
        let mut builder = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.target.path_prefix, call.path))
            .header(HOST, &self.target.authority)
            .header(ACCEPT, "*/*")
            .header(USER_AGENT, concat!("tokmark/", env!("CARGO_PKG_VERSION")));
        if call.method == Method::POST {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        if let Some(headers) = builder.headers_mut() {
            for (name, value) in &self.target.headers {
                headers.insert(name.clone(), value.clone());
            }
        }
        builder.body(Full::new(call.body.clone()))
    }

    fn broken(&self, path: &str, source: hyper::Error) -> ControlError {
        ControlError::Http {
            authority: self.target.authority.clone(),
            path: path.to_owned(),
            source,
        }
    }
}

/// The whole body, or `None` when it is longer than `limit`.
async fn read_body(body: &mut Incoming, limit: usize) -> Result<Option<Bytes>, hyper::Error> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Some(data) = frame?.data_ref() {
            if collected.len() + data.len() > limit {
                return Ok(None);
            }
            collected.extend_from_slice(data);
        }
    }
    Ok(Some(Bytes::from(collected)))
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}
