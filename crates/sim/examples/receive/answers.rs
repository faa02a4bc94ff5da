//! The streams, and the little that is done with their bytes whichever way they come.

use std::fmt;
use std::io::Write;
use std::net::TcpStream;
use std::os::linux::net::TcpStreamExt;
use std::time::Duration;

use memchr::memmem::Finder;
use nix::time::{ClockId, clock_gettime};
use tokmark_units::float;

use crate::Failure;

/// Tokens of every answer: more than arrive while one way is measured.
pub(crate) const MAX_TOKENS: u32 = 4_096;
/// After this many events the kernel has left the mode in which it acknowledges at once.
const SETTLED: u64 = 3;

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) socket: TcpStream,
    events: u64,
    ends_with_line: bool,
}

/// All streams and what was counted.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) streams: Vec<Stream>,
    end_of_event: Finder<'static>,
    duration: Duration,
    half_acks: bool,
    start: Duration,
    cpu: Duration,
    counted: Cost,
}

/// What a way cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Processor time of the process, kernel included.
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
    pub(crate) events: u64,
    pub(crate) reads: u64,
    /// Times that the thread asked the kernel for bytes.
    pub(crate) waits: u64,
    /// Reads that found nothing.
    pub(crate) misses: u64,
    /// Reads with more than one event: all but one of them lose their arrival time.
    pub(crate) shared: u64,
    /// Reads without the kernel's time, where that was asked for.
    pub(crate) unstamped: u64,
    /// From arrival to read, over all reads, in nanoseconds.
    pub(crate) lag: u64,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let events = float::from_u64(self.events);
        let (reads, waits) = (float::from_u64(self.reads), float::from_u64(self.waits));
        write!(
            f,
            "{:.3} us/event, {:.0} events/s",
            self.cpu.as_secs_f64() * 1e6 / events,
            events / self.wall.as_secs_f64(),
        )?;
        // The drain tells no more.
        if self.waits == 0 {
            return Ok(());
        }
        write!(
            f,
            ", {:.1} reads a wait, {:.2} empty reads an event, {:.2} % of reads shared, \
             {} unstamped, lag {:.0} us",
            reads / waits,
            float::from_u64(self.misses) / events,
            float::from_u64(self.shared) * 100.0 / reads,
            self.unstamped,
            float::from_u64(self.lag) / reads / 1e3,
        )
    }
}

fn clock(id: ClockId) -> Result<Duration, Failure> {
    Ok(clock_gettime(id)?.into())
}

/// The time that the kernel's stamps are compared with.
pub(crate) fn realtime() -> Result<Duration, Failure> {
    clock(ClockId::CLOCK_REALTIME)
}

/// The body of every request.
pub(crate) fn body() -> Vec<u8> {
    let prompt = "word ".repeat(64);
    format!(
        r#"{{"messages":[{{"role":"user","content":"{prompt}"}}],"stream":true,"max_tokens":{MAX_TOKENS},"ignore_eos":true}}"#
    )
    .into_bytes()
}

impl Answers {
    pub(crate) fn open(
        address: &str,
        streams: u32,
        duration: Duration,
        half_acks: bool,
    ) -> Result<Self, Failure> {
        let open = |_| -> Result<Stream, Failure> {
            let socket = TcpStream::connect(address)?;
            socket.set_nodelay(true)?;
            socket.set_nonblocking(true)?;
            Ok(Stream {
                socket,
                events: 0,
                ends_with_line: false,
            })
        };
        Ok(Self {
            streams: (0..streams).map(open).collect::<Result<_, _>>()?,
            end_of_event: Finder::new(b"\n\n"),
            duration,
            half_acks,
            start: Duration::ZERO,
            cpu: Duration::ZERO,
            counted: Cost::default(),
        })
    }

    /// Starts the clocks and sends all requests.
    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        let body = body();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let request = [head.as_bytes(), &body].concat();
        self.start = clock(ClockId::CLOCK_MONOTONIC)?;
        self.cpu = clock(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
        for stream in &mut self.streams {
            stream.socket.write_all(&request)?;
        }
        Ok(())
    }

    pub(crate) fn is_over(&mut self) -> Result<bool, Failure> {
        self.counted.waits += 1;
        let since = clock(ClockId::CLOCK_MONOTONIC)?.saturating_sub(self.start);
        Ok(since >= self.duration)
    }

    /// A read found nothing.
    pub(crate) fn miss(&mut self) {
        self.counted.misses += 1;
    }

    /// Counts the events of a read. `stamp` is the kernel's time and the time of the read, where
    /// stamps were asked for.
    pub(crate) fn take(
        &mut self,
        stream: usize,
        bytes: &[u8],
        stamp: Option<(Option<Duration>, Duration)>,
    ) -> Result<(), Failure> {
        let stream = self.streams.get_mut(stream).ok_or("no such stream")?;
        if stream.events == 0 && !stream.ends_with_line && !bytes.starts_with(b"HTTP/1.1 200 ") {
            return Err(String::from_utf8_lossy(bytes).into_owned().into());
        }
        let split = stream.ends_with_line && bytes.first() == Some(&b'\n');
        let whole = self.end_of_event.find_iter(bytes).count();
        let events = u64::try_from(whole)? + u64::from(split);
        stream.ends_with_line = bytes.last() == Some(&b'\n');
        let settles = stream.events < SETTLED && stream.events + events >= SETTLED;
        stream.events += events;
        if self.half_acks && settles {
            stream.socket.set_quickack(false)?;
        }
        self.counted.events += events;
        self.counted.reads += 1;
        self.counted.shared += u64::from(events > 1);
        match stamp {
            Some((Some(arrived), read)) => {
                self.counted.lag += u64::try_from(read.saturating_sub(arrived).as_nanos())?;
            }
            Some((None, _)) => self.counted.unstamped += 1,
            None => {}
        }
        Ok(())
    }

    pub(crate) fn cost(&self) -> Result<Cost, Failure> {
        Ok(Cost {
            cpu: clock(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.saturating_sub(self.cpu),
            wall: clock(ClockId::CLOCK_MONOTONIC)?.saturating_sub(self.start),
            ..self.counted
        })
    }
}
