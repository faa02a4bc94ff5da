//! Readings of AMD accelerators over time.

use std::path::{Path, PathBuf};

use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, UnknownFact};

use super::{found, gpu_metrics, name};
use crate::files;
use crate::telemetry::{Now, Source};

struct Watched {
    device: PathBuf,
    sensors: Option<PathBuf>,
    series: DeviceSeries,
}

/// All AMD accelerators of a machine.
pub(crate) struct AmdSource(Vec<Watched>);

impl AmdSource {
    /// `None` when there is no such accelerator.
    pub(crate) fn new(root: &Path) -> Option<Self> {
        let all: Vec<Watched> = (0..)
            .zip(found(root))
            .map(|(index, card)| {
                let kind = DeviceKind::Accelerator;
                let mut series = DeviceSeries::new(kind, index, name(root, &card), "amdgpu");
                let sensors = card.sensors(&["power1_average", "power1_input", "temp1_input"]);
                let mut unknown = |fact: &str, reason: &str| {
                    series.unknown.push(UnknownFact::new(fact, reason));
                };
                if power_mw(sensors.as_deref()).is_none() {
                    unknown("power_mw", "the driver does not tell");
                }
                if gpu_metrics::throttle(&card.device).is_none() {
                    unknown(
                        "throttle",
                        "the driver's table has no reasons that are understood",
                    );
                }
                unknown(
                    "pcie_rx_kb_s",
                    "the driver would hold each reading for a second",
                );
                Watched {
                    device: card.device,
                    sensors,
                    series,
                }
            })
            .collect();
        (!all.is_empty()).then_some(Self(all))
    }
}

impl Source for AmdSource {
    fn devices(&self) -> Vec<DeviceSeries> {
        self.0
            .iter()
            .map(|watched| watched.series.clone())
            .collect()
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        self.0
            .iter()
            .map(|watched| {
                let sensor = |file: &str| files::number(&watched.sensors.as_ref()?.join(file));
                let degrees = |file: &str| u32::try_from(sensor(file)? / 1_000).ok();
                let mhz = |file: &str| u32::try_from(sensor(file)? / 1_000_000).ok();
                let percent = |file: &str| files::small_number(&watched.device.join(file));
                DeviceSample {
                    at_ns: now().0,
                    power_mw: power_mw(watched.sensors.as_deref()),
                    core_clock_mhz: mhz("freq1_input"),
                    memory_clock_mhz: mhz("freq2_input"),
                    // The hottest point where there is a sensor for it, else the edge.
                    temperature_c: degrees("temp2_input").or_else(|| degrees("temp1_input")),
                    memory_temperature_c: degrees("temp3_input"),
                    memory_used_bytes: files::number(&watched.device.join("mem_info_vram_used")),
                    utilization_percent: percent("gpu_busy_percent"),
                    memory_utilization_percent: percent("mem_busy_percent"),
                    throttle: gpu_metrics::throttle(&watched.device),
                    ..DeviceSample::default()
                }
            })
            .collect()
    }
}

fn power_mw(sensors: Option<&Path>) -> Option<u32> {
    let read = |file: &str| files::number(&sensors?.join(file));
    let microwatts = read("power1_average").or_else(|| read("power1_input"))?;
    u32::try_from(microwatts / 1_000).ok()
}
