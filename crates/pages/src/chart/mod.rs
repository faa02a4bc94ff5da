//! Charts as inline SVG, without script and without styles of their own.
//!
//! Colours come from the style sheet by class, so that one chart serves light, dark and paper.

mod axis;
mod draw;
mod runs;

pub(crate) use axis::{Spacing, log_ticks};
pub(crate) use draw::{Chart, Line, Plan, draw, number};
pub(crate) use runs::of;

/// One point of a line, in the units of its axes.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// An interval around `y`.
    pub(crate) interval: Option<(f64, f64)>,
    /// Whether the cell is valid; others are drawn hollow.
    pub(crate) valid: bool,
    /// What the pointer shows.
    pub(crate) title: String,
    /// Whether the line runs on from the point before: no planned place lies between them.
    pub(crate) joined: bool,
}

/// A line with its name.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<Point>,
    /// Place in the palette.
    pub(crate) colour: usize,
    pub(crate) dashed: bool,
    /// Areas around the line, the widest first: place, lower and upper edge of each point.
    pub(crate) bands: Vec<Vec<(f64, f64, f64)>>,
}
