use std::fs;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokmark_machine::Look;
use tokmark_machine::telemetry::{Now, PERIODS, Pace, Sampler, SamplerSettings, Source, Sources};
use tokmark_run_format::{DeviceKind, DeviceSample, DeviceSeries, Telemetry, Throttle};
use tokmark_units::Nanos;

use crate::sysfs::{amd, xe};
use crate::tree::Tree;

/// Lets the sampler take one reading at a time: it says what span it would wait, and waits for a
/// word of the test's with the clock's next moment.
struct Steps {
    asked: Sender<Duration>,
    go: Receiver<u64>,
    clock: Arc<Mutex<u64>>,
}

impl Pace for Steps {
    fn wait(&mut self, span: Duration) -> bool {
        let told = self.asked.send(span).is_ok();
        match self.go.recv() {
            Ok(at_ns) => {
                *self.clock.lock().unwrap() = at_ns;
                told
            }
            Err(_) => false,
        }
    }
}

/// A sampler and the way to move its clock.
pub struct Stepped {
    // Dropped first, so that the thread ends when the sampler waits for it.
    go: Option<Sender<u64>>,
    pub sampler: Sampler,
    asked: Receiver<Duration>,
}

impl Stepped {
    pub fn start(sources: Sources, settings: &SamplerSettings, from_ns: u64) -> Self {
        let clock = Arc::new(Mutex::new(from_ns));
        let (asked, spans) = channel();
        let (go, steps) = channel();
        let pace = Steps {
            asked,
            go: steps,
            clock: Arc::clone(&clock),
        };
        let now = Arc::new(move || Nanos(*clock.lock().unwrap()));
        let sampler = Sampler::start_paced(sources, settings, now, Box::new(pace)).unwrap();
        Self {
            sampler,
            asked: spans,
            go: Some(go),
        }
    }

    /// The span that the sampler wants to wait after the reading just taken.
    pub fn wanted(&self) -> Duration {
        self.asked.recv().unwrap()
    }

    /// Lets it read at a moment.
    pub fn step(&self, at_ns: u64) {
        self.go.as_ref().unwrap().send(at_ns).unwrap();
    }

    pub fn stop(mut self) -> Telemetry {
        self.go = None;
        self.sampler.stop()
    }
}

/// A card of which the power is the clock's milliseconds.
pub struct Ramp;

impl Source for Ramp {
    fn devices(&self) -> Vec<DeviceSeries> {
        let kind = DeviceKind::Accelerator;
        vec![DeviceSeries::new(kind, 0, "ramp".to_owned(), "test")]
    }

    fn read(&mut self, now: &Now) -> Vec<DeviceSample> {
        let at_ns = now().0;
        vec![DeviceSample {
            at_ns,
            power_mw: u32::try_from(at_ns / 1_000_000).ok(),
            ..DeviceSample::default()
        }]
    }
}

const MS: u64 = 1_000_000;

fn ramp() -> Sources {
    Sources::new(vec![Box::new(Ramp)])
}

#[test]
fn readings_lie_on_a_grid_whatever_a_reading_takes() {
    let stepped = Stepped::start(ramp(), &SamplerSettings::default(), 0);
    assert_eq!(stepped.wanted(), Duration::from_millis(200));
    // 30 ms late: the next place of the grid is 170 ms away.
    stepped.step(230 * MS);
    assert_eq!(stepped.wanted(), Duration::from_millis(170));
    // Two places passed: they are left out.
    stepped.step(810 * MS);
    assert_eq!(stepped.wanted(), Duration::from_millis(190));
    let between = stepped.sampler.between(Nanos(100 * MS), Nanos(300 * MS));
    let powers = |telemetry: &Telemetry| -> Vec<Option<u32>> {
        telemetry.devices[0]
            .samples()
            .map(|sample| sample.power_mw)
            .collect()
    };
    assert_eq!(
        powers(&between),
        [Some(0), Some(230), Some(810)],
        "with its neighbours"
    );
    let early = stepped.sampler.between(Nanos(0), Nanos(50 * MS));
    assert_eq!(powers(&early), [Some(0), Some(230)]);
    assert_eq!(powers(&stepped.stop()), [Some(0), Some(230), Some(810)]);
}

#[test]
fn two_to_ten_readings_per_second() {
    for (asked, given) in [(1, 100), (100, 100), (300, 300), (5_000, 500)] {
        let settings = SamplerSettings {
            period: Duration::from_millis(asked),
            ..SamplerSettings::default()
        };
        let stepped = Stepped::start(ramp(), &settings, 0);
        assert_eq!(stepped.wanted(), Duration::from_millis(given), "{asked}");
        assert!(PERIODS.contains(&Duration::from_millis(given)));
    }
}

/// Where the sampling thread may run, from inside of it.
#[cfg(target_os = "linux")]
struct Cores(Sender<Vec<usize>>);

#[cfg(target_os = "linux")]
impl Source for Cores {
    fn devices(&self) -> Vec<DeviceSeries> {
        Vec::new()
    }

    fn read(&mut self, _now: &Now) -> Vec<DeviceSample> {
        let _told = self.0.send(allowed());
        Vec::new()
    }
}

