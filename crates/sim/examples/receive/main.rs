//! What one token costs the client's core, by the way in which it is received.
//!
//! It settles which way the load threads take; `docs/load-path.md` has the figures and the decision.
//! Server and client get a core each:
//!
//! ```sh
//! taskset -c 0 tokmark sim --port 8899 --pace 5ms &
//! taskset -c 1 receive 127.0.0.1:8899 256 1.2 3
//! ```
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for people at a terminal"
)]

#[cfg(target_os = "linux")]
mod answers;
#[cfg(target_os = "linux")]
mod polled;
#[cfg(target_os = "linux")]
mod ring;
#[cfg(target_os = "linux")]
mod ways;

type Failure = Box<dyn std::error::Error>;

#[cfg(target_os = "linux")]
fn main() -> Result<(), Failure> {
    ways::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> Result<(), Failure> {
    Err("`epoll` and `io_uring` are for Linux".into())
}
