//! The engine behind HTTP/1.1, over any byte stream.
//!
//! One task owns the engine and sleeps until something is due; every connection is a task of its
//! own, and an event is handed to its connection in one write. Under tokio's paused clock a test
//! sees the model's times, rounded up to the timer's grain of 1 ms.

mod ask;
mod body;
mod clock;
mod core;
mod dialect;
mod direct;
mod emitter;
mod error;
mod exposition;
mod feed;
mod field;
mod flood;
mod garble;
mod generate;
mod json;
mod ledger;
mod lives;
mod pace;
mod prompt;
mod prose;
mod room;
mod route;
mod scrape;
mod script;
mod shape;
mod shared;
mod stamp;
mod ticket;
pub mod truth;
mod usage;
mod wire;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;

use self::clock::Clock;
use self::core::Background;
use self::shared::Shared;
use self::wire::{Wire, WireIo};
use crate::config::SimConfig;
use crate::model::{ConfigError, Engine};
use crate::tokenizer::Tokenizer;

pub use truth::{Emission, Ending, RequestTruth, Sent, Truth};

/// Bytes that an in-memory connection holds in each direction.
const PIPE_BYTES: usize = 256 << 10;

/// How long to wait after the listener could not accept, for example for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Connections that may wait to be accepted, as far as the system allows: a client that opens
/// thousands at once is not to lose any to a full queue, which costs it a second each.
const BACKLOG: u32 = 16_384;

/// Listens on an address; port 0 takes a free one.
///
/// # Panics
///
/// Outside a tokio runtime.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A port whose last server is just gone can be taken again.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A running simulated server. Dropping it breaks its connections and stops the engine.
#[derive(Debug)]
pub struct SimServer {
    shared: Arc<Shared>,
}

impl SimServer {
    /// Starts the engine on the current tokio runtime.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, as `tokio::spawn` does.
    pub fn start(config: SimConfig) -> Result<Self, ConfigError> {
        let engine = Engine::new(config.engine.clone())?;
        let clock = Clock::start();
        let (commands, received) = mpsc::unbounded_channel();
        let background = Background {
            sequences: config.faults.for_server().background_sequences,
            tokenizer: Tokenizer::new(config.model.vocabulary),
        };
        tokio::spawn(core::run(engine, clock, background, received));
        Ok(Self {
            shared: Arc::new(Shared::new(config, clock, commands)),
        })
    }

    /// What the server was started with.
    pub fn config(&self) -> &SimConfig {
        &self.shared.config
    }

    /// A fresh in-memory connection to the server. After the server's death it is closed at once.
    pub fn connect(&self) -> DuplexStream {
        let (client, server) = tokio::io::duplex(PIPE_BYTES);
        self.attach(server);
        client
    }

    /// Serves one connection over any byte stream, in a task of its own.
    pub fn attach(&self, io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        self.drive(io, None);
    }

    /// Serves a TCP connection. Streams that bypass the engine write to the socket themselves.
    fn attach_tcp(&self, stream: TcpStream) {
        if self.shared.direct.is_none() {
            self.attach(stream);
            return;
        }
        let wire = Arc::new(Wire::new(stream, self.shared.clock));
        self.drive(WireIo::new(Arc::clone(&wire)), Some(wire));
    }

    fn drive(
        &self,
        io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        wire: Option<Arc<Wire>>,
    ) {
        let shared = Arc::clone(&self.shared);
        let Some(life) = shared.lives.present().filter(|life| !life.is_cancelled()) else {
            return;
        };
        let number = shared.connections.fetch_add(1, Ordering::Relaxed);
        let wait = shared.config.faults.accept_wait(number);
        let service = service_fn(move |mut request: http::Request<_>| {
            if let Some(wire) = &wire {
                request.extensions_mut().insert(Arc::clone(wire));
            }
            route::respond(Arc::clone(&shared), request)
        });
        // Without the date header nothing of an answer depends on real time.
        let connection = http1::Builder::new()
            .auto_date_header(false)
            .serve_connection(TokioIo::new(io), service);
        let served = async move {
            if let Some(wait) = wait {
                clock::pause(wait).await;
            }
            connection.await
        };
        tokio::spawn(async move {
            tokio::select! {
                () = life.cancelled() => {}
                ended = served => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "connection ended");
                    }
                }
            }
        });
    }

    /// Serves a listener until `shutdown` completes or the server dies; either closes it. While a
    /// server that starts again is away, its port is closed.
    pub async fn serve(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let mut shutdown = std::pin::pin!(shutdown);
        let address = listener.local_addr()?;
        let mut listener = listener;
        let lives = &self.shared.lives;
        while !lives.is_dead() {
            let Some(life) = lives.present() else {
                drop(listener);
                tokio::select! {
                    () = &mut shutdown => return Ok(()),
                    () = lives.returned() => {}
                }
                listener = listen(address)?;
                continue;
            };
            let accepted = tokio::select! {
                () = &mut shutdown => return Ok(()),
                () = life.cancelled() => continue,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    self.prepare(&stream)?;
                    self.attach_tcp(stream);
                }
                Err(error) => {
                    tracing::warn!(%error, "connection not accepted");
                    clock::pause(ACCEPT_PAUSE).await;
                }
            }
        }
        Ok(())
    }

    fn prepare(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let faults = self.shared.config.faults.for_server();
        if faults.die_after_tokens.is_some() || faults.restart.is_some() {
            // A process that is killed leaves resets behind, not orderly ends.
            stream.set_zero_linger()?;
        }
        Ok(())
    }

    /// Kills the server: every connection breaks, the listener closes.
    pub fn kill(&self) {
        self.shared.lives.kill();
    }

    /// Dies now and comes back after `down` with empty caches and counters at zero.
    pub fn restart(&self, down: Duration) {
        self.shared
            .lives
            .restart(down, self.shared.commands.clone());
    }

    /// Whether the server is dead for good, by [`SimServer::kill`] or by a fault.
    pub fn is_dead(&self) -> bool {
        self.shared.lives.is_dead()
    }

    /// What really happened so far.
    pub fn truth(&self) -> Truth {
        self.shared.truth()
    }
}

impl Drop for SimServer {
    fn drop(&mut self) {
        self.kill();
    }
}
