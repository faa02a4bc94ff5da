//! Pictures of the screen at several sizes, as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use tokmark_bench::matrix::Matrix;
use tokmark_bench::{Live, MachineNow, Progress, Sample, ServerNow, Stage};
use tokmark_run_format::{
    CellStatus, DecodeCell, DeviceKind, DeviceSample, DeviceSeries, Telemetry,
};
use tokmark_units::Nanos;

use super::super::input::Action;
use super::super::looks::{Colours, Looks};
use super::super::state::{State, Title};
use super::draw;

pub(super) const LOOKS: Looks = Looks {
    colours: Colours::Many,
    unicode: true,
};
pub(super) const K: u64 = 1_024;

pub(super) fn at(s: u64) -> Nanos {
    Nanos::from_secs(s)
}

pub(super) fn title() -> Title {
    Title {
        model: "模型/\u{1b}[31mgreat-14B-語".to_owned(),
        engine: "vllm 0.11.0".to_owned(),
        hardware: "2x RTX 3090 24GB".to_owned(),
        prefill_only: false,
    }
}

fn measured(context: u64, requests: u32, status: CellStatus, total: f64) -> Progress {
    let mut cell = DecodeCell::without_numbers(context, requests, status, None);
    cell.total_tokens_per_s = Some(total);
    cell.per_request_tokens_per_s = Some(total / f64::from(requests));
    cell.ttft_ms = Some(40.0 * f64::from(requests));
    cell.ci95_low = Some(total * 0.988);
    cell.ci95_high = Some(total * 1.012);
    Progress::CellDone(Box::new(cell))
}

pub(super) fn unmeasured(
    context: u64,
    requests: u32,
    status: CellStatus,
    reason: &str,
) -> Progress {
    let cell = DecodeCell::without_numbers(context, requests, status, Some(reason.to_owned()));
    Progress::CellDone(Box::new(cell))
}

fn live(stage: Stage, elapsed: u64, rate: f64) -> Progress {
    let window = (stage == Stage::Window).then(|| (at(elapsed - 5), at(30)));
    Progress::CellLive(Live {
        context: 32 * K,
        requests: 8,
        stage,
        decoding: if stage == Stage::Launching { 3 } else { 8 },
        elapsed: at(elapsed),
        window,
        tokens_per_s: window.map_or(0.0, |_| rate),
        per_request_tokens_per_s: window.map(|_| rate / 8.0),
        interval: (elapsed > 12).then_some((rate * 0.98, rate * 1.02)),
        recent_tokens_per_s: rate,
        ttft: Some(Nanos::from_millis(1_234)),
        server: ServerNow {
            running: Some(8.0),
            waiting: Some(0.0),
            kv_use: Some(0.342),
            prefix_hits: Some(0.981),
            accepted: None,
            preemptions: Some(0.0),
        },
    })
}

fn machine() -> Progress {
    let devices = [0, 1].map(|index| {
        let name = "NVIDIA GeForce RTX 3090".to_owned();
        let mut series = DeviceSeries::new(DeviceKind::Accelerator, index, name, "nvml");
        series.push(&DeviceSample {
            at_ns: 1,
            power_mw: Some(312_400),
            core_clock_mhz: Some(1_740),
            temperature_c: Some(67),
            memory_used_bytes: Some(23 << 30),
            utilization_percent: Some(98),
            ..DeviceSample::default()
        });
        series
    });
    Progress::Machine(Box::new(MachineNow {
        telemetry: Some(Telemetry {
            period_ns: 200_000_000,
            devices: devices.to_vec(),
            unknown: Vec::new(),
        }),
        client_cpu: Some(0.07),
    }))
}

