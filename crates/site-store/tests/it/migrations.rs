//! Databases of every version become ones of this version, with their runs.

use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokmark_run_format::{CellStatus, write_document};
use tokmark_site_store::{ObjectKey, PageRequest, RunFilter, SqlStore, Store};

use crate::conformance::run;

#[tokio::test]
async fn the_first_version_becomes_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokmark.sqlite");
    let mut document = run("old");
    document.note = Some("undervolted".into());
    document
        .hardware
        .accelerators
        .push(tokmark_run_format::hardware::Accelerator {
            count: 2,
            ..Default::default()
        });
    let text = write_document(&document).unwrap();
    let key = ObjectKey::of(text.as_bytes());
    let place = folder.path().join("objects").join(&key.as_str()[..2]);
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join(key.as_str()), &text).unwrap();

    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true);
    let mut old = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::migrate!("./migrations/sqlite")
        .run_to(1, &mut old)
        .await
        .unwrap();
    let missing = ObjectKey::of(b"never written");
    for (id, object) in [("old", &key), ("lost", &missing)] {
        sqlx::query(
            "INSERT INTO run (id, received_at, trust, model, hardware, engine, document_sha256) \
             VALUES ($1, 1796026500000, 'self_reported', 'tiny', 'Rig', 'vllm', $2)",
        )
        .bind(id)
        .bind(object.as_str())
        .execute(&mut old)
        .await
        .unwrap();
    }
    let cells = "INSERT INTO cell VALUES ('old', 8192, 2, 'queued', 123.5), \
                 ('old', 0, 1, 'over_capacity', NULL)";
    sqlx::query(cells).execute(&mut old).await.unwrap();
    old.close().await.unwrap();

    for opening in ["first", "second"] {
        let store = SqlStore::open(&path).await.unwrap();
        let stored = store.get_run("old").await.unwrap().unwrap();
        assert_eq!(stored.document, text, "{opening}");
        let cells: Vec<_> = stored.summary.cells.iter().collect();
        assert_eq!((cells[0].context, cells[0].requests), (0, 1));
        assert_eq!(cells[0].status, CellStatus::OverCapacity);
        assert_eq!(cells[1].total_tokens_per_s, Some(123.5));
        let filter = RunFilter {
            words: Some("undervolted".to_owned()),
            accelerators: Some(2),
            ..RunFilter::default()
        };
        let request = PageRequest {
            filter,
            limit: 5,
            ..PageRequest::default()
        };
        let page = store.list_runs(request).await.unwrap();
        assert_eq!(page.runs.len(), 1, "{opening}");
        let models = store.choices().await.unwrap();
        let tiny = models.iter().find(|one| one.value == "tiny").unwrap();
        assert_eq!(
            tiny.runs, 1,
            "a run is counted once, and only one that can be read"
        );
        store.close().await;
    }
}
