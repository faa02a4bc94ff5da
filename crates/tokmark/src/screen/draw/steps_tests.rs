//! What keys and events change on the screen, step by step.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokmark_bench::Progress;
use tokmark_bench::matrix::Matrix;
use tokmark_run_format::CellStatus;

use super::super::input::Action;
use super::super::state::State;
use super::tests::{K, LOOKS, at, picture, press, shown, state, title, unmeasured, words};

#[test]
fn the_running_cell_stays_in_sight() {
    let mut state = State::new(&title(), at(0));
    let matrix = Matrix {
        contexts: (0..40).map(|k| k * K).collect(),
        prefill_contexts: Vec::new(),
        levels: (1..=40).collect(),
    };
    state.take(Progress::Planned(matrix), at(0));
    for (context, requests) in [(0, 1), (20 * K, 20), (39 * K, 40), (3 * K, 38)] {
        state.take(
            Progress::CellStarted {
                context,
                requests,
                expected: at(36),
            },
            at(1),
        );
        for (width, height) in [(60, 15), (80, 24), (120, 40)] {
            let text = words(&picture(&state, LOOKS, width, height, at(2)));
            assert!(text.contains("▸drain"), "{context} x {requests}:\n{text}");
            assert!(
                text.contains("columns ") && text.contains(" of 40"),
                "{text}"
            );
        }
    }
}

#[test]
fn keys_ask_for_what_they_say() {
    let mut state = state();
    assert_eq!(
        press(&mut state, KeyCode::Char('s'), 809),
        Some(Action::Skip)
    );
    assert_eq!(
        press(&mut state, KeyCode::Char('p'), 809),
        Some(Action::Pause(true))
    );
    assert!(shown(&state, 80, 24).contains("pausing after this cell"));
    assert_eq!(
        press(&mut state, KeyCode::Char('p'), 809),
        Some(Action::Pause(false))
    );
    // The second wish counts once the first is a second old: a key held down does not throw away
    // the result.
    assert_eq!(
        press(&mut state, KeyCode::Char('q'), 809),
        Some(Action::Finish)
    );
    assert_eq!(press(&mut state, KeyCode::Char('q'), 809), None);
    assert_eq!(
        press(&mut state, KeyCode::Char('q'), 810),
        Some(Action::LeaveNow)
    );
    let control = |code| KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL);
    assert_eq!(state.press(control('z'), at(811)), Some(Action::Suspend));
    assert_eq!(state.press(control('c'), at(811)), Some(Action::LeaveNow));
    assert_eq!(press(&mut state, KeyCode::Char('x'), 811), None);
    // Between cells there is nothing to skip.
    state.take(
        unmeasured(32 * K, 8, CellStatus::Skipped, "skipped by the user"),
        at(812),
    );
    assert_eq!(press(&mut state, KeyCode::Char('s'), 812), None);
}

#[test]
fn a_pause_stops_the_time_left() {
    let mut state = state();
    let left = |state: &State, s: u64| state.left(at(s)).unwrap();
    assert_eq!(left(&state, 800), at(890));
    state.take(Progress::Paused(true), at(800));
    assert_eq!(left(&state, 1_800), at(890));
    assert!(words(&picture(&state, LOOKS, 80, 24, at(1_800))).contains("paused"));
    state.take(Progress::Paused(false), at(1_800));
    assert_eq!(left(&state, 1_810), at(880));
}

#[test]
fn the_log_scrolls_and_stays_where_it_is_scrolled_to() {
    let mut state = state();
    for line in 0..50 {
        state.take(Progress::Note(format!("line {line}.")), at(810));
    }
    assert!(shown(&state, 80, 24).contains("note: line 49."));
    press(&mut state, KeyCode::PageUp, 811);
    press(&mut state, KeyCode::Up, 811);
    let back = shown(&state, 80, 24);
    assert!(
        back.contains("line 38.") && !back.contains("line 39."),
        "{back}"
    );
    assert!(back.contains("11 newer"), "{back}");
    state.take(Progress::Note("later".to_owned()), at(812));
    let still = shown(&state, 80, 24);
    assert!(
        still.contains("line 38.") && still.contains("12 newer"),
        "{still}"
    );
    press(&mut state, KeyCode::End, 813);
    assert!(shown(&state, 80, 24).contains("note: later"));
}
