use tokmark_measure::cell;
use tokmark_measure::energy::{self, Method, Span, Tokens};
use tokmark_run_format::evidence::{CellEvidence, Window};
use tokmark_run_format::{CellStatus, DeviceKind, DeviceSample, DeviceSeries, Telemetry, Throttle};

use crate::build::*;

/// A reading every 200 ms from `from_ns` to `to_ns`, made by a rule.
fn series(from_ns: u64, to_ns: u64, rule: impl Fn(u64) -> DeviceSample) -> DeviceSeries {
    series_of(DeviceKind::Accelerator, from_ns, to_ns, rule)
}

fn series_of(
    kind: DeviceKind,
    from_ns: u64,
    to_ns: u64,
    rule: impl Fn(u64) -> DeviceSample,
) -> DeviceSeries {
    let mut series = DeviceSeries::new(kind, 0, "card".to_owned(), "nvml");
    let mut at_ns = from_ns;
    while at_ns <= to_ns {
        series.push(&DeviceSample {
            at_ns,
            ..rule(at_ns)
        });
        at_ns += 200 * MS;
    }
    series
}

fn telemetry(devices: Vec<DeviceSeries>) -> Telemetry {
    Telemetry {
        period_ns: 200 * MS,
        devices,
        unknown: Vec::new(),
    }
}

fn power(watts: u32) -> DeviceSample {
    DeviceSample {
        power_mw: Some(watts * 1_000),
        ..DeviceSample::default()
    }
}

fn span(start_ns: u64, end_ns: u64) -> Window {
    Window { start_ns, end_ns }
}

/// Energy of a kind of devices over one span.
fn joules(telemetry: &Telemetry, kind: DeviceKind, window: Window) -> Option<(f64, Method)> {
    energy::joules(&[Span { telemetry, window }], kind)
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "{found} is not {expected}"
    );
}

#[test]
fn the_integral_of_a_ramp_is_its_area() {
    // 100 W at 0 s, 10 W more each second.
    let ramp = |at_ns: u64| DeviceSample {
        power_mw: Some(100_000 + u32::try_from(at_ns / 100_000).unwrap()),
        ..DeviceSample::default()
    };
    let telemetry = telemetry(vec![series(0, 20 * S, ramp)]);
    // Between 3.1 s and 9.3 s, edges between readings: 6.2 s of 162 W in the mean.
    let (found, method) = joules(
        &telemetry,
        DeviceKind::Accelerator,
        span(3_100 * MS, 9_300 * MS),
    )
    .unwrap();
    assert_eq!(method, Method::Trapezoid);
    close(Some(found), 6.2 * 162.0);
    let whole = energy::energy(
        &telemetry,
        span(3_100 * MS, 9_300 * MS),
        Tokens {
            output: Some(62),
            prompt: Some(31),
        },
        Some(25.0),
    );
    close(whole.mean_power_w, 162.0);
    close(whole.peak_power_w, 192.0);
    close(whole.joules_per_output_token, 16.2);
    close(whole.joules_per_prompt_token, 32.4);
    assert_eq!(whole.method.as_deref(), Some("trapezoid"));
    assert_eq!((whole.idle_power_w, whole.samples), (Some(25.0), 31));
    assert_eq!(whole.throttled_share, None, "no device told");
}

#[test]
fn the_devices_own_counter_wins() {
    // The readings say 100 W, the counter 140 W.
    let rule = |at_ns: u64| DeviceSample {
        energy_uj: Some(7_000_000 + at_ns / 1_000 * 140),
        ..power(100)
    };
    let counted = telemetry(vec![series(0, 20 * S, rule), series(0, 20 * S, rule)]);
    let (found, method) = joules(
        &counted,
        DeviceKind::Accelerator,
        span(5 * S + 1, 15 * S + 1),
    )
    .unwrap();
    assert_eq!(method, Method::Counter);
    close(Some(found), 2_800.0);
    // One card without a counter: both by their readings, so that the sum has one meaning.
    let mixed = telemetry(vec![
        series(0, 20 * S, rule),
        series(0, 20 * S, |_| power(50)),
    ]);
    let (found, method) = joules(&mixed, DeviceKind::Accelerator, span(5 * S, 15 * S)).unwrap();
    assert_eq!(method, Method::Trapezoid);
    close(Some(found), 1_500.0);
}

#[test]
fn what_was_not_read_is_not_made_up() {
    let check = |from_ns: u64, to_ns: u64, is_known: bool| {
        let telemetry = telemetry(vec![series(10 * S, 20 * S, |_| power(100))]);
        let found = joules(&telemetry, DeviceKind::Accelerator, span(from_ns, to_ns));
        assert_eq!(found.is_some(), is_known, "{from_ns}..{to_ns}");
    };
    check(10 * S, 20 * S, true);
    // Two periods before the first reading: it is held.
    check(9_600 * MS, 20 * S, true);
    check(5 * S, 20 * S, false);
    check(10 * S, 25 * S, false);
    // Nothing was read for a while in the middle.
    let mut holed = series(0, 5 * S, |_| power(100));
    for sample in series(12 * S, 20 * S, |_| power(100)).samples() {
        holed.push(&sample);
    }
    let holed = telemetry(vec![holed]);
    assert_eq!(
        joules(&holed, DeviceKind::Accelerator, span(S, 19 * S)),
        None
    );
    // One of two cards does not tell its power.
    let silent = series(0, 20 * S, |_| DeviceSample::default());
    let half = telemetry(vec![series(0, 20 * S, |_| power(100)), silent]);
    let found = energy::energy(&half, span(S, 19 * S), Tokens::default(), None);
    assert_eq!((found.energy_j, found.peak_power_w), (None, None));
    assert_eq!(
        joules(&Telemetry::default(), DeviceKind::Accelerator, span(0, S)),
        None
    );
}

