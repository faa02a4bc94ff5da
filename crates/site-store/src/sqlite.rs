//! The store on SQLite in WAL mode.

mod rows;

use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::accept::{self, Accepted};
use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::objects::{ObjectKey, Objects};
use crate::run::{NewRun, PageRequest, PutOutcome, RunPage, StoredRun};
use crate::{Store, StoreFuture};

/// Readers beside the one writer that SQLite allows.
const CONNECTIONS: u32 = 4;

/// How long a writer waits for another one.
const BUSY: Duration = Duration::from_secs(10);

/// Most runs of one page of the list.
const LARGEST_PAGE: u32 = 200;

/// Runs in a SQLite file, with their documents and evidence in the folder `objects` beside it.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    pool: SqlitePool,
    objects: Objects,
}

impl SqliteStore {
    /// Opens the database at `path`, creates it where it does not exist, and brings it to this
    /// version.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        // The objects lie inside of the database's folder, so that opening them creates both.
        let objects = Objects::open(folder.join("objects")).await?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A run is stored before the answer is sent, also when the power fails.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .connect_with(options)
            .await?;
        sqlx::migrate!("./migrations/sqlite").run(&pool).await?;
        Ok(Self { pool, objects })
    }

    /// Ends the connections; what is stored is on the disk already.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn put(&self, run: NewRun) -> Result<PutOutcome, StoreError> {
        let accepted = accept::check(&run)?;
        let id = accepted.document.id.clone();
        let document = ObjectKey::of(run.document.as_bytes());
        if let Some(outcome) = self.existing(&id, &document).await? {
            return Ok(outcome);
        }
        let evidence = match run.evidence {
            Some(bytes) => Some(self.objects.put(bytes).await?),
            None => None,
        };
        self.objects.put(run.document.into_bytes()).await?;
        self.insert(&accepted, run.received_at, &document, evidence.as_ref())
            .await
    }

    async fn existing(
        &self,
        id: &str,
        document: &ObjectKey,
    ) -> Result<Option<PutOutcome>, StoreError> {
        let found = rows::document_key(&self.pool, id).await?;
        match found {
            None => Ok(None),
            Some(key) if key == *document => Ok(Some(PutOutcome::Existed(id.to_owned()))),
            Some(_) => Err(StoreError::Conflict { id: id.to_owned() }),
        }
    }

    async fn insert(
        &self,
        accepted: &Accepted,
        received_at: tokmark_units::Timestamp,
        document: &ObjectKey,
        evidence: Option<&ObjectKey>,
    ) -> Result<PutOutcome, StoreError> {
        let id = &accepted.document.id;
        // Begun as a writer: a reader that becomes one may be refused at once.
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        let inserted =
            rows::insert_run(&mut transaction, accepted, received_at, document, evidence).await?;
        if !inserted {
            // Somebody put the same identity since the first look.
            drop(transaction);
            let found = self.existing(id, document).await?;
            return found.ok_or_else(|| StoreError::Conflict { id: id.clone() });
        }
        rows::insert_cells(&mut transaction, &accepted.document).await?;
        transaction.commit().await?;
        Ok(PutOutcome::Created(id.clone()))
    }

    async fn get(&self, id: &str) -> Result<Option<StoredRun>, StoreError> {
        let Some(row) = rows::run(&self.pool, id).await? else {
            return Ok(None);
        };
        let missing = || StoreError::Damaged {
            what: format!("document of run `{id}`"),
        };
        let bytes = self.objects.get(&row.document).await?.ok_or_else(missing)?;
        Ok(Some(StoredRun {
            summary: row.summary,
            document: String::from_utf8(bytes).map_err(|_| missing())?,
            document_sha256: row.document.as_str().to_owned(),
        }))
    }

    async fn list(&self, page: PageRequest) -> Result<RunPage, StoreError> {
        let limit = page.limit.clamp(1, LARGEST_PAGE);
        // One more than wanted tells whether another page follows.
        let mut runs = rows::newest(&self.pool, page.after.as_ref(), limit + 1).await?;
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = runs.len() > wanted;
        runs.truncate(wanted);
        let next = runs.last().filter(|_| more).map(Cursor::behind);
        Ok(RunPage { runs, next })
    }

    async fn evidence_of(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(key) = rows::evidence_key(&self.pool, id).await? else {
            return Ok(None);
        };
        let bytes = self.objects.get(&key).await?;
        bytes.map(Some).ok_or_else(|| StoreError::Damaged {
            what: format!("evidence of run `{id}`"),
        })
    }
}

impl Store for SqliteStore {
    fn put_run(&self, run: NewRun) -> StoreFuture<'_, PutOutcome> {
        Box::pin(self.put(run))
    }

    fn get_run<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredRun>> {
        Box::pin(self.get(id))
    }

    fn list_runs(&self, page: PageRequest) -> StoreFuture<'_, RunPage> {
        Box::pin(self.list(page))
    }

    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.evidence_of(id))
    }
}
