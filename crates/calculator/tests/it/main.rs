//! The decode model from outside.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test harness: a failure is meant to stop it"
)]

mod compare;
mod explained;
mod laws;
mod pages;
mod worked;

use std::sync::LazyLock;

use tokmark_catalog::Catalog;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::bundled().unwrap());
