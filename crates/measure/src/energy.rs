//! Power, energy and throttling over a span: methodology sections 5 and 8.
//!
//! Energy comes from the devices' own energy counters where every device of a kind has one, else
//! from the integral of their power readings by the trapezoid rule. Both are taken between the
//! span's edges, by straight lines between the readings around them.

use std::collections::BTreeMap;

use tokmark_run_format::evidence::Window;
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, Energy, Telemetry, Throttle};
use tokmark_units::float;

/// Most share of samples with heat or power-brake reasons (methodology section 5, `throttled`).
pub const MOST_THROTTLED: f64 = 0.05;

/// Periods that a span's edge may lie outside the readings: the nearest one is held that long.
const HELD_PERIODS: u64 = 3;
/// Periods between two power readings above which the integral between them is a guess.
const LONGEST_GAP: u64 = 10;

/// Tokens that the energy of a span is divided by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tokens {
    /// Generated in the span.
    pub output: Option<u64>,
    /// Prompt tokens computed in the span.
    pub prompt: Option<u64>,
}

/// How the energy of a span was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The devices' own counters.
    Counter,
    /// The integral of power readings, straight lines between them.
    Trapezoid,
}

impl Method {
    /// The word of the run document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Trapezoid => "trapezoid",
        }
    }
}

/// A span with the readings around it.
#[derive(Debug, Clone, Copy)]
pub struct Span<'a> {
    /// The machine meanwhile.
    pub telemetry: &'a Telemetry,
    /// The span's edges.
    pub window: Window,
}

/// Everything about a span.
pub fn energy(
    telemetry: &Telemetry,
    window: Window,
    tokens: Tokens,
    idle_power_w: Option<f64>,
) -> Energy {
    let span = Span { telemetry, window };
    energy_over(&[span], tokens, idle_power_w)
}

