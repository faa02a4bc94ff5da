//! Power, clocks, heat and load of the server's machine over time, as the evidence keeps them.

use serde::{Deserialize, Serialize};

use crate::hardware::UnknownFact;

/// What a series belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// An accelerator.
    #[default]
    Accelerator,
    /// A processor package.
    Processor,
}

/// Why clocks are lowered, as a sum of bits. Makers' own reasons are translated; one that has no
/// place here is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Throttle(pub u32);

impl Throttle {
    /// Nothing lowers the clocks.
    pub const NONE: Self = Self(0);
    /// The power limit: what the card may use, not a fault.
    pub const POWER_CAP: Self = Self(1);
    /// Heat of chip, memory or voltage regulators.
    pub const THERMAL: Self = Self(2);
    /// The power supply asked for it.
    pub const POWER_BRAKE: Self = Self(4);
    /// A slowdown by the hardware that does not say whether heat, power brake or a fast trip.
    pub const HARDWARE: Self = Self(8);
    /// Nothing to do.
    pub const IDLE: Self = Self(16);
    /// A current limit of the supply on the card.
    pub const CURRENT: Self = Self(32);
    /// Clocks that somebody set.
    pub const SET_CLOCKS: Self = Self(64);
    /// Another card of the same group.
    pub const GROUP: Self = Self(128);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any reason of `others` holds.
    pub const fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether heat or power brake hold the device back (methodology section 5, `throttled`).
    pub const fn is_held_back(self) -> bool {
        self.has_any(Self::THERMAL.and(Self::POWER_BRAKE).and(Self::HARDWARE))
    }
}

/// One reading of one device. `None` is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceSample {
    /// When, in nanoseconds on the run's clock.
    pub at_ns: u64,
    /// Power in milliwatts.
    pub power_mw: Option<u32>,
    /// The device's energy counter in microjoules, from any origin, wrap-around taken out.
    pub energy_uj: Option<u64>,
    /// Core clock in MHz.
    pub core_clock_mhz: Option<u32>,
    /// Memory clock in MHz.
    pub memory_clock_mhz: Option<u32>,
    /// Temperature of the chip in degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Temperature of the memory in degrees Celsius.
    pub memory_temperature_c: Option<u32>,
    /// Memory in use, in bytes.
    pub memory_used_bytes: Option<u64>,
    /// Time with work, in percent.
    pub utilization_percent: Option<u32>,
    /// Time with memory transfers, in percent.
    pub memory_utilization_percent: Option<u32>,
    /// Bytes per second from the processor, in thousands.
    pub pcie_rx_kb_s: Option<u32>,
    /// Bytes per second to the processor, in thousands.
    pub pcie_tx_kb_s: Option<u32>,
    /// Why clocks are lowered.
    pub throttle: Option<Throttle>,
}

/// All readings of one device, one list per quantity. A quantity that was never read has an empty
/// list, which is left out of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceSeries {
    /// What it belongs to.
    pub kind: DeviceKind,
    /// Its place among those of its kind, in the driver's order.
    pub index: u32,
    /// Its name as its driver gives it.
    pub name: String,
    /// Where the readings come from: `nvml`, `amdgpu`, `xe`, `i915` or `rapl`.
    pub source: String,
    /// What could not be read, and why.
    pub unknown: Vec<UnknownFact>,
    /// Whether the server used a slice of it only: the readings are of the whole device, others'
    /// work included.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    #[serde(rename = "dt", with = "deltas")]
    at_ns: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    power_mw: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    energy_uj: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    core_clock_mhz: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_clock_mhz: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    temperature_c: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_temperature_c: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_used_bytes: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    utilization_percent: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_utilization_percent: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pcie_rx_kb_s: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pcie_tx_kb_s: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    throttle: Vec<Option<Throttle>>,
}

