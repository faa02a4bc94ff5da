//! What holds for any bytes that a server answers with.
//!
//! The fuzz target `http` includes this file and looks for bytes that break it; the tests of
//! `corpus` take those that are kept. The first two bytes of an input are a seed for its reads.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokmark_driver::{Clock, Connection, Head, Io, MemoryConnect, Outgoing, Piece};
use tokmark_units::Nanos;

/// A server that has answered already, in these reads, and closes or stays silent behind them.
struct Reads {
    left: VecDeque<Vec<u8>>,
    closes: bool,
}

impl AsyncRead for Reads {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(mut next) = self.left.pop_front() else {
            return if self.closes {
                Poll::Ready(Ok(()))
            } else {
                Poll::Pending
            };
        };
        let rest = next.split_off(next.len().min(buffer.remaining()));
        if !rest.is_empty() {
            self.left.push_front(rest);
        }
        buffer.put_slice(&next);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Reads {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What became of an exchange.
#[derive(Debug, PartialEq)]
struct Seen {
    head: Option<Head>,
    body: Vec<u8>,
    /// How it ended; `None` when more has to come.
    end: Option<Result<(), String>>,
    /// Whether another request could be sent.
    open: bool,
}

fn exchange(clock: Clock, reads: Vec<Vec<u8>>, closes: bool) -> Seen {
    let io = Mutex::new(Some(Reads {
        left: reads.into(),
        closes,
    }));
    let connector = MemoryConnect::new(move || {
        let io: Box<dyn Io> = Box::new(io.lock().unwrap().take().unwrap());
        io
    });
    let opened = poll(pin!(Connection::open(&connector, clock)));
    let mut connection = opened.unwrap().unwrap();
    let outgoing = Outgoing {
        due: Nanos::ZERO,
        path: "/".into(),
        headers: Arc::default(),
        body: bytes::Bytes::new(),
    };
    let (mut head, mut body) = (None, Vec::new());
    let mut piece = |piece: Piece<'_>| match piece {
        Piece::Sent(_) => {}
        Piece::Head(found, _) => assert_eq!(head.replace(found), None, "one head"),
        Piece::Data(data, _) => body.extend_from_slice(data),
    };
    let ended = poll(pin!(connection.exchange(&outgoing, &mut piece)));
    let end = ended.map(|end| match end {
        tokmark_driver::exchange::ExchangeEnd::Complete(_) => Ok(()),
        tokmark_driver::exchange::ExchangeEnd::Broken { source, .. } => Err(source.to_string()),
    });
    let open = matches!(end, Some(Ok(()))) && connection.is_open();
    Seen {
        head,
        body,
        end,
        open,
    }
}

/// Polls until the future is done, or nothing has come for longer than the bytes last.
fn poll<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    let mut cx = Context::from_waker(Waker::noop());
    // A connection gives way after a few reads in a row, and no input has more reads than this.
    for _ in 0..20_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return Some(output);
        }
    }
    None
}

/// Any split of a response gives the same head, body and end.
pub(crate) fn http(input: &[u8]) {
    let (seed, bytes) = input.split_at(input.len().min(2));
    let step = seed.first().map_or(1, |byte| 1 + usize::from(byte >> 1));
    let closes = seed.first().is_none_or(|byte| byte & 1 == 0);
    let turn = seed.get(1).map_or(1, |byte| 1 + usize::from(*byte));
    let clock = Clock::start();
    let cut = |lengths: &mut dyn Iterator<Item = usize>| {
        let (mut rest, mut reads) = (bytes, Vec::new());
        while !rest.is_empty() {
            let (now, behind) = rest.split_at(lengths.next().unwrap_or(1).min(rest.len()));
            reads.push(now.to_vec());
            rest = behind;
        }
        exchange(clock, reads, closes)
    };
    let whole = cut(&mut std::iter::repeat(bytes.len()));
    assert_eq!(cut(&mut std::iter::repeat(1)), whole, "byte by byte");
    let mut uneven = [step, turn].into_iter().cycle();
    assert_eq!(cut(&mut uneven), whole, "{step} and {turn} bytes");
    assert!(whole.head.is_some() || whole.body.is_empty());
    assert!(
        whole.end.is_some() || !closes,
        "a closed connection is an end"
    );
}
