//! What a person asks of a run while it works.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Skips cells, pauses between them, and chooses the stream that is looked at. Clones steer the same
/// run; ending it is the matter of its own token.
#[derive(Debug, Clone, Default)]
pub struct Steering(Arc<Wishes>);

#[derive(Debug)]
struct Wishes {
    cell: Mutex<Option<CancellationToken>>,
    paused: watch::Sender<bool>,
    looked_at: watch::Sender<Option<u32>>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            cell: Mutex::new(None),
            paused: watch::Sender::new(false),
            looked_at: watch::Sender::new(None),
        }
    }
}

impl Steering {
    /// Gives up the running cell; `false` when none runs.
    pub fn skip(&self) -> bool {
        let cell = self.cell();
        if let Some(cell) = cell.as_ref() {
            cell.cancel();
        }
        cell.is_some()
    }

    /// Waits after the running cell, or goes on.
    pub fn pause(&self, wanted: bool) {
        self.0.paused.send_replace(wanted);
    }

    /// Whether the run is to wait.
    pub fn is_paused(&self) -> bool {
        *self.0.paused.borrow()
    }

    /// Tells what this stream writes, or nothing any more.
    pub fn look_at(&self, stream: Option<u32>) {
        self.0.looked_at.send_replace(stream);
    }

    pub(crate) fn looked_at(&self) -> Option<u32> {
        *self.0.looked_at.borrow()
    }

    /// Ends when the run is not to wait any more.
    pub(crate) async fn resumed(&self) {
        let mut paused = self.0.paused.subscribe();
        // The sender lives as long as this.
        let _lives = paused.wait_for(|paused| !paused).await;
    }

    /// What is cancelled when the cell that begins now is skipped or the run is stopped.
    pub(crate) fn begin_cell(&self, stop: &CancellationToken) -> CancellationToken {
        let token = stop.child_token();
        *self.cell() = Some(token.clone());
        token
    }

    pub(crate) fn end_cell(&self) {
        *self.cell() = None;
    }

    /// A panic while the lock was held leaves a whole value.
    fn cell(&self) -> MutexGuard<'_, Option<CancellationToken>> {
        self.0.cell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
