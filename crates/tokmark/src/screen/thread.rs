//! The thread of the screen: takes in what happened, draws, reads keys.

use std::sync::mpsc;
use std::time::Duration;

use nix::sys::signal::{Signal, raise};
use ratatui::crossterm::event::{self, Event};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokmark_bench::{Progress, Session, Steering};
use tokmark_driver::{Clock, cores};
use tokmark_units::Nanos;

use super::draw::draw;
use super::input::Action;
use super::looks::Looks;
use super::signals::Told;
use super::state::{State, Title, Weight};
use super::terminal::{self, Drawn};
use super::variable;
use crate::command::run::leave_now;
use crate::{progress, say};

/// Everything is drawn anew this often although nothing happened: the clocks go on.
const AT_LEAST: Nanos = Nanos::from_secs(1);

pub(super) struct Screen {
    state: State,
    looks: Looks,
    terminal: Drawn,
    clock: Clock,
    events: UnboundedReceiver<Progress>,
    told: mpsc::Receiver<Told>,
    /// How the run is shown once the screen is lost.
    lines: progress::Looks,
    /// Lines that were said meanwhile, for after the screen.
    said: Vec<String>,
    period: Duration,
    stop: CancellationToken,
    steering: Steering,
    is_stale: bool,
    has_keys: bool,
}

/// Why the screen ends.
enum End {
    /// The run is over.
    Over,
    /// The terminal is gone, or somebody gave it back.
    Lost,
}

impl Screen {
    pub(super) fn new(
        title: &Title,
        terminal: Drawn,
        session: &Session,
        events: UnboundedReceiver<Progress>,
        told: mpsc::Receiver<Told>,
        lines: progress::Looks,
    ) -> Self {
        let clock = session.clock;
        Self {
            state: State::new(title, clock.now()),
            looks: Looks::of(variable),
            terminal,
            clock,
            events,
            told,
            lines,
            said: Vec::new(),
            period: Duration::ZERO,
            stop: CancellationToken::new(),
            steering: Steering::default(),
            is_stale: true,
            has_keys: true,
        }
    }

    pub(super) fn drawn_every(self, period: Duration) -> Self {
        Self { period, ..self }
    }

    pub(super) fn acting_on(self, stop: &CancellationToken, steering: &Steering) -> Self {
        Self {
            stop: stop.clone(),
            steering: steering.clone(),
            ..self
        }
    }

    /// Starts the thread, away from the cores of the load.
    pub(super) fn start(self, load_cores: &[usize]) -> oneshot::Receiver<()> {
        let (ended, wait) = oneshot::channel();
        let mut others = cores::allowed();
        others.retain(|core| !load_cores.contains(core));
        let thread = std::thread::Builder::new().name("screen".to_owned());
        let spawned = thread.spawn(move || {
            if !others.is_empty() {
                // Refused: the thread runs where the system puts it.
                let _kept = cores::keep_to(&others);
            }
            self.run();
            let _unheard = ended.send(());
        });
        // Without a thread the receiver ends at once, and the run goes on unseen.
        if spawned.is_err() {
            terminal::restore();
        }
        wait
    }

    fn run(mut self) {
        let end = self.show();
        terminal::restore();
        say::back();
        self.said
            .extend(self.told.try_iter().filter_map(|told| match told {
                Told::Line(line) => Some(line),
                Told::Suspend | Told::Resumed => None,
            }));
        for line in std::mem::take(&mut self.said) {
            say::progress(line);
        }
        if matches!(end, End::Lost) {
            progress::show_here(self.events, self.lines);
        }
    }

    fn show(&mut self) -> End {
        let mut drawn: Option<Nanos> = None;
        loop {
            if !self.take_events() {
                return End::Over;
            }
            if !self.take_told() || !terminal::is_taken() {
                return End::Lost;
            }
            let now = self.clock.now();
            let since = drawn.map(|at| now.saturating_sub(at));
            let is_due = since.is_none_or(|since| since >= self.period.into());
            let is_old = since.is_none_or(|since| since >= AT_LEAST);
            if is_due && (self.is_stale || is_old) {
                if self.draw(now).is_err() {
                    return End::Lost;
                }
                drawn = Some(now);
            }
            if !self.take_keys() {
                return End::Lost;
            }
        }
    }

    /// `false` once the run has ended.
    fn take_events(&mut self) -> bool {
        loop {
            match self.events.try_recv() {
                Ok(event) => {
                    self.state.take(event, self.clock.now());
                    self.is_stale = true;
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// `false` when the terminal was lost on the way.
    fn take_told(&mut self) -> bool {
        while let Ok(told) = self.told.try_recv() {
            match told {
                Told::Line(line) => {
                    self.state.say(&line, Weight::Warning, self.clock.now());
                    self.said.push(line);
                    self.is_stale = true;
                }
                Told::Suspend => self.suspend(),
                Told::Resumed if self.redraw().is_err() => return false,
                Told::Resumed => {}
            }
        }
        true
    }

    fn draw(&mut self, now: Nanos) -> std::io::Result<()> {
        let Self {
            terminal,
            state,
            looks,
            ..
        } = self;
        terminal.draw(|frame| draw(frame, state, *looks, now))?;
        self.is_stale = false;
        Ok(())
    }

    /// Waits for keys until something may have to be drawn; `false` when the terminal was lost.
    fn take_keys(&mut self) -> bool {
        if !self.has_keys {
            std::thread::sleep(self.period);
            return true;
        }
        if terminal::wait_for_keys(self.period).is_err() {
            // The run goes on without keys.
            self.has_keys = false;
            return true;
        }
        while let Ok(true) = event::poll(Duration::ZERO) {
            self.is_stale = true;
            if let Ok(Event::Key(key)) = event::read()
                && let Some(action) = self.state.press(key, self.clock.now())
                && self.act(action).is_err()
            {
                return false;
            }
        }
        true
    }

    fn act(&mut self, action: Action) -> std::io::Result<()> {
        match action {
            Action::Finish => self.stop.cancel(),
            Action::LeaveNow => leave_now(),
            Action::Skip => {
                if self.steering.skip() {
                    let text = "skipping this cell";
                    self.state.say(text, Weight::Plain, self.clock.now());
                }
            }
            Action::Pause(wanted) => self.steering.pause(wanted),
            Action::Look(stream) => self.steering.look_at(stream),
            Action::Suspend => self.suspend(),
            Action::Redraw => self.redraw()?,
        }
        Ok(())
    }

    /// Gives the terminal back and stops the process; what follows happens when it goes on.
    fn suspend(&mut self) {
        terminal::restore();
        let _stopped = raise(Signal::SIGSTOP);
        // A failure shows at the next picture, and the run is shown as lines from then on.
        let _lost = self.redraw();
    }

    fn redraw(&mut self) -> std::io::Result<()> {
        if !terminal::is_ours() {
            // The shell let the process go on in the background.
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        terminal::enter()?;
        self.is_stale = true;
        // `clear` would ask the terminal on stdout where its cursor is, and stdout is the result's.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }
}
