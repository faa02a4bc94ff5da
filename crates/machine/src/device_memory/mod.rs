//! Bandwidth of the accelerators' own memory, measured: `tokmark machine --probe`.
//!
//! Two ways that need no kernel of ours, only the driver: copying a large buffer to another one on the
//! same device, of which bytes read and bytes written are counted, and filling one with a value, of
//! which the bytes written are counted. Both are many times as large as the caches as far as the free
//! memory allows. The best of several rounds counts, since whatever disturbs a round makes it slower.
//! Reading alone, which decoding does, cannot be measured this way; on today's memories it differs
//! from copying by a few per cent.

#[cfg(target_pointer_width = "64")]
mod driver;
mod names;

use std::path::PathBuf;

use tokmark_run_format::{AcceleratorBandwidth, UnknownFact};
#[cfg(target_pointer_width = "64")]
use tokmark_units::{Nanos, float};

use crate::card::Normalise;
use crate::telemetry::Now;
#[cfg(target_pointer_width = "64")]
use driver::{Device, Driver};
use names::Names;

/// Bytes of a buffer at most and at least. The largest caches in front of such memories have 256 MiB.
#[cfg(target_pointer_width = "64")]
const MOST: usize = 1 << 30;
#[cfg(target_pointer_width = "64")]
const LEAST: usize = 256 << 20;

/// Share of the free memory that one of the two buffers may take: one in so many. What runs beside
/// keeps room to work in.
#[cfg(target_pointer_width = "64")]
const MEMORY_SHARE: usize = 4;

/// Copies or fills of a round, so that asking for them takes none of the time: a single one is over
/// in less than a millisecond on the fastest memories.
#[cfg(target_pointer_width = "64")]
const REPEATS: u32 = 32;

/// Rounds of each way, of which the best counts.
#[cfg(target_pointer_width = "64")]
const ROUNDS: u32 = 5;

/// Through which library a maker's accelerators are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComputeApi {
    /// NVIDIA's CUDA driver.
    Cuda,
    /// AMD's HIP.
    Hip,
}

/// A library that is loaded while it measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputeLibrary {
    /// Whose it is.
    pub api: ComputeApi,
    /// Its files; the first that can be loaded is taken.
    pub files: Vec<PathBuf>,
}

impl ComputeApi {
    fn names(self) -> &'static Names {
        match self {
            Self::Cuda => &names::CUDA,
            Self::Hip => &names::HIP,
        }
    }

    /// The vendor's word in an inventory.
    fn vendor(self) -> &'static str {
        match self {
            Self::Cuda => "nvidia",
            Self::Hip => "amd",
        }
    }

    /// What stands for it where it cannot be asked.
    fn fact(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Hip => "hip",
        }
    }
}

impl ComputeLibrary {
    /// Those of this system.
    pub fn of_system() -> Vec<Self> {
        [ComputeApi::Cuda, ComputeApi::Hip]
            .map(|api| Self {
                api,
                files: api.names().places(),
            })
            .to_vec()
    }
}

/// What was found of all accelerators.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceBandwidth {
    /// Each accelerator that a library shows, in its order.
    pub accelerators: Vec<AcceleratorBandwidth>,
    /// Libraries that could not be asked about accelerators that are there, and why.
    pub unknown: Vec<UnknownFact>,
}

/// Measures all accelerators, one after another. Takes about a second for each.
///
/// `vendors` are those of the accelerators that the inventory shows: a library that is missing where
/// none of its accelerators is says nothing. `normalise` gives names as the inventory has them.
pub fn measure_device_bandwidth(
    libraries: &[ComputeLibrary],
    vendors: &[&str],
    normalise: Normalise<'_>,
    now: &Now,
) -> DeviceBandwidth {
    let mut found = DeviceBandwidth::default();
    for library in libraries {
        match measure(library, normalise, now) {
            Ok(accelerators) => found.accelerators.extend(accelerators),
            Err(reason) if vendors.contains(&library.api.vendor()) => {
                found
                    .unknown
                    .push(UnknownFact::new(library.api.fact(), reason));
            }
            Err(_) => {}
        }
    }
    found
}

#[cfg(not(target_pointer_width = "64"))]
fn measure(
    library: &ComputeLibrary,
    _normalise: Normalise<'_>,
    _now: &Now,
) -> Result<Vec<AcceleratorBandwidth>, String> {
    Err(library.api.names().not_loaded())
}

