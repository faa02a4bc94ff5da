//! From series to the shapes of an SVG.

use tokmark_units::format;

use super::axis::{Axis, Spacing, linear_ticks, log_ticks, symmetric_ticks};
use super::{Point, Series};

/// The drawing's size in SVG units; a page scales it to its column.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 310.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;

/// The least distance of two labels on the lower axis.
const LABEL_DISTANCE: f64 = 36.0;

/// A chart, ready for its template.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) width: String,
    pub(crate) height: String,
    /// Width and height as numbers.
    pub(crate) size: (f64, f64),
    pub(crate) x: ChartAxis,
    pub(crate) y: ChartAxis,
    /// What the names of the lines are; empty when there is only one line.
    pub(crate) legend: &'static str,
    /// Ends of the plot: left, right, top, bottom.
    pub(crate) frame: [String; 4],
    pub(crate) lines: Vec<Line>,
}

/// An axis with its ticks.
#[derive(Debug)]
pub(crate) struct ChartAxis {
    pub(crate) label: &'static str,
    pub(crate) ticks: Vec<Tick>,
}

/// A tick: its place, and its words unless they would touch the next ones.
#[derive(Debug)]
pub(crate) struct Tick {
    pub(crate) at: String,
    pub(crate) label: Option<String>,
}

/// A series, drawn.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    /// Classes that choose the colour: `s0` to `s7`, and `dashed`.
    pub(crate) class: String,
    /// Points of each unbroken piece.
    pub(crate) pieces: Vec<String>,
    /// Corners of each area around the line, the widest first.
    pub(crate) areas: Vec<String>,
    pub(crate) markers: Vec<Marker>,
    /// The marker's shape at the origin, for the legend.
    pub(crate) shape: &'static str,
}

/// A point, drawn.
#[derive(Debug)]
pub(crate) struct Marker {
    pub(crate) transform: String,
    pub(crate) shape: &'static str,
    pub(crate) hollow: bool,
    pub(crate) title: String,
    /// The interval as a vertical path.
    pub(crate) interval: Option<String>,
}

