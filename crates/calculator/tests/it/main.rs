//! The decode model from outside.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test harness: a failure is meant to stop it"
)]

mod pages;

use std::sync::LazyLock;

use tokmark_catalog::Catalog;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::bundled().unwrap());
