//! What was collected so far, shared between the thread that adds and those who ask.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokmark_run_format::{DeviceSample, DeviceSeries, Telemetry, UnknownFact};
use tokmark_units::Nanos;

/// Readings of a device that are kept at most: at 5 Hz nearly four hours. Then the older half goes.
const MOST_READINGS: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct Store(Mutex<Telemetry>);

impl Store {
    pub(crate) fn new(
        period: Nanos,
        devices: Vec<DeviceSeries>,
        unknown: Vec<UnknownFact>,
    ) -> Self {
        Self(Mutex::new(Telemetry {
            period_ns: period.0,
            devices,
            unknown,
        }))
    }

    /// A panic while the lock was held leaves whole readings.
    fn lock(&self) -> MutexGuard<'_, Telemetry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one reading of each device.
    pub(crate) fn add(&self, samples: &[DeviceSample]) {
        let mut telemetry = self.lock();
        for (device, sample) in telemetry.devices.iter_mut().zip(samples) {
            device.push(sample);
            if device.len() > MOST_READINGS {
                *device = later_half(device);
            }
        }
    }

    /// The readings of a span with their neighbours.
    pub(crate) fn around(&self, from: Nanos, to: Nanos) -> Telemetry {
        self.lock().around(from.0, to.0)
    }

    /// Readings after a moment, without a neighbour.
    pub(crate) fn after(&self, after_ns: Option<u64>) -> Telemetry {
        let all = self.lock();
        Telemetry {
            period_ns: all.period_ns,
            unknown: all.unknown.clone(),
            devices: all
                .devices
                .iter()
                .map(|device| {
                    let mut part = device.emptied();
                    device
                        .samples()
                        .filter(|sample| after_ns.is_none_or(|after| sample.at_ns > after))
                        .for_each(|sample| part.push(&sample));
                    part
                })
                .collect(),
        }
    }
}

fn later_half(device: &DeviceSeries) -> DeviceSeries {
    let mut kept = device.emptied();
    let half = device.len() / 2;
    device
        .samples()
        .skip(half)
        .for_each(|sample| kept.push(&sample));
    kept
}
