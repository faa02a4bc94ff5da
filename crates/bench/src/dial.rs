//! The control plane's connections, opened by the same maker as the measured ones.

use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokmark_driver::{Clock, Connect};
use tokmark_engines::{ControlIo, Dial};

/// Lends the driver's connections to the control plane. They are other connections than the
/// measured ones, to the same place with the same TLS.
pub struct ConnectDial {
    connector: Arc<dyn Connect>,
    clock: Clock,
}

impl ConnectDial {
    /// For one server.
    pub fn new(connector: Arc<dyn Connect>, clock: Clock) -> Self {
        Self { connector, clock }
    }
}

impl Dial for ConnectDial {
    fn dial(&self) -> BoxFuture<'_, io::Result<Box<dyn ControlIo>>> {
        Box::pin(async move {
            let connected = self
                .connector
                .connect(self.clock)
                .await
                .map_err(|error| io::Error::new(error.kind(), error))?;
            let io: Box<dyn ControlIo> = Box::new(connected.into_io());
            Ok(io)
        })
    }
}
