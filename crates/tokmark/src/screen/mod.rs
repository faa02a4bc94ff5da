//! The full-screen view of a run.
//!
//! ```text
//! progress events, keys -> state -> draw -> terminal
//!                            |
//!                            v
//!                         steering, stop
//! ```
//!
//! It lives on a thread of its own: a terminal that takes its time (a slow line) holds up nothing, and
//! no event is waited for.

mod draw;
mod input;
mod looks;
mod signals;
mod state;
mod terminal;
mod text;
mod thread;
mod words;

use std::io::IsTerminal;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokmark_bench::{Progress, Session, Steering};

use crate::progress;
pub(crate) use state::Title;
pub(crate) use terminal::restore;

/// Time between two pictures.
const PERIOD: Duration = Duration::from_millis(100);
/// The same over a network.
const SLOW_PERIOD: Duration = Duration::from_millis(250);

/// How a run is shown.
#[derive(Debug, Clone)]
pub(crate) struct Looks {
    /// Not at all.
    pub(crate) quiet: bool,
    /// As lines, without a moving one.
    pub(crate) plain: bool,
    /// On the full screen where the terminal has one; `None` is as lines.
    pub(crate) screen: Option<Title>,
}

/// A view of a run under way.
pub(crate) enum View {
    /// Lines.
    Lines(tokio::task::JoinHandle<()>),
    /// The full screen; it says when it has given the terminal back.
    Screen(oneshot::Receiver<()>, signals::Signals),
}

impl View {
    /// Begins to show events. `stop` and `steering` are what keys act on.
    pub(crate) fn start(
        looks: Looks,
        session: &Session,
        events: UnboundedReceiver<Progress>,
        stop: &CancellationToken,
        steering: &Steering,
    ) -> Self {
        let lines = progress::Looks {
            quiet: looks.quiet,
            plain: looks.plain,
        };
        let title = looks
            .screen
            .filter(|_| !looks.quiet && !looks.plain && is_possible());
        let taken = title.and_then(|title| Some((title, terminal::take().ok()?)));
        let Some((title, terminal)) = taken else {
            return Self::Lines(tokio::spawn(progress::show(events, lines)));
        };
        let (signals, told) = signals::Signals::start();
        let screen = thread::Screen::new(&title, terminal, session, events, told, lines)
            .drawn_every(period())
            .acting_on(stop, steering);
        Self::Screen(screen.start(session.load.cores()), signals)
    }

    /// Whether the machine's readings are looked at.
    pub(crate) fn is_screen(&self) -> bool {
        matches!(self, Self::Screen(..))
    }

    /// Waits until the last event is shown and the terminal given back.
    pub(crate) async fn ended(self) {
        // A panic in a view must not lose the result.
        match self {
            Self::Lines(task) => {
                let _panicked = task.await;
            }
            Self::Screen(ended, _signals) => {
                let _panicked = ended.await;
                restore();
            }
        }
    }
}

/// Whether there is a terminal for a screen, and keys: not in a pipe, in CI, in the background, or
/// where the terminal cannot move its cursor.
fn is_possible() -> bool {
    let is_dumb = variable("TERM").is_none_or(|term| term == "dumb");
    let terminal = std::io::stderr().is_terminal() && std::io::stdin().is_terminal();
    terminal && !is_dumb && variable("CI").is_none() && terminal::is_ours()
}

fn period() -> Duration {
    if variable("SSH_CONNECTION").is_some() {
        SLOW_PERIOD
    } else {
        PERIOD
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
