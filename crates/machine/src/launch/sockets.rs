//! From a port to the processes that listen on it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Inodes of the sockets that listen on a port, in the network that the folder's process sees.
pub(super) fn listening(folder: &Path, port: u16) -> BTreeSet<String> {
    ["net/tcp", "net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(folder.join(table)).ok())
        .flat_map(|table| inodes(&table, port))
        .collect()
}

/// Inodes of listening sockets with this local port.
fn inodes(table: &str, port: u16) -> Vec<String> {
    let ending = format!(":{port:04X}");
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let local = columns.get(1)?;
            let is_listening = *columns.get(3)? == "0A";
            let inode = columns.get(9)?;
            (is_listening && local.ends_with(&ending)).then(|| (*inode).to_owned())
        })
        .collect()
}

/// Processes that hold one of the sockets, the oldest number first: parents before their workers.
pub(super) fn holders(proc_root: &Path, inodes: &BTreeSet<String>) -> Vec<u32> {
    processes(proc_root)
        .into_iter()
        .filter(|pid| holds(&proc_root.join(pid.to_string()), inodes))
        .collect()
}

/// Whether the folder's process holds one of the sockets.
pub(super) fn holds(folder: &Path, inodes: &BTreeSet<String>) -> bool {
    let is_one = |target: &str| {
        let inode = target.strip_prefix("socket:[");
        let inode = inode.and_then(|rest| rest.strip_suffix(']'));
        inode.is_some_and(|inode| inodes.contains(inode))
    };
    fs::read_dir(folder.join("fd")).is_ok_and(|entries| {
        entries
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .any(|target| target.to_str().is_some_and(is_one))
    })
}

/// All processes in the order of their numbers.
pub(crate) fn processes(proc_root: &Path) -> Vec<u32> {
    let mut pids: Vec<u32> = fs::read_dir(proc_root)
        .map(|entries| {
            entries
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
                .collect()
        })
        .unwrap_or_default();
    pids.sort_unstable();
    pids
}
