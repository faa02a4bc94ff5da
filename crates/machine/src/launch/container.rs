//! Containers as `/proc` shows them: control groups and networks of their own.

use std::path::Path;

use super::process::Process;
use super::sockets;
use crate::files;

/// A container's identity for its engine. It stays inside this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) id: String,
}

impl Container {
    /// The container of a process, by its control group: `/docker/ID`, `docker-ID.scope`,
    /// `libpod-ID.scope`, `cri-containerd-ID.scope`.
    pub(super) fn of(process: &Process) -> Option<Self> {
        let groups = files::whole(&process.folder().join("cgroup"))?;
        groups
            .split(|c: char| !c.is_ascii_hexdigit())
            .find(|word| word.len() == 64)
            .map(|id| Self { id: id.to_owned() })
    }
}

/// The process that a proxy's port leads to. Docker's proxy has the container's address and port in
/// its arguments; others have not.
pub(super) fn behind_proxy(proc_root: &Path, proxy: &Process) -> Option<u32> {
    let arguments = proxy.arguments()?;
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let port: u16 = value("-container-port")?.parse().ok()?;
    let address = value("-container-ip")?;
    let candidates: Vec<(u32, bool)> = sockets::processes(proc_root)
        .into_iter()
        .filter_map(|pid| {
            let process = Process::new(proc_root, pid);
            Container::of(&process)?;
            let folder = process.folder();
            let inodes = sockets::listening(&folder, port);
            let holds = !inodes.is_empty() && sockets::holds(&folder, &inodes);
            holds.then(|| (pid, has_address(&folder, address)))
        })
        .collect();
    // Several containers may use the same port inside; the address tells them apart. Networks
    // that hide it leave the answer only where there is one container.
    let with_address = candidates.iter().find(|(_, has)| *has);
    match (with_address, candidates.as_slice()) {
        (Some((pid, _)), _) | (None, [(pid, _)]) => Some(*pid),
        _ => None,
    }
}

/// Whether an address is one of the network's own.
fn has_address(folder: &Path, address: &str) -> bool {
    let table = files::whole(&folder.join("net/fib_trie")).unwrap_or_default();
    let mut last = "";
    table.lines().any(|line| {
        let line = line.trim();
        let is_own = line.contains("host LOCAL") && last == address;
        if let Some(found) = line.strip_prefix("|-- ") {
            last = found;
        }
        is_own
    })
}
