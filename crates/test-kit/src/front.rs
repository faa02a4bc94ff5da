//! What stands between a client and a server: another version of HTTP, a path prefix, a
//! compressor, a gateway that repeats what it was sent in its errors.

use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::{HeaderValue, Request, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokmark_sim::SimServer;

type Error = std::io::Error;
type Answer = Response<BoxBody<Bytes, Error>>;

/// The least `max_tokens` of a request that [`Front::echo`] refuses and [`Front::elsewhere`] sends
/// away: probes ask for fewer.
const ECHO_FROM: u64 = 200;

/// A refusal takes time: streams that are refused ask again at once.
const ECHO_AFTER: Duration = Duration::from_millis(20);

/// A gateway in front of the simulated server.
#[derive(Debug, Clone, Default)]
pub struct Front {
    /// Speaks HTTP/2 only.
    pub http2: bool,
    /// Compresses every answer, flushing each piece.
    pub gzip: bool,
    /// The path in front of every route, which it takes off.
    pub prefix: String,
    /// Refuses long requests and all that count tokens, and shows all headers in these errors.
    pub echo: bool,
    /// Sends long requests to this address instead.
    pub elsewhere: Option<String>,
}

impl Front {
    /// Serves one connection, in a task of its own.
    pub fn attach(
        &self,
        io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        server: &Arc<SimServer>,
    ) {
        let front = Arc::new(self.clone());
        let server = Arc::clone(server);
        let http2 = self.http2;
        let service = service_fn(move |request| {
            let (front, server) = (Arc::clone(&front), Arc::clone(&server));
            async move { front.answer(request, &server).await }
        });
        tokio::spawn(async move {
            let io = TokioIo::new(io);
            // A client that goes away ends its connection; nobody is there to be told.
            if http2 {
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let _ended = builder.serve_connection(io, service).await;
            } else {
                let builder = hyper::server::conn::http1::Builder::new();
                let _ended = builder.serve_connection(io, service).await;
            }
        });
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        server: &SimServer,
    ) -> Result<Answer, Error> {
        let (mut parts, body) = request.into_parts();
        let body = body.collect().await.map_err(Error::other)?.to_bytes();
        if self.echo && is_refused(parts.uri.path(), &body) {
            tokio::time::sleep(ECHO_AFTER).await;
            let headers = format!("bad request: {:?}", shown(&parts.headers));
            let text = serde_json::json!({ "error": { "message": headers } }).to_string();
            let mut refused = Response::new(whole(text.into()));
            *refused.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
            let json = HeaderValue::from_static("application/json");
            refused.headers_mut().insert(CONTENT_TYPE, json);
            return Ok(refused);
        }
        if let Some(elsewhere) = &self.elsewhere
            && is_refused(parts.uri.path(), &body)
        {
            let mut moved = Response::new(whole(Bytes::new()));
            *moved.status_mut() = http::StatusCode::TEMPORARY_REDIRECT;
            let to = HeaderValue::from_str(elsewhere).map_err(Error::other)?;
            moved.headers_mut().insert(http::header::LOCATION, to);
            return Ok(moved);
        }
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let Some(path) = path.strip_prefix(self.prefix.as_str()) else {
            let mut missing = Response::new(whole(Bytes::new()));
            *missing.status_mut() = http::StatusCode::NOT_FOUND;
            return Ok(missing);
        };
        parts.uri = path.parse().map_err(Error::other)?;
        parts.version = http::Version::HTTP_11;
        let host = HeaderValue::from_static("sim");
        parts.headers.entry(HOST).or_insert(host);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(server.connect()))
                .await
                .map_err(Error::other)?;
        let task = tokio::spawn(connection);
        let forwarded = Request::from_parts(parts, Full::new(body));
        let answer = sender.send_request(forwarded).await;
        let (head, body) = answer.map_err(Error::other)?.into_parts();
        let body = Passed {
            body,
            gzip: self
                .gzip
                .then(|| GzEncoder::new(Vec::new(), Compression::fast())),
            _upstream: Upstream(task.abort_handle()),
        };
        let mut answer = Response::from_parts(head, body.boxed());
        if self.gzip {
            let headers = answer.headers_mut();
            headers.remove(CONTENT_LENGTH);
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if self.http2 {
            answer.headers_mut().remove(http::header::CONNECTION);
            answer.headers_mut().remove(http::header::TRANSFER_ENCODING);
        }
        *answer.version_mut() = http::Version::default();
        Ok(answer)
    }
}

fn is_refused(path: &str, body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let long = body.get("max_tokens").and_then(Value::as_u64);
    path.ends_with("/tokenize") || long.is_some_and(|tokens| tokens >= ECHO_FROM)
}

/// Header by header with the values in the clear, as a careless server logs them.
fn shown(headers: &http::HeaderMap) -> Vec<(String, String)> {
    let pair = |(name, value): (&http::HeaderName, &HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.to_string(), value)
    };
    headers.iter().map(pair).collect()
}

fn whole(body: Bytes) -> BoxBody<Bytes, Error> {
    Full::new(body).map_err(|never| match never {}).boxed()
}

/// Ends the connection behind an answer with it, as the client's going away must.
struct Upstream(tokio::task::AbortHandle);

impl Drop for Upstream {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An answer that is handed on piece by piece.
struct Passed {
    body: Incoming,
    gzip: Option<GzEncoder<Vec<u8>>>,
    _upstream: Upstream,
}

impl Body for Passed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        let packed = match (frame, &mut this.gzip) {
            (Some(Err(error)), _) => Err(Error::other(error)),
            (Some(Ok(frame)), Some(gzip)) => match frame.into_data() {
                Ok(data) => pack(gzip, &data),
                Err(trailers) => Ok(trailers),
            },
            (Some(Ok(frame)), None) => Ok(frame),
            (None, _) => match this.gzip.take().map(GzEncoder::finish) {
                None => return Poll::Ready(None),
                Some(end) => end.map(|end| Frame::data(Bytes::from(end))),
            },
        };
        Poll::Ready(Some(packed))
    }
}

fn pack(gzip: &mut GzEncoder<Vec<u8>>, data: &[u8]) -> Result<Frame<Bytes>, Error> {
    gzip.write_all(data)?;
    gzip.flush()?;
    Ok(Frame::data(Bytes::from(std::mem::take(gzip.get_mut()))))
}
