//! The thread that reads and stamps what servers send, and does nothing else.

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// A runtime of one thread. It ends when this is dropped.
pub(crate) struct LoadThread {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl LoadThread {
    /// Starts it.
    pub(crate) fn start() -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new()
            .name("load".to_owned())
            .spawn(move || {
                // Ends when the sender is dropped, which is the only signal there is.
                let _dropped = runtime.block_on(stopped);
            })?;
        Ok(Self {
            handle,
            _stop: stop,
        })
    }

    /// Where streams are spawned.
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }
}
