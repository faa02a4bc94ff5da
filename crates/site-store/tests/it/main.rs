//! What every store must do, and what only one of them has to.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests may fail loudly"
)]

mod conformance;
mod lists;
mod migrations;
mod objects;
mod postgres;
mod sqlite;
