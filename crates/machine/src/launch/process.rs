//! A process as `/proc` shows it.

use std::path::{Path, PathBuf};

use crate::files;

/// Ancestors that are tried at most.
const MOST_ANCESTORS: usize = 8;

/// Programs that hold a container's published port and say nothing about the server.
const PROXIES: [&str; 5] = [
    "docker-proxy",
    "rootlessport",
    "slirp4netns",
    "pasta",
    "conmon",
];

/// Programs whose port leads to another machine.
const FORWARDERS: [&str; 9] = [
    "ssh",
    "autossh",
    "kubectl",
    "oc",
    "socat",
    "cloudflared",
    "chisel",
    "tailscaled",
    "frpc",
];

/// What a process with a listening socket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The server, or one of its workers.
    Server,
    /// A container engine's proxy.
    Proxy,
    /// A tunnel.
    Forwarder(String),
}

/// A process.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    proc_root: PathBuf,
    pid: u32,
}

impl Process {
    pub(crate) fn new(proc_root: &Path, pid: u32) -> Self {
        Self {
            proc_root: proc_root.to_owned(),
            pid,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Its folder.
    pub(super) fn folder(&self) -> PathBuf {
        self.proc_root.join(self.pid.to_string())
    }

    /// Its arguments as they are now: not yet fit for publication.
    pub(super) fn arguments(&self) -> Option<Vec<String>> {
        let bytes = files::bytes(&self.folder().join("cmdline"))?;
        let text = String::from_utf8_lossy(&bytes);
        Some(
            text.trim_end_matches('\0')
                .split('\0')
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Its environment when it was started: not yet fit for publication.
    pub(crate) fn environment(&self) -> Vec<String> {
        let bytes = files::bytes(&self.folder().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&bytes)
            .split('\0')
            .filter(|entry| entry.contains('='))
            .map(str::to_owned)
            .collect()
    }

    /// What it is, by its program.
    pub(super) fn kind(&self) -> Kind {
        let arguments = self.arguments().unwrap_or_default();
        let program = arguments.first().map(String::as_str).unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        // `ssh` writes a title such as `ssh: user@host`.
        let name = name.split([':', ' ']).next().unwrap_or_default();
        if PROXIES.contains(&name) {
            Kind::Proxy
        } else if FORWARDERS.contains(&name) {
            Kind::Forwarder(name.to_owned())
        } else {
            Kind::Server
        }
    }

    /// This process or the nearest ancestor that still shows how it was started.
    pub(super) fn with_arguments(self) -> Option<Self> {
        let mut process = self;
        for _ in 0..MOST_ANCESTORS {
            let arguments = process.arguments()?;
            if process.kind() != Kind::Server {
                return None;
            }
            let parent = process.parent().filter(|parent| *parent > 0);
            let parent = parent.map(|parent| Self::new(&process.proc_root, parent));
            if !is_worker(&arguments) && !is_started_by_launcher(&arguments, parent.as_ref()) {
                return Some(process);
            }
            process = parent?;
        }
        None
    }

    /// The process that started it, or the one that took its place.
    pub(crate) fn parent(&self) -> Option<u32> {
        let status = files::whole(&self.folder().join("status"))?;
        let line = status.lines().find(|line| line.starts_with("PPid:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

/// Programs that hold the port, and the one that started each with options for all of its parts.
const LAUNCHERS: [(&str, &str); 1] = [("text-generation-router", "text-generation-launcher")];

fn is_started_by_launcher(arguments: &[String], parent: Option<&Process>) -> bool {
    let is = |arguments: &[String], name: &str| {
        let program = arguments.first().and_then(|first| first.rsplit('/').next());
        program == Some(name)
    };
    let above = parent.and_then(Process::arguments).unwrap_or_default();
    LAUNCHERS
        .iter()
        .any(|(program, launcher)| is(arguments, program) && is(&above, launcher))
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
