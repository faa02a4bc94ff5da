//! The cores that threads run on.

use std::io;

/// The cores that the calling thread may run on, rising; empty where the system does not tell.
#[cfg(target_os = "linux")]
pub fn allowed() -> Vec<usize> {
    use nix::sched::{CpuSet, sched_getaffinity};
    use nix::unistd::Pid;
    let Ok(allowed) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    let is_allowed = |core: &usize| allowed.is_set(*core) == Ok(true);
    (0..CpuSet::count()).filter(is_allowed).collect()
}

/// Keeps the calling thread, and those that it starts later, on some cores.
///
/// # Errors
/// The system refuses, or cannot do it.
#[cfg(target_os = "linux")]
pub fn keep_to(cores: &[usize]) -> io::Result<()> {
    use nix::sched::{CpuSet, sched_setaffinity};
    use nix::unistd::Pid;
    let mut wanted = CpuSet::new();
    for core in cores {
        wanted.set(*core)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &wanted)?)
}

#[cfg(not(target_os = "linux"))]
pub fn allowed() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub fn keep_to(_cores: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
