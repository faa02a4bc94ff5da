//! A TCP connection that a stream's own writer shares with the HTTP connection.
//!
//! The HTTP library parses requests and writes heads and ends of bodies. Between the head and the
//! end of a chunked body, whoever sends the events writes whole chunks straight to the socket: the
//! library has nothing to write while the body says that it has nothing. This takes a frame's way
//! through the library (polls, copies, bookkeeping) out of the cost of an event.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokmark_units::Nanos;

use super::clock::Clock;

/// A shared socket.
#[derive(Debug)]
pub(super) struct Wire {
    socket: TcpStream,
    clock: Clock,
    /// When the last bytes were received, on the server's clock.
    received: AtomicU64,
    /// How often everything that the HTTP connection had was written.
    flushes: AtomicU64,
    /// Who waits for the next time.
    waiting: Mutex<Option<Waker>>,
}

impl Wire {
    /// Takes a socket over.
    pub(super) fn new(socket: TcpStream, clock: Clock) -> Self {
        stamp::enable(&socket);
        Self {
            socket,
            clock,
            received: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            waiting: Mutex::new(None),
        }
    }

    /// When the last bytes of the last request arrived: the kernel's receive stamp where the system
    /// gives one, so that requests which come together do not wait for each other in it.
    pub(super) fn received(&self) -> Nanos {
        Nanos(self.received.load(Ordering::Relaxed))
    }

    /// Writes what the socket takes now; `WouldBlock` when that is nothing.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.try_write(bytes)
    }

    /// Waits until the socket takes something. Only for the HTTP connection's own task.
    pub(super) fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket.poll_write_ready(cx)
    }
}

/// The HTTP connection's side of a [`Wire`].
#[derive(Debug)]
pub(super) struct WireIo {
    wire: Arc<Wire>,
    stamps: stamp::Buffer,
}

impl WireIo {
    pub(super) fn new(wire: Arc<Wire>) -> Self {
        Self {
            wire,
            stamps: stamp::buffer(),
        }
    }
}

impl AsyncRead for WireIo {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { wire, stamps } = self.get_mut();
        loop {
            ready!(wire.socket.poll_read_ready(cx))?;
            match stamp::receive(&wire.socket, buf.initialize_unfilled(), stamps) {
                Ok((read, realtime)) => {
                    buf.advance(read);
                    if read > 0 {
                        let at = wire.clock.of_realtime(realtime);
                        wire.received.store(at.0, Ordering::Relaxed);
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(error) if retried(&error) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

fn retried(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

impl AsyncWrite for WireIo {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.wire.poll_writable(cx))?;
            match self.wire.try_write(bytes) {
                Err(error) if retried(&error) => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The HTTP connection flushes once it has handed over all its bytes.
        self.wire.flushes.fetch_add(1, Ordering::Release);
        let mut waiting = self.wire.waiting.lock();
        let waker = waiting
            .as_mut()
            .map_or_else(|poisoned| poisoned.get_mut().take(), |waker| waker.take());
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A writer may still hold the socket, so that dropping this would not end it.
        #[cfg(unix)]
        {
            use std::os::fd::AsRawFd;
            let fd = self.wire.socket.as_raw_fd();
            // A peer that is gone has no use for an orderly end.
            let _gone = nix::sys::socket::shutdown(fd, nix::sys::socket::Shutdown::Write);
        }
        Poll::Ready(Ok(()))
    }
}

/// Tells a body when the head before it has been written.
#[derive(Debug)]
pub(super) struct AfterHead {
    /// Flushes when the body was first asked; the head is written with the next one.
    since: Option<u64>,
}

impl AfterHead {
    pub(super) fn new() -> Self {
        Self { since: None }
    }

    /// Ready once the head is on its way.
    pub(super) fn poll(&mut self, wire: &Wire, cx: &mut Context<'_>) -> Poll<()> {
        let flushes = wire.flushes.load(Ordering::Acquire);
        let since = *self.since.get_or_insert(flushes);
        if flushes > since {
            return Poll::Ready(());
        }
        // Flushing happens in the task that polls bodies, so none can come in between.
        *wire.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// Receive stamps of the kernel.
#[cfg(target_os = "linux")]
mod stamp {
    use std::io;
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
    use tokio::io::Interest;
    use tokio::net::TcpStream;

    /// Room for the stamp.
    pub(super) type Buffer = Vec<u8>;

    pub(super) fn buffer() -> Buffer {
        nix::cmsg_space!(nix::sys::time::TimeSpec)
    }

    pub(super) fn enable(socket: &TcpStream) {
        if let Err(error) = setsockopt(socket, sockopt::ReceiveTimestampns, &true) {
            tracing::debug!(%error, "no receive stamps; requests arrive when they are read");
        }
    }

    /// Reads once: the number of bytes, and when the last of them arrived since 1970.
    pub(super) fn receive(
        socket: &TcpStream,
        into: &mut [u8],
        control: &mut Buffer,
    ) -> io::Result<(usize, Option<Duration>)> {
        let fd = socket.as_raw_fd();
        socket.try_io(Interest::READABLE, || {
            let mut slices = [io::IoSliceMut::new(into)];
            let message = recvmsg::<()>(fd, &mut slices, Some(control), MsgFlags::empty())
                .map_err(io::Error::from)?;
            let stamp = message.cmsgs().ok().and_then(|mut all| {
                all.find_map(|one| match one {
                    ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
                    _ => None,
                })
            });
            Ok((message.bytes, stamp))
        })
    }
}

/// Other systems: requests arrive when they are read.
#[cfg(not(target_os = "linux"))]
mod stamp {
    use std::io;
    use std::time::Duration;

    use tokio::net::TcpStream;

    pub(super) type Buffer = ();

    pub(super) fn buffer() -> Buffer {}

    pub(super) fn enable(_: &TcpStream) {}

    pub(super) fn receive(
        socket: &TcpStream,
        into: &mut [u8],
        (): &mut Buffer,
    ) -> io::Result<(usize, Option<Duration>)> {
        socket.try_read(into).map(|read| (read, None))
    }
}
