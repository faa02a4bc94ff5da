//! Words of the filters of the list of runs.

pub(crate) const FORM: &str = "Filters of the list";
pub(crate) const SEARCH: &str = "Search";
pub(crate) const SEARCH_HINT: &str = "model, hardware, engine, note";
pub(crate) const MODEL: &str = "Model";
pub(crate) const HARDWARE: &str = "Hardware";
pub(crate) const CLASS: &str = "Kind of machine";
pub(crate) const MEMORY: &str = "Memory";
pub(crate) const ENGINE: &str = "Engine";
pub(crate) const QUANTIZATION: &str = "Quantization";
pub(crate) const TRUST: &str = "Trust";
pub(crate) const ORDER: &str = "Order";
pub(crate) const SINCE: &str = "From";
pub(crate) const UNTIL: &str = "Before";
pub(crate) const NEWEST: &str = "Newest first";
pub(crate) const SINGLE: &str = "Fastest single request first";
pub(crate) const TOTAL: &str = "Highest total first";
pub(crate) const ANY: &str = "any";
pub(crate) const SHOW: &str = "Show";
pub(crate) const ALL: &str = "Show all runs";
pub(crate) const NOTHING: &str = "No run fits all of these filters.";
pub(crate) const MORE: &str = "More runs";

/// A size of memory.
pub(crate) fn memory(gib: &str) -> String {
    format!("up to {gib} GiB")
}
