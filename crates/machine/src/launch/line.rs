//! A command as a person typed it, apart.

use crate::redact::shell_words;

/// Container commands whose own options come first.
const ENGINES: [&str; 3] = ["docker", "podman", "nerdctl"];

/// Options of `docker run` that take no value.
const SWITCHES: [&str; 16] = [
    "--detach",
    "--init",
    "--interactive",
    "--no-healthcheck",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--read-only",
    "--replace",
    "--rm",
    "--rmi",
    "--tty",
    "-P",
    "-d",
    "-i",
    "-t",
];

/// A typed command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// The server's own arguments, the program first where it was typed.
    pub(super) argv: Vec<String>,
    /// Variables in front of it or given to the container.
    pub(super) environment: Vec<String>,
    /// The container's image.
    pub(super) image: Option<String>,
}

pub(super) fn read(text: &str) -> Typed {
    let words = shell_words(text);
    let mut typed = Typed::default();
    let mut rest = words.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let name = first.rsplit('/').next().unwrap_or_default();
        if is_assignment(first) {
            typed.environment.push(first.clone());
        } else if !matches!(name, "sudo" | "env" | "exec" | "nohup" | "time" | "export") {
            break;
        }
        rest = after;
    }
    let program = rest
        .first()
        .map(|word| word.rsplit('/').next().unwrap_or_default());
    let runs = rest.iter().position(|word| word == "run");
    match (program, runs) {
        (Some(program), Some(at)) if ENGINES.contains(&program) && at <= 3 => {
            container(rest.get(at + 1..).unwrap_or_default(), &mut typed);
        }
        _ => typed.argv = rest.to_vec(),
    }
    typed
}

/// Options of the container engine, the image, and the server's arguments.
fn container(words: &[String], typed: &mut Typed) {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            typed.image = Some(word.clone());
            typed.argv = rest.cloned().collect();
            return;
        }
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        // `-it` is two switches.
        let is_cluster = name.len() > 2
            && name
                .strip_prefix('-')
                .is_some_and(|letters| letters.bytes().all(|b| matches!(b, b'i' | b't' | b'd')));
        if SWITCHES.contains(&name) || is_cluster {
            continue;
        }
        let value = joined.or_else(|| rest.next().cloned());
        if matches!(name, "-e" | "--env") {
            typed.environment.extend(value);
        }
    }
}

/// `NAME=value`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}
