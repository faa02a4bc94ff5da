//! The server's gauges and the machine.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries};
use tokmark_units::{float, format};

use super::super::looks::Looks;
use super::super::text::harmless;
use super::{Scene, heading, named, write};

/// What stands where nobody tells.
const UNKNOWN: &str = "unknown";

/// Beside the cell, a few quantities or a device per line.
pub(super) fn beside(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    heading(frame, scene, area, "server and machine");
    let (told, untold) = server(scene);
    let mut lines: Vec<Line<'_>> = told.chunks(3).map(|part| line(part)).collect();
    lines.extend(untold.map(|untold| line(&[untold])));
    let room = usize::from(area.height).saturating_sub(lines.len() + 2);
    let devices = devices(scene, room.max(1));
    lines.extend(devices.chunks(1).map(|device| line(device)));
    lines.push(line(&client(scene)));
    for (row, text) in (1..).zip(lines) {
        write(frame, area, row, text);
    }
}

/// Below the cell, two lines; the first one alone where there is no room.
pub(super) fn below(frame: &mut Frame<'_>, scene: Scene<'_>, area: Rect) {
    let (mut first, untold) = server(scene);
    first.extend(untold);
    let mut second = devices(scene, 1);
    second.extend(client(scene));
    for (row, quantities) in [(0, first), (1, second)] {
        write(frame, area, row, line(&quantities));
    }
}

/// A name and its value.
type Quantity = (String, String);

fn line(quantities: &[Quantity]) -> Line<'static> {
    let spans = quantities.iter().flat_map(|(name, value)| {
        let style = if name == UNKNOWN || value == UNKNOWN {
            Looks::quiet()
        } else {
            Looks::strong()
        };
        named(name, value, style)
    });
    Line::from(spans.collect::<Vec<Span<'static>>>())
}

/// The gauges in the order of what a person looks for first, and the names of those that nobody
/// tells.
fn server(scene: Scene<'_>) -> (Vec<Quantity>, Option<Quantity>) {
    let now = &scene.state.server;
    let count = |value: Option<f64>| value.map(|value| format::decimal(value, 0));
    let share =
        |value: Option<f64>| value.map(|value| format!("{} %", format::decimal(value * 100.0, 0)));
    let all = [
        ("running", count(now.running)),
        ("waiting", count(now.waiting)),
        ("KV", share(now.kv_use)),
        ("prefix hits", share(now.prefix_hits)),
        ("preempted", count(now.preemptions)),
        ("drafts accepted", share(now.accepted)),
    ];
    let mut told = Vec::new();
    let mut untold = Vec::new();
    for (name, value) in all {
        match value {
            Some(value) => told.push((name.to_owned(), value)),
            None => untold.push(name.trim_end_matches(" accepted")),
        }
    }
    let untold = (!untold.is_empty()).then(|| (UNKNOWN.to_owned(), untold.join(", ")));
    (told, untold)
}

/// The newest reading of each device; of the accelerators together where there are more devices
/// than lines.
fn devices(scene: Scene<'_>, room: usize) -> Vec<Quantity> {
    let telemetry = scene
        .state
        .machine
        .as_ref()
        .and_then(|now| now.telemetry.as_ref());
    let series = telemetry.map_or(&[][..], |telemetry| &telemetry.devices);
    let read = series
        .iter()
        .filter_map(|device| Some((device, device.samples().next_back()?)));
    let (accelerators, others): (Vec<_>, Vec<_>) =
        read.partition(|(device, _)| device.kind == DeviceKind::Accelerator);
    let each = accelerators.iter().chain(&others);
    let mut shown: Vec<Quantity> = each
        .filter_map(|(device, sample)| Some((name(device), readings(sample)?)))
        .collect();
    if shown.len() > room && accelerators.len() > 1 {
        let samples: Vec<&DeviceSample> = accelerators.iter().map(|(_, sample)| sample).collect();
        let together = readings(&together(&samples)).unwrap_or_else(|| UNKNOWN.to_owned());
        shown = vec![(format!("{} GPUs", samples.len()), together)];
    }
    shown.truncate(room);
    if shown.is_empty() {
        shown.push(("machine".to_owned(), UNKNOWN.to_owned()));
    }
    shown
}

fn name(series: &DeviceSeries) -> String {
    match series.kind {
        DeviceKind::Accelerator => format!("GPU {}", series.index),
        DeviceKind::Processor => harmless(&series.name),
    }
}

/// Power and memory of all, the lowest clock, the highest temperature, the least work.
fn together(samples: &[&DeviceSample]) -> DeviceSample {
    let all = |value: fn(&DeviceSample) -> Option<u32>| {
        let known = samples.iter().filter_map(move |sample| value(sample));
        known.collect::<Vec<u32>>()
    };
    let sum = |values: Vec<u32>| values.into_iter().reduce(u32::saturating_add);
    let memory = samples.iter().filter_map(|sample| sample.memory_used_bytes);
    DeviceSample {
        power_mw: sum(all(|sample| sample.power_mw)),
        core_clock_mhz: all(|sample| sample.core_clock_mhz).into_iter().min(),
        temperature_c: all(|sample| sample.temperature_c).into_iter().max(),
        memory_used_bytes: memory.reduce(u64::saturating_add),
        utilization_percent: all(|sample| sample.utilization_percent).into_iter().min(),
        ..DeviceSample::default()
    }
}

fn readings(sample: &DeviceSample) -> Option<String> {
    let count = |value: u32| format::count(value.into());
    let known = [
        sample
            .power_mw
            .map(|mw| format::watts(f64::from(mw) / 1_000.0)),
        sample
            .core_clock_mhz
            .map(|mhz| format!("{} MHz", count(mhz))),
        sample.temperature_c.map(|c| format!("{c} °C")),
        sample.memory_used_bytes.map(|bytes| {
            let gib = float::from_u64(bytes) / (1024.0 * 1024.0 * 1024.0);
            format!("{} GiB", format::decimal(gib, 1))
        }),
        sample
            .utilization_percent
            .map(|percent| format!("{percent} %")),
    ];
    let text: Vec<String> = known.into_iter().flatten().collect();
    (!text.is_empty()).then(|| text.join("  "))
}

/// How busy this program's own busiest load thread is.
fn client(scene: Scene<'_>) -> [Quantity; 1] {
    let share = scene.state.machine.as_ref().and_then(|now| now.client_cpu);
    let value = share.map(|share| format!("{} % of a core", format::decimal(share * 100.0, 0)));
    let value = value.unwrap_or_else(|| UNKNOWN.to_owned());
    [("client".to_owned(), value)]
}
