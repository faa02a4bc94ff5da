//! What every store must do, and what only SQLite has to.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may fail loudly"
)]

mod conformance;
mod objects;
mod sqlite;
