//! What the screen knows: events and keys in, nothing out but what is drawn from it.

use std::collections::{BTreeMap, VecDeque};

use tokmark_bench::matrix::{self, Matrix};
use tokmark_bench::{Live, MachineNow, Progress, Sample, ServerNow};
use tokmark_run_format::{CellStatus, DecodeCell};
use tokmark_units::{Nanos, format};

use super::text::harmless;

/// Lines of the log that are kept.
const LOG: usize = 2_000;

/// What stands at the top.
#[derive(Debug, Clone, Default)]
pub(crate) struct Title {
    pub(crate) model: String,
    pub(crate) engine: String,
    pub(crate) hardware: String,
    /// Whether prefill alone is measured, so that there are no cells.
    pub(crate) prefill_only: bool,
}

/// How a line of the log reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Plain,
    Warning,
    Fault,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) at: Nanos,
    pub(super) text: String,
    pub(super) weight: Weight,
}

/// What lies over the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlay {
    None,
    Help,
    Output,
}

/// The cell that runs.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) context: u64,
    pub(super) requests: u32,
    pub(super) since: Nanos,
    pub(super) expected: Nanos,
    pub(super) live: Option<Live>,
    /// Tokens per second, second by second.
    pub(super) rates: Vec<f64>,
}

impl Running {
    /// Time that the cell is expected to take from now on.
    pub(super) fn left(&self, now: Nanos) -> Nanos {
        match self.live.and_then(|live| live.window) {
            Some((since, length)) => length.saturating_sub(since),
            None => self.expected.saturating_sub(now.saturating_sub(self.since)),
        }
    }
}

/// A pause that a person wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pause {
    No,
    /// After the running cell.
    Wanted,
    /// The run waits since then.
    Since(Nanos),
}

/// Everything that is drawn.
#[derive(Debug)]
pub(crate) struct State {
    pub(super) title: Title,
    pub(super) began: Nanos,
    pub(super) matrix: Matrix,
    pub(super) cells: BTreeMap<(u64, u32), DecodeCell>,
    /// Cells that a rule is expected to leave out.
    pub(super) left_out: BTreeMap<(u64, u32), CellStatus>,
    /// The newest prompt rate and first-token time by context.
    pub(super) prefill: BTreeMap<u64, (f64, f64)>,
    /// The context of the newest line of the log, when that is of prefill, and its prompts.
    prompts: Option<(u64, u32)>,
    pub(super) phase: String,
    pub(super) running: Option<Running>,
    pub(super) server: ServerNow,
    pub(super) machine: Option<MachineNow>,
    /// Cells that are decided: all of their passes are done.
    done: usize,
    /// What was left, and when that was said.
    pub(super) left: Option<(Nanos, Nanos)>,
    pub(super) pause: Pause,
    /// When a person asked to finish early.
    pub(super) finishing: Option<Nanos>,
    pub(super) log: VecDeque<Line>,
    /// Lines between the newest one and the last one shown.
    pub(super) scroll: usize,
    pub(super) overlay: Overlay,
    pub(super) sample: Option<Sample>,
    pub(super) stream: u32,
}

impl State {
    pub(crate) fn new(title: &Title, now: Nanos) -> Self {
        let clean = |text: &str| harmless(text);
        Self {
            title: Title {
                model: clean(&title.model),
                engine: clean(&title.engine),
                hardware: clean(&title.hardware),
                prefill_only: title.prefill_only,
            },
            began: now,
            matrix: Matrix::default(),
            cells: BTreeMap::new(),
            left_out: BTreeMap::new(),
            prefill: BTreeMap::new(),
            prompts: None,
            phase: "starting".to_owned(),
            running: None,
            server: ServerNow::default(),
            machine: None,
            done: 0,
            left: None,
            pause: Pause::No,
            finishing: None,
            log: VecDeque::new(),
            scroll: 0,
            overlay: Overlay::None,
            sample: None,
            stream: 0,
        }
    }

    /// Takes an event in.
    pub(crate) fn take(&mut self, event: Progress, now: Nanos) {
        match event {
            Progress::Planned(matrix) => self.plan(matrix),
            Progress::Phase(text) => self.phase = harmless(&text),
            Progress::Prefilled {
                context,
                ttft_ms,
                tokens_per_s,
            } => {
                self.prefill.insert(context, (tokens_per_s, ttft_ms));
                self.say_prefill(context, tokens_per_s, ttft_ms, now);
            }
            Progress::PrefillRow(_) => {}
            Progress::CellStarted {
                context,
                requests,
                expected,
            } => {
                self.running = Some(Running {
                    context,
                    requests,
                    since: now,
                    expected,
                    live: None,
                    rates: Vec::new(),
                });
            }
            Progress::CellLive(live) => self.live(live),
            Progress::CellDone(cell) => self.done(*cell, now),
            Progress::Sample(sample) => self.sample = Some(*sample),
            Progress::Machine(machine) => self.machine = Some(*machine),
            Progress::Paused(true) => {
                self.pause = Pause::Since(now);
                self.say("paused; p goes on", Weight::Plain, now);
            }
            Progress::Paused(false) => {
                if let (Pause::Since(from), Some((_, said))) = (self.pause, &mut self.left) {
                    *said = *said + now.saturating_sub(from);
                }
                self.pause = Pause::No;
            }
            Progress::Note(text) => self.say(&format!("note: {text}"), Weight::Warning, now),
            Progress::Left {
                left,
                done,
                left_out,
                ..
            } => {
                self.left = Some((left, now));
                self.done = done;
                self.left_out = left_out
                    .into_iter()
                    .map(|(context, requests, status)| ((context, requests), status))
                    .collect();
            }
        }
    }

