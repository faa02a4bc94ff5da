//! The site: server-rendered pages over a [`Store`](tokmark_site_store::Store).
//!
//! Every page works without script; nothing is loaded from another host, and the headers say so.

mod asset;
mod calculator;
mod download;
mod fault;
mod headers;
mod language;
mod page;
mod route;

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokmark_site_store::Store;

pub use calculator::CalculatorData;
pub use route::router;

/// What the routes share.
#[derive(Clone)]
pub struct SiteState {
    pub(crate) store: Arc<dyn Store>,
    /// `None` where the program's own files are wrong.
    pub(crate) calculator: Option<Arc<CalculatorData>>,
}

impl SiteState {
    /// A site over a store, whose calculator knows what comes with the program.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            calculator: CalculatorData::bundled(),
        }
    }

    /// The same with a calculator that knows something else, for example a person's own fits.
    #[must_use]
    pub fn with_calculator(mut self, data: CalculatorData) -> Self {
        self.calculator = Some(Arc::new(data));
        self
    }
}

/// Serves until `shutdown` completes, then lets the requests in progress end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router)
        .with_graceful_shutdown(shutdown)
        .await
}
