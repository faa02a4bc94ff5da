//! HTTP/1.1 on the measured path.
//!
//! A general client hands every piece of a body through a channel between its connection and its
//! body. That costs as much as the system call which brought it, and at ten thousand tokens a
//! second the client would be what is measured. Here the bytes of a read are cut where they lie:
//! heads by `httparse`, bodies by [`crate::body`].

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use http::HeaderMap;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Io;
use crate::body::{Body, Framing};
use crate::clock::Clock;
use crate::exchange::{ExchangeEnd, ExchangeError, Head, Outgoing, Piece};
use crate::stamp::{Stamp, Wire};

/// Bytes that one read can bring. All connections of a thread share the buffer, so that an idle
/// stream costs no memory for it.
const READ_BYTES: usize = 128 * 1024;
/// Reads in a row of one connection before the thread's others have their turn.
const READS_IN_A_ROW: u32 = 4;
/// The most bytes of a response's head.
const HEAD_LIMIT: usize = 64 * 1024;
/// The most header fields of a response.
const HEADER_FIELDS: usize = 128;
/// A body up to this size is written together with its head.
const JOINED_WRITE: usize = 16 * 1024;

thread_local! {
    static READ_BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into_boxed_slice());
}

/// An open connection.
pub(crate) struct Http1 {
    io: Box<dyn Io>,
    wire: Arc<Wire>,
    clock: Clock,
    /// Whether it can take another request.
    open: bool,
}

/// What a response has brought so far.
enum Progress {
    /// The head is not complete; these bytes of it have come.
    Head(Vec<u8>),
    /// The body, and whether the server keeps the connection after it.
    Body(Body, bool),
}

/// A response's head, read.
struct ReadHead {
    head: Head,
    framing: Framing,
    /// Whether the server keeps the connection.
    keeps: bool,
    /// Bytes up to its end.
    length: usize,
}

impl Http1 {
    pub(crate) fn new(io: Box<dyn Io>, wire: Arc<Wire>, clock: Clock) -> Self {
        Self {
            io,
            wire,
            clock,
            open: true,
        }
    }

    /// Whether another request can be sent. A server that closed the connection meanwhile is
    /// noticed here: nothing may have come since the last response.
    pub(crate) fn is_open(&mut self) -> bool {
        if self.open {
            let mut byte = [0];
            let mut buffer = ReadBuf::new(&mut byte);
            let mut cx = Context::from_waker(Waker::noop());
            self.open = Pin::new(&mut self.io)
                .poll_read(&mut cx, &mut buffer)
                .is_pending();
        }
        self.open
    }

