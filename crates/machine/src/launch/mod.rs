//! How the server on a port of this machine was started.
//!
//! The port leads to a socket's inode (`/proc/net/tcp`, `tcp6`), the inode to a process
//! (`/proc/PID/fd`), and the process to its arguments and environment. Worker processes overwrite
//! their arguments with a title, so that the way goes up to a parent whose arguments are still
//! there. A published container port leads to a proxy, and from there to the container.

mod container;
mod container_engine;
mod environment;
mod flags;
mod line;
mod model;
mod process;
mod settings;
mod sockets;
mod vocabulary;

use std::path::{Path, PathBuf};

use crate::redact::redact_arguments;
use container::Container;

pub(crate) use process::Process;
pub(crate) use sockets::processes;

pub use flags::flags;
pub use model::model_path;
pub use settings::settings;

/// Sockets of container engines that answer who publishes a port.
const ENGINE_SOCKETS: [&str; 2] = ["/var/run/docker.sock", "/run/podman/podman.sock"];

/// How a server was started, without anything secret or private.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchCommand {
    /// The process whose arguments these are; `None` for a command that was typed in.
    pub pid: Option<u32>,
    /// Its arguments, redacted, the program first.
    pub argv: Vec<String>,
    /// The arguments as one line that a shell would read the same way.
    pub command: String,
    /// Variables that can change speed, `NAME=value`, redacted.
    pub environment: Vec<String>,
    /// The container's image, when it runs in one that tells.
    pub image: Option<String>,
}

impl LaunchCommand {
    /// A command as a person typed or copied it: with variables in front, `docker run`, or
    /// backslashes at line ends.
    pub fn from_text(text: &str) -> Self {
        let typed = line::read(text);
        Self {
            pid: None,
            argv: redact_arguments(&typed.argv),
            command: crate::redact::redact(text),
            environment: environment::kept(typed.environment),
            image: typed.image.map(|image| crate::redact::redact(&image)),
        }
    }
}

/// Why a server's launch is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchUnknown {
    /// No socket listens on the port.
    #[error("nothing listens on port {port} of this machine")]
    NothingListens {
        /// The port.
        port: u16,
    },
    /// The process belongs to somebody else.
    #[error("the process on port {port} belongs to another user")]
    AnotherUser {
        /// The port.
        port: u16,
    },
    /// The port is a tunnel's: the server runs on another machine.
    #[error("port {port} is forwarded to another machine by `{program}`")]
    Forwarded {
        /// The port.
        port: u16,
        /// The program that forwards.
        program: String,
    },
    /// The port is a container's, and the container cannot be found.
    #[error("port {port} belongs to a container that cannot be looked into")]
    Container {
        /// The port.
        port: u16,
    },
    /// No process of the server shows its arguments any more.
    #[error("the process on port {port} does not show how it was started")]
    NoArguments {
        /// The port.
        port: u16,
    },
}

impl LaunchUnknown {
    /// Whether the server runs on another machine, so that nothing of this one is its.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Forwarded { .. })
    }
}

/// Where to look for a server's launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlaces {
    /// `/proc`.
    pub proc_root: PathBuf,
    /// Sockets of container engines, which are asked where they can be opened.
    pub engine_sockets: Vec<PathBuf>,
}

impl Default for LaunchPlaces {
    /// This machine.
    fn default() -> Self {
        Self {
            proc_root: PathBuf::from("/proc"),
            engine_sockets: ENGINE_SOCKETS.iter().map(PathBuf::from).collect(),
        }
    }
}

/// The command of what listens on `port`, read below `proc_root` (`/proc`) alone.
///
/// `None` when nothing is found: see [`find_launch`] for the reason.
pub fn launch_command(port: u16, proc_root: &Path) -> Option<LaunchCommand> {
    let places = LaunchPlaces {
        proc_root: proc_root.to_owned(),
        engine_sockets: Vec::new(),
    };
    find_launch(port, &places).ok()
}

/// The command of what listens on `port`, or why it is not known.
pub fn find_launch(port: u16, places: &LaunchPlaces) -> Result<LaunchCommand, LaunchUnknown> {
    let proc_root = places.proc_root.as_path();
    let inodes = sockets::listening(proc_root, port);
    if inodes.is_empty() {
        // Ports that the kernel alone forwards to a container have no listener here.
        let published = container_engine::publishing(port, places);
        return published.ok_or(LaunchUnknown::NothingListens { port });
    }
    let holders = sockets::holders(proc_root, &inodes);
    if holders.is_empty() {
        let published = container_engine::publishing(port, places);
        return published.ok_or(LaunchUnknown::AnotherUser { port });
    }
    let mut reason = LaunchUnknown::NoArguments { port };
    for pid in holders {
        let holder = Process::new(proc_root, pid);
        match holder.kind() {
            process::Kind::Proxy => {
                let inside = container::behind_proxy(proc_root, &holder)
                    .and_then(|pid| started(pid, places))
                    .or_else(|| container_engine::publishing(port, places));
                match inside {
                    Some(found) => return Ok(found),
                    None => reason = LaunchUnknown::Container { port },
                }
            }
            process::Kind::Forwarder(program) => {
                return Err(LaunchUnknown::Forwarded { port, program });
            }
            process::Kind::Server => {
                if let Some(found) = started(pid, places) {
                    return Ok(found);
                }
            }
        }
    }
    Err(reason)
}

/// The process or the nearest ancestor that still shows how it was started.
fn started(pid: u32, places: &LaunchPlaces) -> Option<LaunchCommand> {
    let process = Process::new(&places.proc_root, pid).with_arguments()?;
    let container = Container::of(&process);
    let argv = redact_arguments(&process.arguments()?);
    Some(LaunchCommand {
        pid: Some(process.pid()),
        command: shell_line(&argv),
        argv,
        environment: environment::kept(process.environment()),
        image: container.and_then(|container| container_engine::image(&container, places)),
    })
}

/// Arguments as one line.
fn shell_line(argv: &[String]) -> String {
    argv.iter()
        .map(|argument| quoted(argument))
        .collect::<Vec<_>>()
        .join(" ")
}

/// An argument as a POSIX shell reads it back.
///
/// ```
/// assert_eq!(tokmark_machine::quoted("my runs/a.json"), "'my runs/a.json'");
/// assert_eq!(tokmark_machine::quoted("runs/a.json"), "runs/a.json");
/// ```
pub fn quoted(argument: &str) -> String {
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
