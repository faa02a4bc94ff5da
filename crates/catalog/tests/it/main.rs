//! The catalog's data, its readers and its roofline from outside.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "a test harness: a failure is meant to stop it, and its figures are small and whole"
)]

mod any_bytes;
mod checkpoints;
mod configs;
mod corpus;
mod gguf;
mod hardware_names;
mod hardware_rows;
mod model_names;
mod model_rows;
mod quantizations;
mod rentals;
mod safetensors;
mod strangers;
mod worked_values;

use std::sync::LazyLock;

use tokmark_catalog::{Catalog, Hardware, Model};

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::bundled().unwrap());

fn hardware(id: &str) -> &'static Hardware {
    CATALOG
        .hardware_by_id(id)
        .unwrap_or_else(|| panic!("no hardware `{id}`"))
}

fn model(id: &str) -> &'static Model {
    CATALOG
        .find_model(id)
        .found()
        .unwrap_or_else(|| panic!("no model `{id}`"))
}
