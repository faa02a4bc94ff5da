//! The charts of the page in a picture, two in a row.

use tokmark_run_format::RunDocument;

use super::MARGIN;
use super::sheet::{Sheet, escaped};
use super::text::Font;
use crate::chart::{self, Chart, Line, number};
use crate::summary::Grid;

/// Between two charts.
const GUTTER: f64 = 26.0;

/// Height of a line of a chart's legend.
const LEGEND: f64 = 19.0;

/// The first `most` charts of the run.
pub(super) fn draw(sheet: &mut Sheet, run: &RunDocument, grid: &Grid<'_>, most: usize) {
    let charts: Vec<Chart> = chart::of(run, grid).into_iter().take(most).collect();
    let column = (sheet.width - 2.0 * MARGIN - GUTTER) / 2.0;
    for pair in charts.chunks(2) {
        sheet.y += 26.0;
        let (top, mut lowest) = (sheet.y, sheet.y);
        let mut x = MARGIN;
        for chart in pair {
            lowest = lowest.max(one(sheet, chart, (x, top), column));
            x += column + GUTTER;
        }
        sheet.y = lowest;
    }
}

/// One chart with its title and its legend; gives its lower edge.
fn one(sheet: &mut Sheet, chart: &Chart, (x, y): (f64, f64), width: f64) -> f64 {
    let font = Font::bold(15.0);
    let title = font.shortened(chart.title, width);
    sheet.text((x, y + 14.0), font.size, "ink bold", &title);
    let scale = width / chart.size.0;
    let place = (number(x), number(y + 24.0), format!("{scale:.4}"));
    let transform = format!("translate({} {}) scale({})", place.0, place.1, place.2);
    sheet.raw(&format!("<g transform=\"{transform}\">\n"));
    axes(sheet, chart);
    for line in &chart.lines {
        sheet.raw(&drawn(line));
    }
    sheet.raw("</g>\n");
    let bottom = y + 24.0 + chart.size.1 * scale + 6.0;
    legend(sheet, chart, (x, bottom), width)
}

fn axes(sheet: &mut Sheet, chart: &Chart) {
    let [left, right, _, bottom] = &chart.frame;
    for tick in &chart.y.ticks {
        sheet.raw(&format!(
            "<path class=\"rule\" d=\"M{left} {}H{right}\"/>\n",
            tick.at
        ));
        if let Some(label) = &tick.label {
            sheet.raw(&format!(
                "<text x=\"{left}\" y=\"{}\" dx=\"-8\" dy=\"4\" font-size=\"12\" class=\"quiet end\">{}</text>\n",
                tick.at,
                escaped(label)
            ));
        }
    }
    sheet.raw(&format!(
        "<path class=\"base\" d=\"M{left} {bottom}H{right}\"/>\n"
    ));
    for tick in &chart.x.ticks {
        sheet.raw(&format!(
            "<path class=\"base\" d=\"M{} {bottom}v4\"/>\n",
            tick.at
        ));
        if let Some(label) = &tick.label {
            sheet.raw(&format!(
                "<text x=\"{}\" y=\"{bottom}\" dy=\"17\" font-size=\"12\" class=\"quiet mid\">{}</text>\n",
                tick.at,
                escaped(label)
            ));
        }
    }
    sheet.raw(&format!(
        "<text x=\"{right}\" y=\"{}\" dy=\"-8\" font-size=\"11.5\" class=\"quiet end\">{}</text>\n\
         <text x=\"0\" y=\"12\" font-size=\"11.5\" class=\"quiet\">{}</text>\n",
        chart.height, chart.x.label, chart.y.label
    ));
}

fn drawn(line: &Line) -> String {
    let mut out = format!("<g class=\"{}\">\n", line.class);
    for area in &line.areas {
        out.push_str(&format!("<polygon class=\"band\" points=\"{area}\"/>\n"));
    }
    for piece in &line.pieces {
        out.push_str(&format!("<polyline class=\"line\" points=\"{piece}\"/>\n"));
    }
    for marker in &line.markers {
        if let Some(interval) = &marker.interval {
            out.push_str(&format!("<path class=\"interval\" d=\"{interval}\"/>\n"));
        }
        let hollow = if marker.hollow { " hollow" } else { "" };
        out.push_str(&format!(
            "<path class=\"dot{hollow}\" transform=\"{}\" d=\"{}\"><title>{}</title></path>\n",
            marker.transform,
            marker.shape,
            escaped(&marker.title)
        ));
    }
    out.push_str("</g>\n");
    out
}

/// What the names are, then line after line of them.
fn legend(sheet: &mut Sheet, chart: &Chart, (x, y): (f64, f64), width: f64) -> f64 {
    if chart.legend.is_empty() {
        return y;
    }
    let font = Font::plain(12.0);
    let mut baseline = y + 13.0;
    sheet.text((x, baseline), font.size, "quiet", chart.legend);
    let left = x + font.width(chart.legend) + 12.0;
    let mut at = left;
    for line in &chart.lines {
        let needed = 34.0 + font.width(&line.label) + 14.0;
        if at > left && at + needed > x + width {
            at = left;
            baseline += LEGEND;
        }
        sheet.raw(&format!(
            "<g class=\"{}\" transform=\"translate({} {})\"><path class=\"line\" d=\"M0 0H26\"/>\
             <path class=\"dot\" transform=\"translate(13 0)\" d=\"{}\"/></g>\n",
            line.class,
            number(at),
            number(baseline - 4.0),
            line.shape
        ));
        sheet.text((at + 32.0, baseline), font.size, "ink", &line.label);
        at += needed;
    }
    baseline + 8.0
}
