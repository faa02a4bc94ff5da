//! The matrix: contexts down, requests across, one cell after the other filled in.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tokmark_bench::{Stage, matrix};
use tokmark_run_format::{CellStatus, DecodeCell};
use tokmark_units::format;

use super::super::looks::Looks;
use super::super::words::{mark, short};
use super::{Scene, heading};

/// Columns of a cell, the space before it included.
const LEAST_CELL: u16 = 9;
/// From here on a cell shows how steady its rate was.
const ROOMY_CELL: u16 = 15;
const MOST_CELL: u16 = 18;
/// Columns of the contexts.
const LABEL: u16 = 8;
/// Columns of a prefill rate, and of a first-token time.
const PREFILL: u16 = 10;
const TTFT: u16 = 12;

/// Rows that the matrix takes of so many: two per context where there is room for them.
pub(super) fn height(scene: Scene<'_>, room: u16) -> u16 {
    let contexts = u16::try_from(scene.state.matrix.contexts.len()).unwrap_or(u16::MAX);
    let wanted = contexts
        .saturating_mul(rows_each(scene, room))
        .saturating_add(2);
    wanted.min(room)
}

fn rows_each(scene: Scene<'_>, room: u16) -> u16 {
    let contexts = u16::try_from(scene.state.matrix.contexts.len()).unwrap_or(u16::MAX);
    let is_roomy = contexts.saturating_mul(3).saturating_add(8) <= room;
    if is_roomy && !scene.state.matrix.levels.is_empty() {
        2
    } else {
        1
    }
}

/// How the matrix lies in its area.
struct Layout {
    rows: Range<usize>,
    columns: Range<usize>,
    row_height: u16,
    cell: u16,
    prefill: u16,
}

impl Layout {
    fn of(scene: Scene<'_>, area: Rect) -> Self {
        let matrix = &scene.state.matrix;
        let levels = matrix.levels.len();
        let many = u16::try_from(levels).unwrap_or(u16::MAX);
        let room = area.width.saturating_sub(LABEL);
        let is_prefill_shown = levels == 0
            || !scene.state.prefill.is_empty() && room >= PREFILL + many.saturating_mul(LEAST_CELL);
        let prefill = match (is_prefill_shown, levels) {
            (false, _) => 0,
            (true, 0) => PREFILL + TTFT,
            (true, _) => PREFILL,
        };
        let room = room - prefill.min(room);
        let cell = (room / many.max(1)).clamp(LEAST_CELL, MOST_CELL);
        let contexts = u16::try_from(matrix.contexts.len()).unwrap_or(u16::MAX);
        let is_tall = levels > 0 && area.height >= contexts.saturating_mul(2).saturating_add(2);
        let row_height = if is_tall { 2 } else { 1 };
        let running = scene.state.running.as_ref();
        let at = |found: Option<usize>| found.unwrap_or(0);
        let row = running.and_then(|cell| matrix.contexts.iter().position(|c| *c == cell.context));
        let column =
            running.and_then(|cell| matrix.levels.iter().position(|l| *l == cell.requests));
        let fit = |room: u16, each: u16| usize::from(room / each.max(1));
        Self {
            rows: around(
                at(row),
                fit(area.height.saturating_sub(2), row_height),
                matrix.contexts.len(),
            ),
            columns: around(at(column), fit(room, cell), levels),
            row_height,
            cell,
            prefill,
        }
    }
}

/// As many of `all` places as fit, the wanted one among them.
fn around(wanted: usize, fit: usize, all: usize) -> Range<usize> {
    let fit = fit.min(all);
    // One more is seen behind the wanted one where there is room for it.
    let end = (wanted + fit.min(2)).max(fit).min(all);
    end.saturating_sub(fit)..end
}

/// Draws the matrix; where it does not fit, the part around the running cell.
pub(super) fn draw(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    if area.height < 2 {
        return;
    }
    let layout = Layout::of(scene, area);
    heading(frame, scene, area, &title(scene, &layout));
    header(frame, scene, area, &layout);
    let contexts = scene.state.matrix.contexts.iter().copied();
    let shown = contexts.skip(layout.rows.start).take(layout.rows.len());
    for (at, context) in (0_u16..).zip(shown) {
        let y = area.y + 2 + at * layout.row_height;
        if y + layout.row_height > area.bottom() {
            return;
        }
        row(
            frame,
            scene,
            Rect {
                y,
                height: layout.row_height,
                ..area
            },
            context,
            &layout,
        );
    }
}

