//! Constants of a path from measured runs.
//!
//! Robust least squares of the logarithms, with a pull towards what was believed before: a constant
//! that no figure tells anything about stays where it was.

mod calibration;
mod families;
mod holdout;
mod observation;
mod residual;
mod solve;

pub use calibration::{Calibration, Entry};
pub use families::calibrate;
pub use holdout::{HeldOut, hold_out_models, hold_out_rows};
pub use observation::{Measured, Observation};
pub use residual::{Band, Errors, Residual, median, quantile};
pub use solve::fit;
