//! The terminal's modes: taken for the screen, given back whatever happens.

use std::io::{self, BufWriter, Stderr};
use std::os::fd::AsFd;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{getpgrp, tcgetpgrp};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The terminal that the screen is drawn on. Progress goes to stderr, so that a result on stdout can
/// go elsewhere.
pub(super) type Drawn = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// Whether the terminal is in the screen's modes.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Takes the terminal. A panic anywhere gives it back before its message is printed.
pub(super) fn take() -> io::Result<Drawn> {
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            usual(panic);
        }));
    });
    enter()?;
    Terminal::new(CrosstermBackend::new(BufWriter::new(io::stderr()))).inspect_err(|_| restore())
}

/// Puts the terminal into the screen's modes, also again after the process was stopped.
pub(super) fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stderr(), EnterAlternateScreen, Hide).inspect_err(|_| restore())
}

/// Whether the screen still has the terminal.
pub(super) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Whether this process may have the terminal: one that the shell runs in the background would be
/// stopped for changing its modes.
pub(super) fn is_ours() -> bool {
    tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

/// Waits for keys, at most so long. An error is a terminal that is gone: reading from it would never
/// end (crossterm 0.29 reads on after an end of file).
pub(super) fn wait_for_keys(at_most: Duration) -> io::Result<()> {
    let stdin = io::stdin();
    let mut keys = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    let timeout = PollTimeout::try_from(at_most).unwrap_or(PollTimeout::ZERO);
    match poll(&mut keys, timeout) {
        // A signal, such as that of another size.
        Err(Errno::EINTR) => return Ok(()),
        found => found?,
    };
    let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
    let is_gone = |fd: &PollFd<'_>| fd.revents().is_some_and(|found| found.intersects(gone));
    if keys.iter().any(is_gone) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Gives the terminal back; once is enough, and without a screen nothing happens.
pub(crate) fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing back.
        let _gone = execute!(io::stderr(), Show, LeaveAlternateScreen);
        let _gone = disable_raw_mode();
    }
}
