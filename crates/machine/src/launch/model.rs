//! Where the files of the model lie that a server was started with.
//!
//! A launch names a path on the server's own disk, a folder beside it, or a repository whose files lie
//! in the cache of Hugging Face's hub. What is found is for opening on this machine only: paths carry
//! people's names, and none of them is published.

use std::path::{Path, PathBuf};

use super::flags::{is_flag, program_length};
use super::process::Process;
use super::{LaunchCommand, LaunchPlaces};
use crate::files;

/// Options that name the model.
const MODEL: [&str; 4] = ["--model", "--model-path", "--model-id", "-m"];

/// Words between a program and its model.
const COMMANDS: [&str; 6] = [
    "serve",
    "api_server",
    "launch_server",
    "server",
    "chat",
    "run",
];

/// Folder or file of the model that a process of this machine was started with; `None` where the
/// launch was only typed, names none, or what it names is not here.
pub fn model_path(launch: &LaunchCommand, places: &LaunchPlaces) -> Option<PathBuf> {
    let process = Process::new(&places.proc_root, launch.pid?);
    let arguments = process.arguments()?;
    let place = Place {
        // Of a process in a container its own root, as far as this user may look into it.
        root: process.folder().join("root"),
        current: process.folder().join("cwd"),
        environment: process.environment(),
    };
    place.find(&arguments)
}

/// The file system and the variables that a server sees.
struct Place {
    root: PathBuf,
    current: PathBuf,
    environment: Vec<String>,
}

impl Place {
    fn find(&self, arguments: &[String]) -> Option<PathBuf> {
        let name = named(arguments)?;
        if Path::new(name).is_absolute() {
            return self.absolute(name);
        }
        let beside = self.current.join(name);
        if beside.exists() {
            return Some(beside);
        }
        let revision = value(arguments, &["--revision"]).unwrap_or("main");
        self.hubs(arguments)
            .iter()
            .find_map(|hub| snapshot(hub, name, revision))
    }

    /// A path of the server's on this system; without the right to look through its root, the path as
    /// it is.
    fn absolute(&self, path: &str) -> Option<PathBuf> {
        let inside = self.root.join(path.trim_start_matches('/'));
        [inside, PathBuf::from(path)]
            .into_iter()
            .find(|path| path.exists())
    }

    /// Folders in which Hugging Face's library keeps repositories, the first that is set first.
    fn hubs(&self, arguments: &[String]) -> Vec<PathBuf> {
        let variable = |name: &str, below: &str| {
            let value = self.environment.iter().find_map(|entry| {
                let value = entry.strip_prefix(name)?.strip_prefix('=')?;
                (!value.is_empty()).then(|| value.to_owned())
            });
            value.map(|value| format!("{value}{below}"))
        };
        [
            value(arguments, &["--download-dir"]).map(str::to_owned),
            variable("HF_HUB_CACHE", ""),
            variable("HUGGINGFACE_HUB_CACHE", ""),
            variable("HF_HOME", "/hub"),
            variable("XDG_CACHE_HOME", "/huggingface/hub"),
            variable("HOME", "/.cache/huggingface/hub"),
        ]
        .into_iter()
        .flatten()
        .filter_map(|path| self.absolute(&path))
        .collect()
    }
}

/// What a command line calls the model: the value of an option, or the word before all options.
fn named(arguments: &[String]) -> Option<&str> {
    let rest = arguments.get(program_length(arguments)..)?;
    if let Some(name) = value(rest, &MODEL) {
        return Some(name);
    }
    rest.iter()
        .take_while(|word| !is_flag(word))
        .map(String::as_str)
        .find(|word| !COMMANDS.contains(word))
}

/// The value of the last option of one of `names`.
fn value<'a>(arguments: &'a [String], names: &[&str]) -> Option<&'a str> {
    let mut found = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        if names.contains(&name) {
            found = joined.or_else(|| rest.clone().next().map(String::as_str));
        }
    }
    found
}

/// The files of a repository's revision in a hub's cache: `models--OWNER--NAME/snapshots/COMMIT`, where
/// `refs/REVISION` holds the commit. Without such a reference the only snapshot is taken.
fn snapshot(hub: &Path, repository: &str, revision: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    let names = [repository, revision];
    if !names.iter().all(|name| name.split('/').all(is_plain)) {
        return None;
    }
    let folder = hub.join(format!("models--{}", repository.replace('/', "--")));
    let snapshots = folder.join("snapshots");
    let commit = files::text(&folder.join("refs").join(revision));
    let commit = commit.filter(|commit| commit.bytes().all(|b| b.is_ascii_hexdigit()));
    let wanted = snapshots.join(commit.as_deref().unwrap_or(revision));
    if wanted.is_dir() {
        return Some(wanted);
    }
    match files::entries(&snapshots).as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}
