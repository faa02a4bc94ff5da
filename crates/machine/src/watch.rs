//! Telemetry of a run, from this machine or from an agent: start, look at a span, stop.

use std::time::Duration;

use tokmark_run_format::{DeviceKind, DeviceSeries, Telemetry};
use tokmark_units::Nanos;

use crate::agent::RemoteSampler;
use crate::choose::{UsedDevice, vendor_of};
use crate::telemetry::Sampler;

/// Times that a look waits for the reading behind its span.
const LOOKS: u32 = 4;

/// A machine that is watched while a run measures its server.
#[derive(Debug)]
pub struct Watch {
    readings: Readings,
    only: Option<Vec<UsedDevice>>,
}

/// Where the readings come from.
#[derive(Debug)]
enum Readings {
    Local(Sampler),
    Remote(RemoteSampler),
}

impl Watch {
    /// This machine, which must be the server's.
    pub fn local(sampler: Sampler) -> Self {
        Self {
            readings: Readings::Local(sampler),
            only: None,
        }
    }

    /// The host of an agent.
    pub fn remote(sampler: RemoteSampler) -> Self {
        Self {
            readings: Readings::Remote(sampler),
            only: None,
        }
    }

    /// With the readings of these accelerators and of all processors alone: what other cards draw is
    /// not the server's.
    #[must_use]
    pub fn only(self, devices: Vec<UsedDevice>) -> Self {
        Self {
            only: Some(devices),
            ..self
        }
    }

    /// The readings between two instants of the run's clock with the nearest one on each side, for
    /// energies up to both edges. Waits a few periods for the one behind the span.
    pub async fn between(&self, from: Nanos, to: Nanos) -> Telemetry {
        let mut found = self.look(from, to).await;
        for _ in 0..LOOKS {
            // An agent that does not answer now is not waited for again and again.
            if reaches(&found, to) || self.is_lost() {
                break;
            }
            tokio::time::sleep(Duration::from_nanos(found.period_ns)).await;
            found = self.look(from, to).await;
        }
        found
    }

    /// The newest reading of each device, of those that were taken anyway.
    pub fn newest(&self) -> Telemetry {
        let end = Nanos(u64::MAX);
        let all = match &self.readings {
            Readings::Local(sampler) => sampler.between(end, end),
            Readings::Remote(sampler) => sampler.newest(),
        };
        chosen(all, self.only.as_deref())
    }

    async fn look(&self, from: Nanos, to: Nanos) -> Telemetry {
        let all = match &self.readings {
            Readings::Local(sampler) => sampler.between(from, to),
            Readings::Remote(sampler) => sampler.between(from, to).await,
        };
        chosen(all, self.only.as_deref())
    }

    fn is_lost(&self) -> bool {
        match &self.readings {
            Readings::Local(_) => false,
            Readings::Remote(sampler) => sampler.is_lost(),
        }
    }

    /// Ends the watch and gives all readings.
    pub fn stop(self) -> Telemetry {
        let all = match self.readings {
            Readings::Local(sampler) => sampler.stop(),
            Readings::Remote(sampler) => sampler.stop(),
        };
        chosen(all, self.only.as_deref())
    }
}

/// The series of processors and of the chosen accelerators, those marked of which others use a part.
fn chosen(mut all: Telemetry, only: Option<&[UsedDevice]>) -> Telemetry {
    let Some(only) = only else {
        return all;
    };
    let of = |series: &DeviceSeries| {
        only.iter().find(|device| {
            device.index == series.index && device.vendor == vendor_of(&series.source)
        })
    };
    all.devices.retain_mut(|series| {
        let device = of(series);
        series.shared = device.is_some_and(|device| device.shared);
        series.kind != DeviceKind::Accelerator || device.is_some()
    });
    all
}

/// Whether every device was read at or after an instant.
fn reaches(telemetry: &Telemetry, to: Nanos) -> bool {
    telemetry.devices.iter().all(|device| {
        let last = device.samples().next_back();
        last.is_some_and(|sample| sample.at_ns >= to.0)
    })
}
