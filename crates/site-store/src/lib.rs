//! Where the site keeps its runs.
//!
//! The site knows the [`Store`] trait, not a database. Rows hold what lists and searches need;
//! documents and evidence are [`Objects`], named by their content. A run is stored before
//! [`Store::put_run`] returns.

mod accept;
mod cursor;
mod error;
mod objects;
mod run;
mod sqlite;

use std::future::Future;
use std::pin::Pin;

pub use cursor::Cursor;
pub use error::StoreError;
pub use objects::{ObjectKey, Objects};
pub use run::{CellSummary, NewRun, PageRequest, PutOutcome, RunPage, RunSummary, StoredRun};
pub use sqlite::SqliteStore;

/// What a store's functions return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for runs.
pub trait Store: Send + Sync {
    /// Stores a run with its evidence. The same document again changes nothing; another document
    /// under the same identity is refused.
    fn put_run(&self, run: NewRun) -> StoreFuture<'_, PutOutcome>;

    /// A run by its identity.
    fn get_run<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredRun>>;

    /// A page of the list, newest first.
    fn list_runs(&self, page: PageRequest) -> StoreFuture<'_, RunPage>;

    /// The evidence of a run, as it was sent.
    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;
}
