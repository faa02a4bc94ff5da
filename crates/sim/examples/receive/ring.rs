//! One system call for many reads: multishot receive of `io_uring` into buffers that the kernel
//! picks.
//!
//! Every socket has one standing request. The kernel answers it again and again, each time with a
//! buffer of the pool, which is given back as soon as its events are counted.
#![expect(
    unsafe_code,
    reason = "the kernel is handed addresses that must stay valid while it uses them"
)]

use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use io_uring::types::{BufRingEntry, CancelBuilder, Fd, RecvMsgOut, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use nix::libc;
use nix::sys::socket::{setsockopt, sockopt};

use crate::Failure;
use crate::answers::{Answers, realtime};

/// Buffers in the pool, a power of two; a token takes one until it is counted.
const BUFFERS: u16 = 2_048;
/// Bytes of each: a token's event and the kernel's header of a message.
const BUFFER_BYTES: usize = 2_048;
const SUBMISSIONS: u32 = 2_048;
const COMPLETIONS: u32 = 8_192;
/// Room for control data; a timestamp takes 32 bytes of it.
const CONTROL_BYTES: usize = 64;
/// More completions than any wait will find, so that its time decides.
const MANY: usize = 1_024;
/// So that the end of the measurement is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// How to wait, and what to receive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring {
    /// `recvmsg` with the kernel's receive timestamps, instead of `recv`.
    pub(crate) stamps: bool,
    /// Gather completions so long, instead of returning with the first.
    pub(crate) wait: Option<Duration>,
    /// The kernel works on arrivals while this thread waits, instead of interrupting it.
    pub(crate) deferred: bool,
}

/// The size of a page, which the kernel wants the ring of buffers to begin on.
#[derive(Clone)]
#[repr(C, align(4096))]
struct Page([u8; 4_096]);

/// Buffers for the kernel to pick from, and the ring in which they are offered.
struct Pool {
    ring: Vec<Page>,
    bytes: Vec<u8>,
    tail: u16,
}

impl Pool {
    fn new() -> Self {
        let ring_bytes = usize::from(BUFFERS) * size_of::<BufRingEntry>();
        Self {
            ring: vec![Page([0; 4_096]); ring_bytes.div_ceil(size_of::<Page>())],
            bytes: vec![0; usize::from(BUFFERS) * BUFFER_BYTES],
            tail: 0,
        }
    }

    fn entries(&mut self) -> *mut BufRingEntry {
        self.ring.as_mut_ptr().cast()
    }

    /// The first bytes of a buffer that a completion named.
    fn filled(&self, id: u16, length: usize) -> &[u8] {
        let start = usize::from(id) * BUFFER_BYTES;
        self.bytes.get(start..start + length).unwrap_or_default()
    }

    /// Offers a buffer to the kernel; [`Pool::publish`] tells it so.
    fn offer(&mut self, id: u16) -> Result<(), Failure> {
        let start = usize::from(id) * BUFFER_BYTES;
        let buffer = self.bytes.get_mut(start..start + BUFFER_BYTES);
        let address = buffer.ok_or("no such buffer")?.as_mut_ptr().addr();
        let slot = usize::from(self.tail % BUFFERS);
        // SAFETY: `ring` has room for `BUFFERS` entries, any bytes are a valid entry, and the kernel
        // does not read this one before the tail has passed it.
        let entry = unsafe { &mut *self.entries().add(slot) };
        entry.set_addr(u64::try_from(address)?);
        entry.set_len(u32::try_from(BUFFER_BYTES)?);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        Ok(())
    }

    fn publish(&mut self) {
        let entries = self.entries();
        // SAFETY: `entries` is the ring's first entry, where the tail lies, aligned for it.
        let tail = unsafe { AtomicU16::from_ptr(BufRingEntry::tail(entries).cast_mut()) };
        tail.store(self.tail, Ordering::Release);
    }
}

/// The shape of every message: no sender's address, some control data.
fn header() -> libc::msghdr {
    // SAFETY: zeros are null pointers and lengths of nothing.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_controllen = CONTROL_BYTES;
    header
}

