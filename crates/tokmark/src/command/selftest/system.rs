//! What the selftest asks of the system: memory, a small runtime.

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// A runtime for everything that is not the load.
pub(super) fn runtime() -> Outcome<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Failed, error))
}

/// The highest resident memory of this process so far, in bytes; 0 where the system does not tell.
pub(super) fn highest_memory() -> u64 {
    status_kib("VmHWM:") * 1_024
}

/// The resident memory of this process now, in bytes.
pub(super) fn memory() -> u64 {
    status_kib("VmRSS:") * 1_024
}

fn status_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
