//! A server's lives: it can be killed for good, or die and come back after a while.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::clock;
use super::core::Command;

/// Whether the server is up, and what ends with its present life.
#[derive(Debug, Clone)]
pub(super) struct Lives {
    dead: CancellationToken,
    /// The token of the present life, cancelled at its end; `None` while the server is away.
    present: watch::Sender<Option<CancellationToken>>,
}

impl Lives {
    /// The first life.
    pub(super) fn start() -> Self {
        let dead = CancellationToken::new();
        let first = dead.child_token();
        Self {
            dead,
            present: watch::Sender::new(Some(first)),
        }
    }

    /// The present life, whose token is cancelled when it ends; `None` between two lives.
    pub(super) fn present(&self) -> Option<CancellationToken> {
        self.present.borrow().clone()
    }

    /// Waits until there is a life. One that is dead for good counts, too.
    pub(super) async fn returned(&self) {
        let mut present = self.present.subscribe();
        let up = present.wait_for(Option::is_some);
        tokio::select! {
            // The sender lives as long as `self`.
            _ = up => {}
            () = self.dead.cancelled() => {}
        }
    }

    /// Ends everything for good.
    pub(super) fn kill(&self) {
        self.dead.cancel();
    }

    /// Whether it was killed for good.
    pub(super) fn is_dead(&self) -> bool {
        self.dead.is_cancelled()
    }

    /// Breaks every connection, and begins a new life with a fresh engine after `down`.
    pub(super) fn restart(&self, down: Duration, commands: mpsc::UnboundedSender<Command>) {
        let ended = self.present.send_replace(None);
        let Some(ended) = ended else {
            return;
        };
        ended.cancel();
        let lives = self.clone();
        tokio::spawn(async move {
            clock::pause(down).await;
            // Without an engine nobody is left to come back.
            if commands.send(Command::Restart).is_ok() {
                let next = lives.dead.child_token();
                lives.present.send_replace(Some(next));
            }
        });
    }
}
