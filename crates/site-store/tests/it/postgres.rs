//! The store on PostgreSQL, where a server for tests is named.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;
use tokmark_site_store::{FolderObjects, SqlStore, Store};

use crate::conformance::{all, new_run, run};

/// Names the address of a server on which databases may be made, without the database.
const VARIABLE: &str = "TOKMARK_TEST_POSTGRES";

static NEXT: AtomicU32 = AtomicU32::new(0);

#[expect(clippy::print_stderr, reason = "a test that was not made says so")]
fn skipped() {
    eprintln!("skipped: {VARIABLE} names no PostgreSQL server");
}

/// A database of its own, and a folder for its objects.
struct Fresh {
    server: String,
    name: String,
    folder: TempDir,
}

impl Fresh {
    async fn make() -> Option<Self> {
        let Ok(server) = std::env::var(VARIABLE) else {
            skipped();
            return None;
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let fresh = Self {
            server,
            name: format!("tokmark_test_{}_{number}", std::process::id()),
            folder: tempfile::tempdir().unwrap(),
        };
        fresh.say("CREATE DATABASE").await;
        Some(fresh)
    }

    async fn say(&self, what: &str) {
        let address = format!("{}/postgres", self.server);
        let mut connection = PgConnection::connect(&address).await.unwrap();
        let sql = format!("{what} {}", self.name);
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
    }

    async fn open(&self) -> SqlStore {
        let objects = FolderObjects::open(self.folder.path().join("objects")).await;
        let address = format!("{}/{}", self.server, self.name);
        SqlStore::postgres(&address, Arc::new(objects.unwrap()))
            .await
            .unwrap()
    }

    async fn drop_it(self, store: SqlStore) {
        store.close().await;
        self.say("DROP DATABASE").await;
    }
}

#[tokio::test]
async fn postgres_conforms() {
    let Some(fresh) = Fresh::make().await else {
        return;
    };
    let store = fresh.open().await;
    all(&store).await;
    fresh.drop_it(store).await;
}

#[tokio::test]
async fn postgres_keeps_runs_and_is_opened_by_several() {
    let Some(fresh) = Fresh::make().await else {
        return;
    };
    let (one, two) = tokio::join!(fresh.open(), fresh.open());
    let puts = (0..8).map(|number| {
        let store = if number % 2 == 0 {
            one.clone()
        } else {
            two.clone()
        };
        tokio::spawn(async move { store.put_run(new_run(&run("same"), 0)).await.unwrap() })
    });
    let mut created = 0;
    for put in puts.collect::<Vec<_>>() {
        let outcome = put.await.unwrap();
        created += usize::from(matches!(
            outcome,
            tokmark_site_store::PutOutcome::Created(_)
        ));
    }
    assert_eq!(created, 1);
    one.close().await;
    two.close().await;
    let again = fresh.open().await;
    assert!(again.get_run("same").await.unwrap().is_some());
    fresh.drop_it(again).await;
}
