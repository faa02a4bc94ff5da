//! How the sampling thread waits.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Waits between two readings.
pub trait Pace: Send {
    /// Waits for a span; `false` ends the sampling.
    fn wait(&mut self, span: Duration) -> bool;
}

/// Real time, ended by its other side being dropped.
pub(super) struct RealPace(pub(super) Receiver<()>);

impl Pace for RealPace {
    fn wait(&mut self, span: Duration) -> bool {
        matches!(self.0.recv_timeout(span), Err(RecvTimeoutError::Timeout))
    }
}
