//! One connection and the requests on it, one after the other.

use tokmark_units::Nanos;

use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::exchange::{ExchangeEnd, Outgoing, Piece};
use crate::http1::Http1;
use crate::http2::Http2;
use crate::target::Protocol;

/// What is spoken on a connection.
enum Http {
    One(Http1),
    Two(Box<Http2>),
}

/// An open connection.
pub struct Connection {
    http: Http,
    /// Connect and TLS time, and HTTP/2's greeting.
    pub connect: Nanos,
}

impl Connection {
    /// Opens a connection; nothing is sent on it yet.
    pub async fn open(connector: &dyn Connect, clock: Clock) -> Result<Self, ConnectError> {
        let connected = connector.connect(clock).await?;
        let took = connected.took;
        Ok(match connected.protocol {
            Protocol::Http1 => Self {
                http: Http::One(Http1::new(connected.io, connected.wire, clock)),
                connect: took,
            },
            Protocol::Http2 => {
                let started = clock.now();
                let http = Box::new(Http2::open(connected, clock).await?);
                Self {
                    http: Http::Two(http),
                    connect: took + clock.now().saturating_sub(started),
                }
            }
        })
    }

    /// Whether another request can be sent.
    pub fn is_open(&mut self) -> bool {
        match &mut self.http {
            Http::One(http) => http.is_open(),
            Http::Two(http) => http.is_open(),
        }
    }

    /// Sends one request and hands every piece of the answer to `piece`, stamped: what a read
    /// brought is handed out before the next read, so the last read's stamp is the stamp of these
    /// bytes.
    pub async fn exchange(
        &mut self,
        outgoing: &Outgoing,
        piece: &mut (dyn FnMut(Piece<'_>) + Send),
    ) -> ExchangeEnd {
        match &mut self.http {
            Http::One(http) => http.exchange(outgoing, piece).await,
            Http::Two(http) => http.exchange(outgoing, piece).await,
        }
    }
}