    pub(crate) async fn exchange(
        &mut self,
        outgoing: &Outgoing,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> ExchangeEnd {
        self.wire.arm_write();
        self.open = false;
        let mut progress = Progress::Head(Vec::new());
        let written = self.send(outgoing).await;
        let sent = self.wire.first_write();
        if let Some(at) = sent {
            piece(Piece::Sent(at));
        }
        // A server may refuse a request before it has read it whole: its answer counts.
        let received = poll_fn(|cx| self.poll_receive(cx, &mut progress, piece)).await;
        let at = self.clock.now();
        match (received, written) {
            (Ok(reusable), _) => {
                self.open = reusable;
                ExchangeEnd::Complete(at)
            }
            (Err(error), Ok(())) => ExchangeEnd::broken(at, sent.is_some(), error),
            (Err(_), Err(error)) => {
                ExchangeEnd::broken(at, sent.is_some(), ExchangeError::Io(error))
            }
        }
    }

    async fn send(&mut self, outgoing: &Outgoing) -> io::Result<()> {
        let mut head = request_head(outgoing);
        if outgoing.body.len() <= JOINED_WRITE {
            head.extend_from_slice(&outgoing.body);
            self.write_all(&head).await?;
        } else {
            self.write_all(&head).await?;
            self.write_all(&outgoing.body).await?;
        }
        poll_fn(|cx| Pin::new(&mut self.io).poll_flush(cx)).await
    }

    async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = poll_fn(|cx| Pin::new(&mut self.io).poll_write(cx, rest)).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads until the response is complete; then whether the connection can be used again.
    fn poll_receive(
        &mut self,
        cx: &mut Context<'_>,
        progress: &mut Progress,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> Poll<Result<bool, ExchangeError>> {
        READ_BUFFER.with_borrow_mut(|buffer| {
            for _ in 0..READS_IN_A_ROW {
                let mut read = ReadBuf::new(buffer);
                if let Err(error) = ready!(Pin::new(&mut self.io).poll_read(cx, &mut read)) {
                    return Poll::Ready(Err(ExchangeError::Io(error)));
                }
                let bytes = read.filled();
                if bytes.is_empty() {
                    return Poll::Ready(closed(progress));
                }
                match take(progress, bytes, self.wire.last_read(), piece) {
                    Ok(None) => {}
                    Ok(Some(reusable)) => return Poll::Ready(Ok(reusable)),
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
    }
}

/// What a closed connection means for a response.
fn closed(progress: &Progress) -> Result<bool, ExchangeError> {
    match progress {
        Progress::Body(body, _) if body.ends_with_connection() => Ok(false),
        Progress::Body(..) => Err(ExchangeError::ClosedInBody),
        Progress::Head(_) => Err(ExchangeError::ClosedBeforeHead),
    }
}

/// Takes the bytes of one read in. `Some` when the response is complete: whether its connection
/// can be used again, which bytes behind the response forbid.
fn take(
    progress: &mut Progress,
    bytes: &[u8],
    stamp: Stamp,
    piece: &mut (dyn FnMut(Piece<'_>) + Send),
) -> Result<Option<bool>, ExchangeError> {
    match progress {
        Progress::Body(body, keeps) => take_body(body, *keeps, bytes, stamp, piece),
        Progress::Head(seen) => {
            seen.extend_from_slice(bytes);
            let Some(read) = read_head(seen)? else {
                return Ok(None);
            };
            let mut body = Body::of(read.head.status, read.framing);
            let rest = seen.get(read.length..).unwrap_or_default();
            piece(Piece::Head(read.head, stamp));
            let end = take_body(&mut body, read.keeps, rest, stamp, piece)?;
            *progress = Progress::Body(body, read.keeps);
            Ok(end)
        }
    }
}

fn take_body(
    body: &mut Body,
    keeps: bool,
    bytes: &[u8],
    stamp: Stamp,
    piece: &mut (dyn FnMut(Piece<'_>) + Send),
) -> Result<Option<bool>, ExchangeError> {
    let taken = body.take(bytes, &mut |data| piece(Piece::Data(data, stamp)))?;
    Ok((*body == Body::Done).then_some(keeps && taken == bytes.len()))
}

/// The head that `bytes` begin with; `None` while it is not complete. Interim responses (1xx) are
/// skipped.
fn read_head(bytes: &[u8]) -> Result<Option<ReadHead>, ExchangeError> {
    let mut length = 0;
    loop {
        let rest = bytes.get(length..).unwrap_or_default();
        let mut fields = [httparse::EMPTY_HEADER; HEADER_FIELDS];
        let mut response = httparse::Response::new(&mut fields);
        length += match response.parse(rest).map_err(ExchangeError::Head)? {
            httparse::Status::Complete(length) => length,
            httparse::Status::Partial if bytes.len() > HEAD_LIMIT => {
                return Err(ExchangeError::HeadTooLong);
            }
            httparse::Status::Partial => return Ok(None),
        };
        let status = response.code.unwrap_or(0);
        if !(100..200).contains(&status) {
            return Ok(Some(ReadHead {
                head: Head::of(status, |name| field(response.headers, name)),
                framing: framing(response.headers)?,
                keeps: keeps(response.version, response.headers),
                length,
            }));
        }
    }
}

/// Whether the server keeps the connection: HTTP/1.1 does unless it says otherwise.
fn keeps(minor_version: Option<u8>, fields: &[httparse::Header<'_>]) -> bool {
    let said = field(fields, "connection").unwrap_or_default();
    let says = |word: &str| {
        said.split(',')
            .any(|one| one.trim().eq_ignore_ascii_case(word))
    };
    match minor_version {
        Some(1) => !says("close"),
        _ => says("keep-alive"),
    }
}

/// The value of the first field of this name, when it is text.
fn field<'a>(fields: &[httparse::Header<'a>], name: &str) -> Option<&'a str> {
    let found = fields
        .iter()
        .find(|field| field.name.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(found.value).ok()
}

/// How the head says that its body ends. `Transfer-Encoding` outweighs `Content-Length`.
fn framing(fields: &[httparse::Header<'_>]) -> Result<Framing, ExchangeError> {
    if let Some(encoding) = field(fields, "transfer-encoding") {
        let last = encoding.rsplit(',').next().unwrap_or_default().trim();
        return Ok(if last.eq_ignore_ascii_case("chunked") {
            Framing::Chunked
        } else {
            Framing::UntilClose
        });
    }
    field(fields, "content-length").map_or(Ok(Framing::UntilClose), |length| {
        let length = length.trim().parse().map_err(|_| ExchangeError::Length)?;
        Ok(Framing::Length(length))
    })
}

fn request_head(outgoing: &Outgoing) -> Vec<u8> {
    let mut head = Vec::with_capacity(512 + outgoing.body.len().min(JOINED_WRITE));
    head.extend_from_slice(b"POST ");
    head.extend_from_slice(outgoing.path.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\n");
    write_fields(&outgoing.headers, &mut head);
    head.extend_from_slice(format!("content-length: {}\r\n\r\n", outgoing.body.len()).as_bytes());
    head
}

fn write_fields(headers: &HeaderMap, into: &mut Vec<u8>) {
    for (name, value) in headers {
        into.extend_from_slice(name.as_str().as_bytes());
        into.extend_from_slice(b": ");
        into.extend_from_slice(value.as_bytes());
        into.extend_from_slice(b"\r\n");
    }
}
