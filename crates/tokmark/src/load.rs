//! The threads that send, read and stamp: their cores, and how many connections they may have.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::Pid;
use tokmark_driver::LoadThreads;

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Descriptors that are no measured connections: files, the control plane, the runtime.
const OTHER_FILES: u64 = 64;

/// One load thread for each core that this process may use.
pub(crate) fn start() -> std::io::Result<LoadThreads> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    LoadThreads::start(cores)
}

/// Makes room for so many connections at once, or says that the system forbids them: a run that ends
/// in its largest cells for want of descriptors helps nobody.
pub(crate) fn make_room(connections: u32) -> Outcome<()> {
    let room = room_for_connections();
    if u64::from(connections) <= room {
        return Ok(());
    }
    let text = format!(
        "{connections} requests at once need as many connections, and this system lets a program \
         have {room}"
    );
    Err(Failure::saying(Exit::Usage, text)
        .hint("raise the hard limit of open files (`ulimit -Hn`), or choose fewer with --requests"))
}

/// Raises the limit of open files as far as the system allows without rights, and says how many
/// connections that leaves room for.
pub(crate) fn room_for_connections() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return u64::MAX;
    };
    let raised = setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok();
    let limit = if raised { hard } else { soft };
    limit.saturating_sub(OTHER_FILES)
}

/// Keeps this process, and every thread that it starts later, on one core.
pub(crate) fn pin(core: usize) -> Outcome<()> {
    let pinned = || {
        let mut cores = CpuSet::new();
        cores.set(core)?;
        sched_setaffinity(Pid::from_raw(0), &cores)
    };
    pinned().map_err(|error| {
        let context = format!("cannot run on core {core} only");
        Failure::new(Exit::Failed, anyhow::Error::new(error).context(context))
    })
}