/// The first row, the second one, and the beginning of the third.
fn fill(state: &mut State) {
    let mut take = |event, s: u64| state.take(event, at(100 + s));
    take(
        Progress::Planned(Matrix {
            contexts: [0, 16, 32, 64, 128].map(|k| k * K).to_vec(),
            prefill_contexts: [8, 16, 32, 64, 128].map(|k| k * K).to_vec(),
            levels: vec![1, 2, 4, 8, 16, 32, 64, 128],
        }),
        0,
    );
    for (at, level) in (1..).zip([1, 2, 4, 8, 16, 32, 64, 128]) {
        let status = match level {
            64 => CellStatus::Throttled,
            128 => CellStatus::Queued,
            _ => CellStatus::Valid,
        };
        let rate = 48.6 * f64::from(level).powf(0.93) * 10.0;
        take(measured(0, level, status, rate), at * 40);
    }
    for prompt in 0..4 {
        let event = Progress::Prefilled {
            context: 16 * K,
            ttft_ms: 3_912.0,
            tokens_per_s: 4_188.0,
        };
        take(event, 326 + prompt);
    }
    for (at, level) in (9..).zip([1, 2, 4, 8, 16]) {
        take(
            measured(16 * K, level, CellStatus::Valid, 33.1 * f64::from(level)),
            at * 40,
        );
    }
    take(
        unmeasured(
            16 * K,
            32,
            CellStatus::Failed,
            "http: 500 \u{1b}[2Jout of memory",
        ),
        600,
    );
    take(
        unmeasured(
            16 * K,
            64,
            CellStatus::OverCapacity,
            "needs 1,100,000 tokens",
        ),
        601,
    );
    take(
        unmeasured(16 * K, 128, CellStatus::OverAdmission, "above 96"),
        602,
    );
    take(measured(32 * K, 1, CellStatus::Valid, 31.0), 640);
    take(measured(32 * K, 2, CellStatus::Preempted, 58.3), 680);
    take(
        unmeasured(32 * K, 4, CellStatus::Skipped, "skipped by the user"),
        690,
    );
}

/// A run of which a part is measured, with the cell 32K x 8 in its window.
pub(super) fn state() -> State {
    let mut state = State::new(&title(), at(100));
    fill(&mut state);
    let mut take = |event, s: u64| state.take(event, at(100 + s));
    take(
        Progress::Left {
            left: at(900),
            done: 19,
            all: 40,
            left_out: vec![
                (32 * K, 64, CellStatus::OverCapacity),
                (64 * K, 128, CellStatus::OverAdmission),
                (128 * K, 128, CellStatus::OverLength),
            ],
        },
        690,
    );
    take(
        Progress::CellStarted {
            context: 32 * K,
            requests: 8,
            expected: at(36),
        },
        690,
    );
    take(live(Stage::Launching, 1, 60.0), 692);
    take(live(Stage::Settling, 3, 110.0), 694);
    for second in 6..=18 {
        let wobble = [0.0, 8.0, -6.0][usize::try_from(second).unwrap() % 3];
        take(live(Stage::Window, second, 224.0 + wobble), 690 + second);
    }
    take(machine(), 708);
    state
}

pub(super) fn picture(state: &State, looks: Looks, width: u16, height: u16, now: Nanos) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw(frame, state, looks, now))
        .unwrap();
    terminal.backend().buffer().clone()
}

