//! A run as a table for terminals: no boxes, words instead of symbols.

use tokmark_calculator::Comparison;
use tokmark_calculator::compare::ComparedFigure;
use tokmark_calculator::figures::signed_percent;
use tokmark_run_format::{CellStatus, DecodeCell, PrefillStatus, RunDocument};
use tokmark_units::format;

use crate::predicted;
use crate::roofline;
use crate::run::{legend_entries, ttft_note};
use crate::shade::Tone;
use crate::summary::{self, Grid, context_label};
use crate::terminal::{self, Column, GAP, Look, Painter, Side, Text, printable, rows, wrapped};
use crate::words;

/// The words of a status are broken at this width, since TTFT makes a column about as wide.
const STATUS_WIDTH: usize = 10;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns of the terminal, kept where that is possible.
    pub width: usize,
    /// Whether the terminal shows colours.
    pub colour: bool,
    /// Whether each cell has its share of the roofline as a line of its own.
    pub roofline: bool,
}

/// The matrix and the prefill rows as text.
pub fn text_table(run: &RunDocument, options: TableOptions) -> String {
    written(run, options, None)
}

/// The same with the calculator's figure and its error below each measured one.
pub fn text_table_with_prediction(
    run: &RunDocument,
    options: TableOptions,
    comparison: &Comparison,
) -> String {
    written(run, options, Some(comparison))
}

fn written(run: &RunDocument, options: TableOptions, comparison: Option<&Comparison>) -> String {
    let width = options.width;
    let painter = Painter::new(options.colour);
    let mut out: Vec<String> = Vec::new();
    out.push(painter.paint(&summary::title(run), Look::Strong));
    let lines = [
        summary::engine_line(run),
        summary::extent_line(run),
        summary::origin_line(run),
    ];
    for line in lines.iter().filter(|line| !line.is_empty()) {
        out.extend(wrapped(&printable(line), width, 0));
    }
    if !run.prefill.is_empty() {
        out.push(String::new());
        let caption = format!("{}: {}", words::PREFILL, words::PREFILL_CAPTION);
        out.extend(wrapped(&caption, width, 0));
        out.extend(prefill(run, comparison, painter));
    }
    let grid = Grid::of(run);
    if grid.cells().next().is_some() {
        out.push(String::new());
        let caption = format!("{}: {}", words::DECODE, words::DECODE_CAPTION);
        out.extend(wrapped(&caption, width, 0));
        out.extend(matrix(&grid, options, comparison, painter));
        out.extend(legend(run, &grid, width));
        let lines = [summary::passes_line(run), roofline::line(run)];
        for line in lines.into_iter().flatten() {
            out.push(String::new());
            out.extend(wrapped(&printable(&line), width, GAP));
        }
    }
    if let Some(comparison) = comparison {
        out.push(String::new());
        for line in predicted::sentences(comparison) {
            out.extend(wrapped(&printable(&line), width, GAP));
        }
    }
    if let Some(line) = summary::energy_line(run) {
        out.push(String::new());
        out.extend(wrapped(&line, width, 0));
    }
    let mut text = out.join("\n");
    text.push('\n');
    text
}

fn prefill(run: &RunDocument, comparison: Option<&Comparison>, painter: Painter) -> Vec<String> {
    let has_energy = run.prefill.iter().any(|row| row.energy.is_some());
    let header = [words::CONTEXT, words::TOK_S, words::TTFT];
    let energy = [words::MEAN_POWER, words::J_PER_TOKEN];
    let header = header.iter().chain(energy.iter().filter(|_| has_energy));
    let calculated = [words::predicted::PREDICTED_SHORT, words::predicted::ERROR];
    let header = header.chain(calculated.iter().filter(|_| comparison.is_some()));
    let header: Vec<Text> = header.map(|word| Text::new(*word, Look::Quiet)).collect();
    // Figures to the right, the status after them to the left.
    let sides = vec![Side::Right; header.len()];
    let mut table = vec![header];
    for (place, row) in run.prefill.iter().enumerate() {
        let rate = format::or_dash(row.prompt_tokens_per_s, format::prefill_rate);
        let ttft = format::or_dash(row.ttft_ms, format::ttft_ms);
        let mut cells = vec![
            Text::new(context_label(row.context), Look::Plain),
            Text::new(rate, Look::Strong),
            Text::new(ttft, Look::Plain),
        ];
        if has_energy {
            let energy = row.energy.as_ref();
            let power = energy.and_then(|energy| energy.mean_power_w);
            let joules = energy.and_then(|energy| energy.joules_per_prompt_token);
            cells.push(Text::new(
                format::or_dash(power, format::watts),
                Look::Plain,
            ));
            cells.push(Text::new(
                format::or_dash(joules, format::joules),
                Look::Plain,
            ));
        }
        if let Some(comparison) = comparison {
            cells.extend(predicted_row(comparison.prefill.get(place)));
        }
        if row.status != PrefillStatus::Valid {
            cells.push(Text::new(row.status.label(), Look::Warning));
        }
        table.push(cells);
    }
    rows(&table, &sides, painter)
}

