//! One HTTP/2 connection and the requests on it, one after the other.
//!
//! A stream slot has a connection of its own, as with HTTP/1.1: streams that share a connection
//! would share its congestion window, and one stamp would speak for the bytes of many.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use h2::Ping;
use h2::client::{Builder, ResponseFuture, SendRequest};
use http::header::{CONNECTION, HOST};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, Request, Uri};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Io;
use crate::clock::Clock;
use crate::connect::{ConnectError, Connected};
use crate::exchange::{ExchangeEnd, ExchangeError, Head, Outgoing, Piece};
use crate::stamp::Wire;

/// Bytes that the server may send ahead of what was taken. A stream of tokens never comes near it,
/// so that flow control cannot slow down what is measured.
const WINDOW: u32 = 16 << 20;

/// Longest wait for the server's first frames.
const PATIENCE: Duration = Duration::from_secs(10);

type Wired = h2::client::Connection<OneRead<Box<dyn Io>>, Bytes>;

/// An open HTTP/2 connection. Dropping it closes it, which cancels its request.
pub(crate) struct Http2 {
    sender: SendRequest<Bytes>,
    link: Link,
    wire: Arc<Wire>,
    clock: Clock,
    scheme: Scheme,
}

impl Http2 {
    /// Greets the server and waits until it has answered, so that the first request finds a
    /// connection on which nothing is left to be settled.
    pub(crate) async fn open(connected: Connected, clock: Clock) -> Result<Self, ConnectError> {
        let open = tokio::time::timeout(PATIENCE, Self::greet(connected, clock))
            .await
            .unwrap_or_else(|_| {
                let silent = "no answer to its greeting in time";
                Err(io::Error::new(io::ErrorKind::TimedOut, silent))
            });
        open.map_err(ConnectError::Http2)
    }

    async fn greet(connected: Connected, clock: Clock) -> io::Result<Self> {
        let turn = Arc::new(AtomicBool::new(true));
        let io = OneRead {
            inner: connected.io,
            turn: Arc::clone(&turn),
        };
        let (sender, mut wired) = Builder::new()
            .enable_push(false)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(io)
            .await
            .map_err(plain)?;
        let mut pings = wired.ping_pong();
        let mut link = Link {
            wired: Some(wired),
            turn,
            ended: None,
        };
        if let Some(pings) = &mut pings {
            pings.send_ping(Ping::opaque()).map_err(plain)?;
            // The server's settings come before its answer to the ping.
            poll_fn(|cx| link.drive_until(cx, |cx| pings.poll_pong(cx)))
                .await
                .map_err(|error| link.cause(error))?;
        }
        let scheme = if connected.secure {
            Scheme::HTTPS
        } else {
            Scheme::HTTP
        };
        Ok(Self {
            sender,
            link,
            wire: connected.wire,
            clock,
            scheme,
        })
    }

    /// Whether another request can be sent. A server that said goodbye meanwhile is noticed here.
    pub(crate) fn is_open(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        while self.link.turn(&mut cx) {}
        self.link.wired.is_some()
    }