#[test]
fn a_counter_that_was_reset_does_not_count() {
    let reset = |at_ns: u64| DeviceSample {
        energy_uj: Some(if at_ns < 10 * S { 9_000_000_000 } else { 5 }),
        ..power(100)
    };
    let telemetry = telemetry(vec![series(0, 20 * S, reset)]);
    let (found, method) = joules(&telemetry, DeviceKind::Accelerator, span(5 * S, 15 * S)).unwrap();
    assert_eq!(method, Method::Trapezoid);
    close(Some(found), 1_000.0);
}

#[test]
fn the_processor_stands_apart() {
    let package = series_of(DeviceKind::Processor, 0, 40 * S, |at_ns| DeviceSample {
        energy_uj: Some(at_ns / 1_000 * 65),
        ..DeviceSample::default()
    });
    let card = series(0, 40 * S, |_| power(200));
    let found = energy::energy(
        &telemetry(vec![card, package]),
        WINDOW,
        Tokens::default(),
        None,
    );
    close(found.energy_j, 6_000.0);
    close(found.processor_energy_j, 1_950.0);
    close(found.processor_mean_power_w, 65.0);
}

#[test]
fn idle_power_is_the_mean_of_all_that_was_read() {
    let card = |watts: u32, from: u64| series(from, 5 * S, move |_| power(watts));
    let idle = telemetry(vec![card(20, 0), card(31, 400 * MS)]);
    close(energy::mean_power_w(&idle), 51.0);
    assert_eq!(energy::mean_power_w(&Telemetry::default()), None);
    let single = telemetry(vec![series(0, 0, |_| power(20))]);
    assert_eq!(energy::mean_power_w(&single), None, "no span");
}

/// A cell of which a share of one card's samples has a reason.
fn cell_with(reason: Throttle, percent: u64) -> CellEvidence {
    let rule = |at_ns: u64| DeviceSample {
        throttle: Some(if at_ns / (200 * MS) % 100 < percent {
            reason
        } else {
            Throttle::NONE
        }),
        ..power(300)
    };
    let fine = series(0, 40 * S, |_| DeviceSample {
        throttle: Some(Throttle::IDLE),
        ..power(300)
    });
    CellEvidence {
        telemetry: Some(telemetry(vec![fine, series(0, 40 * S, rule)])),
        idle_power_w: Some(40.0),
        ..steady(2)
    }
}

#[test]
fn heat_or_power_brake_on_more_than_a_twentieth_of_the_samples_is_throttled() {
    let check = |reason: Throttle, percent: u64, expected: CellStatus| {
        let found = cell::evaluate(&cell_with(reason, percent));
        assert_eq!(found.status, expected, "{reason:?} {percent}");
        assert!(found.total_tokens_per_s.is_some(), "numbers stay, marked");
        found
    };
    check(Throttle::THERMAL, 30, CellStatus::Throttled);
    check(Throttle::POWER_BRAKE, 30, CellStatus::Throttled);
    check(
        Throttle::HARDWARE.and(Throttle::POWER_CAP),
        30,
        CellStatus::Throttled,
    );
    check(Throttle::THERMAL, 2, CellStatus::Valid);
    let capped = check(Throttle::POWER_CAP, 100, CellStatus::Valid);
    assert!(
        capped.notes.iter().any(|note| note.contains("power limit")),
        "{:?}",
        capped.notes
    );
    let energy = capped.energy.unwrap();
    close(energy.mean_power_w, 600.0);
    close(energy.energy_j, 18_000.0);
    // Two streams, a token every 20 ms, 30 s: 3,000 tokens.
    close(energy.joules_per_output_token, 6.0);
    assert_eq!(energy.idle_power_w, Some(40.0));
}

#[test]
fn a_cell_without_telemetry_is_as_before() {
    let found = cell::evaluate(&steady(2));
    assert_eq!((found.energy, found.status), (None, CellStatus::Valid));
}

/// Two slices of one card read the same 61.5 W: it is counted once, and marked.
#[test]
fn b100_a_shared_cards_power_is_told_once_and_marked() {
    let mut card = series(0, 40 * S, |_| DeviceSample {
        power_mw: Some(61_500),
        ..DeviceSample::default()
    });
    let alone = CellEvidence {
        telemetry: Some(telemetry(vec![card.clone()])),
        ..steady(2)
    };
    let found = cell::evaluate(&alone).energy.unwrap();
    assert!(!found.shared);
    card.shared = true;
    let shared = CellEvidence {
        telemetry: Some(telemetry(vec![card])),
        ..steady(2)
    };
    let found = cell::evaluate(&shared).energy.unwrap();
    assert!(found.shared);
    close(found.mean_power_w, 61.5);
}
