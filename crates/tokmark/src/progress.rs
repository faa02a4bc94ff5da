//! Plain progress: one line per event on stderr, and a moving line on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::mpsc::UnboundedReceiver;
use tokmark_bench::{Live, Progress, Stage, matrix};
use tokmark_run_format::{DecodeCell, PrefillRow};
use tokmark_units::{Nanos, format};

/// Shows progress until the run ends.
pub(crate) async fn show(mut events: UnboundedReceiver<Progress>, looks: Looks) {
    let mut view = View::new(looks);
    while let Some(event) = events.recv().await {
        view.take(event);
    }
    view.bar.finish_and_clear();
}

/// The same on this thread, which waits.
pub(crate) fn show_here(mut events: UnboundedReceiver<Progress>, looks: Looks) {
    let mut view = View::new(looks);
    while let Some(event) = events.blocking_recv() {
        view.take(event);
    }
    view.bar.finish_and_clear();
}

/// How progress is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looks {
    /// Not at all.
    pub(crate) quiet: bool,
    /// Without a moving line.
    pub(crate) plain: bool,
}

struct View {
    bar: ProgressBar,
    quiet: bool,
    left: Option<Nanos>,
    done: usize,
    all: usize,
}

impl View {
    fn new(looks: Looks) -> Self {
        // indicatif draws nothing where stderr is no terminal.
        let bar = if looks.quiet || looks.plain {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            quiet: looks.quiet,
            left: None,
            done: 0,
            all: 0,
        }
    }

    fn take(&mut self, event: Progress) {
        match event {
            Progress::Planned(matrix) => self.line(&planned(&matrix)),
            Progress::Phase(text) => self.moving(&text),
            Progress::Prefilled {
                context,
                ttft_ms,
                tokens_per_s,
            } => self.line(&format!(
                "prefill {:>6}          {:>10} tok/s  TTFT {}",
                matrix::label(context),
                format::prefill_rate(tokens_per_s),
                format::ttft_ms(ttft_ms)
            )),
            Progress::PrefillRow(row) => self.line(&prefill_row(&row)),
            Progress::CellStarted {
                context, requests, ..
            } => {
                self.moving(&format!(
                    "{} x {requests}: launching",
                    matrix::label(context)
                ));
            }
            Progress::CellLive(live) => self.moving(&live_line(&live)),
            Progress::CellDone(cell) => self.line(&cell_line(&cell, self.left_text().as_deref())),
            Progress::Paused(true) => self.moving("paused"),
            Progress::Paused(false) | Progress::Sample(_) | Progress::Machine(_) => {}
            Progress::Note(text) => self.line(&format!("note: {text}")),
            Progress::Left {
                left, done, all, ..
            } => {
                self.left = Some(left);
                self.done = done;
                self.all = all;
            }
        }
    }

    fn left_text(&self) -> Option<String> {
        self.left.map(|left| format!("about {left} left"))
    }

    /// A line that stays.
    fn line(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.bar.suspend(|| crate::say::progress(text));
    }

    /// A line that the next one replaces; nothing where stderr is no terminal.
    fn moving(&self, text: &str) {
        let left = self.left_text().unwrap_or_default();
        let cells = format!("[{}/{}]", self.done, self.all);
        self.bar.set_message(format!("{cells} {text}  {left}"));
    }
}

fn planned(matrix: &matrix::Matrix) -> String {
    let contexts: Vec<String> = matrix.contexts.iter().map(|c| matrix::label(*c)).collect();
    let levels: Vec<String> = matrix.levels.iter().map(ToString::to_string).collect();
    format!(
        "matrix: contexts {} x requests {}",
        contexts.join(", "),
        levels.join(", ")
    )
}

fn prefill_row(row: &PrefillRow) -> String {
    format!(
        "prefill {:>6}  {}",
        matrix::label(row.context),
        row.status.label()
    )
}

fn live_line(live: &Live) -> String {
    let place = format!("{} x {}", matrix::label(live.context), live.requests);
    if matches!(live.stage, Stage::Window | Stage::Ending) {
        return format!("{place}: {} tok/s", format::rate(live.tokens_per_s));
    }
    let waiting = match live.server.waiting {
        Some(waiting) if waiting > 0.0 => format!(", {} waiting", format::decimal(waiting, 0)),
        _ => String::new(),
    };
    format!(
        "{place}: {} of {} decode{waiting}",
        live.decoding, live.requests
    )
}

fn cell_line(cell: &DecodeCell, left: Option<&str>) -> String {
    let place = format!(
        "decode {:>7} x {:<4}",
        matrix::label(cell.context),
        cell.requests
    );
    let mut line = match cell.total_tokens_per_s {
        Some(total) => format!(
            "{place} {:>10} tok/s  {:>8} each  TTFT {:>10}  {}",
            format::rate(total),
            format::or_dash(cell.per_request_tokens_per_s, format::rate),
            format::or_dash(cell.ttft_ms, format::ttft_ms),
            cell.status.label()
        ),
        None => format!("{place} {}", cell.status.label()),
    };
    if let Some(reason) = &cell.reason {
        line.push_str(&format!(": {reason}"));
    }
    if let Some(left) = left {
        line.push_str(&format!("  ({left})"));
    }
    line
}
