//! Energy of the processor packages, from the counters that the kernel shows below `powercap`.

use std::path::{Path, PathBuf};

use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries};

use super::{Now, Source};
use crate::files;

/// A package's counter, which starts again from zero above its range.
struct Counter {
    folder: PathBuf,
    range_uj: u64,
    last_uj: u64,
    /// All that it gained since the first reading.
    sum_uj: u64,
    series: DeviceSeries,
}

impl Counter {
    fn new(folder: PathBuf, index: u32, name: String) -> Option<Self> {
        let range_uj = files::number(&folder.join("max_energy_range_uj"))?;
        Some(Self {
            last_uj: files::number(&folder.join("energy_uj"))?,
            range_uj,
            sum_uj: 0,
            series: DeviceSeries::new(DeviceKind::Processor, index, name, "rapl"),
            folder,
        })
    }

    /// The sum after another reading; `None` when it cannot be read now.
    fn read(&mut self) -> Option<u64> {
        let now_uj = files::number(&self.folder.join("energy_uj"))?;
        // The range is passed in minutes at the least, so at most once between two readings.
        let gained = now_uj.checked_sub(self.last_uj).unwrap_or_else(|| {
            let before = self.range_uj.saturating_sub(self.last_uj);
            before.saturating_add(now_uj)
        });
        self.last_uj = now_uj;
        self.sum_uj = self.sum_uj.saturating_add(gained);
        Some(self.sum_uj)
    }
}

/// All packages of a machine.
pub(super) struct Rapl(Vec<Counter>);

impl Rapl {
    /// The packages below `root`, or why none can be read.
    pub(super) fn new(root: &Path) -> Result<Self, &'static str> {
        let zones = files::entries(&root.join("sys/class/powercap"));
        // `intel-rapl:0` is a package, also of AMD; `intel-rapl:0:1` a part of it. The same counters
        // through another door (`intel-rapl-mmio`) are not counted twice.
        let packages: Vec<PathBuf> = zones
            .into_iter()
            .filter(|zone| files::numbered(zone, "intel-rapl:").is_some())
            .filter(|zone| package(zone).is_some())
            .collect();
        let Some(first) = packages.first() else {
            return Err("the system has no energy counters of the processor");
        };
        let reason = files::why_not(&first.join("energy_uj"));
        let counters: Option<Vec<Counter>> = (0..)
            .zip(packages)
            .map(|(index, folder)| {
                let name = package(&folder)?;
                Counter::new(folder, index, name)
            })
            .collect();
        counters.map(Self).ok_or(reason)
    }
}

/// `package-0`.
fn package(zone: &Path) -> Option<String> {
    files::text(&zone.join("name")).filter(|name| name.starts_with("package"))
}

impl Source for Rapl {
    fn devices(&self) -> Vec<DeviceSeries> {
        self.0
            .iter()
            .map(|counter| counter.series.clone())
            .collect()
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        self.0
            .iter_mut()
            .map(|counter| DeviceSample {
                at_ns: now().0,
                energy_uj: counter.read(),
                ..DeviceSample::default()
            })
            .collect()
    }
}
