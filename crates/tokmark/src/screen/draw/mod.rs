//! From what the screen knows to what stands on it.

mod cell;
mod facts;
mod log;
mod matrix;
mod over;
#[cfg(test)]
mod steps_tests;
#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tokmark_units::{Nanos, float};

use super::looks::Looks;
use super::state::{Overlay, Pause, State, clock};

/// Below this there is room for a list of a few lines only.
const LEAST_WIDTH: u16 = 44;
const LEAST_HEIGHT: u16 = 10;
/// From here on the server and the machine stand beside the cell instead of below it.
const WIDE: u16 = 110;

/// What is drawn, how, and when.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) state: &'a State,
    pub(super) looks: Looks,
    pub(super) now: Nanos,
}

/// Draws everything.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State, looks: Looks, now: Nanos) {
    let scene = Scene { state, looks, now };
    let area = frame.area();
    if area.width < LEAST_WIDTH || area.height < LEAST_HEIGHT {
        compact(frame, scene, area);
        return;
    }
    let mut rest = area;
    head(frame, scene, take(&mut rest, 2));
    let keys_at = take_last(&mut rest, 1);
    keys(frame, scene, keys_at);
    match state.overlay {
        Overlay::Help => over::help(frame, scene, rest),
        Overlay::Output => over::output(frame, scene, rest),
        Overlay::None => body(frame, scene, rest),
    }
}

fn body(frame: &mut Frame<'_>, scene: Scene<'_>, mut rest: Rect) {
    let is_wide = rest.width >= WIDE;
    let is_low = rest.height < 20;
    let cell_height = match (is_wide, is_low) {
        (_, true) => 3,
        (true, false) => 7,
        (false, false) => 4,
    };
    let facts_height = match (is_wide, is_low) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let log_height = if is_low { 2 } else { 4 };
    let room = rest
        .height
        .saturating_sub(cell_height + facts_height + log_height);
    let matrix_height = matrix::height(scene, room);
    matrix::draw(frame, scene, take(&mut rest, matrix_height));
    let mut middle = take(&mut rest, cell_height);
    if is_wide {
        let right = take_right(&mut middle, rest.width * 2 / 5);
        facts::beside(frame, scene, right);
    }
    cell::draw(frame, scene, middle);
    facts::below(frame, scene, take(&mut rest, facts_height));
    log::draw(frame, scene, rest);
}

/// Model, engine and machine; time and cells.
fn head(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let Scene { state, looks, .. } = scene;
    let title = &state.title;
    let mut first = vec![Span::styled(title.model.clone(), Looks::strong())];
    for part in [&title.engine, &title.hardware] {
        if !part.is_empty() {
            first.push(Span::raw(format!(", {part}")));
        }
    }
    write(frame, area, 0, Line::from(first));
    let (done, all) = state.count();
    let mut second = vec![Span::raw(times(scene))];
    if all > 0 {
        let share = float::from_usize(done) / float::from_usize(all);
        second.push(Span::raw(format!("  {done} of {all} cells ")));
        second.push(Span::raw(looks.bar(share, usize::from(area.width / 8))));
    }
    if let Some(words) = asked(state) {
        second.push(Span::raw("  "));
        second.push(Span::styled(words, looks.warning()));
    }
    write(frame, area, 1, Line::from(second));
}

fn times(scene: Scene<'_>) -> String {
    let elapsed = clock(scene.now.saturating_sub(scene.state.began));
    match scene.state.left(scene.now) {
        Some(left) => format!("{elapsed} elapsed, about {} left", clock(left)),
        None => format!("{elapsed} elapsed"),
    }
}

/// What a person asked for and is under way.
fn asked(state: &State) -> Option<&'static str> {
    match (state.finishing, state.pause) {
        (Some(_), _) => Some("finishing"),
        (None, Pause::Wanted) => Some("pausing after this cell"),
        (None, Pause::Since(_)) => Some("paused"),
        (None, Pause::No) => None,
    }
}

fn keys(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let is_narrow = area.width < 76;
    let word = |long: &'static str, short| if is_narrow { short } else { long };
    let pause = match scene.state.pause {
        Pause::Since(_) => "go on",
        Pause::Wanted => word("do not pause", "no pause"),
        Pause::No => word("pause after the cell", "pause"),
    };
    let shown: &[(&str, &str)] = match scene.state.overlay {
        Overlay::Help => &[("q", "close")],
        Overlay::Output => &[
            ("q", "close"),
            ("left right", "another stream"),
            ("?", "help"),
        ],
        Overlay::None => &[
            ("q", word("finish early", "finish")),
            ("s", word("skip the cell", "skip")),
            ("p", pause),
            ("o", "output"),
            ("?", "help"),
        ],
    };
    let mut words = Vec::new();
    for (key, what) in shown {
        words.push(Span::styled((*key).to_owned(), Looks::strong()));
        words.push(Span::styled(format!(" {what}   "), Looks::quiet()));
    }
    write(frame, area, 0, Line::from(words));
}

/// A few lines for a terminal that is too small for more.
fn compact(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let state = scene.state;
    let (done, all) = state.count();
    let mut lines = vec![
        format!("{done} of {all} cells, {}", times(scene)),
        cell::summary(scene),
    ];
    lines.extend(asked(state).map(str::to_owned));
    let keys = "q finish  s skip  p pause";
    let room = usize::from(area.height).saturating_sub(lines.len() + 1);
    let newest = state.log.len().saturating_sub(room);
    lines.extend(state.log.iter().skip(newest).map(|line| line.text.clone()));
    lines.truncate(usize::from(area.height.max(2)) - 1);
    lines.push(keys.to_owned());
    for (at, line) in lines.into_iter().enumerate() {
        write(
            frame,
            area,
            u16::try_from(at).unwrap_or(u16::MAX),
            Line::raw(line),
        );
    }
}

/// One line of an area; what does not fit is cut.
pub(super) fn write(frame: &mut Frame<'_>, area: Rect, row: u16, line: Line<'_>) {
    if row < area.height {
        let place = Rect::new(area.x, area.y + row, area.width, 1);
        frame.render_widget(line, place);
    }
}

/// A heading: words in a line across the area.
pub(super) fn heading(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect, words: &str) {
    let looks = scene.looks;
    let name = Span::styled(format!(" {words} "), Looks::strong());
    let before = Span::styled(looks.rule(), Looks::quiet());
    let used = name.width() + 1;
    let after = usize::from(area.width).saturating_sub(used);
    let after = Span::styled(looks.rule().repeat(after), Looks::quiet());
    write(frame, area, 0, Line::from(vec![before, name, after]));
}

/// A quantity: its name in quiet, its value as given.
pub(super) fn named(name: &str, value: &str, style: Style) -> [Span<'static>; 2] {
    [
        Span::styled(format!(" {name} "), Looks::quiet()),
        Span::styled(format!("{value} "), style),
    ]
}

/// Cuts rows off the top of an area.
fn take(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    let taken = Rect { height, ..*rest };
    rest.y += height;
    rest.height -= height;
    taken
}

fn take_last(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    rest.height -= height;
    Rect {
        y: rest.y + rest.height,
        height,
        ..*rest
    }
}

fn take_right(rest: &mut Rect, width: u16) -> Rect {
    let width = width.min(rest.width);
    rest.width -= width;
    Rect {
        x: rest.x + rest.width,
        width,
        ..*rest
    }
}
