//! Readings of the machine over time: sources, a thread that asks them, and what it collected.

mod pace;
mod rapl;
mod sampler;
mod store;

use std::sync::Arc;

use tokmark_run_format::{DeviceSample, DeviceSeries, UnknownFact};
use tokmark_units::Nanos;

pub use pace::Pace;
pub use sampler::{PERIODS, Sampler, SamplerSettings};
pub(crate) use store::Store;

use crate::amd::AmdSource;
use crate::intel::IntelSource;
use crate::inventory::Look;
use crate::nvml::{self, NvmlLibrary};
use rapl::Rapl;

/// The run's clock. Whoever owns it decides its origin.
pub type Now = dyn Fn() -> Nanos + Send + Sync;

/// Something with readings.
pub trait Source: Send {
    /// Its devices, without readings, and what they will not tell.
    fn devices(&self) -> Vec<DeviceSeries>;

    /// One reading of each, in the same order. A reading is stamped just before it is taken.
    fn read(&mut self, now: &Now) -> Vec<DeviceSample>;
}

/// All that a machine can be watched by.
pub struct Sources {
    /// What is asked.
    pub(crate) all: Vec<Box<dyn Source>>,
    /// What cannot be asked, and why.
    pub(crate) unknown: Vec<UnknownFact>,
}

impl Sources {
    /// Made of given sources, for recorded ones.
    pub fn new(all: Vec<Box<dyn Source>>) -> Self {
        Self {
            all,
            unknown: Vec::new(),
        }
    }

    /// Whether there is nothing to ask.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those of a machine.
    pub fn of(look: &Look<'_>) -> Self {
        let root = look.root.as_path();
        let mut sources = Self::new(Vec::new());
        match nvml::source(&look.nvml) {
            Ok(source) => sources.all.push(source),
            // A machine without such cards misses nothing.
            Err(reason) if nvml::driver_files::is_there(root) && look.nvml != NvmlLibrary::Off => {
                sources.unknown.push(UnknownFact::new("nvml", reason));
            }
            Err(_) => {}
        }
        if let Some(source) = AmdSource::new(root) {
            sources.all.push(Box::new(source));
        }
        if let Some(source) = IntelSource::new(root) {
            sources.all.push(Box::new(source));
        }
        match Rapl::new(root) {
            Ok(source) => sources.all.push(Box::new(source)),
            Err(reason) => sources.unknown.push(UnknownFact::new("rapl", reason)),
        }
        if look.apple.is_some() {
            let reason = "the system tells it to its administrator only";
            sources.unknown.push(UnknownFact::new("power_mw", reason));
        }
        sources
    }
}

/// A clock for the sampler.
pub type SharedNow = Arc<Now>;
