//! A store that tells the calculator when it got another run.

use std::sync::Arc;

use tokmark_site_store::{NewRun, PageRequest, PutOutcome, RunPage, Store, StoreFuture, StoredRun};

use super::fits::Fits;

/// The site's store, watched.
pub(crate) struct Watched {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) fits: Arc<Fits>,
}

impl Store for Watched {
    fn put_run(&self, run: NewRun) -> StoreFuture<'_, PutOutcome> {
        Box::pin(async move {
            let outcome = self.store.put_run(run).await?;
            if matches!(outcome, PutOutcome::Created(_)) {
                self.fits.changed.notify_one();
            }
            Ok(outcome)
        })
    }

    fn get_run<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        self.store.get_run(id)
    }

    fn list_runs(&self, page: PageRequest) -> StoreFuture<'_, RunPage> {
        self.store.list_runs(page)
    }

    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.store.evidence(id)
    }
}
