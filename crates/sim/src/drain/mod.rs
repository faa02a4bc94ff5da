//! The least that a client can do with streams: wait, read, take the time, count event ends.
//!
//! It is the floor that a real client is compared with: what the kernel costs, and hardly more. It
//! looks at no status but the first line's, parses no header and no event, and knows the end of an
//! answer by the last chunk of HTTP's chunked coding. One thread drives all streams.

mod clock;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use tokmark_units::Nanos;

use crate::histogram::{Histogram, Spread};

/// Bytes of the one buffer that all reads go to.
const READ_BYTES: usize = 256 << 10;
/// Streams that one wait can report.
const EVENTS_A_WAIT: usize = 1_024;
/// What ends an answer: the empty chunk, after the line end of the chunk before it.
const LAST_CHUNK: [u8; 7] = *b"\r\n0\r\n\r\n";

/// What to drain.
#[derive(Debug, Clone)]
pub struct DrainConfig {
    /// The server.
    pub address: SocketAddr,
    /// The path that is posted to.
    pub path: String,
    /// The JSON body of every request. It asks for a stream of exactly `max_tokens` tokens, one an
    /// event.
    pub body: Vec<u8>,
    /// Tokens of every answer.
    pub max_tokens: u32,
    /// Connections, each with one request after the other.
    pub streams: u32,
    /// When to end, from the first request on.
    pub duration: Duration,
    /// End before that when so many answers are complete.
    pub answers: Option<u64>,
    /// A sleep before every wait, so that one wake-up serves many streams; times of arrival are then
    /// late by up to this much.
    pub nap: Option<Duration>,
}

/// What was drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainResult {
    /// Tokens: `max_tokens` a complete answer, and the events of the others but their first one,
    /// which is the role.
    pub tokens: u64,
    /// Events of any kind.
    pub events: u64,
    /// Answers that came to their end.
    pub answers: u64,
    /// Reads that gave bytes.
    pub reads: u64,
    /// Bytes read.
    pub bytes: u64,
    /// From the first request to the end.
    pub wall: Duration,
    /// CPU time of the thread in that time, kernel included.
    pub cpu: Duration,
    /// From just before a request was written to the read that had its first event.
    pub ttft: Spread,
    /// Between two reads that had events of the same answer.
    pub gaps: Spread,
}

/// Why nothing was drained.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    /// The system refused something.
    #[error("cannot {doing}")]
    Io {
        /// What it was.
        doing: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The server did not answer with a stream.
    #[error("the server answered `{line}`")]
    Refused {
        /// The first line of its answer.
        line: String,
    },
    /// The server closed a connection.
    #[error("the server closed a connection")]
    Closed,
}

fn failed<E: Into<io::Error>>(doing: &'static str) -> impl FnOnce(E) -> DrainError {
    move |source| DrainError::Io {
        doing,
        source: source.into(),
    }
}

/// One connection and the answer on it.
#[derive(Debug)]
struct Stream {
    socket: TcpStream,
    sent: Instant,
    last: Instant,
    events: u64,
    answering: bool,
    /// The last bytes that were read, across reads.
    tail: [u8; LAST_CHUNK.len()],
}

struct Drain<'a> {
    config: &'a DrainConfig,
    request: Vec<u8>,
    end_of_event: Finder<'static>,
    buffer: Vec<u8>,
    ttft: Histogram,
    gaps: Histogram,
    finished_events: u64,
    answers: u64,
    reads: u64,
    bytes: u64,
}

/// Drains until the time is over.
pub fn drain(config: &DrainConfig) -> Result<DrainResult, DrainError> {
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        config.path,
        config.address,
        config.body.len()
    );
    let mut drain = Drain {
        config,
        request: [head.as_bytes(), &config.body].concat(),
        end_of_event: Finder::new(b"\n\n"),
        buffer: vec![0; READ_BYTES],
        ttft: Histogram::default(),
        gaps: Histogram::default(),
        finished_events: 0,
        answers: 0,
        reads: 0,
        bytes: 0,
    };
    let epoll = Epoll::new(EpollCreateFlags::empty()).map_err(failed("create an epoll"))?;
    let mut streams = Vec::new();
    for number in 0..u64::from(config.streams) {
        let stream = open(config.address)?;
        let event = EpollEvent::new(EpollFlags::EPOLLIN, number);
        epoll
            .add(&stream.socket, event)
            .map_err(failed("watch a connection"))?;
        streams.push(stream);
    }
    let (start, cpu) = (clock::now(), clock::thread_cpu());
    for stream in &mut streams {
        drain.send(stream)?;
    }
    drain.run(&epoll, &mut streams, start)?;
    let (wall, cpu) = (start.elapsed(), clock::thread_cpu().saturating_sub(cpu));
    Ok(drain.result(&streams, wall, cpu))
}

