//! The running cell: what it is at, its rate so far, its streams, its time.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use tokmark_bench::{Live, Stage, matrix};
use tokmark_units::{float, format};

use super::super::looks::Looks;
use super::super::state::{Running, clock};
use super::{Scene, heading, named, write};

/// Draws the running cell, or what happens between cells.
pub(super) fn draw(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    heading(frame, scene, area, &title(scene));
    let Some(running) = &scene.state.running else {
        return;
    };
    let inner = area.width.saturating_sub(2);
    match &running.live {
        None => {
            let text = format!(" waiting for an idle server; {}", time_left(scene, running));
            write(frame, area, 1, Line::raw(text));
        }
        Some(live) => {
            write(frame, area, 1, rates(live));
            write(frame, area, 2, progress(scene, running, live, inner));
        }
    }
    let spark = scene.looks.spark(&running.rates, usize::from(inner));
    if !spark.is_empty() {
        let most = running.rates.iter().copied().fold(0.0, f64::max);
        write(frame, area, 3, Line::raw(format!(" {spark}")));
        let note = format!(" tok/s second by second, at most {}", format::rate(most));
        write(frame, area, 4, Line::styled(note, Looks::quiet()));
    }
}

/// The cell's place and what it is at, or the phase of the run.
fn title(scene: Scene<'_>) -> String {
    let Some(running) = &scene.state.running else {
        return scene.state.phase.clone();
    };
    let place = format!("{} x {}", matrix::label(running.context), running.requests);
    let at = match running.live.map(|live| live.stage) {
        None => "draining",
        Some(Stage::Launching) => "launching",
        Some(Stage::Settling) => "settling",
        Some(Stage::Window) => "in the window",
        Some(Stage::Ending) => "letting requests end",
    };
    format!("{place}: {at}")
}

fn rates(live: &Live) -> Line<'static> {
    let mut spans = Vec::new();
    let total = if live.window.is_some() {
        live.tokens_per_s
    } else {
        live.recent_tokens_per_s
    };
    let total = format!("{} tok/s", format::rate(total));
    spans.extend(named("total", &total, Looks::strong()));
    if let Some((low, high)) = live.interval {
        let text = format!("({} to {}) ", format::rate(low), format::rate(high));
        spans.push(Span::raw(text));
    }
    let each = format::or_dash(live.per_request_tokens_per_s, format::rate);
    spans.extend(named("each", &each, Looks::strong()));
    let ttft = format::or_dash(live.ttft, |ttft| format::ttft_ms(ttft.as_millis_f64()));
    spans.extend(named("TTFT", &ttft, Looks::strong()));
    Line::from(spans)
}

fn progress(scene: Scene<'_>, running: &Running, live: &Live, width: u16) -> Line<'static> {
    let looks = scene.looks;
    let streams = format!("{} of {}", live.decoding, live.requests);
    let mut spans = Vec::from(named("decoding", &streams, Looks::strong()));
    if let Some((since, length)) = live.window {
        let share = since.as_secs_f64() / length.as_secs_f64().max(1e-9);
        spans.push(Span::styled(" window ", Looks::quiet()));
        spans.push(Span::raw(looks.bar(share, usize::from(width / 5))));
        spans.push(Span::raw(format!(
            " {} of {} s ",
            format::decimal(since.as_secs_f64().floor(), 0),
            format::decimal(length.as_secs_f64(), 0)
        )));
    } else {
        let waited = float::from_u64(live.elapsed.0 / 1_000_000_000);
        let text = format!(" launched {} s ago ", format::decimal(waited, 0));
        spans.push(Span::raw(text));
    }
    spans.push(Span::raw(format!(" {}", time_left(scene, running))));
    Line::from(spans)
}

fn time_left(scene: Scene<'_>, running: &Running) -> String {
    format!("{} left", clock(running.left(scene.now)))
}

/// The cell in one line.
pub(super) fn summary(scene: Scene<'_>) -> String {
    let live = scene
        .state
        .running
        .as_ref()
        .and_then(|running| running.live);
    let rate = live
        .filter(|live| live.window.is_some())
        .map(|live| format!(", {} tok/s", format::rate(live.tokens_per_s)));
    format!("{}{}", title(scene), rate.unwrap_or_default())
}
