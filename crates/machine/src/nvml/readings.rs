//! Readings of NVIDIA cards over time.

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, PcieUtilCounter, TemperatureSensor};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::{Device, Nvml};
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, Throttle, UnknownFact};
use tokmark_units::Nanos;

use super::library::told;
use crate::telemetry::{Now, Source};

/// `NVML_FI_DEV_MEMORY_TEMP`.
const MEMORY_TEMPERATURE: FieldId = FieldId(82);

/// PCIe traffic is measured by the library over 20 ms while it is asked, so each card is asked in
/// one reading of this many.
const TRAFFIC_EVERY: u64 = 5;

/// All cards of a machine.
pub(super) struct NvmlSource {
    nvml: Nvml,
    series: Vec<DeviceSeries>,
    readings: u64,
}

impl NvmlSource {
    pub(super) fn new(nvml: Nvml) -> Result<Self, String> {
        let count = told(nvml.device_count())?;
        let series = (0..count).map(|index| series(&nvml, index)).collect();
        Ok(Self {
            nvml,
            series,
            readings: 0,
        })
    }
}

fn series(nvml: &Nvml, index: u32) -> DeviceSeries {
    let device = told(nvml.device_by_index(index));
    let name = device.as_ref().ok().and_then(|device| device.name().ok());
    let name = name.unwrap_or_else(|| "NVIDIA accelerator".to_owned());
    let mut series = DeviceSeries::new(DeviceKind::Accelerator, index, name, "nvml");
    let mut unknown = |fact: &str, reason: Option<String>| {
        if let Some(reason) = reason {
            series.unknown.push(UnknownFact::new(fact, reason));
        }
    };
    match device {
        Err(reason) => unknown("accelerator", Some(reason)),
        Ok(device) => {
            unknown("power_mw", told(device.power_usage()).err());
            unknown("energy_uj", told(device.total_energy_consumption()).err());
            unknown("throttle", told(device.current_throttle_reasons()).err());
            unknown("memory_used_bytes", told(device.memory_info()).err());
            let traffic = device.pcie_throughput(PcieUtilCounter::Receive);
            unknown("pcie_rx_kb_s", told(traffic).err());
        }
    }
    series
}

impl Source for NvmlSource {
    fn devices(&self) -> Vec<DeviceSeries> {
        self.series.clone()
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        let reading = self.readings;
        self.readings += 1;
        self.series
            .iter()
            .map(|series| {
                let with_traffic =
                    (reading + u64::from(series.index)).is_multiple_of(TRAFFIC_EVERY);
                match self.nvml.device_by_index(series.index) {
                    Ok(device) => read(&device, now(), with_traffic),
                    // A card that fell off the bus reads nothing from here on.
                    Err(_) => DeviceSample {
                        at_ns: now().0,
                        ..DeviceSample::default()
                    },
                }
            })
            .collect()
    }
}

fn read(device: &Device<'_>, at: Nanos, with_traffic: bool) -> DeviceSample {
    let utilization = device.utilization_rates().ok();
    let traffic = |counter| {
        with_traffic
            .then(|| device.pcie_throughput(counter).ok())
            .flatten()
    };
    DeviceSample {
        at_ns: at.0,
        power_mw: device.power_usage().ok(),
        energy_uj: device
            .total_energy_consumption()
            .ok()
            .and_then(|millijoules| millijoules.checked_mul(1_000)),
        core_clock_mhz: device.clock_info(Clock::Graphics).ok(),
        memory_clock_mhz: device.clock_info(Clock::Memory).ok(),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
        memory_temperature_c: memory_temperature(device),
        memory_used_bytes: device.memory_info().ok().map(|memory| memory.used),
        utilization_percent: utilization.as_ref().map(|rates| rates.gpu),
        memory_utilization_percent: utilization.as_ref().map(|rates| rates.memory),
        pcie_rx_kb_s: traffic(PcieUtilCounter::Receive),
        pcie_tx_kb_s: traffic(PcieUtilCounter::Send),
        throttle: device.current_throttle_reasons().ok().map(throttle),
    }
}

fn memory_temperature(device: &Device<'_>) -> Option<u32> {
    let values = device.field_values_for(&[MEMORY_TEMPERATURE]).ok()?;
    let sample = values.into_iter().next()?.ok()?;
    match sample.value.ok()? {
        // Cards without the sensor read zero.
        SampleValue::U32(degrees) => Some(degrees).filter(|degrees| *degrees > 0),
        _ => None,
    }
}

/// The library's reasons in ours.
fn throttle(reasons: ThrottleReasons) -> Throttle {
    let heat = ThrottleReasons::SW_THERMAL_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
    let brake = ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN;
    let mut found = Throttle::NONE;
    for (theirs, ours) in [
        (ThrottleReasons::SW_POWER_CAP, Throttle::POWER_CAP),
        (heat, Throttle::THERMAL),
        (brake, Throttle::POWER_BRAKE),
        (ThrottleReasons::GPU_IDLE, Throttle::IDLE),
        (ThrottleReasons::SYNC_BOOST, Throttle::GROUP),
        (
            ThrottleReasons::APPLICATIONS_CLOCKS_SETTING,
            Throttle::SET_CLOCKS,
        ),
    ] {
        if reasons.intersects(theirs) {
            found = found.and(ours);
        }
    }
    // The general bit stands beside heat and brake; alone it is a fast trip, or not told.
    if reasons.contains(ThrottleReasons::HW_SLOWDOWN) && !reasons.intersects(heat | brake) {
        found = found.and(Throttle::HARDWARE);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_in_our_words() {
        let check = |bits: u64, expected: Throttle| {
            assert_eq!(
                throttle(ThrottleReasons::from_bits_truncate(bits)),
                expected,
                "{bits:#x}"
            );
        };
        check(0, Throttle::NONE);
        check(0x1, Throttle::IDLE);
        check(0x4, Throttle::POWER_CAP);
        check(0x20, Throttle::THERMAL);
        check(0x48, Throttle::THERMAL);
        check(0x88, Throttle::POWER_BRAKE);
        check(0x8, Throttle::HARDWARE);
        check(0x24, Throttle::THERMAL.and(Throttle::POWER_CAP));
        check(0x12, Throttle::SET_CLOCKS.and(Throttle::GROUP));
        check(0x100, Throttle::NONE);
    }
}
