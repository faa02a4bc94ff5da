//! A run as Markdown (GFM).

use tokmark_run_format::{CellStatus, DecodeCell, PrefillStatus, RunDocument};
use tokmark_units::format;

use crate::roofline;
use crate::run::{legend_entries, ttft_note};
use crate::summary::{self, Grid, context_label};
use crate::words;

/// The run as Markdown: title, facts, launch command, prefill, matrix, legend.
pub fn markdown(run: &RunDocument) -> String {
    let mut blocks = vec![
        format!("# {}", escaped(&summary::title(run))),
        lines(&[
            summary::engine_line(run),
            summary::extent_line(run),
            summary::origin_line(run),
        ]),
        facts(run),
    ];
    if let Some(command) = &run.launch_command {
        blocks.push(format!("## {}", words::LAUNCH_COMMAND));
        blocks.push(fenced(command));
    }
    if !run.prefill.is_empty() {
        blocks.push(format!("## {}", words::PREFILL));
        blocks.push(prefill(run));
    }
    let grid = Grid::of(run);
    if grid.cells().next().is_some() {
        blocks.push(format!("## {}", words::DECODE));
        blocks.push(words::DECODE_CAPTION.to_owned());
        blocks.push(matrix(&grid));
        blocks.extend(legend(run));
        blocks.extend(summary::passes_line(run).map(|line| escaped(&line)));
        blocks.extend(roofline::line(run).map(|line| escaped(&line)));
    }
    blocks.extend(summary::energy_line(run).map(|line| escaped(&line)));
    blocks.retain(|block| !block.is_empty());
    let mut text = blocks.join("\n\n");
    text.push('\n');
    text
}

/// Lines that stay lines: two spaces at the end break in every Markdown.
fn lines(lines: &[String]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| escaped(line))
        .collect();
    lines.join("  \n")
}

fn facts(run: &RunDocument) -> String {
    let cards = crate::run::cards(run);
    let facts = cards.iter().flat_map(|card| {
        let known = card.facts.iter().filter(|fact| fact.value != format::DASH);
        known.map(|fact| (card.title, fact.label, fact.value.as_str()))
    });
    let rows =
        facts.map(|(card, label, value)| vec![card.to_owned(), label.to_owned(), value.to_owned()]);
    table(&["", "", ""], rows)
}

fn prefill(run: &RunDocument) -> String {
    let has_energy = run.prefill.iter().any(|row| row.energy.is_some());
    let rows = run.prefill.iter().map(|row| {
        let mut cells = vec![
            context_label(row.context),
            format::or_dash(row.prompt_tokens_per_s, format::prefill_rate),
            format::or_dash(row.ttft_ms, format::ttft_ms),
        ];
        if has_energy {
            let energy = row.energy.as_ref();
            let power = energy.and_then(|energy| energy.mean_power_w);
            let joules = energy.and_then(|energy| energy.joules_per_prompt_token);
            cells.push(format::or_dash(power, format::watts));
            cells.push(format::or_dash(joules, format::joules));
        }
        let status = (row.status != PrefillStatus::Valid).then(|| row.status.label().to_owned());
        cells.push(status.unwrap_or_default());
        cells
    });
    let mut header = vec![words::CONTEXT, words::TOK_S, words::TTFT];
    if has_energy {
        header.extend([words::MEAN_POWER, words::J_PER_TOKEN]);
    }
    header.push(words::STATUS);
    table(&header, rows)
}

fn matrix(grid: &Grid<'_>) -> String {
    let levels: Vec<String> = grid.requests.iter().map(u32::to_string).collect();
    let header: Vec<&str> = std::iter::once(words::CONTEXT)
        .chain(levels.iter().map(String::as_str))
        .collect();
    let rows = grid.contexts.iter().map(|context| {
        let cells = grid
            .requests
            .iter()
            .map(|requests| grid.get(*context, *requests));
        let cells = cells.map(|cell| cell.map_or_else(|| format::DASH.to_owned(), cell_text));
        std::iter::once(context_label(*context))
            .chain(cells)
            .collect()
    });
    table(&header, rows)
}

/// `126.6 ±1.2 (44 ms), Requests queued`.
fn cell_text(cell: &DecodeCell) -> String {
    let rate = cell.total_tokens_per_s.map(|rate| {
        let spread = summary::plus_minus(cell).map(|spread| format!(" {spread}"));
        let ttft = summary::ttft(cell).map(|ttft| format!(" ({ttft})"));
        format!(
            "{}{}{}",
            format::rate(rate),
            spread.unwrap_or_default(),
            ttft.unwrap_or_default()
        )
    });
    let word = (cell.status != CellStatus::Valid).then(|| cell.status.label().to_owned());
    let parts: Vec<String> = rate.into_iter().chain(word).collect();
    parts.join(", ")
}

fn legend(run: &RunDocument) -> Vec<String> {
    let entries: Vec<String> = legend_entries(run)
        .iter()
        .map(|entry| format!("- **{}**: {}", entry.label, escaped(&entry.meaning)))
        .collect();
    let mut blocks = vec![entries.join("\n")];
    blocks.extend(ttft_note(run).map(|note| escaped(&note)));
    blocks
}

pub(crate) fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = header.iter().map(|_| "---".to_owned()).collect();
    let rows = rows.map(|cells| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        line(&cells)
    });
    let head = [line(&header), line(&rule)];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// A text in which no character has a meaning of its own, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A text to the letter, between fences that it does not contain.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_texts() {
        assert_eq!(escaped("a|b <i> *c*\nd"), "a\\|b &lt;i&gt; \\*c\\* d");
        assert_eq!(fenced("a ``` b\n"), "````sh\na ``` b\n````");
        assert_eq!(fenced("a"), "```sh\na\n```");
    }
}
