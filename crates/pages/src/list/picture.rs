//! A small picture of a matrix for lists.

use std::collections::{BTreeMap, BTreeSet};

use super::row::ListedCell;
use crate::shade::{Shade, Tone};

/// A matrix small enough for a line of a list: one square per cell, coloured like the large one.
#[derive(Debug, Clone, Default)]
pub(crate) struct MatrixPicture {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) squares: Vec<Square>,
}

/// One cell, in units of squares.
#[derive(Debug, Clone)]
pub(crate) struct Square {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) class: String,
}

impl MatrixPicture {
    /// The picture of these cells.
    pub(crate) fn of(cells: &[ListedCell]) -> Self {
        let shade = Shade::over(cells.iter().filter_map(|(.., rate)| *rate));
        let contexts = places(cells.iter().map(|(context, ..)| *context));
        let requests = places(cells.iter().map(|(_, requests, ..)| *requests));
        let squares = cells.iter().filter_map(|(context, level, status, rate)| {
            let tone = Tone::of(*status).class();
            let step = rate
                .zip(shade)
                .map(|(rate, shade)| format!("{tone} q{}", shade.step(rate)));
            Some(Square {
                x: *requests.get(level)?,
                y: *contexts.get(context)?,
                class: step.unwrap_or_else(|| tone.to_owned()),
            })
        });
        Self {
            columns: requests.len(),
            rows: contexts.len(),
            squares: squares.collect(),
        }
    }
}

/// Every value with its place in order.
fn places<T: Ord + Copy>(values: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let values: BTreeSet<T> = values.collect();
    values.into_iter().zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use tokmark_run_format::CellStatus;

    use super::*;

    #[test]
    fn cells_lie_where_they_lie_in_the_matrix() {
        let picture = MatrixPicture::of(&[
            (16_384, 2, CellStatus::OverCapacity, None),
            (0, 1, CellStatus::Valid, Some(10.0)),
            (0, 2, CellStatus::Queued, Some(20.0)),
        ]);
        assert_eq!((picture.columns, picture.rows), (2, 2));
        let squares: Vec<(usize, usize, &str)> = picture
            .squares
            .iter()
            .map(|square| (square.x, square.y, square.class.as_str()))
            .collect();
        assert_eq!(
            squares,
            [(1, 1, "not-run"), (0, 0, "good q0"), (1, 0, "marked q6")]
        );
    }
}