pub(crate) fn receive(answers: &mut Answers, way: Ring) -> Result<(), Failure> {
    // They outlive the ring: what is declared later is dropped earlier.
    let header = header();
    let mut pool = Pool::new();
    let mut builder = IoUring::builder();
    builder.setup_cqsize(COMPLETIONS);
    builder.setup_coop_taskrun().setup_single_issuer();
    if way.deferred {
        builder.setup_defer_taskrun();
    }
    let mut ring = builder.build(SUBMISSIONS)?;
    let at = u64::try_from(pool.entries().addr())?;
    let submitter = ring.submitter();
    // SAFETY: the pool has `BUFFERS` entries there and outlives the ring.
    unsafe { submitter.register_buf_ring_with_flags(at, BUFFERS, 0, 0)? };
    for id in 0..BUFFERS {
        pool.offer(id)?;
    }
    pool.publish();
    let mut requests = Vec::new();
    for (number, stream) in (0..).zip(&answers.streams) {
        setsockopt(&stream.socket, sockopt::ReceiveTimestampns, &way.stamps)?;
        let fd = Fd(stream.socket.as_raw_fd());
        let entry = if way.stamps {
            opcode::RecvMsgMulti::new(fd, &raw const header, 0).build()
        } else {
            opcode::RecvMulti::new(fd, 0).build()
        };
        requests.push(entry.user_data(number));
    }
    push(&mut ring, &requests)?;
    ring.submit()?;
    answers.begin()?;
    let result = run(answers, way, &mut ring, &mut pool, &header, &requests);
    // Nothing may be received into the pool once it is freed.
    let everything = CancelBuilder::any();
    let cancelled = ring.submitter().register_sync_cancel(None, everything);
    result.and(cancelled.map_err(Failure::from))
}

fn push(ring: &mut IoUring, requests: &[squeue::Entry]) -> Result<(), Failure> {
    // SAFETY: the requests name sockets and a header that outlive the ring.
    unsafe { ring.submission().push_multiple(requests)? };
    Ok(())
}

fn run(
    answers: &mut Answers,
    way: Ring,
    ring: &mut IoUring,
    pool: &mut Pool,
    header: &libc::msghdr,
    requests: &[squeue::Entry],
) -> Result<(), Failure> {
    let mut done = Vec::new();
    while !answers.is_over()? {
        wait(ring, way)?;
        let completions = ring.completion();
        done.extend(completions.map(|one| (one.user_data(), one.result(), one.flags())));
        // One reading of the clock for all of them: they are read now.
        let now = realtime()?;
        for (number, result, flags) in done.drain(..) {
            let number = usize::try_from(number)?;
            if let Some(id) = cqueue::buffer_select(flags) {
                let bytes = pool.filled(id, usize::try_from(result)?);
                if way.stamps {
                    let message = RecvMsgOut::parse(bytes, header);
                    let message = message.map_err(|()| "a message without its header")?;
                    let stamp = (stamp(message.control_data()), now);
                    answers.take(number, message.payload_data(), Some(stamp))?;
                } else {
                    answers.take(number, bytes, None)?;
                }
                pool.offer(id)?;
            } else if result == 0 {
                return Err("the server closed a connection".into());
            } else if result != -libc::ENOBUFS {
                return Err(io::Error::from_raw_os_error(-result).into());
            }
            if !cqueue::more(flags) {
                answers.miss();
                let request = requests.get(number).ok_or("no such stream")?;
                push(ring, std::slice::from_ref(request))?;
            }
        }
        pool.publish();
    }
    Ok(())
}

/// Submits what is to be submitted and waits for completions.
fn wait(ring: &IoUring, way: Ring) -> Result<(), Failure> {
    let longest = Timespec::from(LONGEST_WAIT);
    let args = SubmitArgs::new().timespec(&longest);
    let waited = if let Some(wait) = way.wait {
        let args = args.min_wait_usec(u32::try_from(wait.as_micros())?);
        ring.submitter().submit_with_args(MANY, &args)
    } else {
        ring.submitter().submit_with_args(1, &args)
    };
    match waited {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The kernel's time in control data that has nothing else: a `cmsghdr` and a `timespec`.
fn stamp(control: &[u8]) -> Option<Duration> {
    let (head, rest) = control.split_at_checked(size_of::<libc::cmsghdr>())?;
    let (_length, what) = head.split_last_chunk::<8>()?;
    let wanted = [libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS].map(i32::to_ne_bytes);
    let (seconds, rest) = rest.split_first_chunk::<8>()?;
    let nanoseconds = rest.first_chunk::<8>()?;
    let at = Duration::new(
        u64::from_ne_bytes(*seconds),
        u32::try_from(u64::from_ne_bytes(*nanoseconds)).ok()?,
    );
    (what.as_slice() == wanted.as_flattened()).then_some(at)
}
