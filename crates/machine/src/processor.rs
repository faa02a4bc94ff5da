//! Name, cores, memory groups and clocks of the processor.

use std::collections::BTreeSet;
use std::path::Path;

use tokmark_run_format::ProcessorFacts;

use crate::files;

/// What the system's files tell.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Processor {
    name: String,
    pub(crate) facts: ProcessorFacts,
}

impl Processor {
    /// For example `AMD Ryzen 9 7900X (12C)`, or `2x Intel Xeon Gold 6330 (56C)` for two sockets.
    pub(crate) fn describe(&self) -> Option<String> {
        let sockets = self.facts.sockets.unwrap_or(1);
        describe(&self.name, sockets, self.facts.cores)
    }

    /// Physical cores of all sockets.
    pub(crate) fn cores(&self) -> Option<u32> {
        self.facts.cores
    }
}

pub(crate) fn read(root: &Path) -> Processor {
    let text = files::whole(&root.join("proc/cpuinfo"));
    let mut processor = text.as_deref().map(table).unwrap_or_default();
    let folder = root.join("sys/devices/system");
    let nodes = files::entries(&folder.join("node"));
    let nodes = nodes
        .iter()
        .filter(|path| files::numbered(path, "node").is_some())
        .count();
    let facts = &mut processor.facts;
    facts.numa_nodes = u32::try_from(nodes).ok().filter(|nodes| *nodes > 0);
    let processors: Vec<_> = files::entries(&folder.join("cpu"))
        .into_iter()
        .filter(|path| files::numbered(path, "cpu").is_some())
        .collect();
    facts.governor = governor(&processors);
    facts.clock_max_mhz = processors
        .iter()
        .filter_map(|path| files::small_number(&path.join("cpufreq/cpuinfo_max_freq")))
        .max()
        .map(|khz| khz / 1_000);
    facts.cache_bytes = last_level_bytes(&processors);
    processor
}

/// What all processors have; different ones are listed.
fn governor(processors: &[std::path::PathBuf]) -> Option<String> {
    let found: BTreeSet<String> = processors
        .iter()
        .filter_map(|path| files::text(&path.join("cpufreq/scaling_governor")))
        .collect();
    let found: Vec<String> = found.into_iter().collect();
    (!found.is_empty()).then(|| found.join(", "))
}

/// The caches of the highest level, each counted once.
fn last_level_bytes(processors: &[std::path::PathBuf]) -> Option<u64> {
    let mut caches = BTreeSet::new();
    for processor in processors {
        for cache in files::entries(&processor.join("cache")) {
            let found = (|| {
                let level = files::number(&cache.join("level"))?;
                let shared = files::text(&cache.join("shared_cpu_list"))?;
                let size = cache_bytes(&files::text(&cache.join("size"))?)?;
                let kind = files::text(&cache.join("type"))?;
                (kind != "Instruction").then_some((level, shared, size))
            })();
            caches.extend(found);
        }
    }
    let highest = caches.iter().map(|(level, ..)| *level).max()?;
    let of_highest = caches.iter().filter(|(level, ..)| *level == highest);
    Some(of_highest.map(|(_, _, size)| size).sum())
}

/// `32768K` in bytes.
fn cache_bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..)? {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// `/proc/cpuinfo`.
fn table(text: &str) -> Processor {
    let mut name = String::new();
    let mut logical = 0_usize;
    let mut sockets = BTreeSet::new();
    let mut cores = BTreeSet::new();
    let mut socket = "";
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        match (key.trim(), value.trim()) {
            ("processor", _) => logical += 1,
            ("model name", value) if name.is_empty() => value.clone_into(&mut name),
            ("physical id", value) => {
                socket = value;
                sockets.insert(value);
            }
            ("core id", value) => {
                cores.insert((socket, value));
            }
            _ => {}
        }
    }
    // Without topology (many ARM systems) every logical processor is a core.
    let count = if cores.is_empty() {
        logical
    } else {
        cores.len()
    };
    let some = |count: usize| u32::try_from(count).ok().filter(|count| *count > 0);
    Processor {
        name,
        facts: ProcessorFacts {
            sockets: some(sockets.len()),
            cores: some(count),
            threads: some(logical),
            ..ProcessorFacts::default()
        },
    }
}

pub(crate) fn describe(name: &str, sockets: u32, cores: Option<u32>) -> Option<String> {
    let name = clean(name);
    if name.is_empty() {
        return None;
    }
    let times = match sockets {
        0 | 1 => String::new(),
        several => format!("{several}x "),
    };
    let cores = cores
        .map(|cores| format!(" ({cores}C)"))
        .unwrap_or_default();
    Some(format!("{times}{name}{cores}"))
}

/// Leaves out marks, clock rates and words that say nothing.
fn clean(name: &str) -> String {
    let name = ["(R)", "(r)", "(TM)", "(tm)", "™", "®"]
        .iter()
        .fold(name.to_owned(), |name, mark| name.replace(mark, " "));
    let name = name.split(" @ ").next().unwrap_or_default().to_owned();
    name.split_whitespace()
        .filter(|word| !matches!(*word, "CPU" | "Processor") && !word.ends_with("-Core"))
        .collect::<Vec<_>>()
        .join(" ")
}
