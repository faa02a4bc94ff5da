//! A store that tells the calculator when it got another run.

use std::sync::Arc;

use tokmark_site_store::{
    Choice, NewRun, PageRequest, PutOutcome, RunPage, Store, StoreFuture, StoredRun, Visibility,
};

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

    fn choices(&self) -> StoreFuture<'_, Vec<Choice>> {
        self.store.choices()
    }

    fn set_visibility<'a>(&'a self, id: &'a str, to: Visibility) -> StoreFuture<'a, bool> {
        self.store.set_visibility(id, to)
    }

    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.store.evidence(id)
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use tokmark_run_format::write_document;
    use tokmark_site_store::SqlStore;
    use tokmark_units::Timestamp;

    use super::*;

    #[tokio::test]
    async fn a_stored_run_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::open(&folder.path().join("site.sqlite"))
            .await
            .unwrap();
        let watched = Watched {
            store: Arc::new(store),
            fits: Arc::new(Fits::new(None)),
        };
        let text = include_str!("../../../import/tests/fixtures/page.json");
        let run = tokmark_import::import(text).unwrap().remove(0);
        let new = || NewRun {
            document: write_document(&run).unwrap(),
            evidence: None,
            received_at: Timestamp::from_unix_millis(1_796_026_500_000).unwrap(),
        };
        let told = async || {
            tokio::select! {
                biased;
                () = watched.fits.changed.notified() => true,
                () = ready(()) => false,
            }
        };
        assert!(!told().await);
        watched.put_run(new()).await.unwrap();
        assert!(told().await);
        // The same run again changes nothing.
        watched.put_run(new()).await.unwrap();
        assert!(!told().await);
    }
}
