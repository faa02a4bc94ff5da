//! What a cell says in words: notes and failures.

use tokmark_run_format::{DecodeCell, RunDocument};

use crate::roofline;
use crate::summary::{Grid, context_label};
use crate::words;

/// The remarks of one cell.
pub(crate) struct Remark {
    pub(crate) place: String,
    pub(crate) texts: Vec<String>,
}

pub(crate) fn of(run: &RunDocument, grid: &Grid<'_>) -> Vec<Remark> {
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
                texts: cell
                    .notes
                    .iter()
                    .cloned()
                    .chain(failures)
                    .chain(shares(run, cell))
                    .collect(),
            }
        })
        .filter(|remark| !remark.texts.is_empty())
        .collect()
}

/// A share that needs a remark, with it.
fn shares(run: &RunDocument, cell: &DecodeCell) -> Option<String> {
    let remarks = roofline::remarks(run, cell);
    let share = roofline::of_cell(run, cell).filter(|_| !remarks.is_empty())?;
    Some(words::because(&share, &remarks.join("; ")))
}
