use proptest::prelude::*;
use tokmark_run_format::evidence::{CellEvidence, Record};
use tokmark_run_format::wire::{Writer, read};
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, Telemetry, Throttle};

fn series(samples: &[DeviceSample]) -> DeviceSeries {
    let mut series = DeviceSeries::new(DeviceKind::Accelerator, 1, "RTX 3090".to_owned(), "nvml");
    for sample in samples {
        series.push(sample);
    }
    series
}

fn reading(at_ns: u64, power_mw: Option<u32>) -> DeviceSample {
    DeviceSample {
        at_ns,
        power_mw,
        ..DeviceSample::default()
    }
}

prop_compose! {
    fn samples()(steps in prop::collection::vec(
        (1_u64..1 << 30, prop::option::of(any::<u32>()), prop::option::of(any::<u64>()), prop::option::of(0_u32..256)),
        0..60,
    )) -> Vec<DeviceSample> {
        let mut at_ns = 0;
        steps
            .into_iter()
            .map(|(step, power_mw, energy_uj, throttle)| {
                at_ns += step;
                DeviceSample {
                    at_ns,
                    power_mw,
                    energy_uj,
                    temperature_c: power_mw.map(|_| 70),
                    throttle: throttle.map(Throttle),
                    ..DeviceSample::default()
                }
            })
            .collect()
    }
}

proptest! {
    #[test]
    fn readings_survive_the_file(samples in samples()) {
        let kept: Vec<DeviceSample> = series(&samples).samples().collect();
        prop_assert_eq!(&kept, &samples);
        let record = Record::Cell(Box::new(CellEvidence {
            telemetry: Some(Telemetry {
                period_ns: 200_000_000,
                devices: vec![series(&samples)],
                unknown: Vec::new(),
            }),
            ..CellEvidence::default()
        }));
        let mut writer = Writer::start(Vec::new(), "run", "0.1.0").unwrap();
        writer.append(&record).unwrap();
        let file = writer.finish().unwrap();
        let back = read(file.as_slice(), 1 << 24).unwrap();
        prop_assert_eq!(&back[1], &record);
    }
}

#[test]
fn a_quantity_that_was_never_read_is_not_in_the_file() {
    let text = serde_json::to_string(&series(&[reading(5, Some(1)), reading(9, None)])).unwrap();
    assert!(text.contains(r#""dt":[5,4],"power_mw":[1,null]"#), "{text}");
    assert!(!text.contains("energy"), "{text}");
}

#[test]
fn a_reading_that_goes_back_in_time_is_left_out() {
    let kept = series(&[
        reading(5, Some(1)),
        reading(5, Some(2)),
        reading(3, Some(3)),
    ]);
    assert_eq!(kept.samples().collect::<Vec<_>>(), [reading(5, Some(1))]);
}

#[test]
fn a_span_comes_with_its_neighbours() {
    let check = |from: u64, to: u64, expected: &[u64]| {
        let all: Vec<_> = (1..=6).map(|at| reading(at * 10, None)).collect();
        let part = series(&all).around(from, to);
        let times: Vec<u64> = part.samples().map(|sample| sample.at_ns).collect();
        assert_eq!(times, expected, "{from}..{to}");
    };
    check(25, 45, &[20, 30, 40, 50]);
    check(20, 40, &[20, 30, 40]);
    check(0, 5, &[10]);
    check(65, 90, &[60]);
    check(0, 90, &[10, 20, 30, 40, 50, 60]);
}

#[test]
fn a_file_from_before_telemetry_reads_as_without() {
    let old = r#"{"record":"cell","context":1024,"requests":2,"streams":[],"scrapes":[]}"#;
    let Record::Cell(cell) = serde_json::from_str(old).unwrap() else {
        panic!("not a cell");
    };
    assert_eq!((cell.telemetry, cell.idle_power_w), (None, None));
}

/// Two bytes of the file per reading must not become a hundred of memory.
#[test]
fn empty_devices_count_as_memory() {
    let line = format!(
        r#"{{"record":"cell","telemetry":{{"devices":[{}{{}}]}}}}"#,
        "{},".repeat(200_000)
    );
    let head = r#"{"record":"header","format":"tokmark-evidence/1","run":"r","tool_version":"0"}"#;
    let file = zstd::encode_all(format!("{head}\n{line}\n").as_bytes(), 3).unwrap();
    let error = read(file.as_slice(), 1 << 20).unwrap_err().to_string();
    assert!(error.contains("without content"), "{error}");
}
