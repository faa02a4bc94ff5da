//! The processes of a selftest: a simulated server, and one client for each measurement.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::client::Found;
use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Which cores the two sides have: different ones, where there are two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cores {
    pub(super) server: Option<usize>,
    pub(super) client: Option<usize>,
}

impl Cores {
    /// The first core for the server, the second one for the client.
    pub(super) fn of_this_machine() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let pinned = cores > 1;
        Self {
            server: pinned.then_some(0),
            client: pinned.then_some(1),
        }
    }
}

/// A simulated server in a process of its own; dropping it ends the process.
pub(super) struct Server {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Server {
    /// Starts one with these options of `tokmark sim`.
    pub(super) fn start(options: &[&str], cores: Cores) -> Outcome<Self> {
        let mut command = this_program()?;
        command
            .args(["--quiet", "sim", "--port", "0"])
            .args(options);
        if let Some(core) = cores.server {
            command.args(["--core", &core.to_string()]);
        }
        let failed = |error| {
            Failure::new(
                Exit::Failed,
                anyhow::Error::new(error).context("cannot start the simulated server"),
            )
        };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(failed)?;
        }
        let address = line.trim().trim_start_matches("http://").parse();
        let address = address.map_err(|_| {
            Failure::saying(
                Exit::Failed,
                "the simulated server did not say where it listens",
            )
        });
        match address {
            Ok(address) => Ok(Self { child, address }),
            Err(failure) => {
                let _ended = child.kill();
                Err(failure)
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn this_program() -> Outcome<Command> {
    let path = std::env::current_exe().map_err(|error| Failure::new(Exit::Failed, error))?;
    let mut program = Command::new(path);
    // What is set for a person's simulated server is not meant for this one.
    program.env("TOKMARK_CONFIG", "");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TOKMARK_SIM_") {
            program.env_remove(name);
        }
    }
    Ok(program)
}

/// One measurement of a client against a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub(super) role: &'static str,
    pub(super) streams: u32,
    pub(super) tokens: u32,
    pub(super) seconds: u64,
    /// Whether every request has an output limit of its own.
    pub(super) distinct: bool,
    /// Whether something else wants the client's core.
    pub(super) starve: bool,
}

/// Runs a client and gives what it found.
pub(super) fn measure(server: &Server, task: Task, cores: Cores) -> Outcome<Found> {
    let mut command = this_program()?;
    command
        .args(["selftest-client", "--role", task.role])
        .args(["--address", &server.address.to_string()])
        .args(["--streams", &task.streams.to_string()])
        .args(["--tokens", &task.tokens.to_string()])
        .args(["--seconds", &task.seconds.to_string()]);
    for (wanted, option) in [(task.distinct, "--distinct"), (task.starve, "--starve")] {
        if wanted {
            command.arg(option);
        }
    }
    if let Some(core) = cores.client {
        command.args(["--core", &core.to_string()]);
    }
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let text = format!("the client for {} streams failed: {said}", task.streams);
        return Err(Failure::saying(Exit::Failed, text));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Failure::new(Exit::Failed, error))
}

/// Time from the start of a process of this program to the first byte of its first request.
pub(super) fn first_byte() -> Outcome<Duration> {
    let failed = |error: std::io::Error| Failure::new(Exit::Failed, error);
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let clock = tokmark_driver::Clock::start();
    let mut child = this_program()?
        .args(["--quiet", "probe", &address.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let arrived = listener.accept().and_then(|(mut stream, _)| {
        stream.read_exact(&mut [0])?;
        Ok(clock.now())
    });
    let _gone = child.kill();
    let _ended = child.wait();
    Ok(arrived.map_err(failed)?.into())
}
