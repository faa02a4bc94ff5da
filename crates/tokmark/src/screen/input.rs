//! Keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokmark_units::Nanos;

use super::state::{Overlay, Pause, State, Weight};

/// What a key asks for beyond what is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// End the run and keep what is measured.
    Finish,
    /// End the program at once.
    LeaveNow,
    /// Give up the running cell.
    Skip,
    /// Wait after the cell, or go on.
    Pause(bool),
    /// Tell what this stream writes, or nothing any more.
    Look(Option<u32>),
    /// Stop the process as the shell's Ctrl-Z does.
    Suspend,
    /// Draw everything again.
    Redraw,
}

/// A second wish to finish sooner than this is a key held down.
const HELD_DOWN: Nanos = Nanos::from_secs(1);
/// Lines of a page of the log.
const PAGE: usize = 10;

impl State {
    /// Takes a key in.
    pub(crate) fn press(&mut self, key: KeyEvent, now: Nanos) -> Option<Action> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => self.finish(now),
                KeyCode::Char('z') => Some(Action::Suspend),
                KeyCode::Char('l') => Some(Action::Redraw),
                _ => None,
            };
        }
        match (key.code, self.overlay) {
            // Who leaves a reader with `q` does not mean to end a run of an hour.
            (KeyCode::Char('q') | KeyCode::Esc, Overlay::Help | Overlay::Output)
            | (KeyCode::Char('o'), Overlay::Output)
            | (KeyCode::Char('?'), Overlay::Help) => Some(self.close()),
            (KeyCode::Char('q'), Overlay::None) => self.finish(now),
            (KeyCode::Char('s'), _) => self.skip(now),
            (KeyCode::Char('p' | ' '), _) => Some(self.toggle_pause(now)),
            (KeyCode::Char('o'), _) => {
                self.overlay = Overlay::Output;
                Some(Action::Look(Some(self.stream)))
            }
            (KeyCode::Char('?' | 'h') | KeyCode::F(1), _) => {
                self.overlay = Overlay::Help;
                Some(Action::Look(None))
            }
            (KeyCode::Left, Overlay::Output) => self.look(-1),
            (KeyCode::Right, Overlay::Output) => self.look(1),
            (code, Overlay::None) => {
                self.scroll_log(code);
                None
            }
            _ => None,
        }
    }

    fn finish(&mut self, now: Nanos) -> Option<Action> {
        match self.finishing {
            None => {
                self.finishing = Some(now);
                let text = "finishing early; what is measured is kept (once more ends at once)";
                self.say(text, Weight::Warning, now);
                Some(Action::Finish)
            }
            Some(since) => (now.saturating_sub(since) >= HELD_DOWN).then_some(Action::LeaveNow),
        }
    }

    fn close(&mut self) -> Action {
        self.overlay = Overlay::None;
        Action::Look(None)
    }

    fn skip(&mut self, now: Nanos) -> Option<Action> {
        if self.running.is_some() {
            return Some(Action::Skip);
        }
        self.say(
            "no cell is running that could be skipped",
            Weight::Warning,
            now,
        );
        None
    }

    fn toggle_pause(&mut self, now: Nanos) -> Action {
        match self.pause {
            Pause::No => {
                self.pause = Pause::Wanted;
                let text = "pausing after this cell; p goes on";
                self.say(text, Weight::Plain, now);
                Action::Pause(true)
            }
            Pause::Wanted => {
                self.pause = Pause::No;
                self.say("not pausing", Weight::Plain, now);
                Action::Pause(false)
            }
            // The run itself says when it goes on.
            Pause::Since(_) => Action::Pause(false),
        }
    }

    /// Another stream: the next one or the one before, in a ring.
    fn look(&mut self, step: i64) -> Option<Action> {
        let known = self.sample.as_ref().map(|sample| sample.requests);
        let running = self.running.as_ref().map(|running| running.requests);
        let all = i64::from(running.or(known)?.max(1));
        let next = (i64::from(self.stream).min(all - 1) + step).rem_euclid(all);
        self.stream = u32::try_from(next).unwrap_or(0);
        Some(Action::Look(Some(self.stream)))
    }

    fn scroll_log(&mut self, code: KeyCode) {
        let most = self.log.len().saturating_sub(1);
        self.scroll = match code {
            KeyCode::Up => self.scroll + 1,
            KeyCode::Down => self.scroll.saturating_sub(1),
            KeyCode::PageUp => self.scroll + PAGE,
            KeyCode::PageDown => self.scroll.saturating_sub(PAGE),
            KeyCode::Home => most,
            KeyCode::End | KeyCode::Esc => 0,
            _ => self.scroll,
        }
        .min(most);
    }
}
