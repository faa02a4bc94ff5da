//! What `tokmark machine --probe` measured last on this machine, kept for the runs that follow.
//!
//! A figure holds for the hardware that it was measured on and for no other, so that the file says
//! which that was: a card that was added, taken out or exchanged makes it worthless.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokmark_run_format::{Hardware, MeasuredBandwidth, UnknownFact};
use tokmark_units::float;

use crate::files;

/// The file's name in the data folder.
const FILE: &str = "machine-probe.json";
/// The `format` field that is written.
const FORMAT: &str = "tokmark-machine-probe/1";
/// How far two sizes of the same memory may be apart: a kernel's update reserves a little more or
/// less.
const MEMORY_TOLERANCE: f64 = 0.02;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    format: String,
    measured_on: Subject,
    measured_bandwidth: MeasuredBandwidth,
}

/// The hardware that decides about bandwidth.
#[derive(Debug, Serialize, Deserialize)]
struct Subject {
    cpu: Option<String>,
    cpu_cores: Option<u32>,
    memory_bytes: Option<u64>,
    memory_speed_mt_s: Option<u32>,
    accelerators: Vec<SubjectAccelerator>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct SubjectAccelerator {
    name: String,
    count: u32,
    memory_bytes: Option<u64>,
    memory_clock_max_mhz: Option<u32>,
}

/// What a look for the last probe gives.
#[derive(Debug, Clone, PartialEq)]
pub enum LastProbe {
    /// There is none.
    None,
    /// It was made on this hardware.
    Same(Box<MeasuredBandwidth>),
    /// It was made on other hardware, or cannot be read: the reason in words.
    Useless(String),
}

impl Subject {
    fn of(hardware: &Hardware) -> Self {
        let accelerators = hardware.accelerators.iter().map(|group| {
            let facts = group.facts.as_ref();
            SubjectAccelerator {
                name: group.name.clone(),
                count: group.count,
                memory_bytes: group.memory_bytes,
                memory_clock_max_mhz: facts.and_then(|facts| facts.memory_clock_max_mhz),
            }
        });
        Self {
            cpu: hardware.cpu.clone(),
            cpu_cores: hardware.cpu_cores,
            memory_bytes: hardware.memory_bytes,
            memory_speed_mt_s: hardware.memory_speed_mt_s,
            accelerators: accelerators.collect(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let memory = match (self.memory_bytes, other.memory_bytes) {
            (Some(a), Some(b)) => {
                let (a, b) = (float::from_u64(a), float::from_u64(b));
                (a - b).abs() <= MEMORY_TOLERANCE * a.max(b)
            }
            (a, b) => a == b,
        };
        // Who may read the modules' speed differs from user to user.
        let speeds = self.memory_speed_mt_s.zip(other.memory_speed_mt_s);
        memory
            && self.cpu == other.cpu
            && self.cpu_cores == other.cpu_cores
            && speeds.is_none_or(|(a, b)| a == b)
            && self.accelerators == other.accelerators
    }
}

/// Keeps what `hardware` carries as measured, in place of what was kept before. Gives the file.
pub fn keep_probe(folder: &Path, hardware: &Hardware) -> io::Result<PathBuf> {
    let kept = Kept {
        format: FORMAT.to_owned(),
        measured_on: Subject::of(hardware),
        measured_bandwidth: hardware.measured_bandwidth.clone().unwrap_or_default(),
    };
    let mut text = serde_json::to_string_pretty(&kept)?;
    text.push('\n');
    fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    // Under another name first: what is read beside is the old one or the new one.
    let beside = folder.join(format!("{FILE}.{}", std::process::id()));
    fs::write(&beside, text)?;
    fs::rename(&beside, &path)?;
    Ok(path)
}

/// The last probe of the machine whose inventory this is.
pub fn last_probe(folder: &Path, hardware: &Hardware) -> LastProbe {
    let path = folder.join(FILE);
    if !path.exists() {
        return LastProbe::None;
    }
    let again = "`tokmark machine --probe` measures again";
    let useless = |why: &str| LastProbe::Useless(format!("{why}; {again}"));
    let Some(text) = files::whole(&path) else {
        return useless("the last probe cannot be read");
    };
    match serde_json::from_str::<Kept>(&text) {
        Ok(kept) if kept.format != FORMAT => useless("the last probe is of another version"),
        Ok(kept) if kept.measured_on.is_same(&Subject::of(hardware)) => {
            LastProbe::Same(Box::new(kept.measured_bandwidth))
        }
        Ok(_) => useless("the last probe was made on other hardware"),
        Err(_) => useless("the last probe is damaged"),
    }
}

/// Puts the last probe into an inventory of its machine, or why there is none that holds. Without any,
/// nothing changes.
///
/// A probe is one of the whole machine, and the inventory may be of what one server uses: `whole`
/// gives all of it, and is asked only where there is a probe.
pub fn recall_probe(
    folder: &Path,
    hardware: &mut Hardware,
    whole: impl FnOnce(&Hardware) -> Hardware,
) {
    if !folder.join(FILE).exists() {
        return;
    }
    match last_probe(folder, &whole(hardware)) {
        LastProbe::None => {}
        LastProbe::Same(measured) => hardware.measured_bandwidth = Some(*measured),
        LastProbe::Useless(reason) => {
            let fact = UnknownFact::new("measured_bandwidth", reason);
            hardware.unknown.push(fact);
        }
    }
}
