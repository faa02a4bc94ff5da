//! The store on SQLite.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokmark_site_store::{SqlStore, Store, StoreError};

use crate::conformance::{all, new_run, run};

#[tokio::test]
async fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(&folder.path().join("tokmark.sqlite"))
        .await
        .unwrap();
    all(&store).await;
}

#[tokio::test]
async fn runs_are_still_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/tokmark.sqlite");
    let store = SqlStore::open(&path).await.unwrap();
    store.put_run(new_run(&run("kept"), 0)).await.unwrap();
    store.close().await;
    let store = SqlStore::open(&path).await.unwrap();
    assert!(store.get_run("kept").await.unwrap().is_some());
}

#[tokio::test]
async fn one_of_many_at_once_creates_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(&folder.path().join("x.sqlite"))
        .await
        .unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.put_run(new_run(&run("same"), 0)).await.unwrap() })
        })
        .collect();
    let mut created = 0;
    for task in tasks {
        let outcome = task.await.unwrap();
        assert_eq!(outcome.id(), "same");
        created += usize::from(matches!(
            outcome,
            tokmark_site_store::PutOutcome::Created(_)
        ));
    }
    assert_eq!(created, 1);
}

#[tokio::test]
async fn a_damaged_document_is_not_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(&folder.path().join("x.sqlite"))
        .await
        .unwrap();
    store.put_run(new_run(&run("hurt"), 0)).await.unwrap();
    let object = only_object(folder.path());
    std::fs::write(&object, "{}").unwrap();
    let error = store.get_run("hurt").await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(!error.is_refusal());
    std::fs::remove_file(&object).unwrap();
    let error = store.get_run("hurt").await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

/// The file of the only object.
fn only_object(folder: &Path) -> PathBuf {
    let only = |folder: &Path| -> PathBuf {
        let mut entries = std::fs::read_dir(folder).unwrap();
        let one = entries.next().unwrap().unwrap().path();
        assert!(
            entries.next().is_none(),
            "one object in {}",
            folder.display()
        );
        one
    };
    only(&only(&folder.join("objects")))
}
