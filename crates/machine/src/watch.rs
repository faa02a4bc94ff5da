//! Telemetry of a run, from this machine or from an agent: start, look at a span, stop.

use std::time::Duration;

use tokmark_run_format::Telemetry;
use tokmark_units::Nanos;

use crate::agent::RemoteSampler;
use crate::telemetry::Sampler;

/// Times that a look waits for the reading behind its span.
const LOOKS: u32 = 4;

/// A machine that is watched while a run measures its server.
#[derive(Debug)]
pub enum Watch {
    /// This machine, which must be the server's.
    Local(Sampler),
    /// The host of an agent.
    Remote(RemoteSampler),
}

impl Watch {
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

    async fn look(&self, from: Nanos, to: Nanos) -> Telemetry {
        match self {
            Self::Local(sampler) => sampler.between(from, to),
            Self::Remote(sampler) => sampler.between(from, to).await,
        }
    }

    fn is_lost(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(sampler) => sampler.is_lost(),
        }
    }

    /// Ends the watch and gives all readings.
    pub fn stop(self) -> Telemetry {
        match self {
            Self::Local(sampler) => sampler.stop(),
            Self::Remote(sampler) => sampler.stop(),
        }
    }
}

/// Whether every device was read at or after an instant.
fn reaches(telemetry: &Telemetry, to: Nanos) -> bool {
    telemetry.devices.iter().all(|device| {
        let last = device.samples().next_back();
        last.is_some_and(|sample| sample.at_ns >= to.0)
    })
}