#[cfg(target_pointer_width = "64")]
fn measure(
    library: &ComputeLibrary,
    normalise: Normalise<'_>,
    now: &Now,
) -> Result<Vec<AcceleratorBandwidth>, String> {
    let names = library.api.names();
    let mut driver = Driver::load(names, &library.files)?;
    let count = driver.count()?;
    Ok((0..count)
        .map(|place| {
            let name = driver.name(place);
            let name = name.unwrap_or_else(|| format!("accelerator {place}"));
            match driver.choose(place) {
                Ok(device) => accelerator(&device, name, names, normalise, now),
                Err(reason) => AcceleratorBandwidth {
                    name: normalise(&name, None).unwrap_or(name),
                    unknown: vec![UnknownFact::new("bandwidth", reason)],
                    ..AcceleratorBandwidth::default()
                },
            }
        })
        .collect())
}

#[cfg(target_pointer_width = "64")]
fn accelerator(
    device: &Device<'_>,
    name: String,
    names: &Names,
    normalise: Normalise<'_>,
    now: &Now,
) -> AcceleratorBandwidth {
    let memory = device.free_and_total();
    let total = memory
        .as_ref()
        .ok()
        .map(|(_, total)| float::len_u64(*total));
    let mut found = AcceleratorBandwidth {
        name: normalise(&name, total).unwrap_or(name),
        memory_bytes: total,
        ..AcceleratorBandwidth::default()
    };
    let buffers = memory.and_then(|(free, _)| {
        let bytes = buffer_bytes(free)?;
        Ok((device.buffer(bytes)?, device.buffer(bytes)?, bytes))
    });
    match buffers {
        Ok((from, mut to, bytes)) => {
            found.method = method(names, bytes);
            let copied = best_gb_s(device, 2 * bytes, now, || to.copy_from(&from));
            found.copy_gb_s = learn(&mut found.unknown, "copy_gb_s", copied);
            let filled = best_gb_s(device, bytes, now, || to.fill(0x5a5a_5a5a));
            found.fill_gb_s = learn(&mut found.unknown, "fill_gb_s", filled);
        }
        Err(reason) => found.unknown.push(UnknownFact::new("bandwidth", reason)),
    }
    found
}

#[cfg(target_pointer_width = "64")]
fn learn(unknown: &mut Vec<UnknownFact>, fact: &str, found: Result<f64, String>) -> Option<f64> {
    found
        .map_err(|reason| unknown.push(UnknownFact::new(fact, reason)))
        .ok()
}

/// The size of each of two buffers, in whole MiB.
#[cfg(target_pointer_width = "64")]
fn buffer_bytes(free: usize) -> Result<usize, String> {
    let bytes = ((free / MEMORY_SHARE) >> 20 << 20).min(MOST);
    if bytes < LEAST {
        return Err(format!(
            "{} MiB of its memory are free, and the probe needs {}: stop the server, or measure \
             before it starts",
            free >> 20,
            (LEAST * MEMORY_SHARE) >> 20
        ));
    }
    Ok(bytes)
}

#[cfg(target_pointer_width = "64")]
fn method(names: &Names, bytes: usize) -> String {
    format!(
        "{}, 2 buffers of {} MiB, best of {ROUNDS} rounds of {REPEATS}; a copy counts its bytes read \
         and written, a fill its bytes written",
        names.api,
        bytes >> 20
    )
}

/// The best round's rate in 10^9 bytes a second; `bytes` is what `once` moves.
#[cfg(target_pointer_width = "64")]
fn best_gb_s(
    device: &Device<'_>,
    bytes: usize,
    now: &Now,
    mut once: impl FnMut() -> Result<(), String>,
) -> Result<f64, String> {
    // The first one also wakes the clocks and maps the pages.
    once()?;
    device.wait()?;
    let mut best: Option<Nanos> = None;
    for _ in 0..ROUNDS {
        let start = now();
        for _ in 0..REPEATS {
            once()?;
        }
        device.wait()?;
        let taken = now().saturating_sub(start);
        best = Some(best.map_or(taken, |best| best.min(taken)));
    }
    let nanos = best.filter(|nanos| nanos.0 > 0);
    let nanos = nanos.ok_or_else(|| "the clock stood still".to_owned())?;
    Ok(float::from_usize(bytes) * f64::from(REPEATS) / float::from_u64(nanos.0))
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn buffers_leave_most_of_the_free_memory_alone() {
        let check = |free_mib: usize, expect: Option<usize>| {
            let given = buffer_bytes(free_mib << 20).ok().map(|bytes| bytes >> 20);
            assert_eq!(given, expect, "{free_mib}");
        };
        check(24_000, Some(1_024));
        check(3_001, Some(750));
        check(1_024, Some(256));
        check(1_023, None);
        check(0, None);
        let said = buffer_bytes(300 << 20).unwrap_err();
        assert!(said.starts_with("300 MiB of its memory are free, and the probe needs 1024"));
    }
}