/// What to draw: words, the lower axis, the series.
pub(crate) struct Plan {
    /// Title, lower axis, left axis, what the names of the lines are.
    pub(crate) words: [&'static str; 4],
    pub(crate) x_spacing: Spacing,
    /// Places on the lower axis that have a label, rising.
    pub(crate) x_ticks: Vec<(f64, String)>,
    pub(crate) y_spacing: Spacing,
    pub(crate) series: Vec<Series>,
}

/// Draws; `None` when there is no point.
pub(crate) fn draw(plan: Plan) -> Option<Chart> {
    let points = || plan.series.iter().flat_map(|series| &series.points);
    let edges = || {
        plan.series
            .iter()
            .flat_map(|series| &series.bands)
            .flatten()
    };
    let values =
        || points().flat_map(|point| [Some(point.y), point.interval.map(|(_, high)| high)]);
    let most = values()
        .flatten()
        .chain(edges().map(|(_, _, high)| *high))
        .fold(f64::MIN, f64::max);
    let least = points()
        .map(|point| point.y)
        .chain(edges().map(|(_, low, _)| *low))
        .fold(f64::MAX, f64::min);
    points().next()?;
    let y_values = match plan.y_spacing {
        Spacing::Logarithmic if least > 0.0 => log_ticks(least, most),
        _ if least < 0.0 => symmetric_ticks(most.max(-least), 6.0),
        _ => linear_ticks(most, 5.0),
    };
    let y_spacing = if least > 0.0 {
        plan.y_spacing
    } else {
        Spacing::Linear
    };
    let ends = |values: &[f64]| {
        let first = values.first().copied().unwrap_or(0.0);
        (first, values.last().copied().unwrap_or(1.0))
    };
    let (y_low, y_high) = ends(&y_values);
    let y = Axis::new(y_spacing, y_low, y_high, HEIGHT - BOTTOM, TOP);
    let x_values: Vec<f64> = plan.x_ticks.iter().map(|(value, _)| *value).collect();
    let (x_low, x_high) = ends(&x_values);
    let x = x_axis(plan.x_spacing, x_low, x_high);
    Some(Chart {
        title: plan.words[0],
        width: number(WIDTH),
        height: number(HEIGHT),
        size: (WIDTH, HEIGHT),
        legend: if plan.series.len() > 1 {
            plan.words[3]
        } else {
            ""
        },
        frame: [LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM].map(number),
        x: ChartAxis {
            label: plan.words[1],
            ticks: x_ticks(&x, &plan.x_ticks),
        },
        y: ChartAxis {
            label: plan.words[2],
            ticks: y_ticks(&y, &y_values),
        },
        lines: plan
            .series
            .into_iter()
            .map(|series| line(series, &x, &y))
            .collect(),
    })
}

/// Points do not touch the frame: the lower axis ends a little inside of it.
fn x_axis(spacing: Spacing, low: f64, high: f64) -> Axis {
    let inset = 12.0;
    let (from, to) = (LEFT + inset, WIDTH - RIGHT - inset);
    match spacing {
        // A single place stands in the middle.
        _ if high <= low => Axis::new(Spacing::Linear, low - 1.0, low + 1.0, from, to),
        spacing => Axis::new(spacing, low, high, from, to),
    }
}

fn x_ticks(axis: &Axis, ticks: &[(f64, String)]) -> Vec<Tick> {
    // From the right, since the last place is the one that people look for.
    let mut free = f64::MAX;
    let mut drawn: Vec<Tick> = ticks
        .iter()
        .rev()
        .map(|(value, label)| {
            let at = axis.place(*value);
            let fits = at <= free - LABEL_DISTANCE;
            if fits {
                free = at;
            }
            Tick {
                at: number(at),
                label: fits.then(|| label.clone()),
            }
        })
        .collect();
    drawn.reverse();
    drawn
}

fn y_ticks(axis: &Axis, values: &[f64]) -> Vec<Tick> {
    let decimals = usize::from(axis.high() < 5.0) + usize::from(axis.high() < 0.5);
    values
        .iter()
        .map(|value| Tick {
            at: number(axis.place(*value)),
            label: Some(tick_label(*value, decimals)),
        })
        .collect()
}

fn tick_label(value: f64, decimals: usize) -> String {
    if value >= 10_000.0 {
        let thousands = value / 1_000.0;
        let decimals = usize::from((thousands - thousands.round()).abs() > 1e-6);
        format!("{}K", format::decimal(thousands, decimals))
    } else {
        format::decimal(value, decimals)
    }
}

fn line(series: Series, x: &Axis, y: &Axis) -> Line {
    let shape = shape(series.colour);
    let class = if series.dashed {
        format!("s{} dashed", series.colour % COLOURS)
    } else {
        format!("s{}", series.colour % COLOURS)
    };
    let mut pieces: Vec<Vec<String>> = Vec::new();
    for point in &series.points {
        let place = format!("{},{}", number(x.place(point.x)), number(y.place(point.y)));
        match pieces.last_mut() {
            Some(piece) if point.joined => piece.push(place),
            _ => pieces.push(vec![place]),
        }
    }
    let areas = series.bands.iter().map(|band| area(band, x, y)).collect();
    Line {
        areas,
        label: series.label,
        class,
        pieces: pieces
            .into_iter()
            .filter(|piece| piece.len() > 1)
            .map(|piece| piece.join(" "))
            .collect(),
        markers: series
            .points
            .into_iter()
            .map(|point| marker(point, shape, x, y))
            .collect(),
        shape,
    }
}

/// Along the upper edge, and back along the lower one.
fn area(band: &[(f64, f64, f64)], x: &Axis, y: &Axis) -> String {
    let corner =
        |at: f64, value: f64| format!("{},{}", number(x.place(at)), number(y.place(value)));
    let upper = band.iter().map(|(at, _, high)| corner(*at, *high));
    let lower = band.iter().rev().map(|(at, low, _)| corner(*at, *low));
    let corners: Vec<String> = upper.chain(lower).collect();
    corners.join(" ")
}

fn marker(point: Point, shape: &'static str, x: &Axis, y: &Axis) -> Marker {
    let at = number(x.place(point.x));
    let interval = point
        .interval
        .map(|(low, high)| format!("M{at} {}V{}", number(y.place(low)), number(y.place(high))));
    Marker {
        transform: format!("translate({at} {})", number(y.place(point.y))),
        shape,
        hollow: !point.valid,
        title: point.title,
        interval,
    }
}

/// Colours of the palette; shapes change with them, so that colour is never the only difference.
pub(crate) const COLOURS: usize = 8;

/// Circle, square, triangle, diamond, cross, triangle down, bar, star.
fn shape(colour: usize) -> &'static str {
    match colour % COLOURS {
        0 => "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        1 => "M-3.5-3.5h7v7h-7z",
        2 => "M0-4.5L4.5 3.5h-9z",
        3 => "M0-5L5 0L0 5L-5 0z",
        4 => "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
        5 => "M0 4.5L4.5-3.5h-9z",
        6 => "M-5-2h10v4h-10z",
        _ => "M-2-5h4v10h-4z",
    }
}

/// A coordinate with at most one decimal.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, joined: bool) -> Point {
        Point {
            x,
            y,
            interval: None,
            valid: true,
            title: String::new(),
            joined,
        }
    }

    fn plan(points: Vec<Point>) -> Plan {
        Plan {
            words: ["t", "x", "y", "l"],
            x_spacing: Spacing::Logarithmic,
            x_ticks: vec![(1.0, "1".into()), (2.0, "2".into()), (4.0, "4".into())],
            y_spacing: Spacing::Linear,
            series: vec![Series {
                label: "l".into(),
                points,
                colour: 0,
                dashed: false,
                bands: Vec::new(),
            }],
        }
    }

    #[test]
    fn a_missing_place_breaks_the_line() {
        let chart = draw(plan(vec![
            point(1.0, 1.0, false),
            point(2.0, 2.0, true),
            point(4.0, 4.0, false),
        ]))
        .unwrap();
        assert_eq!(chart.lines[0].pieces.len(), 1);
        assert_eq!(chart.lines[0].markers.len(), 3);
    }

    #[test]
    fn one_point_is_a_chart_and_none_is_not() {
        assert!(draw(plan(vec![point(1.0, 0.0, false)])).is_some());
        assert!(draw(plan(Vec::new())).is_none());
    }

    #[test]
    fn labels_keep_their_distance() {
        let axis = Axis::new(Spacing::Linear, 0.0, 100.0, 0.0, 100.0);
        let ticks: Vec<(f64, String)> = [0.0, 50.0, 92.0, 100.0]
            .map(|at| (at, at.to_string()))
            .to_vec();
        let shown: Vec<bool> = x_ticks(&axis, &ticks)
            .iter()
            .map(|tick| tick.label.is_some())
            .collect();
        assert_eq!(shown, [true, true, false, true]);
    }
}
