//! Where the site keeps its runs.
//!
//! The site knows the [`Store`] trait, not a database. Rows hold what lists and searches need;
//! documents and evidence are [`Objects`], named by their content. A run is stored before
//! [`Store::put_run`] returns.

mod accept;
mod cursor;
mod derived;
mod error;
mod filter;
mod objects;
mod prepared;
mod run;
mod sql;

use std::future::Future;
use std::pin::Pin;

pub use cursor::Cursor;
pub use error::StoreError;
pub use filter::{
    Choice, ChoiceField, RunFilter, RunOrder, Visibility, class_by_word, trust_by_word,
    word_of_class, word_of_trust,
};
pub use objects::{FolderObjects, ObjectKey, Objects};
pub use prepared::PreparedRun;
pub use run::{CellSummary, NewRun, PageRequest, PutOutcome, RunPage, RunSummary, StoredRun};
pub use sql::SqlStore;

/// What a store's functions return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place for runs.
pub trait Store: Send + Sync {
    /// Stores a run with its evidence. The same document again changes nothing; another document
    /// under the same identity is refused.
    fn put_run(&self, run: NewRun) -> StoreFuture<'_, PutOutcome>;

    /// A public run by its identity.
    fn get_run<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredRun>>;

    /// A page of the list of public runs.
    fn list_runs(&self, page: PageRequest) -> StoreFuture<'_, RunPage>;

    /// The values of filters that public runs have, by field, then value.
    fn choices(&self) -> StoreFuture<'_, Vec<Choice>>;

    /// Sets who may see a run; `false` when there is none of this identity.
    fn set_visibility<'a>(&'a self, id: &'a str, to: Visibility) -> StoreFuture<'a, bool>;

    /// The evidence of a public run, as it was sent.
    fn evidence<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;
}
