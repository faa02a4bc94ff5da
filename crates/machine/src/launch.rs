//! The command line of the process that listens on a port of this machine.
//!
//! The port leads to a socket's inode (`/proc/net/tcp`, `tcp6`), the inode to a process
//! (`/proc/PID/fd`), and the process to its arguments. Worker processes overwrite theirs with a
//! title, so that the way goes up to a parent whose arguments are still there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::redact::redact_arguments;

/// Ancestors that are tried at most.
const MOST_ANCESTORS: usize = 8;

/// How a server was started, without anything secret or private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    /// The process whose arguments these are.
    pub pid: u32,
    /// Its arguments, redacted, the program first.
    pub argv: Vec<String>,
    /// The arguments as one line that a shell would read the same way.
    pub command: String,
}

/// The command of what listens on `port`, read below `proc_root` (`/proc`).
///
/// `None` when nothing is found: another machine, another user's process, or a container's port
/// that a proxy process holds.
pub fn launch_command(port: u16, proc_root: &Path) -> Option<LaunchCommand> {
    let inodes: BTreeSet<String> = ["net/tcp", "net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(proc_root.join(table)).ok())
        .flat_map(|table| listening_inodes(&table, port))
        .collect();
    if inodes.is_empty() {
        return None;
    }
    let holders = holders(proc_root, &inodes);
    holders
        .into_iter()
        .find_map(|pid| with_arguments(proc_root, pid))
}

/// Inodes of listening sockets with this local port.
fn listening_inodes(table: &str, port: u16) -> Vec<String> {
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
fn holders(proc_root: &Path, inodes: &BTreeSet<String>) -> Vec<u32> {
    let links: BTreeSet<String> = inodes
        .iter()
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    let holds = |pid: &u32| {
        fs::read_dir(proc_root.join(pid.to_string()).join("fd")).is_ok_and(|entries| {
            entries
                .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
                .any(|target| target.to_str().is_some_and(|target| links.contains(target)))
        })
    };
    let mut pids: Vec<u32> = fs::read_dir(proc_root)
        .map(|entries| {
            entries
                .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
                .filter(holds)
                .collect()
        })
        .unwrap_or_default();
    pids.sort_unstable();
    pids
}

/// The process or the nearest ancestor that still shows how it was started.
fn with_arguments(proc_root: &Path, pid: u32) -> Option<LaunchCommand> {
    let mut pid = pid;
    for _ in 0..MOST_ANCESTORS {
        let arguments = arguments(proc_root, pid)?;
        if is_proxy(&arguments) {
            return None;
        }
        if !is_worker(&arguments) {
            let argv = redact_arguments(&arguments);
            return Some(LaunchCommand {
                pid,
                command: shell_line(&argv),
                argv,
            });
        }
        pid = parent(proc_root, pid).filter(|parent| *parent > 1)?;
    }
    None
}

fn arguments(proc_root: &Path, pid: u32) -> Option<Vec<String>> {
    let bytes = fs::read(proc_root.join(pid.to_string()).join("cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(
        text.trim_end_matches('\0')
            .split('\0')
            .map(str::to_owned)
            .collect(),
    )
}

/// Titles such as `VLLM::APIServer_0` and `sglang::scheduler`, and Python's worker processes.
fn is_worker(arguments: &[String]) -> bool {
    let is_title = |first: &String| {
        let word = first.split_whitespace().next().unwrap_or_default();
        first.is_empty() || word.contains("::") || word.ends_with(':')
    };
    arguments.first().is_none_or(is_title)
        || arguments
            .iter()
            .any(|argument| argument.contains("multiprocessing") && argument.contains("spawn_main"))
        || arguments
            .iter()
            .any(|argument| argument.contains("multiprocessing.resource_tracker"))
}

/// A published container port belongs to a proxy, whose command says nothing about the server.
fn is_proxy(arguments: &[String]) -> bool {
    let program = arguments.first().map(String::as_str).unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    matches!(
        name,
        "docker-proxy" | "rootlessport" | "slirp4netns" | "conmon"
    )
}

fn parent(proc_root: &Path, pid: u32) -> Option<u32> {
    let status = fs::read_to_string(proc_root.join(pid.to_string()).join("status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("PPid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn shell_line(argv: &[String]) -> String {
    argv.iter()
        .map(|argument| quoted(argument))
        .collect::<Vec<_>>()
        .join(" ")
}

/// An argument as a POSIX shell reads it back.
fn quoted(argument: &str) -> String {
    let is_plain = !argument.is_empty()
        && argument
            .chars()
            .all(|c| c.is_alphanumeric() || "-_./:=,+@%~*^".contains(c));
    if is_plain {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}
