//! What a cell says in words: notes and failures.

use crate::summary::{Grid, context_label};
use crate::words;

/// The remarks of one cell.
pub(crate) struct Remark {
    pub(crate) place: String,
    pub(crate) texts: Vec<String>,
}

pub(crate) fn of(grid: &Grid<'_>) -> Vec<Remark> {
    grid.cells()
        .map(|cell| {
            let failures = cell.failures.iter().map(|failure| {
                words::failure(
                    failure.count,
                    &failure.class,
                    failure.http_status,
                    &failure.sample,
                )
            });
            Remark {
                place: words::point(
                    &context_label(cell.context),
                    cell.requests,
                    cell.status.label(),
                ),
                texts: cell.notes.iter().cloned().chain(failures).collect(),
            }
        })
        .filter(|remark| !remark.texts.is_empty())
        .collect()
}
