//! The matrix in a picture: a number or a reason in every cell, the scale, the statuses.

use tokmark_run_format::RunDocument;

use super::MARGIN;
use super::head::paragraph;
use super::sheet::{Place, Sheet};
use super::text::Font;
use crate::run::{Matrix, MatrixCell, ScaleStep, legend_entries};
use crate::shade::Shade;
use crate::summary::Grid;
use crate::words;

/// Left of the cells: the contexts.
const LABELS: f64 = 74.0;
const ROW: f64 = 60.0;
const GAP: f64 = 3.0;
/// The least and the largest width of a cell.
const NARROW: f64 = 92.0;
const WIDE: f64 = 150.0;

/// The least width of the matrix.
pub(super) fn width(grid: &Grid<'_>) -> f64 {
    LABELS + NARROW * tokmark_units::float::from_usize(grid.requests.len())
}

/// Heading, levels, cells, scale and statuses.
pub(super) fn draw(sheet: &mut Sheet, run: &RunDocument, grid: &Grid<'_>, shade: Option<Shade>) {
    sheet.y += 14.0;
    paragraph(sheet, words::DECODE, Font::bold(16.0), "ink bold", 1);
    let Some(matrix) = Matrix::of(run, grid, shade) else {
        paragraph(sheet, words::NO_DECODE, Font::plain(13.0), "quiet", 2);
        return;
    };
    paragraph(sheet, words::picture::MATRIX, Font::plain(12.5), "quiet", 2);
    sheet.y += 6.0;
    let columns = tokmark_units::float::from_usize(matrix.requests.len());
    let column = ((sheet.width - 2.0 * MARGIN - LABELS) / columns).min(WIDE);
    let left = MARGIN + LABELS;
    let baseline = sheet.y + 13.0;
    sheet.text((MARGIN, baseline), 13.0, "quiet", words::CONTEXT);
    let mut x = left;
    for requests in &matrix.requests {
        let at = (x + column / 2.0, baseline);
        sheet.text(at, 13.0, "ink bold mid", &requests.to_string());
        x += column;
    }
    sheet.y += 20.0;
    for row in &matrix.rows {
        let at = (MARGIN, sheet.y + ROW / 2.0 + 4.5);
        sheet.text(at, 13.0, "ink bold", &row.label);
        let mut x = left;
        for one in &row.cells {
            let place = Place {
                x: x + GAP / 2.0,
                y: sheet.y + GAP / 2.0,
                width: column - GAP,
                height: ROW - GAP,
            };
            cell(sheet, one, place);
            x += column;
        }
        sheet.y += ROW;
    }
    scale(sheet, &matrix.scale, &matrix.highest, left);
    statuses(sheet, run);
}

/// Classes of a cell's ground and of the words on it.
pub(super) fn looks(cell: &MatrixCell) -> (String, String) {
    let step = cell.class.split(' ').find(|class| class.starts_with('q'));
    let ink = step.map(|step| step.replacen('q', "t", 1));
    match (step, ink) {
        (Some(step), Some(ink)) => (step.to_owned(), ink),
        _ if cell.class == "bad" => ("bad".to_owned(), "bad-ink".to_owned()),
        _ => ("raised".to_owned(), "quiet".to_owned()),
    }
}

/// A number that must be read with care keeps its colour and gets an edge.
pub(super) fn edge(sheet: &mut Sheet, cell: &MatrixCell, place: Place) {
    if cell.rate.is_some() && !cell.class.starts_with("good") {
        let inset = Place {
            x: place.x + 1.0,
            y: place.y + 1.0,
            width: place.width - 2.0,
            height: place.height - 2.0,
        };
        sheet.rect(inset, 4.0, "marked");
    }
}

fn cell(sheet: &mut Sheet, cell: &MatrixCell, place: Place) {
    let (ground, ink) = looks(cell);
    sheet.rect(place, 5.0, &ground);
    edge(sheet, cell, place);
    let room = place.width - 6.0;
    let (small, tiny) = (Font::plain(11.0), Font::plain(10.0));
    let mut lines: Vec<(Font, String, String)> = Vec::new();
    if let Some(rate) = &cell.rate {
        let font = Font::bold(16.0);
        lines.push((font, format!("{ink} bold"), font.shortened(rate, room)));
        if let Some(word) = cell.word {
            let font = if small.width(word) > room {
                tiny
            } else {
                small
            };
            lines.push((font, ink.clone(), font.shortened(word, room)));
        }
        if let Some(ttft) = &cell.ttft {
            let words = words::picture::ttft(ttft);
            let words = if small.width(&words) > room {
                ttft.clone()
            } else {
                words
            };
            lines.push((small, ink, small.shortened(&words, room)));
        }
    } else {
        let word = cell.word.unwrap_or(tokmark_units::format::DASH);
        let font = Font::plain(12.5);
        let wrapped = font.lines(word, room, 3).into_iter();
        lines.extend(wrapped.map(|line| (font, ink.clone(), line)));
    }
    let heights: f64 = lines.iter().map(|(font, ..)| font.size * 1.22).sum();
    let mut y = place.y + (place.height - heights) / 2.0;
    for (font, class, words) in lines {
        let at = (place.x + place.width / 2.0, y + font.size * 0.97);
        sheet.text(at, font.size, &format!("{class} mid"), &words);
        y += font.size * 1.22;
    }
}

/// The scale of the colours; left out where all rates are equal.
fn scale(sheet: &mut Sheet, steps: &[ScaleStep], highest: &str, left: f64) {
    if steps.is_empty() {
        return;
    }
    let (step_width, height) = (62.0, 20.0);
    sheet.y += 10.0;
    let baseline = sheet.y + 14.0;
    sheet.text((MARGIN, baseline), 12.0, "quiet", words::TOK_S);
    let mut x = left + GAP / 2.0;
    for step in steps {
        let place = Place {
            x,
            y: sheet.y,
            width: step_width,
            height,
        };
        sheet.rect(place, 0.0, &step.class);
        let ink = step.class.replacen('q', "t", 1);
        sheet.text((x + 6.0, baseline), 12.0, &ink, &step.edge);
        x += step_width;
    }
    sheet.text((x + 8.0, baseline), 12.0, "quiet", highest);
    sheet.y += height;
}

/// What the words in the cells mean.
fn statuses(sheet: &mut Sheet, run: &RunDocument) {
    let entries = legend_entries(run);
    if !entries.is_empty() {
        sheet.y += 8.0;
    }
    for entry in entries {
        let text = words::picture::status(entry.label, &entry.meaning);
        paragraph(sheet, &text, Font::plain(12.5), "quiet", 2);
    }
}
