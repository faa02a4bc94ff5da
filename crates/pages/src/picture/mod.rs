//! A run as one SVG: for a README, a report, a social card.
//!
//! The file needs nothing else: no font, no style sheet, no script. Its colours are those of the page.
//! With [`Theme::Auto`] it follows the reader's colour scheme, also inside of an `img`.

mod card;
mod curves;
mod head;
mod matrix;
mod sheet;
mod text;
mod theme;

use tokmark_run_format::RunDocument;

use crate::shade::Shade;
use crate::summary::{self, Grid};
use crate::words;
use sheet::Sheet;

pub use theme::Theme;

/// What is in a picture of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureKind {
    /// The matrix and the curves of its rates.
    #[default]
    MatrixAndCurves,
    /// The matrix.
    Matrix,
    /// Every curve of the page.
    Curves,
    /// 1200 x 630 units, for links on social sites.
    Card,
}

/// Width of the social card.
pub const CARD_WIDTH: u32 = 1_200;

/// Height of the social card.
pub const CARD_HEIGHT: u32 = 630;

/// Space around the content.
const MARGIN: f64 = 28.0;

/// The least width of a picture that is not a card.
const LEAST_WIDTH: f64 = 960.0;

/// The picture of a run as SVG text.
pub fn picture(run: &RunDocument, kind: PictureKind, theme: Theme) -> String {
    let grid = Grid::of(run);
    let sheet = match kind {
        PictureKind::Card => card::draw(run, &grid),
        _ => page(run, &grid, kind),
    };
    sheet.written(&summary::title(run), &description(run, &grid), theme)
}

/// Head, matrix, curves and where it comes from, one below another.
fn page(run: &RunDocument, grid: &Grid<'_>, kind: PictureKind) -> Sheet {
    let with_matrix = kind != PictureKind::Curves;
    let wanted = if with_matrix {
        matrix::width(grid)
    } else {
        0.0
    };
    let width = LEAST_WIDTH.max(wanted + 2.0 * MARGIN);
    let mut sheet = Sheet::new(width);
    head::draw(&mut sheet, run);
    if with_matrix {
        matrix::draw(&mut sheet, run, grid, Shade::of(run));
    }
    let curves = match kind {
        PictureKind::Matrix => 0,
        // The two that speak of the matrix above them.
        PictureKind::MatrixAndCurves => 2,
        _ => usize::MAX,
    };
    curves::draw(&mut sheet, run, grid, curves);
    head::origin(&mut sheet, run);
    sheet
}

/// The picture in words, for those who do not see it.
fn description(run: &RunDocument, grid: &Grid<'_>) -> String {
    let lines = [summary::engine_line(run), summary::extent_line(run)];
    let mut parts: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    for figure in crate::run::key_figures(run, grid) {
        let value = [figure.value.as_str(), figure.unit].join(" ");
        parts.push(words::picture::figure(value.trim_end(), &figure.what));
    }
    parts.join(". ")
}