/// The symbols, without the place behind a wide one.
pub(super) fn words(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let mut out = String::new();
    for row in buffer.content.chunks(width) {
        let mut hidden = 0;
        let mut line = String::new();
        for cell in row {
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = ratatui::text::Span::raw(cell.symbol()).width().max(1);
            }
            hidden -= 1;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

pub(super) fn shown(state: &State, width: u16, height: u16) -> String {
    words(&picture(state, LOOKS, width, height, at(809)))
}

pub(super) fn press(state: &mut State, code: KeyCode, s: u64) -> Option<Action> {
    state.press(KeyEvent::new(code, KeyModifiers::NONE), at(s))
}

fn sample(state: &mut State, text: &str) {
    let sample = Sample {
        context: 32 * K,
        requests: 8,
        stream: 2,
        attempt: 0,
        is_open: true,
        text: text.to_owned(),
    };
    state.take(Progress::Sample(Box::new(sample)), at(809));
}

#[test]
fn at_80_by_24() {
    insta::assert_snapshot!(shown(&state(), 80, 24));
}

#[test]
fn at_120_by_40() {
    insta::assert_snapshot!(shown(&state(), 120, 40));
}

#[test]
fn at_220_by_60() {
    insta::assert_snapshot!(shown(&state(), 220, 60));
}

#[test]
fn at_60_by_15() {
    insta::assert_snapshot!(shown(&state(), 60, 15));
}

#[test]
fn too_small_for_a_matrix() {
    insta::assert_snapshot!(shown(&state(), 40, 8));
}

#[test]
fn before_the_first_cell_and_of_prefill_alone() {
    let mut state = State::new(
        &Title {
            prefill_only: true,
            ..title()
        },
        at(100),
    );
    let matrix = Matrix {
        contexts: vec![0],
        prefill_contexts: vec![8 * K, 16 * K],
        levels: vec![1, 2],
    };
    state.take(Progress::Planned(matrix), at(100));
    state.take(Progress::Phase("prefill at 8K".to_owned()), at(101));
    state.take(
        Progress::Prefilled {
            context: 8 * K,
            ttft_ms: 1_912.0,
            tokens_per_s: 4_288.0,
        },
        at(103),
    );
    insta::assert_snapshot!(words(&picture(&state, LOOKS, 80, 18, at(105))));
}

#[test]
fn help() {
    let mut state = state();
    assert_eq!(
        press(&mut state, KeyCode::Char('?'), 809),
        Some(Action::Look(None))
    );
    insta::assert_snapshot!(shown(&state, 80, 24));
}

#[test]
fn output_of_a_stream_cannot_command_the_terminal() {
    let mut state = state();
    assert_eq!(
        press(&mut state, KeyCode::Char('o'), 809),
        Some(Action::Look(Some(0)))
    );
    assert!(shown(&state, 80, 24).contains("no cell has written anything yet"));
    sample(&mut state, "");
    assert!(shown(&state, 80, 24).contains(" nothing yet"));
    sample(
        &mut state,
        "Erster Absatz.\n\n\u{1b}[2J\u{1b}]0;owned\u{7}色は匂へど散りぬるを我が世誰ぞ常ならむ有為の奥山今日越えて浅き夢見じ酔ひもせず\tend\u{9b}31m\u{202e}",
    );
    let picture = picture(&state, LOOKS, 64, 12, at(809));
    assert!(
        picture
            .content
            .iter()
            .all(|cell| !cell.symbol().contains(char::is_control))
    );
    insta::assert_snapshot!(words(&picture));
    // Streams are a ring.
    assert_eq!(
        press(&mut state, KeyCode::Left, 809),
        Some(Action::Look(Some(7)))
    );
    assert_eq!(
        press(&mut state, KeyCode::Right, 809),
        Some(Action::Look(Some(0)))
    );
    assert_eq!(
        press(&mut state, KeyCode::Char('q'), 809),
        Some(Action::Look(None))
    );
    assert!(shown(&state, 80, 24).contains("decode, total tok/s"));
}

#[test]
fn without_colour_the_same_is_said_and_nothing_is_coloured() {
    let plain = Looks {
        colours: Colours::No,
        ..LOOKS
    };
    for (width, height) in [(80, 24), (120, 40), (220, 60), (60, 15), (30, 6)] {
        let state = state();
        let colourless = picture(&state, plain, width, height, at(809));
        let is_plain = |color: Color| color == Color::Reset;
        assert!(
            colourless
                .content
                .iter()
                .all(|cell| is_plain(cell.fg) && is_plain(cell.bg))
        );
        let coloured = picture(&state, LOOKS, width, height, at(809));
        assert_eq!(words(&colourless), words(&coloured));
    }
    // And with it, faster cells are lighter.
    let coloured = picture(&state(), LOOKS, 80, 24, at(809));
    assert!(
        coloured
            .content
            .iter()
            .any(|cell| cell.bg == Color::Indexed(17))
    );
    assert!(
        coloured
            .content
            .iter()
            .any(|cell| cell.bg == Color::Indexed(195))
    );
}

#[test]
fn ascii_stands_in_where_the_terminal_has_nothing_else() {
    let ascii = Looks {
        unicode: false,
        ..LOOKS
    };
    let mut state = state();
    state.title.model = "model".to_owned();
    let shown = words(&picture(&state, ascii, 80, 24, at(809)));
    let other: String = shown.chars().filter(|char| !char.is_ascii()).collect();
    // Only units are left.
    assert_eq!(other.replace('°', ""), "", "{shown}");
    assert!(shown.contains(">2"), "{shown}");
}

#[test]
fn every_size_can_be_drawn() {
    let mut state = state();
    for key in [KeyCode::Esc, KeyCode::Char('o'), KeyCode::Char('?')] {
        press(&mut state, key, 809);
        sample(&mut state, &"語 word ".repeat(300));
        for width in (1..60).chain([79, 80, 109, 110, 300]) {
            for height in [1, 2, 3, 5, 8, 9, 10, 11, 14, 20, 23, 24, 70] {
                picture(&state, LOOKS, width, height, at(809));
            }
        }
    }
    let empty = State::new(&title(), at(100));
    for (width, height) in [(1, 1), (60, 15), (80, 24), (220, 60)] {
        picture(&empty, LOOKS, width, height, at(100));
    }
}
