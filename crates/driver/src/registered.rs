//! The one unsafe call of this crate: handing a socket to tokio's reactor as a bare descriptor.
//!
//! tokio's own `TcpStream` cannot be told that a short read emptied the socket, unless it does the
//! read itself, and then there is no receive timestamp: every token would cost a second system
//! call that finds nothing.
#![expect(
    unsafe_code,
    reason = "`AsyncFd::register` leaves the descriptor's lifetime to its caller"
)]

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

/// Registers a socket with the current runtime.
pub(crate) fn register(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open and names the same descriptor until it is dropped, and the
    // `AsyncFd` owns it: nobody else can close or replace it.
    let registered = unsafe { AsyncFd::register(fd) };
    registered.map_err(|error| error.into_parts().1)
}
