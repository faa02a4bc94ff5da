//! Unix sockets: a server on this machine that listens on a path.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixStream;

use crate::clock::Clock;
use crate::stamp::Wire;
use crate::tcp::StampedReads;

/// A connection to a socket. The kernel gives no receive timestamps on these, so that reads are
/// stamped when they return.
pub(crate) async fn open(
    path: &Path,
    patience: Duration,
    clock: Clock,
    wire: &Arc<Wire>,
) -> io::Result<StampedReads<UnixStream>> {
    let stream = tokio::time::timeout(patience, UnixStream::connect(path))
        .await
        .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "no answer in time"))??;
    Ok(StampedReads::new(stream, clock, Arc::clone(wire)))
}
