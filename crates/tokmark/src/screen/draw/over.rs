//! What lies over the matrix: the model's output, and help.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use tokmark_bench::matrix;
use tokmark_run_format::CellStatus;

use super::super::looks::Looks;
use super::super::text::wrapped;
use super::super::words::{mark, short};
use super::{Scene, heading, write};

/// The end of what one stream has written, wrapped, its newest line at the bottom.
pub(super) fn output(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let state = scene.state;
    let Some(sample) = &state.sample else {
        heading(frame, scene, area, "output");
        let text = " no cell has written anything yet; it appears here when one does";
        write(frame, area, 1, Line::raw(text));
        return;
    };
    let ended = if sample.is_open { "" } else { ", ended" };
    let words = format!(
        "output of stream {} of {}, {} x {}, answer {}{ended}",
        sample.stream + 1,
        sample.requests,
        matrix::label(sample.context),
        sample.requests,
        sample.attempt + 1,
    );
    heading(frame, scene, area, &words);
    if sample.text.is_empty() {
        write(frame, area, 1, Line::raw(" nothing yet"));
    }
    let rows = usize::from(area.height.saturating_sub(1));
    let lines = wrapped(&sample.text, usize::from(area.width.saturating_sub(2)));
    let first = lines.len().saturating_sub(rows);
    for (row, line) in (1..).zip(lines.into_iter().skip(first)) {
        write(frame, area, row, Line::raw(format!(" {line}")));
    }
}

const KEYS: [(&str, &str); 8] = [
    (
        "q, Ctrl-C",
        "finish early and keep what is measured; once more: end at once",
    ),
    (
        "s",
        "skip the running cell; it is kept as skipped, without a number",
    ),
    (
        "p",
        "pause after the running cell, or go on; --max-time does not count it",
    ),
    (
        "o",
        "look at what the model writes; left and right: another stream",
    ),
    (
        "up, down",
        "scroll the events; Page Up, Page Down, Home, End as well",
    ),
    (
        "Ctrl-Z",
        "stop the process: the running cell will be of no use",
    ),
    ("Ctrl-L", "draw everything again"),
    ("?", "this help"),
];

/// Keys, and what the words and letters in the matrix mean.
pub(super) fn help(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let looks = scene.looks;
    heading(frame, scene, area, "keys");
    let mut row = 1;
    for (key, what) in KEYS {
        let key = Span::styled(format!(" {key:<11}"), Looks::strong());
        write(frame, area, row, Line::from(vec![key, Span::raw(what)]));
        row += 1;
    }
    let rest = Rect {
        y: area.y + row.min(area.height),
        height: area.height.saturating_sub(row),
        ..area
    };
    heading(frame, scene, rest, "in the matrix");
    let columns = (rest.width / 30).max(1);
    for (at, status) in (0..).zip(CellStatus::ALL) {
        let (column, row) = (at % columns, at / columns + 1);
        if row >= rest.height {
            return;
        }
        let place = Rect::new(
            rest.x + column * 30,
            rest.y + row,
            rest.width - column * 30,
            1,
        );
        let letter = match mark(status) {
            '!' | ' ' => "  ".to_owned(),
            letter => format!("{letter} "),
        };
        let spans = vec![
            Span::styled(
                format!(" {letter}{:<9}", short(status)),
                looks.status(status),
            ),
            Span::raw(status.label()),
        ];
        write(frame, place, 0, Line::from(spans));
    }
}
