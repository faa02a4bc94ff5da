//! The log of events: the newest line at the end, scrolled back by keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::looks::Looks;
use super::super::state::{Weight, clock};
use super::{Scene, heading, write};

/// Draws as many lines as fit.
pub(super) fn draw(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let Scene { state, looks, .. } = scene;
    let rows = usize::from(area.height.saturating_sub(1));
    let end = state
        .log
        .len()
        .saturating_sub(state.scroll)
        .max(rows.min(state.log.len()));
    let words = match state.log.len() - end {
        0 => "events".to_owned(),
        later => format!("events, {later} newer below (End)"),
    };
    heading(frame, scene, area, &words);
    let first = end.saturating_sub(rows);
    let shown = state.log.iter().skip(first).take(end - first);
    for (row, line) in (1..).zip(shown) {
        let style = match line.weight {
            Weight::Plain => Style::new(),
            Weight::Warning => looks.warning(),
            Weight::Fault => looks.fault(),
        };
        let spans = vec![
            Span::styled(format!(" {:>7}  ", clock(line.at)), Looks::quiet()),
            Span::styled(line.text.clone(), style),
        ];
        write(frame, area, row, Line::from(spans));
    }
}