    fn plan(&mut self, matrix: Matrix) {
        self.matrix = matrix;
        if self.title.prefill_only {
            self.matrix.contexts = self.matrix.prefill_contexts.clone();
            self.matrix.levels.clear();
        }
    }

    fn live(&mut self, live: Live) {
        self.server = live.server;
        let Some(running) = &mut self.running else {
            return;
        };
        if (running.context, running.requests) != (live.context, live.requests) {
            return;
        }
        if live.elapsed < running.live.map_or(Nanos::ZERO, |before| before.elapsed) {
            // A second try begins again.
            running.rates.clear();
        }
        if live.elapsed > Nanos::ZERO {
            running.rates.push(live.recent_tokens_per_s);
        }
        running.live = Some(live);
    }

    fn done(&mut self, cell: DecodeCell, now: Nanos) {
        let weight = match cell.status {
            CellStatus::Looped => Weight::Fault,
            status if status.is_incomplete() => Weight::Fault,
            status if status == CellStatus::Valid || status.is_not_run() => Weight::Plain,
            _ => Weight::Warning,
        };
        self.say(&told(&cell), weight, now);
        let place = (cell.context, cell.requests);
        if self
            .running
            .as_ref()
            .is_some_and(|r| (r.context, r.requests) == place)
        {
            self.running = None;
            "between cells".clone_into(&mut self.phase);
        }
        self.cells.insert(place, cell);
    }

    /// One line for all prompts of a context that follow each other, with the newest one's figures:
    /// a row has as many as its largest cell has streams.
    fn say_prefill(&mut self, context: u64, tokens_per_s: f64, ttft_ms: f64, now: Nanos) {
        let before = self.prompts.take().filter(|(known, _)| *known == context);
        let count = before.map_or(1, |(_, count)| count + 1);
        if count > 1 {
            self.log.pop_back();
            self.scroll = self.scroll.saturating_sub(1);
        }
        let place = format!("{} prefill", matrix::label(context));
        let line = format!(
            "{place:<11} {} tok/s, TTFT {}, prompt {count}",
            format::prefill_rate(tokens_per_s),
            format::ttft_ms(ttft_ms)
        );
        self.say(&line, Weight::Plain, now);
        self.prompts = Some((context, count));
    }

    /// A line for the log. One that is scrolled back stays where it is.
    pub(super) fn say(&mut self, text: &str, weight: Weight, now: Nanos) {
        self.prompts = None;
        self.log.push_back(Line {
            at: now.saturating_sub(self.began),
            text: harmless(text),
            weight,
        });
        if self.scroll > 0 {
            self.scroll += 1;
        }
        if self.log.len() > LOG {
            self.log.pop_front();
        }
    }

    /// Cells decided and in all.
    pub(super) fn count(&self) -> (usize, usize) {
        let all = self.matrix.contexts.len() * self.matrix.levels.len();
        (self.done, all)
    }

    /// Expected time to the end of the run; it stands still while the run waits.
    pub(super) fn left(&self, now: Nanos) -> Option<Nanos> {
        let (left, said) = self.left?;
        let now = match self.pause {
            Pause::Since(from) => from,
            Pause::No | Pause::Wanted => now,
        };
        Some(left.saturating_sub(now.saturating_sub(said)))
    }

    /// The slowest and the fastest cell so far.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let rates = self
            .cells
            .values()
            .filter_map(|cell| cell.total_tokens_per_s);
        rates.filter(|rate| *rate > 0.0).fold(None, |range, rate| {
            Some(range.map_or((rate, rate), |(low, high): (f64, f64)| {
                (low.min(rate), high.max(rate))
            }))
        })
    }
}

/// A decided cell as a line of the log.
fn told(cell: &DecodeCell) -> String {
    let place = format!("{} x {}", matrix::label(cell.context), cell.requests);
    let mut parts = Vec::new();
    if cell.status != CellStatus::Valid {
        parts.push(match &cell.reason {
            Some(reason) => format!("{}: {reason}", cell.status.label()),
            None => cell.status.label().to_owned(),
        });
    }
    let figures = [
        cell.total_tokens_per_s
            .map(|rate| format!("{} tok/s", format::rate(rate))),
        cell.per_request_tokens_per_s
            .map(|rate| format!("{} each", format::rate(rate))),
        cell.ttft_ms
            .map(|ms| format!("TTFT {}", format::ttft_ms(ms))),
    ];
    parts.extend(figures.into_iter().flatten());
    format!("{place:<11} {}", parts.join(", "))
}

/// A span as a clock shows it: `0:07`, `12:40`, `1:05:07`.
pub(super) fn clock(span: Nanos) -> String {
    let s = span.0 / 1_000_000_000;
    match s {
        0..3_600 => format!("{}:{:02}", s / 60, s % 60),
        _ => format!("{}:{:02}:{:02}", s / 3_600, s % 3_600 / 60, s % 60),
    }
}