    /// Sends one request and hands every piece of the answer to `piece`. The connection reads once,
    /// then what the read brought is handed out, before the next read: so the last read's stamp is
    /// the stamp of these bytes.
    pub(crate) async fn exchange(
        &mut self,
        outgoing: &Outgoing,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> ExchangeEnd {
        // What the server said since the last answer is read, and answered, before the clock starts.
        self.link.settle().await;
        self.wire.arm_write();
        let sender = &mut self.sender;
        let link = &mut self.link;
        let ready = poll_fn(|cx| link.drive_until(cx, |cx| sender.poll_ready(cx))).await;
        let sent = ready.and_then(|()| send(sender, request(outgoing, &self.scheme), outgoing));
        let response = match sent {
            Ok(response) => response,
            Err(source) => return self.broken(source),
        };
        let ended = self.receive(response, piece).await;
        if let Err(source) = ended {
            return self.broken(source);
        }
        ExchangeEnd::Complete(self.clock.now())
    }

    async fn receive(
        &mut self,
        mut response: ResponseFuture,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> Result<(), h2::Error> {
        let (wire, link) = (&self.wire, &mut self.link);
        let mut announced = false;
        let answered = poll_fn(|cx| {
            link.drive_until(cx, |cx| {
                announce(wire, &mut announced, piece);
                Pin::new(&mut response).poll(cx)
            })
        })
        .await;
        announce(wire, &mut announced, piece);
        let response = answered?;
        let (head, mut body) = response.into_parts();
        let field = |name: &str| head.headers.get(name)?.to_str().ok();
        let head = Head::of(head.status.as_u16(), field);
        piece(Piece::Head(head, wire.last_read()));
        loop {
            let data = poll_fn(|cx| link.drive_until(cx, |cx| body.poll_data(cx))).await;
            let Some(bytes) = data.transpose()? else {
                return Ok(());
            };
            // Gives the server its window back.
            body.flow_control().release_capacity(bytes.len())?;
            if !bytes.is_empty() {
                piece(Piece::Data(&bytes, wire.last_read()));
            }
        }
    }

    fn broken(&mut self, source: h2::Error) -> ExchangeEnd {
        let sent = self.wire.first_write().is_some();
        let source = ExchangeError::Io(self.link.cause(source));
        ExchangeEnd::broken(self.clock.now(), sent, source)
    }
}

fn announce(wire: &Wire, announced: &mut bool, piece: &mut (dyn FnMut(Piece<'_>) + Send)) {
    if !*announced && let Some(at) = wire.first_write() {
        *announced = true;
        piece(Piece::Sent(at));
    }
}

fn send(
    sender: &mut SendRequest<Bytes>,
    request: Request<()>,
    outgoing: &Outgoing,
) -> Result<ResponseFuture, h2::Error> {
    let body = outgoing.body.clone();
    let (response, mut stream) = sender.send_request(request, body.is_empty())?;
    if !body.is_empty() {
        stream.send_data(body, true)?;
    }
    Ok(response)
}

/// The request with its authority where HTTP/2 has it.
fn request(outgoing: &Outgoing, scheme: &Scheme) -> Request<()> {
    let mut headers = HeaderMap::clone(&outgoing.headers);
    let host = headers.remove(HOST);
    // Says how HTTP/1.1 connections are used, and is forbidden here (RFC 9113 section 8.2.2).
    headers.remove(CONNECTION);
    let authority = host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let mut parts = http::uri::Parts::default();
    parts.path_and_query = PathAndQuery::try_from(outgoing.path.as_ref()).ok();
    parts.scheme = authority.is_some().then(|| scheme.clone());
    parts.authority = authority;
    let mut request = Request::new(());
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = Uri::from_parts(parts).unwrap_or_else(|_| Uri::from_static("/"));
    *request.version_mut() = http::Version::HTTP_2;
    *request.headers_mut() = headers;
    request
}

/// The connection below the requests, driven by whoever waits for one.
struct Link {
    /// `None` once it has ended.
    wired: Option<Wired>,
    /// Whether the connection may read.
    turn: Arc<AtomicBool>,
    /// Why it ended, when that was a fault.
    ended: Option<h2::Error>,
}

impl Link {
    /// Polls `wanted` and the connection in turn, one read at a time, until `wanted` is there or
    /// nothing more can be read.
    fn drive_until<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut wanted: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        loop {
            if let Poll::Ready(got) = wanted(cx) {
                return Poll::Ready(got);
            }
            if !self.turn(cx) {
                return wanted(cx);
            }
        }
    }

    /// Lets the connection write, and read once; says whether it read.
    fn turn(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(open) = &mut self.wired else {
            return false;
        };
        self.turn.store(true, Ordering::Relaxed);
        if let Poll::Ready(ended) = Pin::new(open).poll(cx) {
            self.wired = None;
            self.ended = ended.err();
            return false;
        }
        !self.turn.load(Ordering::Relaxed)
    }

    /// Reads and answers what is there without waiting.
    async fn settle(&mut self) {
        poll_fn(|cx| {
            while self.turn(cx) {}
            Poll::Ready(())
        })
        .await;
    }

    /// An error as the system's, where the system's is behind it: streams of a connection that
    /// broke are told less than the connection itself.
    fn cause(&mut self, error: h2::Error) -> io::Error {
        match self.ended.take() {
            Some(ended) if !error.is_reset() => plain(ended),
            _ => plain(error),
        }
    }
}

/// The system's error, or one in the words of HTTP/2. A stream that the server reset is a reset.
fn plain(error: h2::Error) -> io::Error {
    if error.is_io() {
        return error
            .into_io()
            .unwrap_or_else(|| io::ErrorKind::BrokenPipe.into());
    }
    let kind = if error.is_reset() && error.is_remote() {
        io::ErrorKind::ConnectionReset
    } else {
        io::ErrorKind::InvalidData
    };
    io::Error::new(kind, error)
}

/// A byte stream that gives one read per turn and then waits for the next turn.
struct OneRead<T> {
    inner: T,
    turn: Arc<AtomicBool>,
}

impl<T: AsyncRead + Unpin> AsyncRead for OneRead<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.turn.load(Ordering::Relaxed) {
            // Whoever drives the connection sees that it read, and comes again.
            return Poll::Pending;
        }
        ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        this.turn.store(false, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for OneRead<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tokmark_units::Nanos;

    use super::*;
    use crate::stamp::Stamp;

    /// Reads single bytes, each with its number as the time of its arrival.
    struct ByteByByte<T> {
        inner: T,
        wire: Arc<Wire>,
        count: u64,
    }

    impl<T: AsyncRead + Unpin> AsyncRead for ByteByByte<T> {
        fn poll_read(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let this = self.get_mut();
            let mut one = [0];
            let mut byte = ReadBuf::new(&mut one);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut byte))?;
            if !byte.filled().is_empty() {
                buf.put_slice(byte.filled());
                this.count += 1;
                this.wire.set_read(Stamp::of_read(Nanos(this.count)));
            }
            Poll::Ready(Ok(()))
        }
    }

    impl<T: AsyncWrite + Unpin> AsyncWrite for ByteByByte<T> {
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let this = self.get_mut();
            this.wire.note_write(|| Nanos(this.count));
            Pin::new(&mut this.inner).poll_write(cx, bytes)
        }

        fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.get_mut().inner).poll_flush(cx)
        }

        fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
        }
    }

    /// Sends frames of 1, 2, 3, … bytes, all at once.
    async fn serve(io: tokio::io::DuplexStream) {
        let mut connection = h2::server::handshake(io).await.unwrap();
        while let Some(accepted) = connection.accept().await {
            let (_request, mut answer) = accepted.unwrap();
            let mut out = answer
                .send_response(http::Response::new(()), false)
                .unwrap();
            for length in 1..=20 {
                out.send_data(Bytes::from(vec![b'x'; length]), length == 20)
                    .unwrap();
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_have_the_stamp_of_the_read_that_brought_them() {
        let (client, server) = tokio::io::duplex(65_536);
        tokio::spawn(serve(server));
        let wire = Wire::new();
        let connected = Connected {
            io: Box::new(ByteByByte {
                inner: client,
                wire: Arc::clone(&wire),
                count: 0,
            }),
            wire,
            took: Nanos::ZERO,
            address: String::new(),
            protocol: crate::Protocol::Http2,
            secure: false,
        };
        let mut open = Http2::open(connected, Clock::start()).await.unwrap();
        let host = (HOST, http::HeaderValue::from_static("box"));
        let outgoing = Outgoing {
            due: Nanos::ZERO,
            path: "/".into(),
            headers: Arc::new(HeaderMap::from_iter([host])),
            body: Bytes::from_static(b"{}"),
        };
        let mut arrived: HashMap<usize, u64> = HashMap::new();
        let end = open
            .exchange(&outgoing, &mut |piece: Piece<'_>| {
                if let Piece::Data(bytes, stamp) = piece {
                    arrived.insert(bytes.len(), stamp.at.0);
                }
            })
            .await;
        assert!(matches!(end, ExchangeEnd::Complete(_)), "{end:?}");
        for length in 2..=20 {
            // A frame is its text behind nine bytes of head (RFC 9113 section 4.1).
            let gap = arrived[&length] - arrived[&(length - 1)];
            assert_eq!(gap, u64::try_from(length).unwrap() + 9);
        }
    }
}
