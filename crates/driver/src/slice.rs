//! A short time slice for the load threads.
//!
//! On a machine that is full of work the kernel lets a thread that becomes ready wait until others
//! have used up their slices, 3 ms and more each, and meanwhile tokens pile up in the sockets. A
//! thread that asks for a shorter slice for itself runs sooner and gives the processor back sooner;
//! it gets no more of it. It needs no rights and exists since Linux 6.12; elsewhere nothing changes.
#![expect(unsafe_code, reason = "no crate that we use wraps `sched_setattr`")]

/// Slice of a load thread in nanoseconds, the shortest that the kernel grants.
#[cfg(target_os = "linux")]
const SLICE_NS: u64 = 100_000;

/// Asks for a short slice for the calling thread; whether the kernel agreed. A thread with a policy
/// of its own, such as a real-time one, keeps it.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_a_short_slice() -> bool {
    let Some(mut attributes) = attributes() else {
        return false;
    };
    if attributes.policy != 0 {
        return false;
    }
    attributes.runtime = SLICE_NS;
    // SAFETY: the kernel reads as many bytes as the structure's own `size` says, which is not more
    // than it has; it lives until the call returns. Thread 0 is the caller.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    result == 0
}

/// What the calling thread has now.
#[cfg(target_os = "linux")]
fn attributes() -> Option<SchedAttr> {
    let mut attributes = SchedAttr::default();
    let size = u32::try_from(size_of::<SchedAttr>()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes, which is the structure's size, and any bytes
    // are valid in its fields. Thread 0 is the caller.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    (result == 0).then_some(attributes)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_a_short_slice() -> bool {
    false
}

/// `struct sched_attr` of the kernel.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Default)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
    util_min: u32,
    util_max: u32,
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_keeps_what_was_asked_for_or_leaves_all_as_it_was() {
        let before = attributes().map(|a| (a.policy, a.nice, a.runtime));
        let agreed = ask_for_a_short_slice();
        let after = attributes().map(|a| (a.policy, a.nice, a.runtime));
        let Some((policy, nice, slice)) = before else {
            assert!(!agreed);
            return;
        };
        // Kernels before 6.12 agree and keep no slice.
        let granted = after.is_some_and(|(_, _, slice)| slice == SLICE_NS);
        let expect = if granted { SLICE_NS } else { slice };
        assert_eq!(after, Some((policy, nice, expect)));
        assert!(agreed || policy != 0 || !granted);
    }
}