/// The calculator's figure of a prefill row, and its error.
fn predicted_row(figure: Option<&ComparedFigure>) -> [Text; 2] {
    let predicted = figure.and_then(|one| Some(one.predicted_tokens_per_s?.median));
    let error = figure.and_then(|one| one.error);
    [
        Text {
            words: format::or_dash(predicted, format::prefill_rate),
            look: Look::Quiet,
        },
        Text {
            words: format::or_dash(error, signed_percent),
            look: error_look(figure),
        },
    ]
}

/// A figure outside the band is marked.
fn error_look(figure: Option<&ComparedFigure>) -> Look {
    match figure.and_then(|one| one.in_band) {
        Some(false) => Look::Warning,
        _ => Look::Quiet,
    }
}

/// The calculator's lines of a cell: its figure, the error, and its word on room where that was
/// wrong.
fn predicted_lines(figure: &ComparedFigure) -> Vec<Text> {
    let predicted = figure.predicted_tokens_per_s.map(|band| Text {
        words: format!(
            "{} {}",
            words::predicted::PREDICTED_SHORT,
            format::rate(band.median)
        ),
        look: Look::Quiet,
    });
    let error = figure.error.map(|error| Text {
        words: signed_percent(error),
        look: error_look(Some(figure)),
    });
    let wrong = figure.capacity.filter(|one| one.right == Some(false));
    let wrong = wrong.map(|one| Text {
        words: words::predicted::fits_short(one.predicted).to_owned(),
        look: Look::Warning,
    });
    // Where the requests were not let in, a speed says nothing.
    let refused = figure.capacity.is_some_and(|one| one.came == "refused");
    predicted
        .filter(|_| !refused)
        .into_iter()
        .chain(error)
        .chain(wrong)
        .collect()
}

/// The matrix; where the terminal is too narrow, its columns follow in groups one below another.
fn matrix(
    grid: &Grid<'_>,
    options: TableOptions,
    comparison: Option<&Comparison>,
    painter: Painter,
) -> Vec<String> {
    let labels: Vec<String> = grid.contexts.iter().map(|c| context_label(*c)).collect();
    let all: Vec<Column> = grid
        .requests
        .iter()
        .map(|requests| column(grid, *requests, options.roofline, comparison))
        .collect();
    terminal::matrix(words::CONTEXT, &labels, &all, options.width, painter)
}

/// One concurrency level: its heading and the lines of each of its cells.
fn column(
    grid: &Grid<'_>,
    requests: u32,
    with_roofline: bool,
    comparison: Option<&Comparison>,
) -> Column {
    let heading = Text::new(requests.to_string(), Look::Quiet);
    let cells = grid.contexts.iter().map(|context| {
        let cell = grid.get(*context, requests);
        let figure = comparison.and_then(|all| predicted::figure(all, *context, requests));
        cell.map_or_else(absent, |cell| cell_lines(cell, with_roofline, figure))
    });
    Column::new(heading, cells.collect())
}

fn absent() -> Vec<Text> {
    vec![Text {
        words: format::DASH.to_owned(),
        look: Look::Quiet,
    }]
}

/// The number, its TTFT, its share of the roofline where that is wanted, then the words of a status
/// that is not valid.
fn cell_lines(
    cell: &DecodeCell,
    with_roofline: bool,
    figure: Option<&ComparedFigure>,
) -> Vec<Text> {
    let look = match Tone::of(cell.status) {
        Tone::Good => Look::Plain,
        Tone::Marked => Look::Warning,
        Tone::Bad => Look::Fault,
        Tone::NotRun => Look::Quiet,
    };
    let number = cell.total_tokens_per_s.map(|rate| Text {
        words: format::rate(rate),
        look: Look::Strong,
    });
    let ttft = summary::ttft(cell).map(|words| Text {
        words,
        look: Look::Quiet,
    });
    let status = match cell.status {
        CellStatus::Valid => "",
        other => other.label(),
    };
    let status = wrapped(status, STATUS_WIDTH, 0)
        .into_iter()
        .filter(|words| !words.is_empty())
        .map(|words| Text { words, look });
    let share = roofline::short(cell).filter(|_| with_roofline);
    let share = share.map(|words| Text {
        words,
        look: Look::Quiet,
    });
    number
        .into_iter()
        .chain(ttft)
        .chain(share)
        .chain(figure.map(predicted_lines).unwrap_or_default())
        .chain(status)
        .collect()
}

/// The statuses, what TTFT includes, and why cells went wrong.
fn legend(run: &RunDocument, grid: &Grid<'_>, width: usize) -> Vec<String> {
    let mut out = vec![String::new()];
    for entry in legend_entries(run) {
        let text = format!("{}: {}", entry.label, entry.meaning);
        out.extend(wrapped(&text, width, GAP));
    }
    if let Some(note) = ttft_note(run) {
        out.extend(wrapped(&note, width, GAP));
    }
    for cell in grid
        .cells()
        .filter(|cell| Tone::of(cell.status) == Tone::Bad)
    {
        if let Some(reason) = &cell.reason {
            let place = words::point(
                &context_label(cell.context),
                cell.requests,
                cell.status.label(),
            );
            let text = printable(&words::because(&place, reason));
            out.extend(wrapped(&text, width, GAP));
        }
    }
    if out.len() == 1 { Vec::new() } else { out }
}
