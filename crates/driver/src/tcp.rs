//! Sockets whose reads carry the kernel's receive timestamp where the system offers one.

use std::io;
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use nix::sys::socket::{MsgFlags, send, setsockopt, shutdown, sockopt};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::{Clock, RealtimeOffset};
use crate::registered::register;
use crate::stamp::{Stamp, StampSource, Wire};

/// A connected stream socket.
pub(crate) struct StampedSocket {
    fd: AsyncFd<OwnedFd>,
    clock: Clock,
    offset: Arc<RealtimeOffset>,
    wire: Arc<Wire>,
    /// Whether the kernel takes arrival times for this socket.
    stamped: bool,
    /// A read of this many bytes found the receive buffer more than half full: the kernel counts
    /// its own bookkeeping, which is at least as large as small segments are.
    half_full: usize,
}

impl StampedSocket {
    pub(crate) fn tcp(
        stream: TcpStream,
        clock: Clock,
        offset: Arc<RealtimeOffset>,
        wire: Arc<Wire>,
    ) -> io::Result<Self> {
        // Without it the kernel may hold back a small request until the last one is acknowledged.
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Self::new(stream.into(), clock, offset, wire)
    }

    fn new(
        fd: OwnedFd,
        clock: Clock,
        offset: Arc<RealtimeOffset>,
        wire: Arc<Wire>,
    ) -> io::Result<Self> {
        let buffer = nix::sys::socket::getsockopt(&fd, sockopt::RcvBuf).unwrap_or(0);
        Ok(Self {
            fd: register(fd)?,
            clock,
            offset,
            wire,
            stamped: false,
            half_full: if buffer == 0 { usize::MAX } else { buffer / 4 },
        })
    }

    /// Asks the kernel for arrival times. Where it has none, reads are stamped when they return.
    pub(crate) fn with_kernel_stamps(mut self) -> Self {
        self.stamped = enable_stamps(self.fd.get_ref());
        self
    }

    fn stamp(&self, kernel_ns: Option<i128>, read: usize) -> Stamp {
        let read_at = self.clock.now();
        let full = read >= self.half_full;
        let at = kernel_ns.and_then(|ns| self.offset.convert(ns, read_at));
        let of_read = Stamp {
            full,
            ..Stamp::of_read(read_at)
        };
        at.map_or(of_read, |at| Stamp {
            at,
            source: StampSource::Kernel,
            ..of_read
        })
    }
}

#[cfg(target_os = "linux")]
fn enable_stamps(fd: &impl AsFd) -> bool {
    setsockopt(fd, sockopt::ReceiveTimestampns, &true).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn enable_stamps(_fd: &impl AsFd) -> bool {
    false
}

/// Has the kernel stamp arrivals as long as the result lives. It begins a moment after the first
/// socket asks for stamps, so that the first answers of a run would come without.
pub(crate) fn keep_stamping() -> Option<UdpSocket> {
    // Never used to send or receive: any socket will do, and this kind needs no peer.
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    enable_stamps(&socket).then_some(socket)
}

/// One read: the bytes, and the kernel's stamp of the last segment among them, in nanoseconds
/// since 1970.
#[cfg(target_os = "linux")]
fn receive(fd: RawFd, into: &mut [u8], stamped: bool) -> io::Result<(usize, Option<i128>)> {
    use nix::sys::socket::{ControlMessageOwned, recvmsg};

    if !stamped {
        return plain_receive(fd, into);
    }
    // On the stack: this runs for every token.
    let mut control = [0_u8; 64];
    let mut slices = [io::IoSliceMut::new(into)];
    let message = recvmsg::<()>(fd, &mut slices, Some(&mut control), MsgFlags::empty())?;
    let stamp = message.cmsgs().ok().and_then(|mut all| {
        all.find_map(|one| match one {
            ControlMessageOwned::ScmTimestampns(at) => {
                Some(i128::from(at.tv_sec()) * 1_000_000_000 + i128::from(at.tv_nsec()))
            }
            _ => None,
        })
    });
    Ok((message.bytes, stamp))
}

#[cfg(not(target_os = "linux"))]
fn receive(fd: RawFd, into: &mut [u8], _stamped: bool) -> io::Result<(usize, Option<i128>)> {
    plain_receive(fd, into)
}

fn plain_receive(fd: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<i128>)> {
    let read = nix::sys::socket::recv(fd, into, MsgFlags::empty())?;
    Ok((read, None))
}

impl AsyncRead for StampedSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            let mut guard = ready!(this.fd.poll_read_ready(cx))?;
            let into = buf.initialize_unfilled();
            let room = into.len();
            match receive(this.fd.as_raw_fd(), into, this.stamped) {
                Ok((read, kernel_ns)) => {
                    // Less than there was room for: the socket is empty, and the next arrival says
                    // so. This saves one system call for every token.
                    if read > 0 && read < room {
                        guard.clear_ready();
                    }
                    buf.advance(read);
                    if read > 0 {
                        this.wire.set_read(this.stamp(kernel_ns, read));
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => guard.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for StampedSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        loop {
            let mut guard = ready!(this.fd.poll_write_ready(cx))?;
            this.wire.note_write(|| this.clock.now());
            match send(this.fd.as_raw_fd(), bytes, no_signal()).map_err(io::Error::from) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => guard.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return Poll::Ready(other),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let fd = self.fd.as_raw_fd();
        Poll::Ready(shutdown(fd, nix::sys::socket::Shutdown::Write).map_err(io::Error::from))
    }
}

/// A peer that is gone is an error of this write, not a signal for the process.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn no_signal() -> MsgFlags {
    MsgFlags::MSG_NOSIGNAL
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
fn no_signal() -> MsgFlags {
    MsgFlags::empty()
}

/// Any byte stream, stamped with the time when a read returned.
pub(crate) struct StampedReads<T> {
    inner: T,
    clock: Clock,
    wire: Arc<Wire>,
}

impl<T> StampedReads<T> {
    pub(crate) fn new(inner: T, clock: Clock, wire: Arc<Wire>) -> Self {
        Self { inner, clock, wire }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for StampedReads<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            this.wire.set_read(Stamp::of_read(this.clock.now()));
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for StampedReads<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let clock = this.clock;
        this.wire.note_write(|| clock.now());
        Pin::new(&mut this.inner).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}
