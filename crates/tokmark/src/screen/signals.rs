//! What reaches the screen's thread from elsewhere: lines that would have been printed, and signals
//! that stop the process and let it go on.

use std::sync::mpsc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use crate::say;

/// Something for the screen.
#[derive(Debug)]
pub(super) enum Told {
    /// A line of the program or its log.
    Line(String),
    /// The process is to stop.
    Suspend,
    /// It was stopped and goes on: the terminal may be in anybody's modes.
    Resumed,
}

/// Listens until dropped.
pub(crate) struct Signals {
    tasks: Vec<JoinHandle<()>>,
}

impl Signals {
    pub(super) fn start() -> (Self, mpsc::Receiver<Told>) {
        let (sender, receiver) = mpsc::channel();
        let lines = sender.clone();
        say::divert(move |line| {
            // The screen has ended: whoever speaks now is heard the usual way.
            lines.send(Told::Line(line)).is_ok()
        });
        let stop = SignalKind::from_raw(nix::libc::SIGTSTP);
        let go_on = SignalKind::from_raw(nix::libc::SIGCONT);
        let tasks = vec![
            forward(stop, sender.clone(), || Told::Suspend),
            forward(go_on, sender, || Told::Resumed),
        ];
        (Self { tasks }, receiver)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

fn forward(kind: SignalKind, to: mpsc::Sender<Told>, what: fn() -> Told) -> JoinHandle<()> {
    tokio::spawn(async move {
        let Ok(mut signals) = signal(kind) else {
            return;
        };
        while signals.recv().await.is_some() {
            if to.send(what()).is_err() {
                return;
            }
        }
    })
}
