//! What a connection knows about the times of its bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokmark_units::Nanos;

/// Where an arrival stamp comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StampSource {
    /// The kernel's receive timestamp of the last segment of the read.
    Kernel,
    /// The time when the read returned.
    Read,
}

/// When bytes arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// On the run's clock.
    pub at: Nanos,
    /// Where it comes from.
    pub source: StampSource,
    /// When the read returned, on the run's clock.
    pub read_at: Nanos,
    /// Whether the read found the socket's receive buffer more than half full.
    pub full: bool,
}

impl Stamp {
    /// The time when a read returned, for bytes without a better stamp.
    pub fn of_read(at: Nanos) -> Self {
        Self {
            at,
            source: StampSource::Read,
            read_at: at,
            full: false,
        }
    }

    /// How long the bytes waited in the kernel; `None` where nobody knows.
    pub fn lag(&self) -> Option<Nanos> {
        (self.source == StampSource::Kernel).then(|| self.read_at.saturating_sub(self.at))
    }
}

/// The last read's and the first write's times of one connection, shared between the byte stream
/// at the bottom and the request at the top. Both run in one task; the atomics only make it `Sync`.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    at: AtomicU64,
    read_at: AtomicU64,
    is_kernel: AtomicBool,
    full: AtomicBool,
    wrote: AtomicBool,
    wrote_at: AtomicU64,
}

impl Wire {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub(crate) fn set_read(&self, stamp: Stamp) {
        self.at.store(stamp.at.0, Ordering::Relaxed);
        self.read_at.store(stamp.read_at.0, Ordering::Relaxed);
        let is_kernel = stamp.source == StampSource::Kernel;
        self.is_kernel.store(is_kernel, Ordering::Relaxed);
        self.full.store(stamp.full, Ordering::Relaxed);
    }

    pub(crate) fn last_read(&self) -> Stamp {
        let source = if self.is_kernel.load(Ordering::Relaxed) {
            StampSource::Kernel
        } else {
            StampSource::Read
        };
        Stamp {
            at: Nanos(self.at.load(Ordering::Relaxed)),
            source,
            read_at: Nanos(self.read_at.load(Ordering::Relaxed)),
            full: self.full.load(Ordering::Relaxed),
        }
    }

    /// Before a request: its first write is still to come.
    pub(crate) fn arm_write(&self) {
        self.wrote.store(false, Ordering::Relaxed);
    }

    pub(crate) fn note_write(&self, now: impl FnOnce() -> Nanos) {
        if !self.wrote.load(Ordering::Relaxed) {
            self.wrote_at.store(now().0, Ordering::Relaxed);
            self.wrote.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn first_write(&self) -> Option<Nanos> {
        self.wrote
            .load(Ordering::Relaxed)
            .then(|| Nanos(self.wrote_at.load(Ordering::Relaxed)))
    }
}
