//! The store on SQLite in WAL mode and on PostgreSQL.

mod database;
mod derive;
mod list;
mod rows;
mod write;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnection, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqlitePool};

use crate::error::StoreError;
use crate::filter::{Choice, Visibility};
use crate::objects::{FolderObjects, ObjectKey, Objects};
use crate::prepared::{PreparedRun, unpack};
use crate::run::{NewRun, PageRequest, PutOutcome, RunPage, StoredRun};
use crate::{Store, StoreFuture};
use database::Database;

/// SQLite: readers beside the one writer that it allows.
const SQLITE_CONNECTIONS: u32 = 4;

/// PostgreSQL: few enough for several replicas of the site on its usual limit of 100.
const POSTGRES_CONNECTIONS: u32 = 16;

/// How long a request waits for a database that is busy or away.
const BUSY: Duration = Duration::from_secs(10);

/// Runs in a database, with their documents and evidence as objects.
#[derive(Debug, Clone)]
pub struct SqlStore {
    database: Database,
    objects: Arc<dyn Objects>,
}

impl SqlStore {
    /// Opens the SQLite file at `path` with its objects in the folder `objects` beside it; creates
    /// both where they do not exist.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let objects = FolderObjects::open(folder.join("objects")).await?;
        Self::sqlite(path, Arc::new(objects)).await
    }

    /// Opens the SQLite file at `path`, creates it where it does not exist, and brings it to this
    /// version.
    pub async fn sqlite(path: &Path, objects: Arc<dyn Objects>) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A run is stored before the answer is sent, also when the power fails.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let pool: SqlitePool = SqlitePoolOptions::new()
            .max_connections(SQLITE_CONNECTIONS)
            .connect_with(options)
            .await?;
        sqlx::migrate!("./migrations/sqlite").run(&pool).await?;
        Self::ready(Database::Sqlite(pool), objects).await
    }

    /// Connects to the PostgreSQL database of a `postgres://` address and brings it to this version.
    pub async fn postgres(address: &str, objects: Arc<dyn Objects>) -> Result<Self, StoreError> {
        // A pool only says that it waited in vain; a connection says why there is none.
        let first = PgConnection::connect(address).await?;
        first.close().await?;
        let pool = PgPoolOptions::new()
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(BUSY)
            .connect(address)
            .await?;
        sqlx::migrate!("./migrations/postgres").run(&pool).await?;
        Self::ready(Database::Postgres(pool), objects).await
    }

    async fn ready(database: Database, objects: Arc<dyn Objects>) -> Result<Self, StoreError> {
        let store = Self { database, objects };
        store.derive_missing().await?;
        Ok(store)
    }

    /// Stores many runs in one transaction: all of them or none.
    pub async fn put_prepared(
        &self,
        runs: Vec<PreparedRun>,
    ) -> Result<Vec<PutOutcome>, StoreError> {
        write::put(&self.database, &*self.objects, runs).await
    }

    /// Lets the database look at its data again, after many runs came at once.
    pub async fn analyze(&self) -> Result<(), StoreError> {
        self.database.rows("ANALYZE", Vec::new()).await?;
        Ok(())
    }

    /// Ends the connections; what is stored is on the disk already.
    pub async fn close(&self) {
        self.database.close().await;
    }

    async fn put(&self, run: NewRun) -> Result<PutOutcome, StoreError> {
        let prepared = tokio::task::spawn_blocking(|| PreparedRun::of(run))
            .await
            .map_err(|_| StoreError::Closing)??;
        let id = prepared.accepted.document.id.clone();
        if let Some(known) = rows::document(&self.database, &id).await? {
            return write::known(id, &known, &prepared.document);
        }
        let mut outcomes = self.put_prepared(vec![prepared]).await?;
        outcomes.pop().ok_or(StoreError::Closing)
    }

    async fn get(&self, id: &str) -> Result<Option<StoredRun>, StoreError> {
        let Some(row) = rows::run(&self.database, id).await? else {
            return Ok(None);
        };
        let missing = || StoreError::Damaged {
            what: format!("document of run `{id}`"),
        };
        let bytes = self.objects.get(&row.object).await?.ok_or_else(missing)?;
        Ok(Some(StoredRun {
            summary: row.summary,
            document: unpack(bytes).ok_or_else(missing)?,
            document_sha256: row.document.as_str().to_owned(),
        }))
    }

    async fn evidence_of(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(key) = rows::evidence(&self.database, id).await? else {
            return Ok(None);
        };
        let bytes = self.objects.get(&key).await?;
        bytes.map(Some).ok_or_else(|| StoreError::Damaged {
            what: format!("evidence of run `{id}`"),
        })
    }
}

impl Store for SqlStore {
    fn put_run(&self, run: NewRun) -> StoreFuture<'_, PutOutcome> {
        Box::pin(self.put(run))
    }

    fn get_run<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(self.get(id))
    }

    fn list_runs(&self, page: PageRequest) -> StoreFuture<'_, RunPage> {
        Box::pin(list::page(&self.database, page))
    }

    fn choices(&self) -> StoreFuture<'_, Vec<Choice>> {
        Box::pin(list::choices(&self.database))
    }

    fn set_visibility<'a>(&'a self, id: &'a str, to: Visibility) -> StoreFuture<'a, bool> {
        Box::pin(write::set_visibility(&self.database, id, to))
    }

    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.evidence_of(id))
    }
}

/// The name of an object as a row keeps it.
fn key(text: &str) -> Result<ObjectKey, StoreError> {
    ObjectKey::parse(text).ok_or_else(|| StoreError::Damaged {
        what: "name of an object".to_owned(),
    })
}
