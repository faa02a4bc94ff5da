//! The control plane: small requests about the server, beside the measured traffic.
//!
//! One connection, kept alive and opened again when the server closed it. Requests run one after
//! the other. How a connection comes to be is the caller's business ([`Dial`]): TCP or TLS in
//! the binary, a pipe to the simulator in tests. Methodology section 4.3 counts on it that none of
//! this ever touches a measured connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, LOCATION, SERVER, USER_AGENT,
};
use http::{HeaderMap, HeaderName, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Mutex;
use tokmark_openai_stream::encoding::{self, Decoder};
use tokmark_openai_stream::redirect::shown_location;
use tokmark_openai_stream::reply::Secrets;

use crate::answer::Answer;
use crate::link::Link;
use crate::target::{Form, Target};

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
        /// How requests are written.
        form: Form,
        /// What the HTTP library said.
        source: hyper::Error,
    },
    /// The answer came compressed and cannot be unpacked.
    #[error("the answer of `{path}` came compressed with `{encoding}` and cannot be unpacked")]
    Encoding {
        /// Which route.
        path: String,
        /// How it is compressed.
        encoding: String,
        /// What is wrong.
        source: io::Error,
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

/// A client for the routes that say something about the server.
pub struct Control {
    dial: Arc<dyn Dial>,
    target: Target,
    secrets: Secrets,
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
        let values = target.headers.iter().map(|(_, value)| value.as_bytes());
        Self {
            dial,
            secrets: Secrets::of(values),
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
        self.get_within(path, self.limits).await
    }

    /// As [`Control::get`], for a route that may not be worth the wait.
    pub async fn get_within(&self, path: &str, limits: Limits) -> Result<Answer, ControlError> {
        let call = Call {
            method: Method::GET,
            path,
            body: Bytes::new(),
        };
        self.exchange(call, limits).await
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
            && kept.is_ready().await
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
        Link::open(io, self.target.form)
            .await
            .map_err(|source| self.broken(path, source))
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
        let response = link.send(request).await.map_err(broken)?;
        let (head, mut incoming) = response.into_parts();
        let body = read_body(&mut incoming, limit)
            .await
            .map_err(broken)?
            .ok_or_else(|| too_large(call.path, limit))?;
        let encoding = text(&head.headers, &CONTENT_ENCODING);
        let body = match encoding::named(encoding.as_deref()) {
            Some(encoding) => unpack(&body, call.path, encoding, limit)?,
            None => body,
        };
        Ok(Answer {
            status: head.status,
            server: text(&head.headers, &SERVER),
            content_type: text(&head.headers, &CONTENT_TYPE),
            location: text(&head.headers, &LOCATION),
            body,
            secrets: self.secrets.clone(),
        })
    }

    /// Where a redirection leads: an address that can be shown, without a query.
    pub(crate) fn location(&self, answer: &Answer) -> String {
        let location = shown_location(answer.location.as_deref().unwrap_or_default());
        let Target {
            scheme, authority, ..
        } = &self.target;
        let whole = if location.starts_with("//") {
            format!("{}:{location}", scheme.word())
        } else if location.contains("://") {
            location
        } else {
            let path = location.trim_start_matches('/');
            format!("{}://{authority}/{path}", scheme.word())
        };
        self.secrets.redact(&whole).into_owned()
    }

    fn request(&self, call: &Call<'_>) -> Result<Request<Full<Bytes>>, http::Error> {
        let mut builder = Request::builder()
            .method(call.method.clone())
            .uri(self.target.uri(call.path))
            .header(ACCEPT, "*/*")
            .header(ACCEPT_ENCODING, "identity")
            .header(USER_AGENT, concat!("tokmark/", env!("CARGO_PKG_VERSION")));
        if call.method == Method::POST {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        if self.target.form != Form::Http2 {
            builder = builder.header(HOST, &self.target.authority);
        }
        if let Some(headers) = builder.headers_mut() {
            for (name, value) in &self.target.headers {
                headers.insert(name.clone(), value.clone());
            }
            if self.target.form == Form::Http2 {
                headers.remove(HOST);
            }
        }
        builder.body(Full::new(call.body.clone()))
    }

    fn broken(&self, path: &str, source: hyper::Error) -> ControlError {
        ControlError::Http {
            authority: self.target.authority.clone(),
            path: path.to_owned(),
            form: self.target.form,
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

fn too_large(path: &str, limit: usize) -> ControlError {
    ControlError::TooLarge {
        path: path.to_owned(),
        limit,
    }
}

/// The body that a server or a proxy compressed although `identity` was asked (case B034).
fn unpack(body: &Bytes, path: &str, encoding: String, limit: usize) -> Result<Bytes, ControlError> {
    let mut unpacked = Vec::new();
    let pushed = match Decoder::of(&encoding) {
        None => Err(io::Error::from(io::ErrorKind::Unsupported)),
        Some(mut decoder) => decoder.push(body, &mut |piece| {
            if unpacked.len() <= limit {
                unpacked.extend_from_slice(piece);
            }
        }),
    };
    pushed.map_err(|source| ControlError::Encoding {
        path: path.to_owned(),
        encoding,
        source,
    })?;
    if unpacked.len() > limit {
        return Err(too_large(path, limit));
    }
    Ok(Bytes::from(unpacked))
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}
