//! Docker and Podman over their own sockets, where this user may open them.

use serde::Deserialize;

use super::container::Container;
use super::{LaunchCommand, LaunchPlaces, environment, shell_line, started};
use crate::redact::{redact, redact_arguments};

/// A container in the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    id: String,
    #[serde(default)]
    ports: Vec<Port>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Port {
    public_port: Option<u16>,
}

/// What is asked of one container.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inspected {
    #[serde(default)]
    state: State,
    #[serde(default)]
    config: Config,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct State {
    pid: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Config {
    image: Option<String>,
    entrypoint: Option<Vec<String>>,
    cmd: Option<Vec<String>>,
    env: Option<Vec<String>>,
}

/// The launch of the container that publishes a port.
pub(super) fn publishing(port: u16, places: &LaunchPlaces) -> Option<LaunchCommand> {
    places.engine_sockets.iter().find_map(|socket| {
        let all: Vec<Listed> = serde_json::from_slice(&get(socket, "/containers/json")?).ok()?;
        let publishes = |listed: &&Listed| {
            listed
                .ports
                .iter()
                .any(|known| known.public_port == Some(port))
        };
        let found = inspect(socket, &all.iter().find(publishes)?.id)?;
        let image = found.config.image.as_deref().map(redact);
        // The running process knows best; without a look at it, what the container was made with.
        let process = Some(found.state.pid).filter(|pid| *pid > 0);
        let running = process.and_then(|pid| started(pid, places));
        let made = running.unwrap_or_else(|| made_with(found.config));
        Some(LaunchCommand { image, ..made })
    })
}

fn made_with(config: Config) -> LaunchCommand {
    let words = config.entrypoint.into_iter().chain(config.cmd).flatten();
    let argv = redact_arguments(&words.collect::<Vec<_>>());
    LaunchCommand {
        pid: None,
        command: shell_line(&argv),
        argv,
        environment: environment::kept(config.env.unwrap_or_default()),
        image: None,
    }
}

/// The image of a container.
pub(super) fn image(container: &Container, places: &LaunchPlaces) -> Option<String> {
    places
        .engine_sockets
        .iter()
        .find_map(|socket| inspect(socket, &container.id)?.config.image)
        .map(|image| redact(&image))
}

fn inspect(socket: &std::path::Path, id: &str) -> Option<Inspected> {
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let path = format!("/containers/{id}/json");
    serde_json::from_slice(&get(socket, &path).filter(|_| is_id)?).ok()
}

/// The body of a 200 answer. Version 1.0 of HTTP, so that it comes unchunked and ends with the
/// connection.
#[cfg(unix)]
fn get(socket: &std::path::Path, path: &str) -> Option<Vec<u8>> {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(2);
    const LARGEST: u64 = 8 << 20;

    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.take(LARGEST).read_to_end(&mut answer).ok()?;
    let head_end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let (head, body) = answer.split_at_checked(head_end + 4)?;
    let status = std::str::from_utf8(head).ok()?.split_whitespace().nth(1)?;
    (status == "200").then(|| body.to_owned())
}

#[cfg(not(unix))]
fn get(_socket: &std::path::Path, _path: &str) -> Option<Vec<u8>> {
    None
}
