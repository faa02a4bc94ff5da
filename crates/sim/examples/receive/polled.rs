//! A system call for every read, with epoll or without.

use std::io::{ErrorKind, IoSliceMut, Read};
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};

use crate::Failure;
use crate::answers::{Answers, realtime};

const READ_BYTES: usize = 256 << 10;
const EVENTS_A_WAIT: usize = 1_024;
/// So that the end of the measurement is noticed.
const LONGEST_WAIT_MS: u8 = 100;

/// How to find the sockets that have bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Find {
    /// Epoll, level-triggered, as the drain uses it.
    Level,
    /// Epoll, edge-triggered, as tokio and so the load threads use it.
    Edge,
    /// Every socket is read at every look.
    Every,
}

/// How to receive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polled {
    pub(crate) find: Find,
    /// Read with `recvmsg` and the kernel's receive timestamps, instead of `read`.
    pub(crate) stamps: bool,
    /// Sleep so long before every look.
    pub(crate) wait: Option<Duration>,
}

pub(crate) fn receive(answers: &mut Answers, way: Polled) -> Result<(), Failure> {
    let epoll = Epoll::new(EpollCreateFlags::empty())?;
    let mut flags = EpollFlags::EPOLLIN;
    flags.set(EpollFlags::EPOLLET, way.find == Find::Edge);
    for (number, stream) in (0..).zip(&answers.streams) {
        epoll.add(&stream.socket, EpollEvent::new(flags, number))?;
        setsockopt(&stream.socket, sockopt::ReceiveTimestampns, &way.stamps)?;
    }
    let mut ready = vec![EpollEvent::empty(); EVENTS_A_WAIT];
    let mut buffer = vec![0; READ_BYTES];
    answers.begin()?;
    while !answers.is_over()? {
        if let Some(wait) = way.wait {
            std::thread::sleep(wait);
        }
        if way.find == Find::Every {
            for number in 0..answers.streams.len() {
                read(answers, number, &mut buffer, way.stamps)?;
            }
            continue;
        }
        let count = epoll.wait(&mut ready, LONGEST_WAIT_MS)?;
        for event in ready.iter().take(count) {
            let number = usize::try_from(event.data())?;
            read(answers, number, &mut buffer, way.stamps)?;
        }
    }
    Ok(())
}

fn read(
    answers: &mut Answers,
    number: usize,
    buffer: &mut [u8],
    stamps: bool,
) -> Result<(), Failure> {
    let stream = answers.streams.get_mut(number).ok_or("no such stream")?;
    let (read, stamp) = if stamps {
        let mut control = [0_u8; 64];
        let mut slices = [IoSliceMut::new(buffer)];
        let fd = stream.socket.as_raw_fd();
        match recvmsg::<()>(fd, &mut slices, Some(&mut control), MsgFlags::empty()) {
            Ok(message) => {
                let arrived = message.cmsgs()?.find_map(|one| match one {
                    ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
                    _ => None,
                });
                (message.bytes, Some((arrived, realtime()?)))
            }
            Err(Errno::EAGAIN) => {
                answers.miss();
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    } else {
        match stream.socket.read(buffer) {
            // The drain, too, takes the time after every read.
            Ok(read) => (read, realtime().map(|_| None)?),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                answers.miss();
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    };
    if read == 0 {
        return Err("the server closed a connection".into());
    }
    answers.take(number, buffer.get(..read).unwrap_or_default(), stamp)
}
