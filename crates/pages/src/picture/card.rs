//! The social card: what was measured, three figures, the matrix in colours.

use tokmark_run_format::RunDocument;
use tokmark_units::float;

use super::matrix::{edge, looks};
use super::sheet::{Place, Sheet, escaped};
use super::text::Font;
use super::{CARD_HEIGHT, CARD_WIDTH};
use crate::chart::number;
use crate::run::{Figure, Matrix, MatrixCell, key_figures};
use crate::shade::Shade;
use crate::summary::{self, Grid};
use crate::words;

const LEFT: f64 = 56.0;
const LABELS: f64 = 84.0;
/// Where the cells end; below is the line that says where it comes from.
const LOWEST: f64 = 572.0;

/// The most rows and columns that are readable at this size.
const MOST: usize = 10;

pub(super) fn draw(run: &RunDocument, grid: &Grid<'_>) -> Sheet {
    let mut sheet = Sheet::new(f64::from(CARD_WIDTH));
    let room = sheet.width - 2.0 * LEFT;
    sheet.y = 48.0;
    title(&mut sheet, run, room);
    lines(
        &mut sheet,
        &summary::engine_line(run),
        Font::plain(24.0),
        "quiet",
        1,
    );
    figures(&mut sheet, &key_figures(run, grid), room);
    match Matrix::of(run, grid, Shade::of(run)) {
        Some(matrix) => cells(&mut sheet, &matrix, room),
        None => lines(&mut sheet, words::NO_DECODE, Font::plain(20.0), "quiet", 2),
    }
    origin(&mut sheet, run, room);
    sheet.y = f64::from(CARD_HEIGHT);
    sheet
}

/// On one line where it fits; else the model, and the machine below it.
fn title(sheet: &mut Sheet, run: &RunDocument, room: f64) {
    let title = summary::title(run);
    let large = Font::bold(46.0);
    if large.width(&title) <= room {
        return lines(sheet, &title, large, "ink bold", 1);
    }
    let font = Font::bold(38.0);
    let machine = words::picture::on(summary::hardware_name(run));
    lines(sheet, summary::model_name(run), font, "ink bold", 1);
    lines(sheet, &machine, font, "ink bold", 1);
}

fn lines(sheet: &mut Sheet, text: &str, font: Font, class: &str, most: usize) {
    let width = sheet.width - 2.0 * LEFT;
    for line in font.lines(text, width, most) {
        sheet.y += font.size * 1.2;
        let at = (LEFT, sheet.y - font.size * 0.22);
        sheet.text(at, font.size, class, &line);
    }
}

/// The first three that have a unit: one request, all requests, the longest context or prefill.
fn figures(sheet: &mut Sheet, figures: &[Figure], room: f64) {
    let chosen: Vec<&Figure> = figures
        .iter()
        .filter(|one| !one.unit.is_empty())
        .take(3)
        .collect();
    if chosen.is_empty() {
        return;
    }
    sheet.y += 16.0;
    let what = Font::plain(16.0);
    let column = room / 3.0;
    let mut x = LEFT;
    for figure in chosen {
        let baseline = sheet.y + 38.0;
        let unit = escaped(figure.unit);
        sheet.raw(&format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"40\" class=\"accent bold\">{}\
             <tspan dx=\"9\" font-size=\"20\" class=\"quiet unit\">{unit}</tspan></text>\n",
            number(x),
            number(baseline),
            escaped(&figure.value)
        ));
        let words = what.shortened(&figure.what, column - 8.0);
        sheet.text((x, baseline + 26.0), what.size, "ink", &words);
        x += column;
    }
    sheet.y += 84.0;
}

/// The matrix as high as there is room, with numbers where they fit.
fn cells(sheet: &mut Sheet, matrix: &Matrix, room: f64) {
    let rows: Vec<_> = spread(&matrix.rows);
    let levels: Vec<_> = spread(&matrix.requests);
    let is_marked = |cell: &MatrixCell| cell.rate.is_some() && cell.word.is_some();
    let has_marked = matrix
        .rows
        .iter()
        .any(|row| row.cells.iter().any(is_marked));
    let heading = words::picture::card(has_marked);
    let at = (LEFT, sheet.y + 14.0);
    sheet.text(at, 17.0, "quiet", &heading);
    sheet.y += 26.0;
    let column = ((room - LABELS) / float::from_usize(levels.len())).min(220.0);
    let row = ((LOWEST - sheet.y - 22.0) / float::from_usize(rows.len())).min(56.0);
    let mut x = LEFT + LABELS;
    for requests in &levels {
        let at = (x + column / 2.0, sheet.y + 14.0);
        sheet.text(at, 17.0, "quiet mid", &requests.to_string());
        x += column;
    }
    sheet.y += 22.0;
    for line in rows {
        let size = (row * 0.55).min(18.0);
        let at = (LEFT, sheet.y + row / 2.0 + size * 0.35);
        sheet.text(at, size, "quiet", &line.label);
        let mut x = LEFT + LABELS;
        for one in spread(&line.cells) {
            let place = Place {
                x: x + 2.0,
                y: sheet.y + 2.0,
                width: column - 4.0,
                height: row - 4.0,
            };
            cell(sheet, one, place);
            x += column;
        }
        sheet.y += row;
    }
}

fn cell(sheet: &mut Sheet, cell: &MatrixCell, place: Place) {
    let (ground, ink) = looks(cell);
    sheet.rect(place, 5.0, &ground);
    edge(sheet, cell, place);
    let room = place.width - 8.0;
    let (font, class, words) = match (&cell.rate, cell.word) {
        (Some(rate), _) => (
            Font::bold((place.height * 0.6).min(20.0)),
            "bold mid",
            rate.as_str(),
        ),
        (None, Some(word)) => (Font::plain((place.height * 0.45).min(15.0)), "mid", word),
        (None, None) => (Font::plain(15.0), "mid", tokmark_units::format::DASH),
    };
    let at = (
        place.x + place.width / 2.0,
        place.y + place.height / 2.0 + font.size * 0.36,
    );
    let words = font.shortened(words, room);
    sheet.text(at, font.size, &format!("{ink} {class}"), &words);
}

fn origin(sheet: &mut Sheet, run: &RunDocument, room: f64) {
    let font = Font::plain(17.0);
    let baseline = f64::from(CARD_HEIGHT) - 26.0;
    let right = LEFT + room;
    let brand = Font::bold(20.0);
    let left = room - brand.width(words::BRAND) - 24.0;
    let line = font.shortened(&summary::origin_line(run), left);
    sheet.text((LEFT, baseline), font.size, "quiet", &line);
    sheet.text((right, baseline), brand.size, "ink bold end", words::BRAND);
}

/// At most [`MOST`] of them, the first and the last among them.
fn spread<T>(all: &[T]) -> Vec<&T> {
    if all.len() <= MOST {
        return all.iter().collect();
    }
    let last = MOST - 1;
    let places = (0..MOST).map(|at| (at * (all.len() - 1) + last / 2) / last);
    places.filter_map(|at| all.get(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_levels_keep_their_ends() {
        let all: Vec<u32> = (0..41).collect();
        let chosen: Vec<u32> = spread(&all).into_iter().copied().collect();
        assert_eq!(chosen, [0, 4, 9, 13, 18, 22, 27, 31, 36, 40]);
        assert_eq!(spread(&[1, 2]), [&1, &2]);
    }
}
