//! The interval of the first methodology: Student's t over batches of the window.
//!
//! The window is cut into equal slices. Their linear trend is removed (decode slows down as the
//! context grows, which is not noise), then Student's t with two parameters fitted gives the
//! interval. Slices of a slow wobble are not independent, so they are made longer until their
//! lag-1 autocorrelation is small. That sees too little of noise that outlasts a slice: a true rate
//! lay in 88 of 100 such intervals where noise lasted a second. Kept so that older documents stay
//! verifiable.

use super::{Basis, Gains, LEAST_BATCHES, MeanInterval};
use crate::{stats, student};

/// Largest lag-1 autocorrelation of batches that count as independent.
const LARGEST_CORRELATION: f64 = 0.2;

pub(super) fn interval(gains: &Gains, finest: u32) -> Option<MeanInterval> {
    let mut tried = None;
    for merged in 1..=finest / LEAST_BATCHES {
        let batches = finest / merged;
        if tried == Some(batches) {
            continue;
        }
        tried = Some(batches);
        let line = stats::line(&gains.slice_rates(batches))?;
        let correlation = stats::autocorrelation(&line.residuals).unwrap_or(0.0);
        if correlation <= LARGEST_CORRELATION {
            return around(&line, batches);
        }
    }
    None
}

fn around(line: &stats::Line, batches: u32) -> Option<MeanInterval> {
    let freedom = batches.checked_sub(2)?;
    let squares: f64 = line.residuals.iter().map(|residual| residual.powi(2)).sum();
    let deviation = (squares / f64::from(freedom)).sqrt();
    let half = student::factor_95(freedom)? * deviation / f64::from(batches).sqrt();
    Some(MeanInterval {
        low: (line.mean - half).max(0.0),
        high: line.mean + half,
        basis: Basis::Batches(batches),
    })
}