fn title(scene: Scene<'_>, layout: &Layout) -> String {
    let matrix = &scene.state.matrix;
    if matrix.levels.is_empty() {
        return "prefill".to_owned();
    }
    let mut words = "decode, total tok/s".to_owned();
    let parts = [
        ("rows", &layout.rows, matrix.contexts.len()),
        ("columns", &layout.columns, matrix.levels.len()),
    ];
    for (name, shown, all) in parts {
        if shown.len() < all {
            words.push_str(&format!(
                ", {name} {}-{} of {all}",
                shown.start + 1,
                shown.end
            ));
        }
    }
    words
}

fn header(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect, layout: &Layout) {
    let quiet = Looks::quiet();
    let mut pen = Pen::at(area, area.y + 1);
    pen.right(frame, LABEL, "context", quiet);
    if layout.prefill > 0 {
        pen.right(frame, PREFILL, "prefill", quiet);
    }
    if layout.prefill > PREFILL {
        pen.right(frame, TTFT, "TTFT", quiet);
    }
    for level in scene
        .state
        .matrix
        .levels
        .iter()
        .skip(layout.columns.start)
        .take(layout.columns.len())
    {
        pen.right(frame, layout.cell, &format!("{level} "), quiet);
    }
}

fn row(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect, context: u64, layout: &Layout) {
    let mut pen = Pen::at(area, area.y);
    pen.right(frame, LABEL, &matrix::label(context), Style::new());
    let known = scene.state.prefill.get(&context);
    if layout.prefill > 0 {
        let rate = known.map(|(rate, _)| *rate);
        pen.right(
            frame,
            PREFILL,
            &format::or_dash(rate, format::prefill_rate),
            Style::new(),
        );
    }
    if layout.prefill > PREFILL {
        let ttft = known.map(|(_, ttft)| *ttft);
        pen.right(
            frame,
            TTFT,
            &format::or_dash(ttft, format::ttft_ms),
            Style::new(),
        );
    }
    let levels = scene.state.matrix.levels.iter().copied();
    for requests in levels.skip(layout.columns.start).take(layout.columns.len()) {
        let cell = content(scene, context, requests, layout.cell);
        if layout.row_height > 1 {
            let below = pen.moved_to(area.y + 1);
            below.fill(frame, layout.cell, &cell.second, cell.style);
        }
        pen.fill(frame, layout.cell, &cell.first, cell.style);
        pen.x += layout.cell;
    }
}

/// What a cell says.
struct Content {
    first: String,
    second: String,
    style: Style,
}

impl Content {
    fn new(first: impl Into<String>, second: impl Into<String>, style: Style) -> Self {
        Self {
            first: first.into(),
            second: second.into(),
            style,
        }
    }
}

fn content(scene: Scene<'_>, context: u64, requests: u32, width: u16) -> Content {
    let Scene { state, looks, .. } = scene;
    let running = state.running.as_ref();
    if let Some(running) = running.filter(|r| (r.context, r.requests) == (context, requests)) {
        let words = match running.live {
            None => "drain".to_owned(),
            Some(live) => match live.stage {
                Stage::Launching => format!("{}/{requests}", live.decoding),
                Stage::Settling => "settle".to_owned(),
                Stage::Window | Stage::Ending => format::rate(live.tokens_per_s),
            },
        };
        let first = format!("{}{words} ", looks.pointer());
        return Content::new(first, "running ", Looks::running());
    }
    if let Some(cell) = state.cells.get(&(context, requests)) {
        return decided(scene, cell, width);
    }
    match state.left_out.get(&(context, requests)) {
        Some(status) => Content::new(format!("{} ", short(*status)), "", looks.status(*status)),
        None => Content::new(format!("{} ", looks.pending()), "", Looks::quiet()),
    }
}

