//! Name and cores of the processor, from `/proc/cpuinfo`.

use std::collections::BTreeSet;

/// What `/proc/cpuinfo` tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Processor {
    name: String,
    sockets: usize,
    /// Physical cores of all sockets.
    pub(crate) cores: Option<u32>,
}

impl Processor {
    /// For example `AMD Ryzen 9 7900X (12C)`, or `2x Intel Xeon Gold 6330 (56C)` for two sockets.
    pub(crate) fn describe(&self) -> Option<String> {
        describe(&self.name, self.sockets, self.cores)
    }
}

pub(crate) fn read(text: &str) -> Processor {
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
    Processor {
        name,
        sockets: sockets.len().max(1),
        cores: u32::try_from(count).ok().filter(|count| *count > 0),
    }
}

pub(crate) fn describe(name: &str, sockets: usize, cores: Option<u32>) -> Option<String> {
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