/// Everything about several spans of one machine together: energies are summed, and mean power is
/// their sum over the sum of the lengths. `tokens` are those of all spans.
pub fn energy_over(spans: &[Span<'_>], tokens: Tokens, idle_power_w: Option<f64>) -> Energy {
    let used = joules(spans, DeviceKind::Accelerator);
    let processor = joules(spans, DeviceKind::Processor).map(|(joules, _)| joules);
    let length_ns: u64 = spans
        .iter()
        .map(|span| span.window.len_ns())
        .fold(0, u64::saturating_add);
    let seconds = float::from_u64(length_ns) / 1e9;
    let per = |tokens: Option<u64>| {
        let tokens = tokens.filter(|tokens| *tokens > 0)?;
        Some(used?.0 / float::from_u64(tokens))
    };
    let mean = |joules: f64| (seconds > 0.0).then(|| joules / seconds);
    Energy {
        mean_power_w: used.and_then(|(joules, _)| mean(joules)),
        peak_power_w: spans.iter().filter_map(peak_power_w).max_by(f64::total_cmp),
        energy_j: used.map(|(joules, _)| joules),
        method: used.map(|(_, method)| method.as_str().to_owned()),
        joules_per_output_token: per(tokens.output),
        joules_per_prompt_token: per(tokens.prompt),
        idle_power_w,
        processor_energy_j: processor,
        processor_mean_power_w: processor.and_then(mean),
        throttled_share: worst_share(spans, Throttle::is_held_back),
        power_capped_share: worst_share(spans, |throttle| throttle.has_any(Throttle::POWER_CAP)),
        shared: spans.iter().any(is_shared),
        samples: spans.iter().map(readings).sum(),
    }
}

/// Mean power of the accelerators over all that was read, in watts: at rest, before the run.
pub fn mean_power_w(telemetry: &Telemetry) -> Option<f64> {
    let starts = of_kind(telemetry, DeviceKind::Accelerator)
        .map(|device| Some(device.samples().next()?.at_ns));
    let ends = of_kind(telemetry, DeviceKind::Accelerator)
        .map(|device| Some(device.samples().next_back()?.at_ns));
    let window = Window {
        start_ns: starts.collect::<Option<Vec<_>>>()?.into_iter().max()?,
        end_ns: ends.collect::<Option<Vec<_>>>()?.into_iter().min()?,
    };
    let span = Span { telemetry, window };
    let (joules, _) = joules(&[span], DeviceKind::Accelerator)?;
    (window.len_ns() > 0).then(|| joules / (float::from_u64(window.len_ns()) / 1e9))
}

/// Energy of all devices of a kind over all spans in joules; `None` when one of them does not give
/// it for one of the spans. The method is one for all, so that the sum has one meaning.
pub fn joules(spans: &[Span<'_>], kind: DeviceKind) -> Option<(f64, Method)> {
    let by = |method: Method, one: fn(&DeviceSeries, u64, Window) -> Option<f64>| {
        let each = spans.iter().map(|span| {
            let period_ns = span.telemetry.period_ns;
            let all: Option<Vec<f64>> = of_kind(span.telemetry, kind)
                .map(|device| one(device, period_ns, span.window))
                .collect();
            all.filter(|all| !all.is_empty())
                .map(|all| all.iter().sum::<f64>())
        });
        let each: Option<Vec<f64>> = each.collect();
        each.filter(|each| !each.is_empty())
            .map(|each| (each.iter().sum(), method))
    };
    by(Method::Counter, by_counter).or_else(|| by(Method::Trapezoid, by_trapezoid))
}

/// What the device's counter gained, in joules.
fn by_counter(device: &DeviceSeries, period_ns: u64, span: Window) -> Option<f64> {
    let points: Vec<(u64, f64)> = device
        .samples()
        .filter_map(|sample| Some((sample.at_ns, float::from_u64(sample.energy_uj?) / 1e6)))
        .collect();
    // A counter that goes back was reset: the driver was loaded again.
    let is_reset = points.windows(2).any(|pair| match pair {
        [before, after] => after.1 < before.1,
        _ => false,
    });
    if is_reset || points.len() < 2 {
        return None;
    }
    let held = period_ns.saturating_mul(HELD_PERIODS);
    let start = line_at(&points, span.start_ns, held)?;
    let end = line_at(&points, span.end_ns, held)?;
    Some((end - start).max(0.0))
}

/// The counter at a moment, by the line through the readings around it, or through the nearest two.
fn line_at(points: &[(u64, f64)], at_ns: u64, held_ns: u64) -> Option<f64> {
    let after = points
        .partition_point(|(at, _)| *at < at_ns)
        .clamp(1, points.len().checked_sub(1)?);
    let (left_ns, left) = *points.get(after.checked_sub(1)?)?;
    let (right_ns, right) = *points.get(after)?;
    let outside = left_ns
        .saturating_sub(at_ns)
        .max(at_ns.saturating_sub(right_ns));
    if outside > held_ns {
        return None;
    }
    let offset = float::from_u64(at_ns) - float::from_u64(left_ns);
    let length = float::from_u64(right_ns.checked_sub(left_ns)?);
    Some(left + (right - left) * offset / length)
}

/// The integral of the power readings between the span's edges, in joules.
fn by_trapezoid(device: &DeviceSeries, period_ns: u64, span: Window) -> Option<f64> {
    let readings = powers(device);
    let longest = period_ns.saturating_mul(LONGEST_GAP);
    let held = period_ns.saturating_mul(HELD_PERIODS);
    let mut points = vec![(span.start_ns, power_at(&readings, span.start_ns, held)?)];
    let between = |(at, _): &&(u64, f64)| span.start_ns < *at && *at < span.end_ns;
    points.extend(readings.iter().filter(between));
    points.push((span.end_ns, power_at(&readings, span.end_ns, held)?));
    points
        .windows(2)
        .map(|pair| match pair {
            [(from, left), (to, right)] => {
                let gap = to.checked_sub(*from).filter(|gap| *gap <= longest)?;
                Some((left + right) / 2.0 * float::from_u64(gap) / 1e9)
            }
            _ => None,
        })
        .sum()
}

/// Watts over time: the device's readings, or what its counter gained between two.
fn powers(device: &DeviceSeries) -> Vec<(u64, f64)> {
    let readings: Vec<(u64, f64)> = device
        .samples()
        .filter_map(|sample| Some((sample.at_ns, f64::from(sample.power_mw?) / 1e3)))
        .collect();
    if !readings.is_empty() {
        return readings;
    }
    let counted: Vec<(u64, u64)> = device
        .samples()
        .filter_map(|sample| Some((sample.at_ns, sample.energy_uj?)))
        .collect();
    counted
        .windows(2)
        .filter_map(|pair| match pair {
            [(from, before), (to, after)] => {
                let gained = float::from_u64(after.checked_sub(*before)?) / 1e6;
                let seconds = float::from_u64(to.checked_sub(*from)?) / 1e9;
                (seconds > 0.0).then(|| (from.midpoint(*to), gained / seconds))
            }
            _ => None,
        })
        .collect()
}

/// Watts at a moment; outside the readings the nearest one is held for a while.
fn power_at(readings: &[(u64, f64)], at_ns: u64, held_ns: u64) -> Option<f64> {
    let after = readings.partition_point(|(at, _)| *at < at_ns);
    let right = readings.get(after);
    let left = after.checked_sub(1).and_then(|at| readings.get(at));
    match (left, right) {
        (Some((from, before)), Some((to, behind))) => {
            let length = float::from_u64(to.checked_sub(*from)?);
            let offset = float::from_u64(at_ns.checked_sub(*from)?);
            Some(before + (behind - before) * offset / length)
        }
        (Some((at, watts)), None) | (None, Some((at, watts))) => {
            (at.abs_diff(at_ns) <= held_ns).then_some(*watts)
        }
        (None, None) => None,
    }
}

/// Highest sum of all accelerators' power at the moment of a reading inside the span.
fn peak_power_w(span: &Span<'_>) -> Option<f64> {
    let all: Vec<Vec<(u64, f64)>> = of_kind(span.telemetry, DeviceKind::Accelerator)
        .map(powers)
        .collect();
    let held = span.telemetry.period_ns.saturating_mul(HELD_PERIODS);
    let sum_at = |at: u64| {
        all.iter()
            .map(|readings| power_at(readings, at, held))
            .sum::<Option<f64>>()
    };
    all.iter()
        .flatten()
        .filter(|(at, _)| span.window.contains(*at))
        .filter_map(|(at, _)| sum_at(*at))
        .max_by(f64::total_cmp)
}

/// The largest share, over the accelerators, of samples with a throttle reason: in a group that
/// works in step the slowest card sets the pace, whatever the others do.
fn worst_share(spans: &[Span<'_>], holds: impl Fn(Throttle) -> bool) -> Option<f64> {
    // Samples with a reason and samples that tell, by the card's place.
    let mut known: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for span in spans {
        let devices = of_kind(span.telemetry, DeviceKind::Accelerator).enumerate();
        for (place, device) in devices {
            for throttle in inside(device, span.window).filter_map(|sample| sample.throttle) {
                let (held, all) = known.entry(place).or_default();
                *held += u64::from(holds(throttle));
                *all += 1;
            }
        }
    }
    known
        .into_values()
        .map(|(held, all)| float::from_u64(held) / float::from_u64(all))
        .max_by(f64::total_cmp)
}

/// Whether the server had a slice of an accelerator only.
fn is_shared(span: &Span<'_>) -> bool {
    of_kind(span.telemetry, DeviceKind::Accelerator).any(|device| device.shared)
}

/// Readings of all accelerators inside the span.
fn readings(span: &Span<'_>) -> u64 {
    of_kind(span.telemetry, DeviceKind::Accelerator)
        .map(|device| float::len_u64(inside(device, span.window).count()))
        .sum()
}

fn of_kind(telemetry: &Telemetry, kind: DeviceKind) -> impl Iterator<Item = &DeviceSeries> {
    telemetry
        .devices
        .iter()
        .filter(move |device| device.kind == kind)
}

fn inside(device: &DeviceSeries, window: Window) -> impl Iterator<Item = DeviceSample> + '_ {
    device
        .samples()
        .filter(move |sample| window.contains(sample.at_ns))
}