impl DeviceSeries {
    /// A series without readings.
    pub fn new(kind: DeviceKind, index: u32, name: String, source: &str) -> Self {
        Self {
            kind,
            index,
            name,
            source: source.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a reading. One that is not later than the last is left out: order is what integrals
    /// stand on.
    pub fn push(&mut self, sample: &DeviceSample) {
        if self.at_ns.last().is_some_and(|last| sample.at_ns <= *last) {
            return;
        }
        let before = self.at_ns.len();
        self.at_ns.push(sample.at_ns);
        put(&mut self.power_mw, before, sample.power_mw);
        put(&mut self.energy_uj, before, sample.energy_uj);
        put(&mut self.core_clock_mhz, before, sample.core_clock_mhz);
        put(&mut self.memory_clock_mhz, before, sample.memory_clock_mhz);
        put(&mut self.temperature_c, before, sample.temperature_c);
        let memory_temperature = &mut self.memory_temperature_c;
        put(memory_temperature, before, sample.memory_temperature_c);
        put(
            &mut self.memory_used_bytes,
            before,
            sample.memory_used_bytes,
        );
        let utilization = &mut self.utilization_percent;
        put(utilization, before, sample.utilization_percent);
        let memory_utilization = &mut self.memory_utilization_percent;
        put(
            memory_utilization,
            before,
            sample.memory_utilization_percent,
        );
        put(&mut self.pcie_rx_kb_s, before, sample.pcie_rx_kb_s);
        put(&mut self.pcie_tx_kb_s, before, sample.pcie_tx_kb_s);
        put(&mut self.throttle, before, sample.throttle);
    }

    /// Number of readings.
    pub fn len(&self) -> usize {
        self.at_ns.len()
    }

    /// Whether there is no reading.
    pub fn is_empty(&self) -> bool {
        self.at_ns.is_empty()
    }

    /// The readings in order.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = DeviceSample> + '_ {
        self.at_ns
            .iter()
            .enumerate()
            .map(|(at, at_ns)| DeviceSample {
                at_ns: *at_ns,
                power_mw: get(&self.power_mw, at),
                energy_uj: get(&self.energy_uj, at),
                core_clock_mhz: get(&self.core_clock_mhz, at),
                memory_clock_mhz: get(&self.memory_clock_mhz, at),
                temperature_c: get(&self.temperature_c, at),
                memory_temperature_c: get(&self.memory_temperature_c, at),
                memory_used_bytes: get(&self.memory_used_bytes, at),
                utilization_percent: get(&self.utilization_percent, at),
                memory_utilization_percent: get(&self.memory_utilization_percent, at),
                pcie_rx_kb_s: get(&self.pcie_rx_kb_s, at),
                pcie_tx_kb_s: get(&self.pcie_tx_kb_s, at),
                throttle: get(&self.throttle, at),
            })
    }

    /// The same device without readings.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            unknown: self.unknown.clone(),
            shared: self.shared,
            ..Self::new(self.kind, self.index, self.name.clone(), &self.source)
        }
    }

    /// The readings of a span with the nearest one on each side of it, so that an integral reaches
    /// both edges.
    #[must_use]
    pub fn around(&self, from_ns: u64, to_ns: u64) -> Self {
        let first = self.at_ns.partition_point(|at| *at <= from_ns);
        let last = self.at_ns.partition_point(|at| *at < to_ns);
        let first = first.saturating_sub(1);
        let mut part = self.emptied();
        let count = (last + 1).saturating_sub(first);
        for sample in self.samples().skip(first).take(count) {
            part.push(&sample);
        }
        part
    }

    /// Bytes of memory, texts left out.
    fn held(&self) -> usize {
        let narrow = [
            self.power_mw.len(),
            self.core_clock_mhz.len(),
            self.memory_clock_mhz.len(),
            self.temperature_c.len(),
            self.memory_temperature_c.len(),
            self.utilization_percent.len(),
            self.memory_utilization_percent.len(),
            self.pcie_rx_kb_s.len(),
            self.pcie_tx_kb_s.len(),
            self.throttle.len(),
        ];
        let wide = self.energy_uj.len() + self.memory_used_bytes.len();
        size_of::<Self>()
            + self.at_ns.len() * size_of::<u64>()
            + narrow.iter().sum::<usize>() * size_of::<Option<u32>>()
            + wide * size_of::<Option<u64>>()
            + self.unknown.len() * size_of::<UnknownFact>()
    }
}

/// Adds to a list that stays empty until its first value.
fn put<T: Clone>(column: &mut Vec<Option<T>>, before: usize, value: Option<T>) {
    if value.is_some() || !column.is_empty() {
        column.resize(before, None);
        column.push(value);
    }
}

fn get<T: Copy>(column: &[Option<T>], at: usize) -> Option<T> {
    column.get(at).copied().flatten()
}

/// The machine over a span.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Time between two readings, as it was asked for.
    pub period_ns: u64,
    /// One series per device.
    #[serde(deserialize_with = "crate::wire::bounded::deserialize")]
    pub devices: Vec<DeviceSeries>,
    /// What could not be read of the machine as a whole, and why.
    pub unknown: Vec<UnknownFact>,
}

impl Telemetry {
    /// As [`DeviceSeries::around`], for every device.
    #[must_use]
    pub fn around(&self, from_ns: u64, to_ns: u64) -> Self {
        Self {
            period_ns: self.period_ns,
            devices: self
                .devices
                .iter()
                .map(|device| device.around(from_ns, to_ns))
                .collect(),
            unknown: self.unknown.clone(),
        }
    }

    /// Bytes of memory, texts left out.
    pub(crate) fn held(&self) -> usize {
        let devices: usize = self.devices.iter().map(DeviceSeries::held).sum();
        devices + self.unknown.len() * size_of::<UnknownFact>()
    }
}

/// Times as differences, the first one since the clock's origin.
mod deltas {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(times: &[u64], s: S) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        let deltas: Vec<u64> = times
            .iter()
            .map(|at| {
                let delta = at.saturating_sub(before);
                before = *at;
                delta
            })
            .collect();
        deltas.serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u64>, D::Error> {
        let deltas = Vec::<u64>::deserialize(d)?;
        let mut at = 0_u64;
        Ok(deltas
            .iter()
            .map(|delta| {
                at = at.saturating_add(*delta);
                at
            })
            .collect())
    }
}