#[cfg(target_os = "linux")]
fn allowed() -> Vec<usize> {
    let cores = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)).unwrap();
    (0..nix::sched::CpuSet::count())
        .filter(|core| cores.is_set(*core).unwrap())
        .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn the_thread_keeps_off_the_cores_that_measure() {
    let here = allowed();
    let check = |avoid: Vec<usize>, expected: &[usize]| {
        let (told, cores) = channel();
        let settings = SamplerSettings {
            avoid_cores: avoid.clone(),
            ..SamplerSettings::default()
        };
        let stepped = Stepped::start(Sources::new(vec![Box::new(Cores(told))]), &settings, 0);
        assert_eq!(cores.recv().unwrap(), expected, "without {avoid:?}");
        stepped.stop();
    };
    // With no core left it runs anywhere.
    check(here.clone(), &here);
    if let [first, others @ ..] = here.as_slice()
        && !others.is_empty()
    {
        check(vec![*first], others);
    }
    assert_eq!(allowed(), here, "this thread stays where it was");
}

/// A tree's counter of a processor package.
fn rapl(tree: Tree, energy_uj: u64) -> Tree {
    tree.file("sys/class/powercap/intel-rapl:0/name", "package-0\n")
        .file(
            "sys/class/powercap/intel-rapl:0/max_energy_range_uj",
            "262143328850\n",
        )
        .file(
            "sys/class/powercap/intel-rapl:0/energy_uj",
            energy_uj.to_string(),
        )
        .file("sys/class/powercap/intel-rapl:0:0/name", "core\n")
        .file("sys/class/powercap/intel-rapl:0:0/energy_uj", "7\n")
        .file("sys/class/powercap/intel-rapl:1/name", "psys\n")
        .file("sys/class/powercap/intel-rapl-mmio:0/name", "package-0\n")
}

#[test]
fn the_processors_counter_starts_again_and_its_sum_does_not() {
    let tree = rapl(Tree::new(), 262_143_000_000);
    let path = tree
        .path()
        .join("sys/class/powercap/intel-rapl:0/energy_uj");
    let sources = Sources::of(&Look::at(tree.path()));
    let stepped = Stepped::start(sources, &SamplerSettings::default(), 0);
    for (at, energy_uj) in [(200, 262_143_200_000_u64), (400, 100_000), (600, 900_000)] {
        stepped.wanted();
        fs::write(&path, energy_uj.to_string()).unwrap();
        stepped.step(at * MS);
    }
    stepped.wanted();
    let telemetry = stepped.stop();
    let [package] = telemetry.devices.as_slice() else {
        panic!("{telemetry:?}");
    };
    assert_eq!(
        (package.kind, package.name.as_str()),
        (DeviceKind::Processor, "package-0")
    );
    let sums: Vec<u64> = package.samples().map(|s| s.energy_uj.unwrap()).collect();
    // 200,000 to the range's end less 128,850 of it, then 100,000 above zero, then 800,000.
    assert_eq!(sums, [0, 200_000, 200_000 + 128_850 + 100_000, 1_228_850]);
}

#[test]
fn counters_that_cannot_be_read_are_a_reason() {
    let reason = |tree: &Tree| {
        let sampler = Stepped::start(
            Sources::of(&Look::at(tree.path())),
            &SamplerSettings::default(),
            0,
        );
        let telemetry = sampler.stop();
        assert!(telemetry.devices.is_empty(), "{telemetry:?}");
        let told = telemetry
            .unknown
            .into_iter()
            .find(|fact| fact.fact == "rapl");
        told.unwrap().reason
    };
    assert_eq!(
        reason(&Tree::new()),
        "the system has no energy counters of the processor"
    );
    let broken = rapl(Tree::new(), 0).file("sys/class/powercap/intel-rapl:0/energy_uj", "?");
    assert_eq!(reason(&broken), "it holds nothing that is understood");
}

fn one_reading(tree: &Tree) -> (DeviceSeries, DeviceSample) {
    let sources = Sources::of(&Look::at(tree.path()));
    let stepped = Stepped::start(sources, &SamplerSettings::default(), 5);
    stepped.wanted();
    let telemetry = stepped.stop();
    let device = telemetry.devices[0].clone();
    let sample = device.samples().next().unwrap();
    (device, sample)
}

#[test]
fn readings_of_an_amd_card() {
    let (device, sample) = one_reading(&amd(Tree::new(), 0, Some("Radeon W")));
    assert_eq!(
        (device.name.as_str(), device.source.as_str()),
        ("Radeon W", "amdgpu")
    );
    let expected = DeviceSample {
        at_ns: 5,
        power_mw: Some(301_500),
        core_clock_mhz: Some(2_482),
        memory_clock_mhz: Some(1_249),
        temperature_c: Some(84),
        memory_temperature_c: Some(78),
        memory_used_bytes: Some(20_000_000_000),
        utilization_percent: Some(97),
        memory_utilization_percent: Some(60),
        throttle: Some(Throttle::THERMAL),
        ..DeviceSample::default()
    };
    assert_eq!(sample, expected);
    let text = serde_json::to_string(&device).unwrap();
    assert!(!text.contains("PRIVATE"), "{text}");
}

#[test]
fn readings_of_an_intel_card() {
    let (device, sample) = one_reading(&xe(Tree::new()));
    assert_eq!(device.source, "xe");
    let expected = DeviceSample {
        at_ns: 5,
        energy_uj: Some(1_000_000),
        core_clock_mhz: Some(2_400),
        temperature_c: Some(70),
        throttle: Some(Throttle::THERMAL),
        ..DeviceSample::default()
    };
    assert_eq!(sample, expected);
}
