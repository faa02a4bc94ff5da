//! The site: server-rendered pages over a [`Store`](tokmark_site_store::Store).
//!
//! Every page works without script; nothing is loaded from another host, and the headers say so.

mod asset;
mod calculator;
mod download;
mod fault;
mod headers;
mod language;
mod list;
mod page;
mod picture;
mod route;

use std::future::Future;
use std::io;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokmark_site_store::{Store, StoreError};

pub use calculator::CalculatorData;
pub use route::router;

use calculator::fits::Fits;
use calculator::stored::Watched;
use picture::Cards;

/// What the routes share.
#[derive(Clone)]
pub struct SiteState {
    pub(crate) store: Arc<dyn Store>,
    /// What the calculator knows with the runs of this site.
    pub(crate) fits: Arc<Fits>,
    /// `None` where the program's own files are wrong.
    pub(crate) calculator: Option<Arc<CalculatorData>>,
    /// Social cards that were drawn.
    pub(crate) cards: Arc<Cards>,
    /// The address by which others reach this site, without a slash at its end.
    pub(crate) public_address: Option<Arc<str>>,
}

impl SiteState {
    /// A site over a store, whose calculator knows what comes with the program.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::over(store, CalculatorData::bundled())
    }

    fn over(store: Arc<dyn Store>, calculator: Option<Arc<CalculatorData>>) -> Self {
        let fits = Arc::new(Fits::new(calculator.clone()));
        Self {
            store: Arc::new(Watched {
                store,
                fits: Arc::clone(&fits),
            }),
            fits,
            calculator,
            cards: Arc::default(),
            public_address: None,
        }
    }

    /// The same with the address by which others reach it, for example `https://runs.example.org`:
    /// pages then name their pictures for sites that show links.
    #[must_use]
    pub fn with_public_address(self, address: &str) -> Self {
        Self {
            public_address: Some(address.trim_end_matches('/').into()),
            ..self
        }
    }

    /// The same with a calculator that knows something else, for example a person's own fits.
    #[must_use]
    pub fn with_calculator(self, data: CalculatorData) -> Self {
        Self {
            cards: self.cards,
            public_address: self.public_address,
            ..Self::over(self.store, Some(Arc::new(data)))
        }
    }

    /// Fits the calculator's constants to the runs of this site.
    ///
    /// # Errors
    ///
    /// The store fails.
    pub async fn calibrate(&self) -> Result<(), StoreError> {
        match &self.calculator {
            Some(base) => self.fits.renew(&*self.store, Arc::clone(base)).await,
            None => Ok(()),
        }
    }

    /// Fits them now, and again after each run that is stored, until it is dropped. No request waits
    /// for it.
    pub async fn keep_calibrated(self) {
        loop {
            if let Err(error) = self.calibrate().await {
                tracing::error!(%error, "the runs for the calculator cannot be read");
            }
            self.fits.changed.notified().await;
        }
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
