//! The threads that send, read and stamp, and what the system lets them open.

use tokmark_driver::LoadThreads;

/// One load thread for each core that this process may use.
pub(crate) fn start() -> std::io::Result<LoadThreads> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    LoadThreads::start(cores)
}
