//! The processes of a server, by which the accelerators that it uses are told from the machine's
//! other ones.

use std::collections::BTreeSet;
use std::fmt;

use crate::launch::{LaunchCommand, LaunchPlaces, Process, processes};

/// A server's processes and what they were let see. It holds identifiers of single boards, which is
/// why nothing of it can be shown.
pub struct ServerUse {
    pids: BTreeSet<u32>,
    environment: Vec<String>,
}

impl fmt::Debug for ServerUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerUse").finish_non_exhaustive()
    }
}

impl ServerUse {
    /// Of a launch whose process was found: it and all that it started. `None` for a command that
    /// was typed in, or of a container whose process cannot be seen.
    pub fn of(launch: &LaunchCommand, places: &LaunchPlaces) -> Option<Self> {
        let root = Process::new(&places.proc_root, launch.pid?);
        Some(Self {
            environment: root.environment(),
            pids: with_descendants(root.pid(), places),
        })
    }

    /// Whether a process is one of the server's.
    pub(crate) fn has(&self, pid: u32) -> bool {
        self.pids.contains(&pid)
    }

    /// The value of a variable of its environment.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment
            .iter()
            .find_map(|entry| entry.strip_prefix(name)?.strip_prefix('='))
            .map(str::trim)
    }
}

/// A process and those below it.
fn with_descendants(root: u32, places: &LaunchPlaces) -> BTreeSet<u32> {
    let parents: Vec<(u32, u32)> = processes(&places.proc_root)
        .into_iter()
        .filter_map(|pid| Some((pid, Process::new(&places.proc_root, pid).parent()?)))
        .collect();
    let mut found = BTreeSet::from([root]);
    loop {
        let below: Vec<u32> = parents
            .iter()
            .filter(|(pid, parent)| found.contains(parent) && !found.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        if below.is_empty() {
            return found;
        }
        found.extend(below);
    }
}