fn decided(scene: Scene<'_>, cell: &DecodeCell, width: u16) -> Content {
    let Scene { state, looks, .. } = scene;
    let status = cell.status;
    let Some(total) = cell.total_tokens_per_s else {
        return Content::new(format!("{} ", short(status)), "", looks.status(status));
    };
    let mut first = format!("{}{}", format::rate(total), mark(status));
    if let Some(half) = half_width(cell, total).filter(|_| width >= ROOMY_CELL) {
        let sign = if looks.unicode { "±" } else { "+-" };
        first.push_str(&format!("{sign}{half}% "));
    }
    let second = match (status, cell.per_request_tokens_per_s) {
        (CellStatus::Valid, Some(each)) if width >= 12 => {
            format!("{} each ", format::rate(each))
        }
        (CellStatus::Valid, _) => String::new(),
        _ => format!("{} ", short(status)),
    };
    let place = state
        .range()
        .map_or(0.5, |(low, high)| place(total, low, high));
    Content::new(first, second, looks.rate(place, status))
}

/// Half of the interval in per cent of the rate.
fn half_width(cell: &DecodeCell, total: f64) -> Option<String> {
    let (low, high) = cell.ci95_low.zip(cell.ci95_high)?;
    (total > 0.0).then(|| format::decimal((high - low) / 2.0 / total * 100.0, 1))
}

/// Where a rate lies between two others: a factor is a distance.
fn place(rate: f64, low: f64, high: f64) -> f64 {
    let span = (high / low).ln();
    if span > 0.0 && rate > 0.0 {
        (rate / low).ln() / span
    } else {
        0.5
    }
}

/// Writes one piece after the other into a row.
struct Pen {
    x: u16,
    y: u16,
    end: u16,
}

impl Pen {
    fn at(area: Rect, y: u16) -> Self {
        Self {
            x: area.x,
            y,
            end: area.right(),
        }
    }

    fn moved_to(&self, y: u16) -> Self {
        Self { y, ..*self }
    }

    /// Text at the right edge of a piece, and on to the next one.
    fn right(&mut self, frame: &mut Frame<'_>, width: u16, text: &str, style: Style) {
        let columns = text.chars().count();
        let space = usize::from(width).saturating_sub(columns);
        self.put(
            frame,
            self.x,
            &format!("{}{text}", " ".repeat(space)),
            width,
            style,
        );
        self.x += width;
    }

    /// Text at the right edge of a piece that its style fills but for the space before it.
    fn fill(&self, frame: &mut Frame<'_>, width: u16, text: &str, style: Style) {
        let inner = width.saturating_sub(1);
        let space = usize::from(inner).saturating_sub(text.chars().count());
        self.put(
            frame,
            self.x + 1,
            &format!("{}{text}", " ".repeat(space)),
            inner,
            style,
        );
    }

    fn put(&self, frame: &mut Frame<'_>, x: u16, text: &str, width: u16, style: Style) {
        let room = self.end.saturating_sub(x).min(width);
        if room > 0 {
            frame
                .buffer_mut()
                .set_stringn(x, self.y, text, room.into(), style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_place_is_always_seen() {
        let check = |wanted, fit, all, expect| assert_eq!(around(wanted, fit, all), expect);
        check(0, 8, 8, 0..8);
        check(0, 5, 12, 0..5);
        check(4, 5, 12, 1..6);
        check(11, 5, 12, 7..12);
        check(3, 9, 4, 0..4);
        check(0, 0, 4, 0..0);
        for (wanted, fit) in (0..12).flat_map(|wanted| (1..12).map(move |fit| (wanted, fit))) {
            let shown = around(wanted, fit, 12);
            assert!(
                shown.contains(&wanted) && shown.len() == fit,
                "{wanted} in {shown:?}"
            );
        }
    }

    #[test]
    fn a_factor_is_a_distance() {
        let check =
            |rate: f64, expect: f64| assert!((place(rate, 10.0, 1_000.0) - expect).abs() < 1e-9);
        check(10.0, 0.0);
        check(100.0, 0.5);
        check(1_000.0, 1.0);
        assert!((place(5.0, 5.0, 5.0) - 0.5).abs() < 1e-9);
    }
}
