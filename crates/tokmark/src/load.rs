//! The threads that send, read and stamp: their cores, and how many connections they may have.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokmark_driver::{LoadThreads, cores};

use crate::exit::Exit;
use crate::failure::{Failure, Outcome};

/// Descriptors that are no measured connections: files, the control plane, the runtime.
const OTHER_FILES: u64 = 64;

/// Fewest cores of which one is left to everything but the load.
const ENOUGH_CORES: usize = 4;

/// One load thread for each core that this process may use. Where there are enough, the first one is
/// left to the rest of the program, and above all to the thread that reads the machine: no driver's
/// question then holds up a measured read.
pub(crate) fn start() -> std::io::Result<LoadThreads> {
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let allowed = cores::allowed();
    let (count, cores) = split(most, &allowed);
    LoadThreads::start(count, cores)
}

/// Load threads and their cores; none is every core. `most` threads can run at once, which a
/// container's share of the processor may put below the number of cores.
fn split(most: usize, allowed: &[usize]) -> (usize, &[usize]) {
    match allowed.split_first() {
        Some((_, rest)) if most >= ENOUGH_CORES && rest.len() + 1 >= ENOUGH_CORES => {
            (most.min(rest.len()), rest)
        }
        _ => (most, &[]),
    }
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
    cores::keep_to(&[core]).map_err(|error| {
        let context = format!("cannot run on core {core} only");
        Failure::new(Exit::Failed, anyhow::Error::new(error).context(context))
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn one_core_is_left_to_the_rest_where_there_are_enough() {
        let check = |most: usize, allowed: &[usize], expect: (usize, &[usize])| {
            assert_eq!(split(most, allowed), expect, "{most} of {allowed:?}");
        };
        check(
            16,
            &(0..16).collect::<Vec<_>>(),
            (15, &(1..16).collect::<Vec<_>>()),
        );
        check(4, &[2, 3, 8, 9], (3, &[3, 8, 9]));
        check(3, &[2, 3, 8], (3, &[]));
        // A container that may use two cores' time on any of eight, and one that may use five.
        check(2, &[0, 1, 2, 3, 4, 5, 6, 7], (2, &[]));
        check(5, &[0, 1, 2, 3, 4, 5, 6, 7], (5, &[1, 2, 3, 4, 5, 6, 7]));
        // A system that does not tell.
        check(8, &[], (8, &[]));
    }
}
