//! Byte streams that stamp their reads and their first write.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::clock::{Clock, RealtimeOffset};
use crate::stamp::{Stamp, StampSource, Wire};

/// A TCP stream whose reads carry the kernel's receive timestamp where the system offers one.
pub(crate) struct StampedTcp {
    stream: TcpStream,
    clock: Clock,
    offset: Arc<RealtimeOffset>,
    wire: Arc<Wire>,
    kernel: bool,
    #[cfg(target_os = "linux")]
    control: Vec<u8>,
}

impl StampedTcp {
    pub(crate) fn new(
        stream: TcpStream,
        clock: Clock,
        offset: Arc<RealtimeOffset>,
        wire: Arc<Wire>,
    ) -> Self {
        let kernel = enable_kernel_stamps(&stream);
        Self {
            stream,
            clock,
            offset,
            wire,
            kernel,
            #[cfg(target_os = "linux")]
            control: nix::cmsg_space!(nix::sys::time::TimeSpec),
        }
    }

    fn read_time(&self) -> Stamp {
        Stamp {
            at: self.clock.now(),
            source: StampSource::Read,
        }
    }
}

#[cfg(target_os = "linux")]
fn enable_kernel_stamps(stream: &TcpStream) -> bool {
    nix::sys::socket::setsockopt(stream, nix::sys::socket::sockopt::ReceiveTimestampns, &true)
        .is_ok()
}

#[cfg(not(target_os = "linux"))]
fn enable_kernel_stamps(_stream: &TcpStream) -> bool {
    false
}

#[cfg(target_os = "linux")]
impl StampedTcp {
    /// One `recvmsg`: the bytes, and the kernel's stamp of the last segment among them.
    fn receive(&mut self, into: &mut [u8]) -> io::Result<(usize, Option<i128>)> {
        use std::os::fd::AsRawFd;

        use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

        let fd = self.stream.as_raw_fd();
        let control = &mut self.control;
        self.stream.try_io(tokio::io::Interest::READABLE, || {
            let mut slices = [io::IoSliceMut::new(into)];
            let message = recvmsg::<()>(fd, &mut slices, Some(control), MsgFlags::empty())
                .map_err(io::Error::from)?;
            let stamp = message.cmsgs().ok().and_then(|mut all| {
                all.find_map(|one| match one {
                    ControlMessageOwned::ScmTimestampns(at) => {
                        Some(i128::from(at.tv_sec()) * 1_000_000_000 + i128::from(at.tv_nsec()))
                    }
                    _ => None,
                })
            });
            Ok((message.bytes, stamp))
        })
    }

    fn poll_stamped(
        &mut self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(cx))?;
            match self.receive(buf.initialize_unfilled()) {
                Ok((n, kernel)) => {
                    buf.advance(n);
                    let stamp = kernel.and_then(|ns| self.offset.convert(ns)).map_or_else(
                        || self.read_time(),
                        |at| Stamp {
                            at,
                            source: StampSource::Kernel,
                        },
                    );
                    if n > 0 {
                        self.wire.set_read(stamp);
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }
}

impl AsyncRead for StampedTcp {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        #[cfg(target_os = "linux")]
        if this.kernel {
            return this.poll_stamped(cx, buf);
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            this.wire.set_read(this.read_time());
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for StampedTcp {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let clock = this.clock;
        this.wire.note_write(|| clock.now());
        Pin::new(&mut this.stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
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
            this.wire.set_read(Stamp {
                at: this.clock.now(),
                source: StampSource::Read,
            });
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