fn open(address: SocketAddr) -> Result<Stream, DrainError> {
    let socket = TcpStream::connect(address).map_err(failed("connect"))?;
    let ready = socket
        .set_nodelay(true)
        .and_then(|()| socket.set_nonblocking(true));
    ready.map_err(failed("prepare a connection"))?;
    let now = clock::now();
    Ok(Stream {
        socket,
        sent: now,
        last: now,
        events: 0,
        answering: false,
        tail: [0; LAST_CHUNK.len()],
    })
}

impl Drain<'_> {
    fn run(
        &mut self,
        epoll: &Epoll,
        streams: &mut [Stream],
        start: Instant,
    ) -> Result<(), DrainError> {
        let mut ready = vec![EpollEvent::empty(); EVENTS_A_WAIT];
        loop {
            let left = self.config.duration.checked_sub(start.elapsed());
            let Some(left) = left.filter(|_| !self.has_enough()) else {
                return Ok(());
            };
            if let Some(nap) = self.config.nap {
                std::thread::sleep(nap);
            }
            // A whole millisecond more than is left at most.
            let wait = u16::try_from(left.as_millis() + 1).unwrap_or(u16::MAX);
            let count = match epoll.wait(&mut ready, EpollTimeout::from(wait)) {
                Ok(count) => count,
                Err(nix::errno::Errno::EINTR) => 0,
                Err(error) => return Err(failed("wait for bytes")(error)),
            };
            for event in ready.iter().take(count) {
                let number = usize::try_from(event.data()).unwrap_or(usize::MAX);
                if let Some(stream) = streams.get_mut(number) {
                    self.read(stream)?;
                }
            }
        }
    }

    fn has_enough(&self) -> bool {
        self.config.answers.is_some_and(|most| self.answers >= most)
    }

    /// Writes one request. It fits the socket's buffer, which is empty then.
    fn send(&self, stream: &mut Stream) -> Result<(), DrainError> {
        stream.answering = false;
        stream.sent = clock::now();
        stream
            .socket
            .write_all(&self.request)
            .map_err(failed("write a request"))
    }

    fn read(&mut self, stream: &mut Stream) -> Result<(), DrainError> {
        let read = match stream.socket.read(&mut self.buffer) {
            Ok(0) => return Err(DrainError::Closed),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(failed("read")(error)),
        };
        let now = clock::now();
        let bytes = self.buffer.get(..read).unwrap_or_default();
        self.reads += 1;
        self.bytes += u64::try_from(read).unwrap_or(0);
        if !stream.answering {
            if !bytes.starts_with(b"HTTP/1.1 200 ") {
                let line = bytes.split(|byte| *byte == b'\r').next();
                let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
                return Err(DrainError::Refused { line });
            }
            stream.answering = true;
        }
        let events = self.count(stream, bytes);
        if events > 0 {
            if stream.events == 0 {
                self.ttft.record(Nanos::from(now - stream.sent));
            } else {
                self.gaps.record(Nanos::from(now - stream.last));
            }
            stream.events += events;
            stream.last = now;
        }
        if stream.tail == LAST_CHUNK {
            self.answers += 1;
            self.finished_events += stream.events;
            stream.events = 0;
            if !self.has_enough() {
                self.send(stream)?;
            }
        }
        Ok(())
    }

    /// Events that end in these bytes; remembers the bytes' tail.
    fn count(&self, stream: &mut Stream, bytes: &[u8]) -> u64 {
        let split = stream.tail.last() == Some(&b'\n') && bytes.first() == Some(&b'\n');
        let whole = self.end_of_event.find_iter(bytes).count();
        if let Some(tail) = bytes.last_chunk() {
            stream.tail = *tail;
        } else {
            stream.tail.rotate_left(bytes.len());
            let place = stream.tail.iter_mut().rev();
            place
                .zip(bytes.iter().rev())
                .for_each(|(to, from)| *to = *from);
        }
        u64::try_from(whole).unwrap_or(0) + u64::from(split)
    }

    fn result(&self, streams: &[Stream], wall: Duration, cpu: Duration) -> DrainResult {
        let open = || streams.iter().map(|stream| stream.events);
        let most = u64::from(self.config.max_tokens);
        let open_tokens: u64 = open()
            .map(|events| events.saturating_sub(1).min(most))
            .sum();
        DrainResult {
            tokens: self.answers * most + open_tokens,
            events: self.finished_events + open().sum::<u64>(),
            answers: self.answers,
            reads: self.reads,
            bytes: self.bytes,
            wall,
            cpu,
            ttft: self.ttft.spread(),
            gaps: self.gaps.spread(),
        }
    }
}
